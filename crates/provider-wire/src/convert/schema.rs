//! Objects of a reading, and Inspect's and Render's requests.

use std::collections::BTreeSet;

use ptah_model::{EngineName, Facet, Facets, Member, MemberId, NotDescribed, Object, ObjectId};
use ptah_provider_api::key::SessionId;
use ptah_provider_api::plan::SnapshotRef;
use ptah_provider_api::reading::InspectRequest;
use ptah_provider_api::render::{RenderRequest, RenderedDefinition};

use super::common::{kind, name};
use super::{OnWire, WireError, from_list, parsed, required, to_list, unless_equal};
use crate::pb;

impl OnWire for InspectRequest {
    type Message = pb::InspectRequest;

    fn to_wire(self) -> pb::InspectRequest {
        let Self { session, lock_timeout_ms, fingerprint_only } = self;
        pb::InspectRequest { session_id: session.as_str().to_owned(), lock_timeout_ms, fingerprint_only }
    }

    fn from_wire(message: pb::InspectRequest) -> Result<Self, WireError> {
        Ok(Self {
            session: SessionId::new(message.session_id)?,
            lock_timeout_ms: message.lock_timeout_ms,
            fingerprint_only: message.fingerprint_only,
        })
    }
}

impl OnWire for Object {
    type Message = pb::Object;

    fn to_wire(self) -> pb::Object {
        let Self { id, facets, members } = self;
        pb::Object { id: Some(id.to_wire()), facets: facets_to_wire(facets), members: to_list(members) }
    }

    fn from_wire(message: pb::Object) -> Result<Self, WireError> {
        const M: &str = "Object";
        let members: Vec<Member> = from_list(message.members)?;
        let ids: BTreeSet<&MemberId> = members.iter().map(|m| &m.id).collect();
        WireError::unless(ids.len() == members.len(), M, "members", "have distinct identities")?;
        Ok(Self {
            id: ObjectId::from_wire(required(message.id, M, "id")?)?,
            facets: facets_from_wire(message.facets, M)?,
            members,
        })
    }
}

impl OnWire for Member {
    type Message = pb::Member;

    fn to_wire(self) -> pb::Member {
        let Self { id, facets } = self;
        let MemberId { kind, name } = id;
        let normalized = unless_equal(&name.source, &name.normalized);
        pb::Member {
            kind: kind.as_str().to_owned(),
            name: name.source.into(),
            normalized,
            facets: facets_to_wire(facets),
        }
    }

    fn from_wire(message: pb::Member) -> Result<Self, WireError> {
        const M: &str = "Member";
        Ok(Self {
            id: MemberId { kind: kind(message.kind, M)?, name: name(message.name, message.normalized, M)? },
            facets: facets_from_wire(message.facets, M)?,
        })
    }
}

/// Facets in the order of their names.
fn facets_to_wire(facets: Facets) -> Vec<pb::Facet> {
    let facet = |(name, facet): (String, Facet)| {
        let Facet { text, canonical } = facet;
        let canonical = unless_equal(&text, &canonical);
        pb::Facet { name, text, canonical }
    };
    facets.into_iter().map(facet).collect()
}

/// Facets by name; a name that comes twice is refused.
fn facets_from_wire(list: Vec<pb::Facet>, message: &'static str) -> Result<Facets, WireError> {
    let count = list.len();
    let facet = |f: pb::Facet| (f.name, facet(f.text, f.canonical));
    let facets: Facets = list.into_iter().map(facet).collect();
    WireError::unless(facets.len() == count, message, "facets", "have distinct names")?;
    Ok(facets)
}

/// A facet from its two forms.
pub(super) fn facet(text: String, canonical: Option<String>) -> Facet {
    match canonical {
        Some(canonical) => Facet::new(text, canonical),
        None => Facet::plain(text),
    }
}

impl OnWire for NotDescribed {
    type Message = pb::NotDescribed;

    fn to_wire(self) -> pb::NotDescribed {
        let Self { id, reason } = self;
        pb::NotDescribed { id: Some(id.to_wire()), reason }
    }

    fn from_wire(message: pb::NotDescribed) -> Result<Self, WireError> {
        Ok(Self { id: ObjectId::from_wire(required(message.id, "NotDescribed", "id")?)?, reason: message.reason })
    }
}

impl OnWire for RenderRequest {
    type Message = pb::RenderRequest;

    fn to_wire(self) -> pb::RenderRequest {
        let Self { engine, snapshot } = self;
        pb::RenderRequest { engine: engine.as_str().to_owned(), snapshot: Some(snapshot.to_wire()) }
    }

    fn from_wire(message: pb::RenderRequest) -> Result<Self, WireError> {
        const M: &str = "RenderRequest";
        Ok(Self {
            engine: parsed(EngineName::new(message.engine), M, "engine")?,
            snapshot: SnapshotRef::from_wire(required(message.snapshot, M, "snapshot")?)?,
        })
    }
}

impl OnWire for RenderedDefinition {
    type Message = pb::RenderedDefinition;

    fn to_wire(self) -> pb::RenderedDefinition {
        let Self { object, text } = self;
        pb::RenderedDefinition { object: Some(object.to_wire()), text }
    }

    fn from_wire(message: pb::RenderedDefinition) -> Result<Self, WireError> {
        Ok(Self {
            object: ObjectId::from_wire(required(message.object, "RenderedDefinition", "object")?)?,
            text: message.text,
        })
    }
}
