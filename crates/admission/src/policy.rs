//! A validating policy as values, and as the two objects that a cluster is given: the policy and its binding.

use ptah_model::Digest;
use serde_json::{Value, json};

use crate::canary;
use crate::settings::settings;
use crate::yaml;

/// The annotation with the digest of a policy.
pub(crate) const DIGEST: &str = "operator.ptah.run/admission-digest";

/// Which requests a policy looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) group: &'static str,
    pub(crate) version: &'static str,
    pub(crate) resources: Vec<&'static str>,
    pub(crate) operations: Vec<&'static str>,
}

impl Match {
    /// Resources of our own group.
    pub(crate) fn ours(resources: &[&'static str], operations: &[&'static str]) -> Self {
        Self::of("operator.ptah.run", "v1alpha1", resources, operations)
    }

    /// Resources of another group.
    pub(crate) fn of(
        group: &'static str,
        version: &'static str,
        resources: &[&'static str],
        operations: &[&'static str],
    ) -> Self {
        Self { group, version, resources: resources.to_vec(), operations: operations.to_vec() }
    }

    /// The rule as it stands in a policy.
    pub(crate) fn rule(&self) -> Value {
        json!({
            "apiGroups": [self.group],
            "apiVersions": [self.version],
            "resources": self.resources,
            "operations": self.operations,
        })
    }
}

/// One rule of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name, stable: the page and the tests name it.
    pub id: &'static str,
    /// What it stops.
    pub attack: &'static str,
    /// What somebody reads who is refused.
    pub message: &'static str,
    /// What has to hold, in CEL.
    pub(crate) expression: &'static str,
}

/// A validating policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Its name, and that of its binding.
    pub name: &'static str,
    /// What it is about, in one sentence.
    pub about: &'static str,
    pub(crate) matches: Vec<Match>,
    /// Which of the matching requests it judges, in CEL without variables.
    pub(crate) applies: &'static str,
    /// Names for parts of expressions, in the order in which they use each other.
    pub(crate) variables: Vec<(&'static str, &'static str)>,
    /// What has to hold for those.
    pub rules: Vec<Rule>,
}

impl Policy {
    /// The digest over what the policy says. Its canary tells it, so a manager knows which version is in force.
    pub fn digest(&self) -> Digest {
        Digest::of(yaml::body(&self.spec("")).as_bytes())
    }

    /// The policy as an object.
    pub fn object(&self) -> Value {
        let digest = self.digest().to_string();
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingAdmissionPolicy",
            "metadata": { "name": self.name, "annotations": { DIGEST: digest } },
            "spec": self.spec(&digest),
        })
    }

    /// What brings the policy into force: for every object, with the settings.
    pub fn binding(&self) -> Value {
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": { "name": self.name },
            "spec": {
                "policyName": self.name,
                "paramRef": settings(),
                "validationActions": ["Deny"],
            },
        })
    }

    fn spec(&self, digest: &str) -> Value {
        let canary = canary::condition(self.name);
        let records = self.matches.iter().any(|one| one.resources.contains(&canary::RESOURCE));
        let mut rules: Vec<Value> = self.matches.iter().map(Match::rule).collect();
        let mut applies = format!("({})", self.applies);
        if !records {
            rules.push(Match::ours(&[canary::RESOURCE], &["CREATE"]).rule());
            applies = format!("request.resource.resource != '{}' && {applies}", canary::RESOURCE);
        }
        let mut variables = vec![json!({ "name": "canary", "expression": canary })];
        variables.extend(self.variables.iter().map(|(name, value)| json!({ "name": name, "expression": value })));
        let mut validations =
            vec![json!({ "expression": "!variables.canary", "message": canary::message(self.name, digest) })];
        if self.name == canary::WITNESS {
            validations[0]["messageExpression"] = canary::told(self.name, digest).into();
        }
        validations.extend(self.rules.iter().map(|rule| {
            let expression = format!("variables.canary || ({})", rule.expression);
            json!({ "expression": expression, "message": format!("{} [{}]", rule.message, rule.id), "reason": "Forbidden" })
        }));
        json!({
            "failurePolicy": "Fail",
            "paramKind": { "apiVersion": "v1", "kind": "ConfigMap" },
            "matchConstraints": { "resourceRules": rules },
            "matchConditions": [{ "name": "applies", "expression": format!("({canary}) || ({applies})") }],
            "variables": variables,
            "validations": validations,
        })
    }
}
