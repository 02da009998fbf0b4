//! The frame: all that a Pod reports about one operation. Sections count in order, up to the first that failed.

use serde::{Deserialize, Serialize};

use super::plan_content::Encoding;
use super::run::Outcome;
use super::sections::{Compared, HistoryRead, LockBusy, Proposed, Resolved, RowsRead, RunReport, StateRead, Verified};
use crate::operator::check::{Contradiction, Record, rule};
use crate::operator::limits::{CONTENT, FRAME};
use crate::operator::list::List;
use crate::operator::seal::Document;
use crate::operator::text::{Code, OperationId, Sentence, Sha256, Uid, VersionText};
use crate::operator::whole::Whole;

/// All that a Pod reports.
///
/// - **Who writes it:** the runner: to its disk before the first attempt at delivering it, then in pieces to the manager.
///   What is attached follows it in the same delivery.
/// - **Who reads it:** the leading manager, once the last word says that it is whole. It is believed only from the Pod
///   that the permit names, and never after its claim is gone.
/// - **When it is removed:** with its result records, some time after its operation is settled.
/// - **Size:** at most 256 KiB without what is attached.
/// - **An old reader:** refused by its version; runner and manager are bound to one version of these documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Frame {
    /// The operation.
    #[serde(rename = "operationID")]
    pub operation_id: OperationId,
    /// The Pod that reports.
    #[serde(rename = "podUID")]
    pub pod_uid: Uid,
    /// The version of Ptah that reports.
    pub ptah_version: VersionText,
    /// The version of the documents that manager and runner exchange.
    pub runner_protocol_version: Whole<1, 1_000_000>,
    /// What was done, in order; at least one. Only the last may have failed.
    pub sections: List<Section, 8>,
    /// What follows the frame in the delivery, in order; may be empty.
    pub attachments: List<Attachment, 2>,
}

/// Why something was not done: our own words, never a driver's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Failure {
    /// As a stable code.
    pub code: Code,
    /// As a sentence.
    pub sentence: Sentence,
}

/// What came of one section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Answer<T> {
    /// It was done.
    Done(T),
    /// It was not done, and nothing after it.
    Failed(Failure),
}

/// One section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Section {
    /// Refresh, 1: what the reference led to.
    Resolve(Answer<Resolved>),
    /// Refresh, 2: whether it is trusted.
    Verify(Answer<Verified>),
    /// Refresh, 3 for a schema: what is in the database.
    State(Answer<StateRead>),
    /// Refresh, 3 for a migration: what its history says.
    History(Answer<HistoryRead>),
    /// Refresh, 4: what is to be done.
    Plan(Answer<Proposed>),
    /// Settle: another session holds the database's lock, so nothing was read. Not yet, and never settled by it.
    Busy(LockBusy),
    /// Settle for a schema: whether the database is as the plan wanted it.
    Compare(Answer<Compared>),
    /// Settle for a migration: what its history says about the run.
    Rows(Answer<RowsRead>),
    /// Apply: how the run ended. It was permitted to start.
    Run(RunReport),
    /// Apply or Settle: it was never permitted to start, and opened nothing.
    NotStarted(Failure),
}

/// Which attachment it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AttachmentName {
    /// The plan file.
    Plan,
    /// The desired document.
    Desired,
}

/// Bytes that follow the frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Attachment {
    /// Which it is.
    pub name: AttachmentName,
    /// How many bytes of the delivery are it.
    pub stored_size: Whole<1, { CONTENT as u64 }>,
    /// How its bytes have to be unpacked.
    pub encoding: Encoding,
    /// How many bytes there are, unpacked.
    pub size: Whole<1, 67_108_864>,
    /// The digest of the bytes, unpacked.
    pub digest: Sha256,
}

impl Section {
    /// Whether it failed, so that nothing may follow it.
    fn is_last(&self) -> bool {
        fn failed<T>(answer: &Answer<T>) -> bool {
            matches!(answer, Answer::Failed(_))
        }
        match self {
            Self::Resolve(answer) => failed(answer),
            Self::Verify(answer) => failed(answer),
            Self::State(answer) => failed(answer),
            Self::History(answer) => failed(answer),
            Self::Plan(_) | Self::Busy(_) | Self::Compare(_) | Self::Rows(_) | Self::Run(_) | Self::NotStarted(_) => {
                true
            }
        }
    }

    /// Its place in a frame, from 0.
    fn place(&self) -> usize {
        match self {
            Self::Verify(_) => 1,
            Self::State(_) | Self::History(_) => 2,
            Self::Plan(_) => 3,
            Self::Resolve(_)
            | Self::Busy(_)
            | Self::Compare(_)
            | Self::Rows(_)
            | Self::Run(_)
            | Self::NotStarted(_) => 0,
        }
    }
}

impl Record for Frame {
    const NAME: &'static str = "frame";

    fn check(&self) -> Result<(), Contradiction> {
        let sections = self.sections.as_slice();
        let in_order = sections.iter().enumerate().all(|(index, section)| section.place() == index);
        rule::<Self>(!sections.is_empty() && in_order, "sections stand in their order, without a gap")?;
        let ends = sections.iter().enumerate().all(|(index, one)| one.is_last() == (index + 1 == sections.len()));
        rule::<Self>(ends, "a frame ends with its last section, or with the first that failed")?;
        let attached: Vec<AttachmentName> = self.attachments.as_slice().iter().map(|one| one.name).collect();
        let planned = matches!(sections.last(), Some(Section::Plan(Answer::Done(Proposed::Schema { .. }))));
        let both = attached == [AttachmentName::Plan, AttachmentName::Desired];
        rule::<Self>(
            if planned { both } else { attached.is_empty() },
            "a schema's plan, and nothing else, is attached",
        )?;
        if let Some(Section::Run(run)) = sections.last() {
            let counted = (run.outcome == Outcome::Partial) == run.applied_units.is_some();
            rule::<Self>(counted, "a partial outcome, and no other, counts its units")?;
            let silent = matches!(run.outcome, Outcome::NotStarted | Outcome::Unknown);
            rule::<Self>(silent || run.identity.is_some(), "a run whose outcome is known names its database")?;
        }
        Ok(())
    }
}

impl Document for Frame {
    const CONTRACT_VERSION: u32 = 1;
    const LIMIT: usize = FRAME;
}
