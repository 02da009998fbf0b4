//! How a run ended, with everything a command has to say about it.

use ptah_apply::{Ending, Run, Settled};
use ptah_model::{Diagnostic, OperationId};
use ptah_provider_api::claim::{Adoption, ClaimsReading};
use ptah_provider_api::session::{DatabaseIdentity, IdentityState};
use ptah_provider_host::Session;

use super::Runner;
use crate::failure::Failure;
use crate::prepare::{OffendingRows, Planned, Refused};

/// The database of a run, as people know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// What people call it; never an address.
    pub database: String,
    /// The server's version.
    pub server_version: String,
    /// Which database it is.
    pub identity: DatabaseIdentity,
    /// Whether it existed when the session opened.
    pub exists: bool,
    /// What opening it took, or could not do.
    pub notes: Vec<String>,
}

impl Target {
    /// What a session, and what the database remembers, say.
    pub fn of(session: &Session, claims: Option<&ClaimsReading>) -> Self {
        let facts = session.facts();
        Self {
            database: facts.database.clone(),
            server_version: facts.server_version.clone(),
            identity: claims.map_or(&facts.identity, |c| &c.identity).clone(),
            exists: facts.exists,
            notes: facts.notes.clone(),
        }
    }

    /// Notes the runs that nobody settled. Whoever only looks settles none.
    pub(crate) fn note_unfinished(&mut self, claims: Option<&ClaimsReading>) {
        for open in claims.into_iter().flat_map(ClaimsReading::unfinished) {
            self.notes.push(format!(
                "an earlier run ({}) is not settled: the next `ptah schema apply` says what became of it",
                open.operation
            ));
        }
    }
}

/// How a run ended.
#[derive(Debug)]
pub struct Report {
    /// The end, in the closed set of words.
    pub ending: Ending,
    /// The operation; spent when [`Ending::is_spent`] says so.
    pub operation: OperationId,
    /// The database.
    pub target: Target,
    /// Operations of earlier runs that this one settled.
    pub settled: Vec<Settled>,
    /// What this run recorded of a moved or copied database; absent where it recorded nothing.
    pub adopted: Option<Adoption>,
    /// The plan, when there was one.
    pub planned: Option<Planned>,
    /// What spoke against the plan, when it was refused.
    pub refused: Option<Refused>,
    /// What is worth knowing or looking at.
    pub findings: Vec<Diagnostic>,
    /// What the rules about hazards say of the changes.
    pub lint: Vec<Diagnostic>,
    /// Keys of rows that stood against it; only when they were asked for, and only for the terminal.
    pub rows: Vec<OffendingRows>,
    /// Whether "nothing to do" rests on a remembered proof.
    pub remembered: bool,
    /// What went wrong, in the provider's words under the rules of a reason, or in ours.
    pub why: Option<String>,
    /// The failure behind it, if there was one.
    pub cause: Option<Failure>,
}

impl Runner<'_> {
    /// The database as it is known now, with what is to be told of it.
    pub(super) fn target(&self) -> Target {
        let mut target = Target::of(&self.session, self.claims.as_ref());
        if self.order.dry_run {
            target.note_unfinished(self.claims.as_ref());
            return target;
        }
        let asked_in_vain = self.order.adoption.is_some() && !self.adopted;
        let is_same = self.claims.as_ref().is_some_and(|c| c.identity.state() != IdentityState::MovedOrCopied);
        if asked_in_vain && is_same {
            let note = "nothing says that this database was moved or copied, so nothing was recorded of it";
            target.notes.push(note.to_owned());
        }
        target
    }

    pub(super) fn report(self, ending: Ending, core: &Run) -> Report {
        let target = self.target();
        Report {
            ending,
            operation: self.order.operation.clone(),
            target,
            adopted: self.order.adoption.filter(|_| self.adopted),
            settled: core.settled().to_vec(),
            planned: self.planned,
            refused: self.refused,
            findings: self.findings,
            lint: self.lint,
            rows: self.rows,
            remembered: self.remembered,
            why: self.why,
            cause: self.cause,
        }
    }
}
