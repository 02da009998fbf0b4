//! The Job of an operation, as it is created: one builder for both families.
//!
//! What the API server would fill in is written out, so that the Pod reads as the Job's template does. The digest of a Job is
//! made over the Job of the same claim with a made-up operation and made-up moments: a reading's claim keeps the digest of
//! its Job in the very write that makes it, before any of these is known.

mod containers;
mod places;
mod pod;

use k8s_openapi::api::batch::v1::Job;
use ptah_crds::{ArtifactSource, Execution, yaml};
use ptah_lifecycle::{Kind, Time};
use ptah_model::{Digest, DigestBuilder};
use ptah_records::operator::latest::{
    ApplyContent, Claim, ConfigMapKey, OperationSpec, RefreshReading, RegistryAuth, SecretKey, SettleBasis,
    StoredContent, Work,
};
use ptah_records::operator::names::JOB_DIGEST;
use ptah_records::operator::seal::{self, WriteProblem};

use crate::ids;
use crate::object::Object;
use crate::operation::{self, Around};
use crate::write::{self, Known, Unwritable, parts};

/// A Job that was built, and not created.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The Job.
    pub job: Job,
    /// Its digest, which it carries as an annotation too. Equal for Jobs that do the same work the same way, whatever their
    /// operation and moments.
    pub digest: Digest,
}

/// Builds the Job of the claim that stands in `object`.
///
/// # Errors
/// [`Unwritable`]: no Job may be made, because it would not do what was decided.
pub fn build(object: &Object, around: &Around<'_>) -> Result<Built, Unwritable> {
    let claim = object.claim().ok_or(Unwritable::Plan)?;
    let digest = digest(object, claim, around)?;
    let mut job = pod::job(&Parts::of(object, claim, around)?)?;
    let annotations = job.metadata.annotations.get_or_insert_default();
    annotations.insert(JOB_DIGEST.to_owned(), digest.to_string());
    Ok(Built { job, digest })
}

/// The digest of the Job that a refresh claimed now would have: what [`build`] gives once [`crate::with_status`] wrote that
/// claim, with the same `known` and `around`.
///
/// # Errors
/// [`Unwritable`]: such a Job could not be made.
pub fn refresh_digest(object: &Object, known: &Known<'_>, around: &Around<'_>) -> Result<Digest, Unwritable> {
    digest(object, &write::next_refresh(object, known)?, around)
}

fn digest(object: &Object, claim: &Claim, around: &Around<'_>) -> Result<Digest, Unwritable> {
    let (id, moment) = (parts::operation(ids::NO_OPERATION)?, parts::moment(Time(0))?);
    let mut object = object.clone();
    let claim = object.common_mut().active_operation.insert(Claim {
        job_name: parts::job_name(&id),
        id,
        dispatch_not_after: moment,
        execution_not_after: moment,
        ..claim.clone()
    });
    let claim = claim.clone();
    let job = serde_json::to_value(pod::job(&Parts::of(&object, &claim, around)?)?).map_err(|_| Unwritable::NoText)?;
    // One text for one Job: the keys stand in order.
    let text = yaml::body(&job, yaml::Style::Lines);
    Ok(DigestBuilder::new("ptah.operator.job.v1").text(&text).finish())
}

/// What a Job is built of.
struct Parts<'a> {
    object: &'a Object,
    claim: &'a Claim,
    around: &'a Around<'a>,
    told: OperationSpec,
}

/// How the artifact is got. Only the container that fetches sees any of it.
struct Artifact<'a> {
    auth: Option<&'a RegistryAuth>,
    authority: Option<&'a ConfigMapKey>,
    policy: &'a ConfigMapKey,
}

/// Stored bytes that the Pod sees as files.
struct Pieces<'a> {
    name: &'static str,
    content: &'a StoredContent,
    /// Whether it is worked on without them where they are gone.
    optional: bool,
}

impl<'a> Parts<'a> {
    fn of(object: &'a Object, claim: &'a Claim, around: &'a Around<'a>) -> Result<Self, Unwritable> {
        Ok(Self { object, claim, around, told: operation::spec(object, around)? })
    }

    /// What the operation is told, sealed.
    fn document(&self) -> Result<String, Unwritable> {
        let bytes = seal::write(&self.told).map_err(|problem| match problem {
            WriteProblem::TooLarge { .. } => Unwritable::TooLarge,
            WriteProblem::Contradiction(_) => Unwritable::Plan,
        })?;
        String::from_utf8(bytes).map_err(|_| Unwritable::NoText)
    }

    fn kind(&self) -> Kind {
        match self.told.work {
            Work::Refresh { .. } => Kind::Refresh,
            Work::Settle { .. } => Kind::Settle,
            Work::Apply { .. } => Kind::Apply,
        }
    }

    /// The artifact: a refresh's as its claim has it, a migration's run the one of its spec, to which the claim is bound.
    fn artifact(&self) -> Option<Artifact<'a>> {
        let spec: &ArtifactSource = match (&self.told.work, self.object) {
            (Work::Refresh { .. }, _) => {
                let source = self.claim.source.as_ref()?;
                return Some(Artifact {
                    auth: source.registry_auth_from.as_ref(),
                    authority: source.transport.ca_from.as_ref(),
                    policy: &source.verification_policy_from,
                });
            }
            (Work::Apply { .. }, Object::Migration(migration)) => &migration.spec.artifact,
            (Work::Apply { .. }, Object::Schema(_)) | (Work::Settle { .. }, _) => return None,
        };
        Some(Artifact {
            auth: spec.registry_auth_from.as_ref(),
            authority: spec.transport.ca_from.as_ref(),
            policy: &spec.verification_policy_from,
        })
    }

    /// The dev database, which only a reading that plans a schema sees.
    fn dev(&self) -> Option<&'a SecretKey> {
        match (&self.told.work, self.object) {
            (Work::Refresh { reading: RefreshReading::Schema { .. }, .. }, Object::Schema(schema)) => {
                schema.spec.dev.as_ref().map(|dev| &dev.url_from)
            }
            _ => None,
        }
    }

    fn pieces(&self) -> Option<Pieces<'_>> {
        match &self.told.work {
            Work::Apply { content: ApplyContent::Schema { content, .. }, .. } => {
                Some(Pieces { name: "plan", content, optional: false })
            }
            Work::Settle { basis: SettleBasis::Schema { desired, .. }, .. } => {
                desired.as_ref().map(|content| Pieces { name: "desired", content, optional: true })
            }
            Work::Refresh { .. } | Work::Apply { .. } | Work::Settle { .. } => None,
        }
    }

    fn execution(&self) -> &'a Execution {
        match self.object {
            Object::Schema(schema) => &schema.spec.execution,
            Object::Migration(migration) => &migration.spec.execution,
        }
    }

    /// How long the run may take, in seconds.
    fn window(&self) -> i64 {
        i64::try_from(self.claim.access.window_seconds.get()).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests;
