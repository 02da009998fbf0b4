//! Readings: the catalogue as objects that Ptah compares, and as source text that would make it again.

use std::collections::BTreeMap;

use ptah_model::{Facet, Fingerprint, Member, Object, SchemaModel};
use ptah_provider_api::render::{RenderReply, RenderedDefinition};
use ptah_provider_sdk::Snapshot;

use crate::language::{Tables, column_id, create_text, table_id};

/// One reading. It is kept until its session closes, because planning and rendering refer to it.
pub(crate) struct Reading {
    pub(crate) tables: Tables,
    schema: SchemaModel,
}

impl Reading {
    pub(crate) fn of(tables: &Tables) -> Self {
        let mut schema = SchemaModel::default();
        for (table, columns) in tables {
            let member = |(name, sort): (&String, &String)| Member {
                id: column_id(name),
                facets: [("type".to_owned(), Facet::plain(sort.clone()))].into(),
            };
            let members = columns.iter().map(member).collect();
            schema.insert(Object { id: table_id(table), facets: [].into(), members });
        }
        Self { tables: tables.clone(), schema }
    }

    pub(crate) fn rendered(&self) -> RenderReply {
        let definition = |(table, columns): (&String, &BTreeMap<String, String>)| {
            let (object, text) = (table_id(table), create_text(table, columns));
            RenderedDefinition { object, text }
        };
        RenderReply { definitions: self.tables.iter().map(definition).collect() }
    }
}

impl Snapshot for Reading {
    fn schema(&self) -> &SchemaModel {
        &self.schema
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.schema)
    }
}
