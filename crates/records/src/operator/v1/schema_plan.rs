//! The plan of the schema family: what a `PtahSchemaPlan` says, with references to its bytes.

use serde::{Deserialize, Serialize};

use super::binding::{ManagerRecord, PlanBinding};
use super::parts::{ObjectRef, StateVersion};
use super::plan_content::StoredContent;
use crate::operator::check::{Contradiction, Record, rule};
use crate::operator::list::List;
use crate::operator::text::{EngineText, Sha256};
use crate::operator::time::Moment;
use crate::operator::whole::Whole;

/// A statement that changes who may do what. It always needs a person's approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum PrivilegeChange {
    /// A right is given.
    Grant,
    /// A right is taken.
    Revoke,
    /// A role gets or loses a member.
    RoleMembership,
    /// A role is made, changed or dropped.
    Role,
    /// Something gets another owner.
    Ownership,
    /// A policy on rows changes.
    RowSecurityPolicy,
    /// A routine runs with its owner's rights.
    SecurityDefiner,
    /// A routine or view runs with its definer's rights.
    Definer,
    /// A routine gets another body, whose rights its callers have.
    FunctionReplacement,
}

/// The plan of one schema: the spec of a `PtahSchemaPlan`.
///
/// - **Who writes it:** the manager, once; it cannot be changed afterwards.
/// - **Who reads it:** approvers, and every step towards an Apply, by UID and fingerprint.
/// - **When it is removed:** by the retention, when nothing names it any more; with its schema otherwise.
/// - **Size:** under 24 KiB; the bytes are in the pieces.
/// - **An old reader:** refused by `contractVersion`; the fence stops a manager on a higher `controllerStateVersion`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SchemaPlan {
    /// The version of this document: always 1.
    pub contract_version: Whole<1, 1>,
    /// The version of the contract under which it was written.
    pub controller_state_version: StateVersion,
    /// The schema that it is for.
    pub schema_ref: ObjectRef,
    /// The digest over all that the plan is bound to: what an approval names. The core computes it, and compares it
    /// before it lets the plan run.
    pub fingerprint: Sha256,
    /// The fingerprint of the inputs that the reading was decided from which made this plan.
    pub input_fingerprint: Sha256,
    /// What it is bound to.
    pub binding: PlanBinding,
    /// The engine that it was planned for.
    pub engine: EngineText,
    /// The fingerprint of the database's state that it was computed from.
    pub actual_state_fingerprint: Sha256,
    /// The fingerprint of the state that it leads to.
    pub desired_state_fingerprint: Sha256,
    /// Whether it can lose something, as this manager reads its bytes.
    pub destructive: bool,
    /// What it changes about rights, sorted, each once; may be empty.
    pub privilege_changes: List<PrivilegeChange, 16>,
    /// How many statements it has.
    pub statement_count: Whole<1, 1_000_000>,
    /// The plan file.
    pub content: StoredContent,
    /// The desired document, with which a settling reading is compared.
    pub desired: StoredContent,
    /// The manager that stored it. For an audit only.
    pub recorded_by: ManagerRecord,
    /// When it was stored.
    pub created_at: Moment,
}

impl Record for SchemaPlan {
    const NAME: &'static str = "schema plan";

    fn check(&self) -> Result<(), Contradiction> {
        self.content.check()?;
        self.desired.check()?;
        let sorted = self.privilege_changes.as_slice().is_sorted_by(|a, b| a < b);
        rule::<Self>(sorted, "changes of rights are sorted, each once")
    }
}
