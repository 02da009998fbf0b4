//! The word of the container that fetches: read by whoever wants to rely on it.

use std::path::Path;

use ptah_records::operator::latest::{ApplyContent, OperationSpec, Stage, StageResult, Work};
use ptah_records::operator::limits::MESSAGE;
use ptah_records::operator::seal;

use crate::disk;

/// The file in which it is left, in the folder of what was fetched.
pub(crate) const STAGE_FILE: &str = "stage.json";

/// What was left in `file`; nothing unless it is whole and answers this operation.
pub(crate) fn read(file: &Path, spec: &OperationSpec) -> Option<Stage> {
    let stage: Stage = seal::read(&disk::read(file, MESSAGE).ok()?).ok()?;
    (stage.operation_id == spec.operation_id && is_wanted(&stage.result, &spec.work)).then_some(stage)
}

/// Whether the content is there.
pub(crate) fn is_there(stage: Option<&Stage>) -> bool {
    stage.is_some_and(|stage| matches!(stage.result, StageResult::Staged { .. }))
}

/// Whether content that is there was verified under the wanted policy and, where one was planned on, is the wanted artifact.
fn is_wanted(result: &StageResult, work: &Work) -> bool {
    let StageResult::Staged { resolved, verification_policy_digest, .. } = result else { return true };
    match work {
        Work::Refresh { artifact, .. } => *verification_policy_digest == artifact.verification_policy_digest,
        Work::Apply { content: ApplyContent::Migration { artifact, artifact_digest, .. }, .. } => {
            *verification_policy_digest == artifact.verification_policy_digest && resolved.digest == *artifact_digest
        }
        Work::Apply { .. } | Work::Settle { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    fn left(change: impl FnOnce(&mut Stage)) -> (tempfile::TempDir, std::path::PathBuf) {
        let golden = include_bytes!("../../../crates/records/src/operator/v1/golden/stage.json");
        let mut stage: Stage = seal::read(golden.trim_ascii_end()).unwrap();
        change(&mut stage);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(STAGE_FILE);
        std::fs::write(&file, seal::write(&stage).unwrap()).unwrap();
        (folder, file)
    }

    fn other() -> ptah_records::operator::text::Sha256 {
        ptah_records::operator::text::Sha256::new(format!("sha256:{}", "7".repeat(64))).unwrap()
    }

    #[test]
    fn content_counts_only_under_the_wanted_policy_and_a_run_wants_its_very_artifact() {
        let [apply, apply_schema, settle, settle_schema, refresh, refresh_schema] = fixtures::every_spec();
        let read_by = |spec: &OperationSpec, change: fn(&mut Stage)| {
            let (_folder, file) = left(change);
            is_there(read(&file, spec).as_ref())
        };
        for spec in [&apply, &refresh, &refresh_schema] {
            assert!(read_by(spec, |_| {}));
            assert!(!read_by(spec, |stage| {
                let StageResult::Staged { verification_policy_digest, .. } = &mut stage.result else { panic!() };
                *verification_policy_digest = other();
            }));
        }
        for spec in [&apply_schema, &settle, &settle_schema] {
            assert!(!read_by(spec, |_| {}), "it fetches nothing");
        }
        let another = |stage: &mut Stage| {
            let StageResult::Staged { resolved, .. } = &mut stage.result else { panic!() };
            resolved.digest = other();
        };
        assert!(read_by(&refresh, another), "a refresh finds out where its tag leads");
        assert!(!read_by(&apply, another));
    }
}
