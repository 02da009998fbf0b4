//! Transactions of a scratch database: one to the session, one in each shard that is touched.

use std::collections::BTreeSet;

use ptah_provider_api::execute::TransactionId;
use ptah_provider_api::reason::Reason;
use ptah_provider_api::step::Setting;
use ptah_provider_api::transaction::{BeginRequest, TransactionState};
use ptah_provider_sdk::{Began, Ended, Failure};

use super::session::DevSession;
use super::shard::Shard;
use super::world::{Saved, World};
use crate::fault::precondition;
use crate::settings;

/// The open transaction.
#[derive(Debug)]
pub(super) struct Transaction {
    pub(super) id: TransactionId,
    pub(super) settings: BTreeSet<Setting>,
    saved: Saved,
}

impl DevSession {
    /// Begins a transaction across all shards; each joins when it is first touched.
    pub(crate) fn begin(&mut self, request: &BeginRequest) -> Result<Began, Failure> {
        let settings: BTreeSet<Setting> = request.settings.iter().cloned().collect();
        let refused = |reason: String| Began {
            state: TransactionState::NotStarted,
            transaction: None,
            found_state: None,
            diagnostic: Some(Reason::or_malformed(reason)),
        };
        if self.transaction.is_some() {
            return Ok(refused("the session has an open transaction".to_owned()));
        }
        if let Err(reason) = settings::check(&settings) {
            return Ok(refused(reason));
        }
        if let Some(expected) = request.expect_state {
            let found = self.world.read()?.own_fingerprint();
            if found != expected {
                return Ok(Began {
                    state: TransactionState::StateChanged,
                    transaction: None,
                    found_state: Some(found),
                    diagnostic: Some(Reason::or_malformed("the schema is not the one that was expected")),
                });
            }
        }
        let id = TransactionId(format!("d{}", uuid::Uuid::now_v7().simple()));
        self.world.settings = Some(settings.clone());
        self.transaction = Some(Transaction { id: id.clone(), settings, saved: self.world.save() });
        Ok(Began { state: TransactionState::Begun, transaction: Some(id), found_state: None, diagnostic: None })
    }

    /// Commits in every shard that was touched.
    pub(crate) fn commit(&mut self, id: &TransactionId) -> Ended {
        self.end(id, true)
    }

    /// Rolls back in every shard that was touched.
    pub(crate) fn rollback(&mut self, id: &TransactionId) -> Ended {
        self.end(id, false)
    }

    fn end(&mut self, id: &TransactionId, commit: bool) -> Ended {
        if self.transaction.as_ref().is_none_or(|open| open.id != *id) {
            let known = self.ended.iter().find(|(ended, _)| ended == id).map(|(_, state)| *state);
            let state = known.unwrap_or(TransactionState::Unknown);
            let unknown = state == TransactionState::Unknown;
            let diagnostic = unknown.then(|| Reason::or_malformed("the session does not know that transaction"));
            return Ended { state, diagnostic };
        }
        let state = self.finish(commit);
        let failed = commit && state != TransactionState::Committed;
        let diagnostic = failed.then(|| Reason::or_malformed("the scratch database could not commit"));
        Ended { state, diagnostic }
    }

    /// Ends the open transaction.
    pub(super) fn finish(&mut self, commit: bool) -> TransactionState {
        let Some(open) = self.transaction.take() else {
            return TransactionState::Unknown;
        };
        self.world.settings = None;
        let mut done = commit && !self.world.shards.iter().any(Shard::lost_transaction);
        for shard in &mut self.world.shards {
            // Memory has no other writer, so a commit fails only for a reference that no row keeps.
            done &= shard.end(done);
        }
        let state = if done {
            TransactionState::Committed
        } else {
            self.world.restore(open.saved);
            TransactionState::RolledBack
        };
        self.ended.push((open.id, state));
        state
    }
}

impl World {
    /// Joins the open transaction with a shard.
    pub(super) fn begin_in(&mut self, shard: usize) -> Result<(), Failure> {
        match &self.settings {
            Some(settings) => self.shards[shard].begin(settings).map_err(precondition),
            None => Ok(()),
        }
    }
}
