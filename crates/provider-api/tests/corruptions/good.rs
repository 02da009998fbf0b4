//! Good messages, to be corrupted.

use ptah_model::{Comparison, Digest, EngineName, Fingerprint, IdentifierRules, Kind, Name, ObjectId, OperationId};
use ptah_model::{Position, Scope, SourceName};
use ptah_provider_api::key::{Key, RequestId, SessionId};
use ptah_provider_api::session::DatabaseIdentity;

pub(crate) fn session() -> SessionId {
    SessionId::new("0123456789012345678901").unwrap()
}

pub(crate) fn request(id: &str) -> RequestId {
    RequestId::new(id).unwrap()
}

pub(crate) fn key() -> Key {
    Key { session: session(), scope: Scope::new("ptah").unwrap(), request: request("r") }
}

/// A key with each part changed in turn.
pub(crate) fn other_keys() -> [(&'static str, Key); 3] {
    [
        ("key.session_id", Key { session: SessionId::new("another").unwrap(), ..key() }),
        ("key.scope", Key { scope: Scope::new("another").unwrap(), ..key() }),
        ("key.request_id", Key { request: request("another"), ..key() }),
    ]
}

pub(crate) fn engine() -> EngineName {
    EngineName::new("zorp").unwrap()
}

pub(crate) fn rules() -> IdentifierRules {
    let rule = Comparison::Exact;
    IdentifierRules { table: rule, column: rule, index: rule, default_schema: None, max_bytes: None }
}

pub(crate) fn identity() -> DatabaseIdentity {
    DatabaseIdentity {
        uuid: Some("u".to_owned()),
        recorded_physical: Some("p".to_owned()),
        physical: "p".to_owned(),
        route: "r".to_owned(),
    }
}

pub(crate) fn digest(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

pub(crate) fn fingerprint(text: &str) -> Fingerprint {
    digest(text).to_string().parse().unwrap()
}

pub(crate) fn operation(id: &str) -> OperationId {
    OperationId::new(id).unwrap()
}

pub(crate) fn table(name: &str) -> ObjectId {
    ObjectId { kind: Kind::table(), schema: None, owner: None, name: Name::new(name, Comparison::Exact) }
}

/// A piece of `a.sql`, whose text is `é;\nb;`.
pub(crate) fn position(offset: u64, length: u32) -> Position {
    Position { source: SourceName::new("a.sql"), offset, length, line: 1, column: 1 }
}
