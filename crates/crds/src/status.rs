//! What the manager says about a resource: the parts of a status that both families share.

mod common;
mod conditions;
mod drift;
mod history;

pub use common::{CommonStatus, SourceStatus, TargetStatus};
pub use conditions::{Condition, ConditionStatus, ConditionType, Phase};
pub use drift::{DriftFinding, DriftStatus, FindingSeverity};
pub use history::HistoryStatus;
