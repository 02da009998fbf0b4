//! What the manager says about a resource: the parts of a status that both families share.

mod common;
mod conditions;
mod drift;
mod history;

pub use common::{CommonStatus, SourceStatus, StateRefusal, TargetStatus};
pub use conditions::{Condition, ConditionStatus, ConditionType, Phase};
pub use drift::DriftStatus;
pub use history::HistoryStatus;
