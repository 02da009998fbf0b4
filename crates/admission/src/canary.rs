//! How a manager proves that the policies are in force: it asks for what each of them must refuse.
//!
//! A policy acts a moment after it was written, and anybody with the rights can remove it. So the manager tries to create,
//! as a dry run, a result record of a reserved name; every policy refuses the name that is its own, whoever asks, and says
//! its digest. Only an answer with the right digest counts. The request needs no right that the manager does not have
//! anyhow, and nothing is ever stored. That the binding covers everything is read from the binding: [`covers`].
//!
//! The policies that stamp an identity mark the same request, and the mark is repeated in the refusal: so their
//! being in force is proven by an answer too.

use ptah_crds::{GROUP, VERSION};
use serde_json::{Value, json};
use thiserror::Error;

use crate::policies;
use crate::policy::Policy;
use crate::stamps::{Stamp, stamps};

/// The resource that canaries ask for.
pub(crate) const RESOURCE: &str = "ptahresultrecords";
/// The annotation in which a stamping policy leaves its digest on its canary.
pub(crate) const MARK: &str = "operator.ptah.run/canary";
/// The policy that tells what the stamps left.
pub(crate) const WITNESS: &str = "ptah-manager-state";

/// One question whose answer proves one policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Canary {
    /// The policy that has to refuse, or to stamp.
    pub policy: &'static str,
    /// Where the object is to be created, for a namespace in which the manager may.
    pub path: String,
    /// The object.
    pub object: Value,
    /// What the refusal has to say.
    pub expected: String,
}

/// Why a policy is not known to be in force. Then nothing that a person approved may be carried out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CanaryProblem {
    /// The request went through.
    #[error("the policy {0} does not act")]
    NotRefused(&'static str),
    /// Something else refused it, or another version of the policy did.
    #[error("the policy {policy} is not the one that this release needs: the answer was {status}")]
    AnotherAnswer {
        /// The policy.
        policy: &'static str,
        /// The status of the answer.
        status: u16,
    },
}

/// The questions that prove every policy, to be asked as a dry run in `namespace`.
pub fn canaries(namespace: &str) -> Vec<Canary> {
    let ask = |policy, name: String, expected| Canary {
        policy,
        path: format!("/apis/{GROUP}/{VERSION}/namespaces/{namespace}/{RESOURCE}?dryRun=All"),
        object: object(namespace, &name),
        expected,
    };
    let refused = policies::policies()
        .into_iter()
        .map(|policy: Policy| ask(policy.name, name(policy.name), message(policy.name, &policy.digest().to_string())));
    let stamped = stamps()
        .into_iter()
        .map(|stamp: Stamp| ask(stamp.name, name(stamp.name), mark(stamp.name, &stamp.digest().to_string())));
    refused.chain(stamped).collect()
}

/// What an answer proves.
///
/// # Errors
/// [`CanaryProblem`]: the policy does not act, or is another one. An answer that did not come proves nothing either; the
/// caller says so.
pub fn judge(canary: &Canary, status: u16, message: &str) -> Result<(), CanaryProblem> {
    if (200..300).contains(&status) {
        return Err(CanaryProblem::NotRefused(canary.policy));
    }
    if message.contains(&canary.expected) {
        return Ok(());
    }
    Err(CanaryProblem::AnotherAnswer { policy: canary.policy, status })
}

/// Whether a binding, as the API server has it, brings its policy into force for everything as the `expected` one does:
/// nothing narrows it, it denies, and without its settings everything is refused.
pub fn covers(expected: &Value, binding: &Value) -> bool {
    let spec = &binding["spec"];
    let narrows = ["namespaceSelector", "objectSelector"].iter().any(|selector| {
        let found = &spec["matchResources"][selector];
        found.as_object().is_some_and(|found| !found.is_empty())
    });
    let rules = |name: &str| spec["matchResources"][name].as_array().is_some_and(|found| !found.is_empty());
    ["policyName", "paramRef", "validationActions"].iter().all(|field| spec[field] == expected["spec"][field])
        && !narrows
        && !rules("resourceRules")
        && !rules("excludeResourceRules")
}

/// The name of a policy's canary.
pub(crate) fn name(policy: &str) -> String {
    format!("ptah-canary-{policy}")
}

/// Whether a request is a policy's canary, in CEL.
pub(crate) fn condition(policy: &str) -> String {
    let stamps = if policy == WITNESS { format!(" || {}", witness()) } else { String::new() };
    format!(
        "request.resource.resource == '{RESOURCE}' && request.operation == 'CREATE' && (object.metadata.name == '{}'{stamps})",
        name(policy)
    )
}

/// Whether a request is the canary of a stamping policy, in CEL.
fn witness() -> String {
    let names: Vec<String> = stamps().iter().map(|stamp| format!("'{}'", name(stamp.name))).collect();
    format!("object.metadata.name in [{}]", names.join(", "))
}

/// What a validating policy says to its canary.
pub(crate) fn message(policy: &str, digest: &str) -> String {
    format!("canary of {policy} {digest}")
}

/// What the witness says, in CEL: what a stamp left on its canary, or that this is its own.
pub(crate) fn told(policy: &str, digest: &str) -> String {
    format!(
        "has(object.metadata.annotations) && '{MARK}' in object.metadata.annotations ? \
         string(object.metadata.annotations['{MARK}']) : '{}'",
        message(policy, digest)
    )
}

/// What a stamping policy leaves on its canary.
pub(crate) fn mark(policy: &str, digest: &str) -> String {
    format!("stamped by {policy} {digest}")
}

/// A result record that the definition allows.
fn object(namespace: &str, name: &str) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/{VERSION}"),
        "kind": "PtahResultRecord",
        "metadata": { "name": name, "namespace": namespace },
        "spec": {
            "controllerStateVersion": 1,
            "operationID": "01890a5d-ac96-774b-bcce-b302099a8001",
            "podUID": "55555555-1111-4222-8333-666666666667",
            "type": "Piece",
            "index": 0,
            "digest": format!("sha256:{}", "ab".repeat(32)),
            "data": "e30=",
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_refusal_with_the_right_digest_proves_a_policy() {
        for canary in canaries("ptah-system") {
            let said = format!("x is forbidden: ValidatingAdmissionPolicy denied request: {}", canary.expected);
            assert_eq!(judge(&canary, 403, &said), Ok(()));
            assert_eq!(judge(&canary, 201, &said), Err(CanaryProblem::NotRefused(canary.policy)));
            let older = said.replace("sha256:", "sha256:0");
            let expected = Err(CanaryProblem::AnotherAnswer { policy: canary.policy, status: 403 });
            assert_eq!(judge(&canary, 403, &older), expected);
        }
    }

    #[test]
    fn every_policy_and_every_stamp_has_a_canary_of_its_own() {
        let mut names: Vec<&str> = canaries("x").iter().map(|canary| canary.policy).collect();
        assert_eq!(names.len(), policies::policies().len() + stamps().len());
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), policies::policies().len() + stamps().len());
    }

    #[test]
    fn a_binding_that_was_narrowed_or_only_warns_does_not_cover() {
        for policy in policies::policies() {
            assert!(covers(&policy.binding(), &policy.binding()));
            for (pointer, value) in [
                ("validationActions", json!(["Warn"])),
                ("policyName", json!("another")),
                ("paramRef", json!({ "name": "another", "namespace": "x" })),
                ("matchResources", json!({ "namespaceSelector": { "matchLabels": { "a": "b" } } })),
                ("matchResources", json!({ "excludeResourceRules": [{}] })),
                ("matchResources", json!({ "resourceRules": [{}] })),
            ] {
                let mut binding = policy.binding();
                binding["spec"][pointer] = value;
                assert!(!covers(&policy.binding(), &binding), "{pointer}");
            }
            let mut defaulted = policy.binding();
            defaulted["spec"]["matchResources"] = json!({ "namespaceSelector": {}, "matchPolicy": "Equivalent" });
            assert!(covers(&policy.binding(), &defaulted));
        }
    }
}
