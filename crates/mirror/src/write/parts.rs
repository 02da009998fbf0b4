//! Parts that several records have in common.

use ptah_lifecycle::{self as core, Failures, Identity, IdentitySource, Outcome, RunEvidence};
use ptah_records::operator::latest::{self as stored, PodEvidence, StateVersion};
use ptah_records::operator::list::List;
use ptah_records::operator::text::OperationId;
use ptah_records::operator::time::Moment;
use ptah_records::operator::whole::Whole;
use ptah_records::operator::{CONTROLLER_STATE_VERSION, text};

use super::Unwritable;
use crate::ids;

/// The version of the contract that everything is written under.
pub(crate) fn version() -> StateVersion {
    #[expect(clippy::expect_used, reason = "a constant from 1 on")]
    Whole::new(u64::from(CONTROLLER_STATE_VERSION)).expect("a version")
}

pub(crate) fn moment(time: core::Time) -> Result<Moment, Unwritable> {
    ids::moment(time).ok_or(Unwritable::NoText)
}

pub(crate) fn operation(operation: core::Operation) -> Result<OperationId, Unwritable> {
    ids::operation_text(operation).ok_or(Unwritable::NoText)
}

pub(crate) fn whole<const LEAST: u64, const MOST: u64>(number: i64) -> Result<Whole<LEAST, MOST>, Unwritable> {
    u64::try_from(number).ok().and_then(|number| Whole::new(number).ok()).ok_or(Unwritable::NoText)
}

pub(crate) fn failures(failures: &Failures) -> Result<stored::Failures, Unwritable> {
    Ok(stored::Failures {
        count: whole(i64::from(failures.count))?,
        since: moment(failures.since)?,
        last: moment(failures.last)?,
    })
}

pub(crate) fn identity(identity: &Identity) -> stored::TargetIdentity {
    stored::TargetIdentity {
        route_digest: ids::sha256(identity.route),
        database_identity: ids::sha256(identity.database),
        source: match identity.source {
            IdentitySource::Reported => stored::IdentitySource::Reported,
            IdentitySource::Planned => stored::IdentitySource::Planned,
        },
        apart: identity.apart.map(ids::sha256),
    }
}

pub(crate) fn evidence(evidence: &RunEvidence) -> Result<stored::RunEvidence, Unwritable> {
    let pods = evidence
        .pods
        .iter()
        .map(|pod| PodEvidence { uid: ids::uid_text(*pod), stopped: evidence.stopped.contains(pod) });
    Ok(stored::RunEvidence { pods: List::new(pods.collect()).map_err(|_| Unwritable::NoText)? })
}

/// An outcome, with the units of a partial one.
pub(crate) fn outcome(outcome: Outcome) -> (stored::Outcome, Option<Whole<0, 4_294_967_295>>) {
    match outcome {
        Outcome::Applied => (stored::Outcome::Applied, None),
        Outcome::NotStarted => (stored::Outcome::NotStarted, None),
        Outcome::NotApplied => (stored::Outcome::NotApplied, None),
        Outcome::Partial(units) => (stored::Outcome::Partial, Whole::new(u64::from(units)).ok()),
        Outcome::Unknown => (stored::Outcome::Unknown, None),
    }
}

pub(crate) fn family(family: core::Family) -> stored::Family {
    match family {
        core::Family::Schema => stored::Family::Schema,
        core::Family::Migration => stored::Family::Migration,
    }
}

/// The name that is reserved for the Job of an operation.
pub(crate) fn job_name(operation: &OperationId) -> text::LabelName {
    #[expect(clippy::expect_used, reason = "letters, digits and hyphens, 41 of them")]
    text::LabelName::new(format!("ptah-{operation}")).expect("a name")
}
