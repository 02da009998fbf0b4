//! What a person declares: the parts of a spec that both families share.

mod artifact;
mod duration;
mod execution;
mod policy;
mod target;

pub use artifact::ArtifactSource;
pub use duration::{Between, DurationProblem};
pub use execution::{Execution, LocalSecret, PodMetadata, Quantity, Resources};
pub use policy::{
    ApplyPolicy, MigrationPolicy, MigrationTransactionMode, RunClaim, SchemaPolicy, SchemaTransactionMode,
};
pub use target::{RealmName, Target};
