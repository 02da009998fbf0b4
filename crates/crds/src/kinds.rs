//! The kinds, one file each.

#![expect(clippy::duplicated_attributes, reason = "columns of one table may have the same type")]

mod approval;
mod migration;
mod migration_approval;
mod migration_plan;
mod migration_run_acknowledgment;
mod realm;
mod result_record;
mod schema;
mod schema_approval;
mod schema_plan;
mod schema_plan_chunk;

pub use approval::{ApprovalStatus, Consumption, Identity, NamedObject};
pub use migration::{PtahMigration, PtahMigrationSpec, PtahMigrationStatus};
pub use migration_approval::{PtahMigrationApproval, PtahMigrationApprovalSpec};
pub use migration_plan::{PtahMigrationPlan, PtahMigrationPlanSpec, PtahMigrationPlanStatus};
pub use migration_run_acknowledgment::{
    AcknowledgedClaimant, AcknowledgmentStatus, PtahMigrationRunAcknowledgment, PtahMigrationRunAcknowledgmentSpec,
};
pub use realm::{PtahRealm, PtahRealmSpec, Sharing};
pub use result_record::{CompletePart, PtahResultRecord, PtahResultRecordSpec, ResultType};
pub use schema::{DevDatabase, PtahSchema, PtahSchemaSpec, PtahSchemaStatus};
pub use schema_approval::{PtahSchemaApproval, PtahSchemaApprovalSpec};
pub use schema_plan::{PtahSchemaPlan, PtahSchemaPlanSpec, PtahSchemaPlanStatus, PublishedChunk};
pub use schema_plan_chunk::{PtahSchemaPlanChunk, PtahSchemaPlanChunkSpec};
