//! A schema: as SQL, as an outline of its objects, and as a document.

use std::collections::BTreeMap;

use ptah_model::{Facets, Member, Name, NotDescribed, Object, ObjectId, SchemaModel};
use ptah_provider_api::reading::Reading;
use ptah_provider_api::render::RenderReply;
use ptah_records::report::v1::DiagnosticV1;
use serde::Serialize;

use super::failure::CONTRACT_VERSION;
use crate::output::{Page, style};

/// Statements as a script: each with its separator, and an empty line between.
pub fn sql<'a>(statements: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for statement in statements {
        if !text.is_empty() {
            text.push('\n');
        }
        let statement = statement.trim_end();
        text.push_str(statement);
        // A comment at the end of the last line would swallow the separator.
        let comment = statement.lines().last().is_some_and(|line| line.contains("--"));
        text.push_str(if comment {
            "\n;\n"
        } else if statement.ends_with(';') {
            "\n"
        } else {
            ";\n"
        });
    }
    text
}

/// What `schema render --json` and `db read --json` say.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SqlDocument {
    /// The version of the form of these documents: always 1.
    pub contract_version: u64,
    /// Always `rendered`.
    pub outcome: &'static str,
    /// The objects in an order in which they can be created. May be empty.
    pub definitions: Vec<DefinitionPart>,
}

/// One object as SQL.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DefinitionPart {
    /// The object, for people.
    pub object: String,
    /// Its statement, without a separator.
    pub sql: String,
}

impl SqlDocument {
    /// The document of a rendering.
    pub fn of(rendered: &RenderReply) -> Self {
        let part = |d: &ptah_provider_api::render::RenderedDefinition| DefinitionPart {
            object: d.object.to_string(),
            sql: d.text.clone(),
        };
        let definitions = rendered.definitions.iter().map(part).collect();
        Self { contract_version: CONTRACT_VERSION, outcome: "rendered", definitions }
    }
}

/// What `schema validate --json` says.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ValidationDocument {
    /// The version of the form of these documents: always 1.
    pub contract_version: u64,
    /// `valid` or `findings`.
    pub outcome: &'static str,
    /// How many objects are declared; 0 when they could not be created.
    pub objects: u64,
    /// What was found. May be empty.
    pub diagnostics: Vec<DiagnosticV1>,
}

impl ValidationDocument {
    /// The document of a validation.
    pub fn new(is_valid: bool, objects: u64, diagnostics: Vec<DiagnosticV1>) -> Self {
        let outcome = if is_valid { "valid" } else { "findings" };
        Self { contract_version: CONTRACT_VERSION, outcome, objects, diagnostics }
    }
}

/// Each object with its members and facets, in the server's spelling.
pub fn outline(reading: &Reading) -> Page {
    let mut page = Page::new();
    for object in reading.schema.objects() {
        page.gap().paint(style::STRONG, &object.id.to_string()).end();
        facets(&mut page, 2, &object.facets);
        for member in &object.members {
            let facets: Vec<String> = member.facets.iter().map(|(name, f)| format!("{name} {}", f.text)).collect();
            page.text(&format!("  {}", member.id)).paint(style::FAINT, &format!("  {}", facets.join(", "))).end();
        }
    }
    page.gap().line(&format!("objects: {}, fingerprint: {}", reading.count, reading.fingerprint));
    page
}

fn facets(page: &mut Page, indent: usize, facets: &Facets) {
    for (name, facet) in facets {
        page.text(&format!("{:indent$}{name} ", "")).paint(style::FAINT, &facet.text).end();
    }
}

/// What exists and could not be read.
pub fn unread(schema: &SchemaModel) -> Page {
    let mut page = Page::new();
    for unread in schema.not_described() {
        page.paint(style::WARN, "not described:").text(" ").line(&format!("{}: {}", unread.id, unread.reason));
    }
    if schema.not_described().len() > 0 {
        page.hint("what is not described is never compared, altered or dropped");
    }
    page
}

/// What `schema inspect --json` says.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SchemaDocument {
    /// The version of the form of these documents: always 1.
    pub contract_version: u64,
    /// Always `read`.
    pub outcome: &'static str,
    /// The fingerprint of the whole schema.
    pub fingerprint: String,
    /// The objects in the order of their identities. May be empty.
    pub objects: Vec<ObjectPart>,
    /// What exists and could not be read. May be empty.
    pub not_described: Vec<UnreadPart>,
}

/// One object.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ObjectPart {
    /// Its kind.
    pub kind: String,
    /// The schema it lives in, or null.
    pub schema: Option<String>,
    /// The object that owns it, or null.
    pub owner: Option<String>,
    /// Its name.
    pub name: String,
    /// Its attributes by name. May be empty.
    pub facets: BTreeMap<String, FacetPart>,
    /// Its members in the server's order. May be empty.
    pub members: Vec<MemberPart>,
}

/// One member.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MemberPart {
    /// Its kind.
    pub kind: String,
    /// Its name, or what it says.
    pub name: String,
    /// Its attributes by name. May be empty.
    pub facets: BTreeMap<String, FacetPart>,
}

/// One attribute.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FacetPart {
    /// In the server's spelling.
    pub text: String,
    /// What equality rests on.
    pub canonical: String,
}

/// Something that could not be read.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UnreadPart {
    /// What it is, for people.
    pub object: String,
    /// Why.
    pub reason: String,
}

impl SchemaDocument {
    /// The document of a reading.
    pub fn of(reading: &Reading) -> Self {
        let unread =
            |unread: &NotDescribed| UnreadPart { object: unread.id.to_string(), reason: unread.reason.clone() };
        Self {
            contract_version: CONTRACT_VERSION,
            outcome: "read",
            fingerprint: reading.fingerprint.to_string(),
            objects: reading.schema.objects().map(ObjectPart::of).collect(),
            not_described: reading.schema.not_described().map(unread).collect(),
        }
    }
}

impl ObjectPart {
    fn of(object: &Object) -> Self {
        let Object { id: ObjectId { kind, schema, owner, name }, facets, members } = object;
        let shown = |name: &Option<Name>| name.as_ref().map(|name| name.shown().to_owned());
        Self {
            kind: kind.to_string(),
            schema: shown(schema),
            owner: shown(owner),
            name: name.shown().to_owned(),
            facets: facet_parts(facets),
            members: members.iter().map(MemberPart::of).collect(),
        }
    }
}

impl MemberPart {
    fn of(member: &Member) -> Self {
        let (kind, name) = (member.id.kind.to_string(), member.id.name.shown().to_owned());
        Self { kind, name, facets: facet_parts(&member.facets) }
    }
}

fn facet_parts(facets: &Facets) -> BTreeMap<String, FacetPart> {
    let part = |f: &ptah_model::Facet| FacetPart { text: f.text.clone(), canonical: f.canonical.clone() };
    facets.iter().map(|(name, facet)| (name.clone(), part(facet))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_separates_statements_even_after_a_comment() {
        let statements = ["create table a (id)", "select 1;", "create view v as select 1 -- one"];
        assert_eq!(
            sql(statements.into_iter()),
            "create table a (id);\n\nselect 1;\n\ncreate view v as select 1 -- one\n;\n"
        );
        assert_eq!(sql(std::iter::empty()), "");
    }
}
