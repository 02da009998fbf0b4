//! Versions, keys, names and identities.

use ptah_model::{Comparison, IdentifierRules, Kind, Loss, MemberId, Name, ObjectId, Position, Risk, Scope};
use ptah_model::{SnapshotId, SourceName, Text};
use ptah_provider_api::contract::ContractVersion;
use ptah_provider_api::key::{Key, RequestId, SessionId};
use ptah_provider_api::plan::SnapshotRef;

use super::{Numbered, OnWire, WireError, numbered, parsed, required, unless_equal};
use crate::pb;

numbered!(ptah_model::Comparison, Comparison, Exact, AsciiFold);
numbered!(ptah_model::Risk, Risk, Safe, Warning, Destructive);
numbered!(ptah_model::Loss, Loss, Rows, Values, Protection, Definition);
numbered!(ptah_provider_api::execute::Outcome, Outcome, Applied, NotStarted, NotApplied, Partial, Unknown);

impl OnWire for ContractVersion {
    type Message = pb::ContractVersion;

    fn to_wire(self) -> pb::ContractVersion {
        let Self { major, minor } = self;
        pb::ContractVersion { major, minor }
    }

    fn from_wire(message: pb::ContractVersion) -> Result<Self, WireError> {
        let pb::ContractVersion { major, minor } = message;
        WireError::unless(major > 0, "ContractVersion", "major", "is required")?;
        Ok(Self { major, minor })
    }
}

impl OnWire for Key {
    type Message = pb::Key;

    fn to_wire(self) -> pb::Key {
        let Self { session, scope, request } = self;
        pb::Key {
            session_id: session.as_str().to_owned(),
            scope: scope.as_str().to_owned(),
            request_id: request.as_str().to_owned(),
        }
    }

    fn from_wire(message: pb::Key) -> Result<Self, WireError> {
        Ok(Self {
            session: SessionId::new(message.session_id)?,
            scope: parsed(Scope::new(message.scope), "Key", "scope")?,
            request: RequestId::new(message.request_id)?,
        })
    }
}

impl OnWire for Name {
    type Message = pb::Name;

    fn to_wire(self) -> pb::Name {
        let Self { source, normalized } = self;
        let normalized = unless_equal(&source, &normalized);
        pb::Name { source: source.into(), normalized }
    }

    fn from_wire(message: pb::Name) -> Result<Self, WireError> {
        name(message.source, message.normalized, "Name")
    }
}

/// A name from its two spellings.
pub(super) fn name(source: String, normalized: Option<String>, message: &'static str) -> Result<Name, WireError> {
    let source = Text::from(source);
    let normalized = normalized.map_or_else(|| source.clone(), Text::from);
    WireError::unless(!normalized.is_empty(), message, "normalized", "is not empty")?;
    Ok(Name { source, normalized })
}

/// A kind from its word.
pub(super) fn kind(word: String, message: &'static str) -> Result<Kind, WireError> {
    Kind::new(word).ok_or(WireError::new(message, "kind", "keeps the form of its type"))
}

impl OnWire for ObjectId {
    type Message = pb::ObjectId;

    fn to_wire(self) -> pb::ObjectId {
        let Self { kind, schema, owner, name } = self;
        pb::ObjectId {
            kind: kind.as_str().to_owned(),
            schema: schema.map(OnWire::to_wire),
            owner: owner.map(OnWire::to_wire),
            name: Some(name.to_wire()),
        }
    }

    fn from_wire(message: pb::ObjectId) -> Result<Self, WireError> {
        const M: &str = "ObjectId";
        Ok(Self {
            kind: kind(message.kind, M)?,
            schema: message.schema.map(Name::from_wire).transpose()?,
            owner: message.owner.map(Name::from_wire).transpose()?,
            name: Name::from_wire(required(message.name, M, "name")?)?,
        })
    }
}

impl OnWire for MemberId {
    type Message = pb::MemberId;

    fn to_wire(self) -> pb::MemberId {
        let Self { kind, name } = self;
        pb::MemberId { kind: kind.as_str().to_owned(), name: Some(name.to_wire()) }
    }

    fn from_wire(message: pb::MemberId) -> Result<Self, WireError> {
        const M: &str = "MemberId";
        Ok(Self { kind: kind(message.kind, M)?, name: Name::from_wire(required(message.name, M, "name")?)? })
    }
}

impl OnWire for SnapshotRef {
    type Message = pb::SnapshotRef;

    fn to_wire(self) -> pb::SnapshotRef {
        let Self { session, snapshot } = self;
        pb::SnapshotRef { session_id: session.as_str().to_owned(), snapshot_id: snapshot.as_str().to_owned() }
    }

    fn from_wire(message: pb::SnapshotRef) -> Result<Self, WireError> {
        Ok(Self {
            session: SessionId::new(message.session_id)?,
            snapshot: parsed(SnapshotId::new(message.snapshot_id), "SnapshotRef", "snapshot_id")?,
        })
    }
}

impl OnWire for IdentifierRules {
    type Message = pb::IdentifierRules;

    fn to_wire(self) -> pb::IdentifierRules {
        let Self { table, column, index, default_schema, max_bytes } = self;
        pb::IdentifierRules {
            table: table.number(),
            column: column.number(),
            index: index.number(),
            default_schema,
            max_bytes,
        }
    }

    fn from_wire(message: pb::IdentifierRules) -> Result<Self, WireError> {
        const M: &str = "IdentifierRules";
        Ok(Self {
            table: Comparison::numbered(message.table, M, "table")?,
            column: Comparison::numbered(message.column, M, "column")?,
            index: Comparison::numbered(message.index, M, "index")?,
            default_schema: message.default_schema,
            max_bytes: message.max_bytes,
        })
    }
}

/// A position without its source, which goes without saying.
pub(crate) fn span(position: Position) -> pb::Span {
    let Position { source: _, offset, length, line, column } = position;
    pb::Span { offset, length, line, column }
}

/// The position of a span in a source.
pub(crate) fn position(span: pb::Span, source: &SourceName) -> Position {
    let pb::Span { offset, length, line, column } = span;
    Position { source: source.clone(), offset, length, line, column }
}

/// The class of a change or step, and what is lost.
pub(super) fn loss(number: Option<i32>, message: &'static str) -> Result<Option<Loss>, WireError> {
    number.map(|n| Loss::numbered(n, message, "loss")).transpose()
}

/// The class of a change or step.
pub(super) fn risk(number: i32, message: &'static str) -> Result<Risk, WireError> {
    Risk::numbered(number, message, "risk")
}
