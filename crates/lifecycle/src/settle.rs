//! What a run did is a question for the database: the record, its settling reading, and the rule of each family.
//!
//! The two families differ here and nowhere else. A schema is declarative: a completed reading under the lock is a whole
//! answer. A migration is a sequence written by hand: its reading settles only when nothing is left to be run again, or
//! when it proves that nothing of it is there.

use ptah_model::{Digest, DigestBuilder};

use crate::bounds;
use crate::claim;
use crate::decision::{Decision, Why};
use crate::hold;
use crate::ids::Time;
use crate::object::{
    Acknowledgment, Claim, ClaimRows, Facts, Failures, Family, JobReading, Kind, LastAnswer, LeaseReading, Observed,
    Outcome, Owed, Pod, Record, Resolution, Resolved, Resource, Section, SettleReading, Shown,
};
use crate::refresh;
use crate::snapshot::Snapshot;
use crate::supervise::own_job;

/// The next step towards settling the record: keep the hold, take what others settled, tidy up, ask a person's word, read.
pub(crate) fn step(s: &Snapshot) -> Option<Decision> {
    let record = s.resource.status.record.as_ref()?;
    settled_by_another(s, record)
        .or_else(|| keep_hold(s, record))
        .or_else(|| tidy_up(s))
        .or_else(|| settle_unresolved_run_by_acknowledgment(s, record))
        .or_else(|| crate::acknowledgment::step(s))
        .or_else(|| (!s.resource.deleting).then(|| claim_settle(s, record)))
}

fn settled_by_another(s: &Snapshot, record: &Record) -> Option<Decision> {
    if !s.database_lease.as_ref()?.has_settled(record.operation) {
        return None;
    }
    let mut status = s.next_status();
    status.record = None;
    status.resolved = Some(Resolved { operation: record.operation, by: Resolution::Another });
    status.observed = status.observed.map(|observed| observed.without_a_look_at(record.operation));
    Some(s.write(status, Why::SettledByAnother))
}

/// The hold is written again when its Lease was lost, before anything else is done about the run.
fn keep_hold(s: &Snapshot, record: &Record) -> Option<Decision> {
    let reading = s.database_lease.as_ref()?;
    match reading.hold() {
        Some(hold) if hold.operation == record.operation => None,
        Some(_) => Some(s.wait(bounds::REFUSAL_LOOK, Shown::RealmUnresolved)),
        None => Some(hold::put(s, reading, hold::of_record(s, record), Why::RestoreHold)),
    }
}

/// The outcome is stored, so the Pods need not be kept and the Job may go. Losing a TTL is harmless.
fn tidy_up(s: &Snapshot) -> Option<Decision> {
    if let Some(pod) = s.pods.iter().find(|pod: &&Pod| pod.kept && pod.stopped.is_some()) {
        return Some(Decision::ReleasePod(pod.uid));
    }
    match s.job {
        JobReading::Found(job) if job.terminal && !job.expiring => Some(Decision::ExpireJob(job.uid)),
        JobReading::Found(_) | JobReading::Absent | JobReading::NotRead => None,
    }
}

/// Claims a settling reading when nothing of the run can write any more and no wait after an attempt stands. It needs no
/// registry, no census and no current inputs, and comes before suspension, so none of them can keep it from happening.
fn claim_settle(s: &Snapshot, record: &Record) -> Decision {
    if is_a_persons(record) {
        return s.wait(bounds::REFUSAL_LOOK, Shown::OutcomeUnknown);
    }
    let shown = shown(record);
    // Whoever is not admitted any more comes last: an admitted claimant takes the run over at once.
    let rank = if crate::realm::is_admitted(s) { 0 } else { bounds::SETTLE_PATIENCE };
    let next = next_attempt(record).max(record.not_before.plus(rank));
    if !next.reached(s.now) {
        return s.wait_until(next, shown);
    }
    if is_anothers(s, record) {
        return s.wait(bounds::REFUSAL_LOOK, shown);
    }
    let held = s.database_lease.as_ref().filter(|reading| reading.is_held(s.now));
    let holder = held.and_then(|reading: &LeaseReading| reading.lease.as_ref()?.holder);
    if holder.is_some_and(|holder| holder.resource != s.uid()) {
        return s.wait(bounds::POLL, shown);
    }
    if !s.resource.finalizer {
        return Decision::AddFinalizer;
    }
    // What the spec says now is nothing to a run of before: the reading goes where the run went.
    let access = record.access.unwrap_or_else(|| s.resource.spec.access());
    let mut claim = claim::new(s, Kind::Settle, inputs(record), access);
    claim.identity = Some(record.identity);
    claim.plan = Some(record.plan);
    let mut status = s.next_status();
    status.claim = Some(claim);
    status.shown = shown;
    s.write(status, Why::ClaimSettle)
}

/// When the record is read next: not before its horizon, and after a failed attempt not before its wait is over.
pub fn next_attempt(record: &Record) -> Time {
    let waited = record.attempts.map(|attempts| attempts.last.plus(bounds::backoff(attempts.count)));
    waited.map_or(record.not_before, |waited| waited.max(record.not_before))
}

/// Since when something is tried again and again, how often, and when it is tried next: of the record where there is one,
/// else of the readings. Nothing where the last attempt succeeded.
pub fn stuck(resource: &Resource) -> Option<Stuck> {
    let record = resource.status.record.as_ref();
    let failures = record.map_or(resource.status.failures, |record| record.attempts)?;
    let next = record.map(next_attempt).or_else(|| refresh::next_attempt(resource))?;
    Some(Stuck { since: failures.since, attempts: failures.count, next })
}

/// Something that is tried again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stuck {
    /// When the first of the attempts in a row failed.
    pub since: Time,
    /// How many failed in a row; at least 1.
    pub attempts: u32,
    /// When the next one is made.
    pub next: Time,
}

/// Whether no reading can settle the run: a migration's whose plan is not known. Nobody knows what a reading would have to show, so
/// none is made, and a person says what became of it.
fn is_a_persons(record: &Record) -> bool {
    record.family == Family::Migration && record.basis.is_none()
}

/// Whether the run was made on another database than the one that this resource reads, as is proven by now: a person says
/// what became of it.
fn is_anothers(s: &Snapshot, record: &Record) -> bool {
    record.identity.apart.is_none() && s.resource.status.observed.is_some_and(|seen| seen.identity.apart.is_some())
}

/// What a settling reading rests on: the record alone.
fn inputs(record: &Record) -> Digest {
    DigestBuilder::new("ptah.operator.settle-inputs.v1")
        .bytes(&record.operation.0.to_be_bytes())
        .bytes(record.plan.fingerprint.as_bytes())
        .bytes(record.identity.database.as_bytes())
        .finish()
}

fn shown(record: &Record) -> Shown {
    if record.family == Family::Migration && record.attempts.is_some() {
        Shown::OutcomeUnknown
    } else {
        Shown::Settling
    }
}

/// Takes in what a settling Job said, waits for it, or counts an attempt that settled nothing.
pub(crate) fn harvest(s: &Snapshot, claim: &Claim) -> Decision {
    let Some(record) = &s.resource.status.record else { return attempt_failed(s, LastAnswer::NoResult) };
    let frame = s.frame.as_ref().filter(|frame| frame.operation == claim.operation && !frame.conflict);
    let signed = frame.filter(|frame| claim.started_by.is_some_and(|permit| frame.key == Some(permit.key)));
    match signed.map(|frame| &frame.section) {
        Some(Section::Settle(SettleReading::Read(facts))) if !claim.broken => {
            if settled_by(record, facts) {
                by_reading(s, record, facts, &frame.map(|frame| frame.rows).unwrap_or_default())
            } else {
                attempt_failed(s, LastAnswer::NotSettled)
            }
        }
        Some(Section::Settle(SettleReading::Busy)) => attempt_failed(s, LastAnswer::LockBusy),
        Some(Section::Settle(SettleReading::Read(_))) => attempt_failed(s, LastAnswer::NotBelieved),
        Some(Section::NotStarted | Section::Run(_) | Section::Refresh(_)) => attempt_failed(s, LastAnswer::NoResult),
        None if still_reading(s, claim) => s.wait(bounds::POLL, Shown::Settling),
        None => attempt_failed(s, LastAnswer::NoResult),
    }
}

fn still_reading(s: &Snapshot, claim: &Claim) -> bool {
    let over = claim.execution_not_after.plus(bounds::horizon()).reached(s.now);
    own_job(s, claim).is_some_and(|job| !job.terminal) && !over && !claim.broken
}

/// Whether this reading settles the run of the record, by the rule of its family.
pub fn settled_by(record: &Record, facts: &Facts) -> bool {
    facts.database == record.identity.database
        && match record.family {
            Family::Schema => true,
            Family::Migration => !is_a_persons(record) && migration_unresolved_run_settled_by(record, facts),
        }
}

/// A migration's rule. Uncertain, partial and reported-as-applied runs: not dirty, every planned version applied with its
/// checksum, older rows unchanged, nothing of the artifact pending. Runs that said that nothing of them is there: the rows
/// are those from before, and the database remembers no unfinished run; if the reading disagrees they are uncertain.
pub fn migration_unresolved_run_settled_by(record: &Record, facts: &Facts) -> bool {
    let finished = !facts.dirty && facts.every_planned_applied && facts.older_unchanged && facts.as_desired;
    let nothing_there = !facts.dirty && facts.as_before && !facts.unfinished;
    match record.outcome {
        Outcome::NotStarted | Outcome::NotApplied => finished || nothing_there,
        Outcome::Applied | Outcome::Partial(_) | Outcome::Unknown => finished,
    }
}

/// S1: record → resolved, with the release that drops the hold, in one write.
fn by_reading(s: &Snapshot, record: &Record, facts: &Facts, rows: &ClaimRows) -> Decision {
    let mut status = s.next_status();
    claim::retire(&mut status, Some(record.operation));
    status.record = None;
    status.resolved = Some(Resolved { operation: record.operation, by: Resolution::Reading });
    // A migration's history in the database says what was applied; a schema keeps no other note of it. Of a run that was
    // taken over nobody knows that it reported success.
    let keeps = s.resource.family == Family::Schema;
    if facts.as_desired && record.outcome == Outcome::Applied && keeps {
        status.applied = Some(record.plan);
    }
    status.observed = status.observed.map(|observed| {
        if facts.as_desired {
            Observed { in_sync: true, at: s.now, refusal: None, ..observed.looked_again(rows) }
        } else {
            observed.looked_again(rows).outdated()
        }
    });
    s.write(status, Why::SettleByReading)
}

/// An attempt that did not settle: the Leases are given back, the hold stands, and the next attempt waits longer.
fn attempt_failed(s: &Snapshot, answer: LastAnswer) -> Decision {
    let mut status = s.next_status();
    claim::retire(&mut status, None);
    if let Some(record) = &mut status.record {
        record.attempts = Some(Failures::one_more(record.attempts, s.now));
        record.last_answer = Some(answer);
        if answer == LastAnswer::NotSettled && record.outcome != Outcome::Unknown {
            record.reported = Some(record.outcome);
            record.outcome = Outcome::Unknown;
        }
        status.shown = shown(record);
    }
    s.write(status, Why::SettleFailed)
}

/// S1 by a person's word: the acknowledgment names this run, and nothing of it can write any more.
///
/// Also a schema's run can be acknowledged; its reading is the usual way.
pub fn settle_unresolved_run_by_acknowledgment(s: &Snapshot, record: &Record) -> Option<Decision> {
    let ack: &Acknowledgment = crate::acknowledgment::find(s, record.operation)?;
    if !record.not_before.reached(s.now) || !crate::realm::is_admitted(s) {
        return None;
    }
    let mut status = s.next_status();
    status.record = None;
    status.resolved =
        Some(Resolved { operation: record.operation, by: Resolution::Acknowledgment(ack.uid, ack.finding) });
    status.observed = status.observed.map(|observed| observed.without_a_look_at(record.operation));
    status.owed = Some(Owed {
        operation: record.operation,
        coordination: s.resource.spec.coordination,
        realm_epoch: None,
        database_epoch: None,
        database: Some(record.identity.lease()),
        drop_hold: Some(record.operation),
    });
    Some(s.write(status, Why::SettleByAcknowledgment))
}
