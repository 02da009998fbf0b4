//! Open and Close: one connection, from the only message that carries an address to the handle's end.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use ptah_model::{Digest, EngineName, IdentifierRules};

use crate::Violation;
use crate::key::{RequestId, SessionId};

/// A database address, with any credential in it, and the folder where a relative path in it starts. Never printed: its
/// `Debug` shows nothing of it.
///
/// The folder is part of the address because a provider runs in a folder of its own.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    text: String,
    folder: Option<String>,
}

impl Address {
    /// Wraps an address without a relative path in it.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), folder: None }
    }

    /// Says where a relative path in it starts.
    #[must_use]
    pub fn relative_to(self, folder: impl Into<String>) -> Self {
        Self { folder: Some(folder.into()), ..self }
    }

    /// The address itself. For `Open` and nothing else.
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// Where a relative path in it starts; absent when the host did not say.
    pub fn folder(&self) -> Option<&str> {
        self.folder.as_deref()
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Address(…)")
    }
}

/// The handle of a dev database that `ProvisionDev` made.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DevId(pub String);

/// What to connect to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenTarget {
    /// A database by its address.
    Address(Address),
    /// A dev database of this process.
    Dev(DevId),
}

/// What the session may do. A provider refuses everything that a session's purpose does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Only to read. Nothing at or beside the database changes.
    Read,
    /// To change the target, under a lock.
    Apply,
    /// A scratch database.
    Dev,
}

/// A request for a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenRequest {
    /// The request.
    pub request: RequestId,
    /// Which engine.
    pub engine: EngineName,
    /// What to connect to.
    pub target: OpenTarget,
    /// What for.
    pub purpose: Purpose,
    /// Whether an absent database may be created. Only with [`Purpose::Apply`], and only after approval.
    pub create: bool,
    /// Whether recovery after a crash of another writer may change files. Implied by [`Purpose::Apply`].
    pub recover: bool,
    /// Whether what cannot be made safe may be tried all the same, such as a network file system; each word names one
    /// thing. Empty by default.
    pub accept: BTreeSet<String>,
    /// How long to wait for a busy engine, in milliseconds, at most 20 s.
    pub lock_timeout_ms: u64,
}

/// A session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The request that it answers.
    pub request: RequestId,
    /// Its handle.
    pub session: SessionId,
    /// The engine; the one that was asked for.
    pub engine: EngineName,
    /// The database that was selected, as people call it; never an address.
    pub database: String,
    /// The schema that unqualified names mean; absent where the engine has none.
    pub default_schema: Option<String>,
    /// The server's version.
    pub server_version: String,
    /// The effective identifier rules. Missing is refused.
    pub identifier_rules: IdentifierRules,
    /// What the session offers, within what the engine offers.
    pub features: BTreeSet<String>,
    /// Named facts about the server. A present `false` is an established answer; an absent key is unknown.
    pub capabilities: BTreeMap<String, bool>,
    /// A digest of everything about server and settings that can change how a source reads: part of a remembered proof.
    pub settings_digest: Digest,
    /// Which database this is.
    pub identity: DatabaseIdentity,
    /// Whether the database exists. `false` reads as empty, and nothing is created by reading.
    pub exists: bool,
    /// What the provider had to do, or could not do, to open it; each a note for people under the rules of a reason.
    pub notes: Vec<String>,
}

/// Which database an address led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseIdentity {
    /// A UUID of ours, minted by the first apply and kept in the database; absent before.
    pub uuid: Option<String>,
    /// The physical identity beside the UUID when it was minted or last adopted; absent when `uuid` is.
    pub recorded_physical: Option<String>,
    /// The physical identity now, as the server states it. Opaque; compared for equality.
    pub physical: String,
    /// The route that led here, such as a real path: what a database without a UUID is known by. Without one it also says,
    /// where the server can, which state of its definitions that is, such as a count of their changes that never goes
    /// back: so a plan that was made before Ptah kept anything there does not fit again once all of that is forgotten.
    pub route: String,
}

/// What an identity says about a database that Ptah may have met before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdentityState {
    /// Ptah never changed it: known only by its route, which is weak.
    New,
    /// The database that it says it is.
    Same,
    /// Its UUID was recorded for another physical database: it was moved or copied, and nothing runs until a person
    /// says which.
    MovedOrCopied,
}

impl DatabaseIdentity {
    /// What the identity says.
    pub fn state(&self) -> IdentityState {
        match (&self.uuid, &self.recorded_physical) {
            (Some(_), Some(recorded)) if *recorded == self.physical => IdentityState::Same,
            (Some(_), _) => IdentityState::MovedOrCopied,
            (None, _) => IdentityState::New,
        }
    }
}

/// Ends a session. Idempotent; releases its locks, rolls back what is open, and answers for a fenced session too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloseRequest {
    /// The session.
    pub session: SessionId,
    /// The request.
    pub request: RequestId,
}

/// The answer to a [`CloseRequest`]: the session is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloseReply {
    /// The request.
    pub request: RequestId,
}

impl CloseReply {
    /// Proves that it answers the request.
    pub fn validate_for(&self, asked: &CloseRequest) -> Result<(), Violation> {
        Violation::unless(self.request == asked.request, "CloseReply", "request_id", "echoes the request")
    }
}

impl Session {
    /// Proves that the session answers the request.
    pub fn validate_for(&self, asked: &OpenRequest) -> Result<(), Violation> {
        const M: &str = "Session";
        Violation::unless(self.request == asked.request, M, "request_id", "echoes the request")?;
        Violation::unless(self.engine == asked.engine, M, "engine", "is the engine that was asked for")?;
        Violation::unless(self.session.as_str().len() >= 22, M, "session_id", "has at least 128 random bits")?;
        Violation::unless(!self.database.is_empty(), M, "database", "is not empty")?;
        Violation::unless(!self.server_version.is_empty(), M, "server_version", "is not empty")?;
        let paired = self.identity.uuid.is_some() == self.identity.recorded_physical.is_some();
        Violation::unless(paired, M, "identity", "has a UUID and its physical identity together")?;
        let stated = !self.identity.physical.is_empty() || !self.exists;
        Violation::unless(stated, M, "identity.physical", "is stated for a database that exists")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_never_shows_in_debug_output() {
        let request = OpenRequest {
            request: RequestId::new("r").unwrap(),
            engine: EngineName::new("zorp").unwrap(),
            target: OpenTarget::Address(Address::new("zorp://u:hunter2@h/db")),
            purpose: Purpose::Read,
            create: false,
            recover: false,
            accept: BTreeSet::new(),
            lock_timeout_ms: 0,
        };
        assert!(!format!("{request:?}").contains("hunter2"));
    }

    #[test]
    fn a_uuid_at_another_physical_place_is_moved_or_copied() {
        let mut identity = DatabaseIdentity {
            uuid: None,
            recorded_physical: None,
            physical: "inode 1".to_owned(),
            route: "/a".to_owned(),
        };
        assert_eq!(identity.state(), IdentityState::New);
        identity.uuid = Some("u".to_owned());
        identity.recorded_physical = Some("inode 1".to_owned());
        assert_eq!(identity.state(), IdentityState::Same);
        identity.physical = "inode 2".to_owned();
        assert_eq!(identity.state(), IdentityState::MovedOrCopied);
    }

    #[test]
    fn an_address_gives_its_text_and_folder_and_prints_neither() {
        let address = Address::new("zorp:part/db").relative_to("/folder");
        assert_eq!((address.expose(), address.folder()), ("zorp:part/db", Some("/folder")));
        assert_eq!(Address::new("zorp:db").folder(), None);
        assert_eq!(format!("{address:?}"), "Address(…)");
    }
}
