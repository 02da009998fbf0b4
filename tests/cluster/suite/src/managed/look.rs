//! What people see of a resource: its phase, and every condition with its status and reason.

use serde_json::Value;

/// The conditions that the operator says about every resource.
const CONDITIONS: [&str; 8] =
    ["Ready", "InSync", "Applying", "ApprovalRequired", "Blocked", "Settled", "Suspended", "ReconciliationFailed"];

/// A phase, with the reason that all conditions give, and those of them that hold. The others do not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    phase: &'static str,
    reason: &'static str,
    holds: &'static [&'static str],
}

pub(crate) const IN_SYNC: Look = Look { phase: "InSync", reason: "InSync", holds: &["Ready", "InSync", "Settled"] };
pub(crate) const AWAITING: Look =
    Look { phase: "AwaitingApproval", reason: "ApprovalRequired", holds: &["ApprovalRequired", "Settled"] };
pub(crate) const DESTRUCTIVE: Look = blocked("DestructiveChange");
pub(crate) const PROTECTED: Look = blocked("ProtectedTable");
pub(crate) const DISABLED: Look = blocked("ApplyDisabled");
pub(crate) const CONFLICT: Look = blocked("RealmConflict");
pub(crate) const ALIASED: Look = blocked("RealmAliased");
pub(crate) const FAILED: Look =
    Look { phase: "Failed", reason: "ReadFailed", holds: &["ReconciliationFailed", "Settled"] };
pub(crate) const SUSPENDED: Look = Look { phase: "Suspended", reason: "Suspended", holds: &["Suspended", "Settled"] };
pub(crate) const SETTLING: Look = Look { phase: "Settling", reason: "Settling", holds: &[] };
pub(crate) const UNKNOWN: Look = Look { phase: "Stuck", reason: "OutcomeUnknown", holds: &[] };

const fn blocked(reason: &'static str) -> Look {
    Look { phase: "Blocked", reason, holds: &["Blocked", "Settled"] }
}

impl Look {
    /// Whether a status looks so: every condition is there once, with the reason, and holds or does not.
    pub(crate) fn is(&self, status: &Value) -> bool {
        let conditions = status["conditions"].as_array().map_or(&[][..], Vec::as_slice);
        let as_said = |kind: &str| {
            let mut found = conditions.iter().filter(|one| one["type"] == *kind);
            let (Some(one), None) = (found.next(), found.next()) else { return false };
            one["reason"] == self.reason && (one["status"] == "True") == self.holds.contains(&kind)
        };
        status["phase"] == self.phase && CONDITIONS.iter().all(|kind| as_said(kind))
    }
}
