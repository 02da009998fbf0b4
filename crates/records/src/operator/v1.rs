//! Version 1 of the operator's records, one file each.
//!
//! Status records: [`Claim`], [`PendingObservation`], [`UnresolvedRun`], [`ResolvedRun`], [`OwedRelease`],
//! [`CurrentSchemaPlan`], [`CurrentMigrationPlan`], [`Applied`], [`LastRun`], [`ExecutionBinding`].

mod applied;
mod binding;
mod claim;
mod current_plan;
mod migration_plan;
mod owed_release;
mod parts;
mod plan_content;
mod resolved_run;
mod run;
mod schema_plan;
mod unsettled_run;

pub use applied::{Applied, LastRun};
pub use binding::{ExecutionBinding, ManagerRecord, PlanBinding, PolicyBinding};
pub use claim::{ArtifactAccess, Claim, OperationType, ReadPurpose};
pub use current_plan::{CurrentMigrationPlan, CurrentSchemaPlan, RecordedApproval};
pub use migration_plan::{MigrationPlan, MigrationStep, StepTransaction};
pub use owed_release::OwedRelease;
pub use parts::{
    ClaimantKind, ClaimantRef, ConfigMapKey, Family, IdentitySource, ObjectRef, PlanRef, RegistryAuth,
    RegistryAuthMode, SecretKey, StateVersion, TargetAccess, TargetIdentity, Tenure, Transport,
};
pub use plan_content::{ChunkRef, Encoding, StoredContent};
pub use resolved_run::{Acknowledged, Finding, Resolution, ResolvedRun};
pub use run::{Outcome, PodEnd, PodEvidence, RunEvidence, StartedBy};
pub use schema_plan::{PrivilegeChange, SchemaPlan};
pub use unsettled_run::{
    DriftSeverity, ObservationBasis, PendingObservation, SequenceBasis, SettleAttempts, UnresolvedRun, UnsettledRun,
};

#[cfg(test)]
pub(crate) mod fixtures;
#[cfg(test)]
mod tests;
