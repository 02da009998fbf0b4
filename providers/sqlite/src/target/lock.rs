//! The run lock: taken once without waiting, proven before everything that rests on it, given back.

use ptah_model::Scope;
use ptah_provider_api::key::RequestId;
use ptah_provider_api::reason::Reason;
use ptah_provider_sdk::{Failure, LockAttempt};
use rusqlite::{FileControl, MAIN_DB};

use super::TargetSession;
use crate::fault::{failed, precondition};
use crate::presence::Attempt;

impl TargetSession {
    /// Makes one attempt. There is one lock for the whole database, whatever the scope says.
    pub(crate) fn try_lock(&mut self, scope: &Scope, lock: &RequestId) -> Result<LockAttempt, Failure> {
        let open = self.writable()?;
        if self.held.is_some() {
            return Ok(LockAttempt::Busy(reason("this session holds the database's lock already")));
        }
        match open.presence.try_lock() {
            Attempt::Busy => return Ok(LockAttempt::Busy(reason("another run holds the lock of this database"))),
            Attempt::Failed => {
                let why = "the file system does not offer the lock that keeps a second run out";
                return Ok(LockAttempt::Lost(reason(why)));
            }
            Attempt::Acquired => {}
        }
        if !self.is_same_file()? {
            self.writable()?.presence.unlock();
            return Ok(LockAttempt::Lost(reason("the file at the path is not the one that was opened")));
        }
        self.held = Some((scope.clone(), lock.clone()));
        Ok(LockAttempt::Acquired)
    }

    /// Whether the lock is held now, on the file that is at the path now.
    pub(crate) fn check_lock(&mut self, scope: &Scope, lock: &RequestId) -> Result<bool, Failure> {
        if !self.is_held(scope, lock) {
            return Ok(false);
        }
        Ok(self.writable()?.presence.holds_lock() && self.is_same_file()?)
    }

    /// Gives the lock back. `false`: it turned out to be gone.
    pub(crate) fn release_lock(&mut self, scope: &Scope, lock: &RequestId) -> Result<bool, Failure> {
        if !self.is_held(scope, lock) {
            return Ok(false);
        }
        self.held = None;
        let presence = &self.writable()?.presence;
        let was_held = presence.holds_lock();
        Ok(presence.unlock() && was_held)
    }

    /// Refuses to write records without the lock.
    pub(super) fn need_lock(&self) -> Result<(), Failure> {
        let held = self.held.is_some() && self.writable()?.presence.holds_lock();
        if held { Ok(()) } else { Err(precondition("the session does not hold the lock of the database")) }
    }

    fn is_held(&self, scope: &Scope, lock: &RequestId) -> bool {
        self.held.as_ref().is_some_and(|(s, l)| s == scope && l == lock)
    }

    /// Whether path, descriptor and SQLite's connection mean one file.
    ///
    /// Without SQLite's own answer a connection in WAL mode reported a commit to a file that was no longer there.
    fn is_same_file(&self) -> Result<bool, Failure> {
        let open = self.writable()?;
        let mut moved = 0;
        open.connected.connection.file_control(Some(MAIN_DB), FileControl::HasMoved(&mut moved)).map_err(failed)?;
        Ok(moved == 0 && open.presence.is_at(&self.path))
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the answers carry an optional reason")]
fn reason(text: &str) -> Option<Reason> {
    Some(Reason::or_malformed(text))
}
