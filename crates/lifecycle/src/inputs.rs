//! Fingerprints of what something was decided from: explicit, versioned lists of fields, never whole objects.

use ptah_model::{Digest, DigestBuilder};

use crate::ids::Epoch;
use crate::object::{ApplyPolicy, Family, Identity, PlanRef, Proposal, Resource};
use crate::snapshot::Snapshot;

/// What a refresh and everything that follows from it rests on. `None` before a binding is installed.
///
/// Family, coordination, artifact, target, scope, execution, verification policy (UID and bytes), the apply policy, and
/// the binding's epoch. Generation is not in it, so that suspending a resource or changing its interval moves nothing.
pub fn refresh_inputs(resource: &Resource) -> Option<Digest> {
    let spec = &resource.spec;
    let binding = resource.status.binding?;
    let digest = DigestBuilder::new("ptah.operator.refresh-inputs.v1")
        .text(family(resource.family))
        .bytes(spec.coordination.as_bytes())
        .bytes(spec.inputs.artifact.as_bytes())
        .bytes(spec.inputs.target.as_bytes())
        .bytes(spec.inputs.scope.as_bytes())
        .bytes(spec.inputs.execution.as_bytes())
        .bytes(&spec.inputs.verification.uid.0.to_be_bytes())
        .bytes(spec.inputs.verification.digest.as_bytes())
        .text(apply_policy(spec.apply))
        .text(if spec.allow_destructive { "destructive" } else { "" })
        .bytes(&binding.epoch.0.to_be_bytes());
    Some(digest.finish())
}

/// What an Apply of this plan rests on: the inputs of its reading, and the plan.
pub fn apply_inputs(resource: &Resource, plan: PlanRef) -> Option<Digest> {
    let refresh = refresh_inputs(resource)?;
    let digest = DigestBuilder::new("ptah.operator.apply-inputs.v1")
        .bytes(refresh.as_bytes())
        .bytes(&plan.uid.0.to_be_bytes())
        .bytes(plan.fingerprint.as_bytes());
    Some(digest.finish())
}

/// A migration's name for [`refresh_inputs`]: one engine serves both families.
pub fn migration_input_fingerprint(s: &Snapshot) -> Option<Digest> {
    refresh_inputs(&s.resource)
}

/// Everything that a plan is bound to. An approval names it, so it names all of this.
pub fn plan_fingerprint(
    resource: &Resource,
    identity: &Identity,
    proposal: &Proposal,
    inputs: &Digest,
    binding: Epoch,
) -> Digest {
    DigestBuilder::new("ptah.operator.plan.v1")
        .text(family(resource.family))
        .bytes(&resource.uid.0.to_be_bytes())
        .bytes(resource.spec.coordination.as_bytes())
        .bytes(identity.database.as_bytes())
        .bytes(identity.route.as_bytes())
        .bytes(identity.lease().as_bytes())
        .bytes(proposal.content.as_bytes())
        .bytes(proposal.desired.as_bytes())
        .bytes(proposal.actual.as_bytes())
        .bytes(proposal.artifact.as_bytes())
        .text(if proposal.destructive { "destructive" } else { "" })
        .text(if proposal.privileges { "privileges" } else { "" })
        .bytes(inputs.as_bytes())
        .bytes(&binding.0.to_be_bytes())
        .finish()
}

fn family(family: Family) -> &'static str {
    match family {
        Family::Schema => "schema",
        Family::Migration => "migration",
    }
}

fn apply_policy(policy: ApplyPolicy) -> &'static str {
    match policy {
        ApplyPolicy::Never => "Never",
        ApplyPolicy::OnApproval => "OnApproval",
        ApplyPolicy::Always => "Always",
    }
}
