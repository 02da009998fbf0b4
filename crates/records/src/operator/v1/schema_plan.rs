//! The plan of the schema family: what a `PtahSchemaPlan` says, and the fingerprint that an approval names.

use ptah_model::{Digest, DigestBuilder};
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

impl PrivilegeChange {
    /// Its word.
    fn word(self) -> &'static str {
        match self {
            Self::Grant => "Grant",
            Self::Revoke => "Revoke",
            Self::RoleMembership => "RoleMembership",
            Self::Role => "Role",
            Self::Ownership => "Ownership",
            Self::RowSecurityPolicy => "RowSecurityPolicy",
            Self::SecurityDefiner => "SecurityDefiner",
            Self::Definer => "Definer",
            Self::FunctionReplacement => "FunctionReplacement",
        }
    }
}

/// The plan of one schema: the spec of a `PtahSchemaPlan`.
///
/// - **Who writes it:** the manager, once; it cannot be changed afterwards.
/// - **Who reads it:** approvers, and every step towards an Apply, by UID and fingerprint.
/// - **When it is removed:** by the retention, when nothing names it any more; with its schema otherwise.
/// - **Size:** under 16 KiB; the bytes are in the pieces.
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
    /// The digest over all that the plan is bound to: what an approval names.
    pub fingerprint: Sha256,
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

impl SchemaPlan {
    /// The fingerprint over what this plan is bound to. Names of objects, the manager and the time are not in it: an
    /// equal plan that is made again is the same decision.
    pub fn own_fingerprint(&self) -> Sha256 {
        let Self {
            contract_version,
            controller_state_version,
            schema_ref,
            fingerprint: _,
            binding,
            engine,
            actual_state_fingerprint,
            desired_state_fingerprint,
            destructive,
            privilege_changes,
            statement_count,
            content,
            desired,
            recorded_by: _,
            created_at: _,
        } = self;
        let mut digest = DigestBuilder::new("ptah.operator.schema-plan.v1")
            .number(contract_version.get())
            .number(controller_state_version.get())
            .text(schema_ref.uid.as_str())
            .text(engine.as_str())
            .text(actual_state_fingerprint.as_str())
            .text(desired_state_fingerprint.as_str())
            .number(u64::from(*destructive))
            .number(statement_count.get())
            .text(content.digest.as_str())
            .text(desired.digest.as_str());
        digest = binding.add_to(digest);
        for change in privilege_changes.as_slice() {
            digest = digest.text(change.word());
        }
        sha256(&digest.finish())
    }
}

impl PlanBinding {
    /// Adds every field to a digest.
    pub(super) fn add_to(&self, digest: DigestBuilder) -> DigestBuilder {
        let Self {
            artifact_digest,
            coordination_digest,
            target_identity,
            policy_fingerprint,
            verification_policy,
            execution_binding_id,
            ptah_version,
            executor_image,
            runner_protocol_version,
        } = self;
        digest
            .text(artifact_digest.as_str())
            .text(coordination_digest.as_str())
            .text(target_identity.route_digest.as_str())
            .text(target_identity.database_identity.as_str())
            .text(policy_fingerprint.as_str())
            .text(verification_policy.uid.as_str())
            .text(verification_policy.digest.as_str())
            .text(execution_binding_id.as_str())
            .text(ptah_version.as_str())
            .text(executor_image.as_str())
            .number(runner_protocol_version.get())
    }
}

/// A digest of ours as a text of a record.
pub(super) fn sha256(digest: &Digest) -> Sha256 {
    #[expect(clippy::expect_used, reason = "a digest is written in the form that the text asks for")]
    Sha256::new(digest.to_string()).expect("a digest has the form of a digest")
}

impl Record for SchemaPlan {
    const NAME: &'static str = "schema plan";

    fn check(&self) -> Result<(), Contradiction> {
        self.content.check()?;
        self.desired.check()?;
        let sorted = self.privilege_changes.as_slice().is_sorted_by(|a, b| a < b);
        rule::<Self>(sorted, "changes of rights are sorted, each once")?;
        rule::<Self>(self.fingerprint == self.own_fingerprint(), "the fingerprint is not the one of what it says")
    }
}
