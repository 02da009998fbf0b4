//! The result: what the working process left, or, where it left nothing, what is known all the same.
//!
//! Silence is never taken for success and never for failure: a run that was let in and says nothing is *unknown*.

use std::path::Path;

use ptah_model::Digest;
use ptah_records::operator::latest::{
    Answer, AttachmentName, Complete, Failure, Frame, OperationSpec, Outcome, RefreshReading, RunReport, Section,
    SettleBasis, Stage, StageResult, TerminationSummary, Verified, Work,
};
use ptah_records::operator::limits::{CONTENT, FRAME, PIECE};
use ptah_records::operator::list::List;
use ptah_records::operator::seal;
use ptah_records::operator::text::{Sha256, Uid, VersionText};
use ptah_records::operator::whole::Whole;

use crate::disk;

/// The file in which the working process leaves its frame, in the folder that it is told.
pub(crate) const FRAME_FILE: &str = "frame.json";
/// The file of the plan that follows the frame.
pub(crate) const PLAN_FILE: &str = "plan";
/// The file of the desired document that follows the frame.
pub(crate) const DESIRED_FILE: &str = "desired";
/// The version of the documents that manager and runner exchange.
pub(crate) const PROTOCOL: u64 = 1;

/// A frame with what follows it, as it is delivered.
#[derive(Clone, Debug)]
pub(crate) struct Parcel {
    /// What it says.
    pub(crate) frame: Frame,
    bytes: Vec<u8>,
    frame_size: usize,
}

/// Who reports about what.
#[derive(Clone, Debug)]
pub(crate) struct Reporter<'a> {
    /// The operation.
    pub(crate) spec: &'a OperationSpec,
    /// This Pod.
    pub(crate) pod: &'a Uid,
}

impl Parcel {
    /// What the working process left in `folder`; nothing unless all of it is there, whole, and about this operation in
    /// this Pod.
    pub(crate) fn left_in(folder: &Path, reporter: &Reporter<'_>) -> Option<Self> {
        let mut bytes = disk::read(&folder.join(FRAME_FILE), FRAME).ok()?;
        let frame: Frame = seal::read(&bytes).ok()?;
        let ours = frame.operation_id == reporter.spec.operation_id && frame.pod_uid == *reporter.pod;
        if !ours || !answers(&frame, &reporter.spec.work) {
            return None;
        }
        let frame_size = bytes.len();
        for attachment in frame.attachments.as_slice() {
            let file = match attachment.name {
                AttachmentName::Plan => PLAN_FILE,
                AttachmentName::Desired => DESIRED_FILE,
            };
            let content = disk::read(&folder.join(file), CONTENT).ok()?;
            if u64::try_from(content.len()).ok() != Some(attachment.stored_size.get()) {
                return None;
            }
            bytes.extend(content);
        }
        Some(Self { frame, bytes, frame_size })
    }

    /// A frame without anything that follows it.
    pub(crate) fn of(frame: Frame) -> Self {
        #[expect(clippy::expect_used, reason = "made here of fixed sentences and of parts that were checked when read")]
        let bytes = seal::write(&frame).expect("a frame of ours can be written");
        Self { frame_size: bytes.len(), frame, bytes }
    }

    /// All of it in pieces, each but the last full.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.chunks(PIECE)
    }

    /// The bytes of the frame, as they are kept on disk.
    pub(crate) fn frame_bytes(&self) -> &[u8] {
        &self.bytes[..self.frame_size]
    }

    /// The digest of the whole.
    pub(crate) fn digest(&self) -> Sha256 {
        Sha256::from(&Digest::of(&self.bytes))
    }

    /// The last word of its delivery.
    pub(crate) fn complete(&self) -> Option<Complete> {
        Some(Complete {
            operation_id: self.frame.operation_id.clone(),
            pod_uid: self.frame.pod_uid.clone(),
            pieces: Whole::new(u64::try_from(self.pieces().count()).ok()?).ok()?,
            frame_size: Whole::new(u64::try_from(self.frame_size).ok()?).ok()?,
            size: Whole::new(u64::try_from(self.bytes.len()).ok()?).ok()?,
            digest: self.digest(),
        })
    }

    /// The same in a few words, for the Pod's own status.
    pub(crate) fn summary(&self) -> TerminationSummary {
        let mut summary = TerminationSummary {
            operation_id: self.frame.operation_id.clone(),
            pod_uid: self.frame.pod_uid.clone(),
            outcome: None,
            applied_units: None,
            first_version: None,
            last_version: None,
            identity: None,
            code: None,
            delivery_digest: self.digest(),
        };
        match self.frame.sections.as_slice().last() {
            Some(Section::Run(run)) => {
                let versions = run.applied_versions.as_slice();
                summary.outcome = Some(run.outcome);
                summary.applied_units = run.applied_units;
                (summary.first_version, summary.last_version) = (versions.first().cloned(), versions.last().cloned());
                summary.identity.clone_from(&run.identity);
                summary.code = run.failure.as_ref().map(|failure| failure.code.clone());
            }
            Some(Section::NotStarted(failure)) => {
                summary.outcome = Some(Outcome::NotStarted);
                summary.code = Some(failure.code.clone());
            }
            _ => {}
        }
        summary
    }
}

/// Whether a frame's sections are of the kind that this work is answered with.
fn answers(frame: &Frame, work: &Work) -> bool {
    let last = frame.sections.as_slice().last();
    match work {
        Work::Apply { .. } => matches!(last, Some(Section::Run(_))),
        Work::Settle { basis: SettleBasis::Schema { .. }, .. } => {
            matches!(last, Some(Section::Compare(_) | Section::Busy(_)))
        }
        Work::Settle { basis: SettleBasis::Migration { .. }, .. } => {
            matches!(last, Some(Section::Rows(_) | Section::Busy(_)))
        }
        Work::Refresh { .. } => matches!(frame.sections.as_slice().first(), Some(Section::Resolve(_))),
    }
}

impl Reporter<'_> {
    /// Nothing was opened: there was no permit, or nothing to do with one.
    pub(crate) fn not_started(&self, failure: Failure) -> Frame {
        match self.spec.work {
            Work::Apply { .. } | Work::Settle { .. } => self.frame(vec![Section::NotStarted(failure)]),
            Work::Refresh { .. } => self.frame(vec![Section::Resolve(Answer::Failed(failure))]),
        }
    }

    /// It was let in, and its process was never there.
    pub(crate) fn never_ran(&self, failure: Failure, stage: Option<&Stage>) -> Frame {
        match self.spec.work {
            Work::Apply { .. } => self.run(Outcome::NotStarted, failure),
            Work::Settle { .. } | Work::Refresh { .. } => self.silence(failure, stage),
        }
    }

    /// It was let in, its process was there, and it said nothing.
    pub(crate) fn silence(&self, failure: Failure, stage: Option<&Stage>) -> Frame {
        match &self.spec.work {
            Work::Apply { .. } => self.run(Outcome::Unknown, failure),
            Work::Settle { basis: SettleBasis::Schema { .. }, .. } => {
                self.frame(vec![Section::Compare(Answer::Failed(failure))])
            }
            Work::Settle { basis: SettleBasis::Migration { .. }, .. } => {
                self.frame(vec![Section::Rows(Answer::Failed(failure))])
            }
            Work::Refresh { reading, .. } => self.frame(after_stage(stage, reading, failure)),
        }
    }

    fn run(&self, outcome: Outcome, failure: Failure) -> Frame {
        self.frame(vec![Section::Run(RunReport {
            outcome,
            applied_units: None,
            units: None,
            applied_versions: List::default(),
            identity: None,
            sequence: None,
            failure: Some(failure),
            lock_holder: None,
        })])
    }

    fn frame(&self, sections: Vec<Section>) -> Frame {
        #[expect(
            clippy::expect_used,
            reason = "the package's version is a version, and there are at most four sections"
        )]
        let (ptah_version, sections) = (this_version().expect("a version"), List::new(sections).expect("few sections"));
        Frame {
            operation_id: self.spec.operation_id.clone(),
            pod_uid: self.pod.clone(),
            ptah_version,
            runner_protocol_version: self.spec.runner_protocol_version,
            sections,
            attachments: List::default(),
        }
    }
}

/// The version of this program.
pub(crate) fn this_version() -> Option<VersionText> {
    VersionText::new(concat!("v", env!("CARGO_PKG_VERSION"))).ok()
}

/// What a refresh says that failed: what the fetching container found, then the failure where it belongs.
fn after_stage(stage: Option<&Stage>, reading: &RefreshReading, failure: Failure) -> Vec<Section> {
    let Some(stage) = stage else { return vec![Section::Resolve(Answer::Failed(failure))] };
    match &stage.result {
        StageResult::NotResolved(why) => vec![Section::Resolve(Answer::Failed(why.clone()))],
        StageResult::NotVerified { resolved, failure: why } => {
            vec![Section::Resolve(Answer::Done(resolved.clone())), Section::Verify(Answer::Failed(why.clone()))]
        }
        StageResult::Staged { resolved, verification_policy_digest, content_digest, files: _ } => {
            let verified =
                Verified { policy_digest: verification_policy_digest.clone(), content_digest: content_digest.clone() };
            let last = match reading {
                RefreshReading::Schema { .. } => Section::State(Answer::Failed(failure)),
                RefreshReading::Migration { .. } => Section::History(Answer::Failed(failure)),
            };
            vec![Section::Resolve(Answer::Done(resolved.clone())), Section::Verify(Answer::Done(verified)), last]
        }
    }
}

#[cfg(test)]
#[path = "result_tests.rs"]
mod tests;
