//! Version 1 of the operator's records, one file each.
//!
//! Status records: [`Claim`], [`PendingObservation`], [`UnresolvedRun`], [`ResolvedRun`], [`OwedRelease`],
//! [`CurrentSchemaPlan`], [`CurrentMigrationPlan`], [`Applied`], [`LastRun`], [`ExecutionBinding`].
//!
//! Documents: [`Hold`], [`Settled`], [`BoundTo`], [`OperationSpec`], [`Stage`], [`PermitRequest`], [`PermitAnswer`],
//! [`Frame`], [`Complete`], [`TerminationSummary`].

mod applied;
mod binding;
mod claim;
mod current_plan;
mod delivery;
mod drift;
mod frame;
mod hold;
mod migration_plan;
mod operation_spec;
mod owed_release;
mod parts;
mod permit;
mod plan_content;
mod resolved_run;
mod run;
mod schema_plan;
mod sections;
mod stage;
mod termination_summary;
mod unsettled_run;

pub use applied::{Applied, LastRun};
pub use binding::{ExecutionBinding, ManagerRecord, PlanBinding, PolicyBinding};
pub use claim::{ArtifactAccess, Claim, OperationType, ReadPurpose};
pub use current_plan::{CurrentMigrationPlan, CurrentSchemaPlan, RecordedApproval};
pub use delivery::Complete;
pub use drift::{DriftFinding, DriftReport, FindingSeverity};
pub use frame::{Answer, Attachment, AttachmentName, Failure, Frame, Section};
pub use hold::{BoundTo, Hold, Settled};
pub use migration_plan::{MigrationPlan, MigrationStep, StepTransaction};
pub use operation_spec::{
    ApplyContent, Delivery, OperationSpec, RefreshReading, RunLimits, SchemaTransactions, SettleBasis, WantedArtifact,
    Work,
};
pub use owed_release::OwedRelease;
pub use parts::{
    Access, ClaimantKind, ClaimantRef, ConfigMapKey, Family, HeldPlan, IdentitySource, ObjectRef, PlanRef,
    RegistryAuth, RegistryAuthMode, SecretKey, StateVersion, TargetAccess, TargetIdentity, Tenure, Transport,
};
pub use permit::{PermitAnswer, PermitRequest};
pub use plan_content::{ChunkRef, Encoding, StoredContent};
pub use resolved_run::{Acknowledged, Finding, Resolution, ResolvedRun};
pub use run::{Failures, Outcome, PodEvidence, RunEvidence, StartedBy};
pub use schema_plan::{PrivilegeChange, SchemaPlan};
pub use sections::{
    Compared, HistoryRead, LockBusy, Proposed, Resolved, RowsRead, RunReport, RunRows, ServerIdentity, StateRead,
    UnfinishedRun, Verified,
};
pub use stage::{Stage, StageResult};
pub use termination_summary::TerminationSummary;
pub use unsettled_run::{
    DriftSeverity, LastAnswer, ObservationBasis, PendingObservation, SequenceBasis, UnresolvedRun, UnsettledRun,
};

#[cfg(test)]
mod document_fixtures;
#[cfg(test)]
mod document_tests;
#[cfg(test)]
pub(crate) mod fixtures;
#[cfg(test)]
mod tests;
