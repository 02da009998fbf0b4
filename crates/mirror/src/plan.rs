//! Stored plans as values of the core.

mod make;
mod staged;

use kube::core::ObjectMeta;
use ptah_crds::{PtahMigrationPlan, PtahSchemaPlan};
use ptah_lifecycle::{Family, Plan, Proposal};
use ptah_model::Digest;
use ptah_records::operator::check::Record as _;
use ptah_records::operator::latest::{MigrationPlan, PlanBinding, SchemaPlan};
use ptah_records::operator::text::{ObjectName, Uid};

use crate::ids;
use crate::object::Unreadable;
use crate::read;

pub use make::{Made, Pieces, make, piece};
pub use staged::{PIECE_KEY, staged, to_stage};

/// A plan of either family, as the API server has it.
#[derive(Clone, Debug, PartialEq)]
pub enum StoredPlan {
    /// A `PtahSchemaPlan`.
    Schema(Box<PtahSchemaPlan>),
    /// A `PtahMigrationPlan`.
    Migration(Box<PtahMigrationPlan>),
}

impl StoredPlan {
    /// What the API server says about it.
    pub fn metadata(&self) -> &ObjectMeta {
        match self {
            Self::Schema(plan) => &plan.metadata,
            Self::Migration(plan) => &plan.metadata,
        }
    }
}

/// The name of a plan: made from its fingerprint, so that an equal plan meets the one that is stored.
pub fn name(fingerprint: &Digest) -> ObjectName {
    let text = fingerprint.to_string();
    let digits = text.rsplit(':').next().unwrap_or_default().get(..32).unwrap_or_default();
    ids::made(ObjectName::new(format!("ptah-plan-{digits}")))
}

/// The plan.
///
/// # Errors
/// [`Unreadable`]: it is none that may be run. One that is not wholly stored yet is read like any other; whether all its
/// pieces are there is another question.
pub fn read(stored: &StoredPlan) -> Result<Plan, Unreadable> {
    let metadata = stored.metadata();
    let uid = ids::uid(metadata.uid.as_deref().ok_or(Unreadable::Incomplete)?)?;
    let deleting = metadata.deletion_timestamp.is_some();
    let plan = match stored {
        StoredPlan::Schema(plan) => of_schema(&plan.spec.0)?,
        StoredPlan::Migration(plan) => of_migration(&plan.spec.0)?,
    };
    Ok(Plan { uid, deleting, ..plan })
}

/// What both families' plans say; the rest is filled in.
struct Head<'a> {
    family: Family,
    resource: &'a Uid,
    fingerprint: Digest,
    inputs: Digest,
    binding: &'a PlanBinding,
    state_version: u64,
    created: ptah_records::operator::time::Moment,
}

fn of_schema(plan: &SchemaPlan) -> Result<Plan, Unreadable> {
    plan.check().map_err(|_| Unreadable::Contradiction)?;
    let head = Head {
        family: Family::Schema,
        resource: &plan.schema_ref.uid,
        fingerprint: ids::digest(&plan.fingerprint),
        inputs: ids::digest(&plan.input_fingerprint),
        binding: &plan.binding,
        state_version: plan.controller_state_version.get(),
        created: plan.created_at,
    };
    head.plan(Proposal {
        content: ids::digest(&plan.content.digest),
        desired: ids::digest(&plan.desired_state_fingerprint),
        actual: ids::digest(&plan.actual_state_fingerprint),
        artifact: ids::digest(&plan.binding.artifact_digest),
        destructive: plan.destructive,
        privileges: !plan.privilege_changes.is_empty(),
    })
}

fn of_migration(plan: &MigrationPlan) -> Result<Plan, Unreadable> {
    plan.check().map_err(|_| Unreadable::Contradiction)?;
    let head = Head {
        family: Family::Migration,
        resource: &plan.migration_ref.uid,
        fingerprint: ids::digest(&plan.fingerprint),
        inputs: ids::digest(&plan.input_fingerprint),
        binding: &plan.binding,
        state_version: plan.controller_state_version.get(),
        created: plan.created_at,
    };
    head.plan(Proposal {
        content: ids::digest(&plan.content_digest),
        desired: ids::digest(&plan.sequence_digest),
        actual: ids::digest(&plan.applied_rows_digest),
        artifact: ids::digest(&plan.binding.artifact_digest),
        // A migration is written by hand: what it does to data and rights is its author's.
        destructive: false,
        privileges: false,
    })
}

impl Head<'_> {
    fn plan(self, proposal: Proposal) -> Result<Plan, Unreadable> {
        Ok(Plan {
            uid: ptah_lifecycle::Uid(0),
            fingerprint: self.fingerprint,
            resource: ids::uid(self.resource.as_str())?,
            family: self.family,
            identity: read::identity(&self.binding.target_identity),
            proposal,
            inputs: self.inputs,
            binding: ids::epoch(&self.binding.execution_binding_id),
            state_version: u32::try_from(self.state_version).unwrap_or(u32::MAX),
            deleting: false,
            created: ids::time(self.created),
        })
    }
}
