//! The container that fetches: a reference becomes a stage.

use anyhow::{Result, bail};
use ptah_records::operator::latest::{ApplyContent, OperationSpec, Resolved, Stage, StageResult, WantedArtifact, Work};
use ptah_records::operator::whole::Whole;

use super::facts::failure;
use super::registry::Content;
use super::store::Store;
use super::trouble::{Kind, Trouble};

/// Fetches what an operation wants. How it failed is in the stage.
///
/// # Errors
/// The operation wants nothing fetched, or the script cannot be read.
pub fn fetch(store: &Store, spec: &OperationSpec) -> Result<Stage> {
    // A run's files are those that were planned, whatever a tag says by now.
    let (wanted, planned) = match &spec.work {
        Work::Refresh { artifact, .. } => (artifact, None),
        Work::Apply { content: ApplyContent::Migration { artifact, artifact_digest, .. }, .. } => {
            (artifact, Some(artifact_digest))
        }
        Work::Apply { content: ApplyContent::Schema { .. }, .. } | Work::Settle { .. } => {
            bail!("the operation wants no artifact")
        }
    };
    let result = store.update(|script| {
        let trouble = script.take(Kind::of(spec), true);
        if trouble == Some(Trouble::NoRegistry) {
            return Ok(StageResult::NotResolved(failure("registry_down", "The registry does not answer.")?));
        }
        let Some((digest, artifact)) = script.registry.resolve(&wanted.reference, planned) else {
            return Ok(StageResult::NotResolved(failure("not_found", "The reference leads nowhere.")?));
        };
        let resolved = artifact.content.resolved(&wanted.reference, &digest)?;
        if trouble == Some(Trouble::NotTrusted) || !artifact.trusted {
            let failure = failure("policy_refused", "The artifact is not what the policy wants.")?;
            return Ok(StageResult::NotVerified { resolved, failure });
        }
        staged(&artifact.content, resolved, wanted)
    })?;
    Ok(Stage { operation_id: spec.operation_id.clone(), result })
}

fn staged(content: &Content, resolved: Resolved, wanted: &WantedArtifact) -> Result<StageResult> {
    let files = match content {
        Content::Schema(_) => 1,
        Content::Migrations(all) => u64::try_from(all.len())?,
    };
    Ok(StageResult::Staged {
        resolved,
        verification_policy_digest: wanted.verification_policy_digest.clone(),
        content_digest: content.files_digest()?,
        files: Whole::new(files)?,
    })
}
