//! A delivered result as the core takes it in: which section counts, and what it proves.
//!
//! Sections count in order up to the first that failed. Sections that disagree with each other are no reading: the database or
//! the artifact moved between them, so it is read again.

mod refresh;

use ptah_lifecycle::{
    self as core, Basis, ClaimRows, Facts, Frame, Operation, ReadFailure, Reported, SettleReading, Unfinished,
};
use ptah_model::Digest;
use ptah_records::operator::check::Record as _;
use ptah_records::operator::latest::{
    self as stored, Answer, AttachmentName, Compared, RowsRead, RunReport, RunRows, Section,
};

use crate::ids;
use crate::object::Unreadable;
use crate::read::record::{family, outcome};

/// How a result came, which it does not say itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The digest of the key that all of it was delivered with; nothing where the Pod's token vouched for any part.
    pub key: Option<Digest>,
    /// The highest contract version of the records that hold it.
    pub state_version: u32,
}

/// What an operation is about, as the status that was read says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// The database of the claim, by what the server says it is.
    pub database: Option<Digest>,
    /// The run that is settled, and what its reading is compared with.
    pub settles: Option<(Operation, Option<Basis>)>,
}

impl About {
    /// What the operation under way is about.
    pub fn claim_of(resource: &core::Resource) -> Self {
        let status = &resource.status;
        let identity = status.claim.as_ref().and_then(|claim| claim.identity);
        Self {
            database: identity.map(|identity| identity.database),
            settles: status.record.as_ref().map(|record| (record.operation, record.basis)),
        }
    }
}

/// A result that is whole.
///
/// # Errors
/// [`Unreadable`]: the document contradicts itself, or names a Pod by what is no UID. It then proves nothing.
pub fn read(frame: &stored::Frame, sent: Sent, about: &About) -> Result<Frame, Unreadable> {
    frame.check().map_err(|_| Unreadable::Contradiction)?;
    let sections = frame.sections.as_slice();
    let (section, rows) = match sections.last().ok_or(Unreadable::Contradiction)? {
        Section::NotStarted(_) => (core::Section::NotStarted, None),
        Section::Run(report) => (core::Section::Run(reported(report, about)), None),
        Section::Busy(_) => (core::Section::Settle(SettleReading::Busy), None),
        Section::Compare(Answer::Done(found)) => (read_of(compared(found, about)), Some(&found.runs)),
        Section::Rows(Answer::Done(found)) => (read_of(rows_of(found, about)), Some(&found.runs)),
        // Nothing was read: for the core a reading that failed, of whatever kind.
        Section::Compare(Answer::Failed(_)) | Section::Rows(Answer::Failed(_)) => (failed(ReadFailure::Passing), None),
        Section::Resolve(_) | Section::Verify(_) | Section::State(_) | Section::History(_) | Section::Plan(_) => {
            let plan = frame.attachments.as_slice().iter().find(|one| one.name == AttachmentName::Plan);
            let (reading, rows) = refresh::read(sections, plan.map(|plan| ids::digest(&plan.digest)));
            (core::Section::Refresh(reading), rows)
        }
    };
    Ok(Frame {
        operation: ids::operation(&frame.operation_id),
        pod: ids::uid(frame.pod_uid.as_str())?,
        key: sent.key,
        conflict: false,
        section,
        rows: rows.map(claim_rows).unwrap_or_default(),
        state_version: sent.state_version,
    })
}

/// What stands for a result that contradicts itself: nothing of it is believed.
pub fn contradicted(operation: Operation, pod: core::Uid, sent: Sent) -> Frame {
    Frame {
        operation,
        pod,
        key: sent.key,
        conflict: true,
        section: core::Section::NotStarted,
        rows: ClaimRows::default(),
        state_version: sent.state_version,
    }
}

fn failed(failure: ReadFailure) -> core::Section {
    core::Section::Refresh(Err(failure))
}

fn read_of(facts: Facts) -> core::Section {
    core::Section::Settle(SettleReading::Read(facts))
}

/// What a run says of itself, and whether the database that it names is the claim's.
fn reported(report: &RunReport, about: &About) -> Reported {
    let named = report.identity.as_ref().map(|identity| ids::digest(&identity.database_identity));
    Reported {
        outcome: outcome(report.outcome, report.applied_units),
        right_database: named.is_some() && named == about.database,
    }
}

/// What a Pod's own status says of its run, where its termination message is whole and of this operation.
pub fn summary(summary: &stored::TerminationSummary, operation: Operation, about: &About) -> Option<Reported> {
    let ours = ids::operation(&summary.operation_id) == operation && summary.check().is_ok();
    let named = summary.identity.as_ref().map(|identity| ids::digest(&identity.database_identity));
    let said = summary.outcome.filter(|_| ours)?;
    let right_database = named.is_some() && named == about.database;
    Some(Reported { outcome: outcome(said, summary.applied_units), right_database })
}

fn compared(found: &Compared, about: &About) -> Facts {
    Facts {
        database: ids::digest(&found.identity.database_identity),
        // Without the desired document nobody can say that it is as desired; the reading settles all the same.
        as_desired: found.as_desired == Some(true),
        dirty: false,
        every_planned_applied: false,
        older_unchanged: false,
        as_before: false,
        unfinished: is_unfinished(&found.runs, about),
    }
}

fn rows_of(found: &RowsRead, about: &About) -> Facts {
    let before = about.settles.and_then(|(_, basis)| basis).map(|basis| basis.before);
    Facts {
        database: ids::digest(&found.identity.database_identity),
        as_desired: found.nothing_pending,
        dirty: found.dirty,
        every_planned_applied: found.every_planned_applied,
        older_unchanged: found.older_unchanged,
        as_before: before == Some(ids::digest(&found.rows_digest)),
        unfinished: is_unfinished(&found.runs, about),
    }
}

fn is_unfinished(runs: &RunRows, about: &About) -> bool {
    let settled = about.settles.map(|(operation, _)| operation);
    runs.unfinished.as_slice().iter().any(|run| Some(ids::operation(&run.operation_id)) == settled)
}

/// What the database remembers of runs; of several that are not finished, the newest.
fn claim_rows(runs: &RunRows) -> ClaimRows {
    let unfinished = runs.unfinished.as_slice().first().map(|run| Unfinished {
        operation: ids::operation(&run.operation_id),
        family: run.family.map(family),
        plan: ids::digest(&run.plan_digest),
    });
    ClaimRows { sequence: runs.sequence.get(), unfinished }
}

#[cfg(test)]
mod tests;
