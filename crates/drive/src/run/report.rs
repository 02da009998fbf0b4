//! How a run ended, with everything a command has to say about it.

use ptah_apply::{Ending, Run, Settled};
use ptah_model::{Diagnostic, OperationId};
use ptah_provider_api::claim::ClaimsReading;
use ptah_provider_api::session::DatabaseIdentity;
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
    pub(super) fn report(self, ending: Ending, core: &Run) -> Report {
        Report {
            ending,
            operation: self.order.operation.clone(),
            target: Target::of(&self.session, self.claims.as_ref()),
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
