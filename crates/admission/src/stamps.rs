//! Policies that write who asked into an object: over whatever the client wrote.
//!
//! They are in v1 of the API from Kubernetes 1.36 on. On an older one an approval carries no identity that counts, and the
//! core says so.

use ptah_model::Digest;
use serde_json::{Value, json};

use crate::canary;
use crate::policy::{DIGEST, Match};
use crate::settings::settings;
use crate::yaml;

/// A mutating policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Its name, and that of its binding.
    pub name: &'static str,
    /// What it stops, in one sentence.
    pub attack: &'static str,
    matches: Vec<Match>,
    /// Whether it reads the settings.
    has_settings: bool,
    variables: Vec<(&'static str, &'static str)>,
    /// A list of patches, in CEL.
    patch: &'static str,
}

/// Who asked, as a value of a field: groups that the field cannot hold are left out, and at most 64 are kept.
const IDENTITY: &str = "[JSONPatch{op: 'add', path: '/spec/FIELD', value: \
    {'username': dyn(request.userInfo.username), 'groups': dyn(variables.groups)}}] + \
    (has(request.userInfo.uid) && request.userInfo.uid != '' ? \
    [JSONPatch{op: 'add', path: '/spec/FIELD/uid', value: request.userInfo.uid}] : [])";
const GROUPS: &str = "has(request.userInfo.groups) ? request.userInfo.groups.filter(g, \
    g != '' && g.size() <= 512 && request.userInfo.groups.indexOf(g) < 64) : []";

/// Every stamping policy.
pub fn stamps() -> Vec<Stamp> {
    vec![approver(), acknowledger(), writers()]
}

fn approver() -> Stamp {
    Stamp {
        name: "ptah-stamp-approver",
        attack: "an approval in another person's name",
        matches: vec![Match::ours(&["ptahschemaapprovals", "ptahmigrationapprovals"], &["CREATE"])],
        has_settings: false,
        variables: vec![("groups", GROUPS)],
        patch: IDENTITY,
    }
}

fn acknowledger() -> Stamp {
    Stamp {
        name: "ptah-stamp-acknowledger",
        attack: "an acknowledgment in another person's name",
        matches: vec![Match::ours(&["ptahmigrationrunacknowledgments"], &["CREATE"])],
        has_settings: false,
        variables: vec![("groups", GROUPS)],
        patch: IDENTITY,
    }
}

/// The set of those who wrote the spec since the manager last emptied it, one quoted name a line. Only the manager's own
/// value is taken as it is. Quoting makes a line of
/// every name, whatever is in it.
fn writers() -> Stamp {
    Stamp {
        name: "ptah-stamp-writers",
        attack: "a person who approves a change of their own, and hides that it is theirs",
        matches: vec![Match::ours(&["ptahschemas", "ptahmigrations"], &["CREATE", "UPDATE"])],
        has_settings: true,
        variables: vec![
            (
                "given",
                "has(object.metadata.annotations) && 'operator.ptah.run/spec-writers' in object.metadata.annotations ? \
                 object.metadata.annotations['operator.ptah.run/spec-writers'] : ''",
            ),
            (
                "before",
                "oldObject != null && has(oldObject.metadata.annotations) && \
                 'operator.ptah.run/spec-writers' in oldObject.metadata.annotations ? \
                 oldObject.metadata.annotations['operator.ptah.run/spec-writers'] : ''",
            ),
            ("writer", "strings.quote(request.userInfo.username)"),
            ("moved", "oldObject == null || dyn(object).spec != dyn(oldObject).spec"),
            (
                "after",
                "request.userInfo.username == params.data.manager ? variables.given : !variables.moved || variables.before.split('\\n').exists(w, w == variables.writer) ? variables.before : \
                 variables.before == '' ? variables.writer : variables.before + '\\n' + variables.writer",
            ),
        ],
        patch: "(has(object.metadata.annotations) ? [] : \
             [JSONPatch{op: 'add', path: '/metadata/annotations', value: {'operator.ptah.run/spec-writers': ''}}]) + \
             [JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey('operator.ptah.run/spec-writers'), \
             value: variables.after}]",
    }
}

impl Stamp {
    /// The digest over what the policy says.
    pub fn digest(&self) -> Digest {
        Digest::of(yaml::body(&self.spec("")).as_bytes())
    }

    /// The policy as an object.
    pub fn object(&self) -> Value {
        let digest = self.digest().to_string();
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "MutatingAdmissionPolicy",
            "metadata": { "name": self.name, "annotations": { DIGEST: digest } },
            "spec": self.spec(&digest),
        })
    }

    /// What brings it into force, for every object.
    pub fn binding(&self) -> Value {
        let mut spec = json!({ "policyName": self.name });
        if self.has_settings {
            spec["paramRef"] = settings();
        }
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "MutatingAdmissionPolicyBinding",
            "metadata": { "name": self.name },
            "spec": spec,
        })
    }

    fn spec(&self, digest: &str) -> Value {
        let canary = format!(
            "request.resource.resource == '{}' && object.metadata.name == '{}'",
            canary::RESOURCE,
            canary::name(self.name)
        );
        let field = if self.name == "ptah-stamp-approver" { "approver" } else { "acknowledgedBy" };
        let patch = self.patch.replace("FIELD", field);
        let mark = format!(
            "[JSONPatch{{op: 'add', path: '/metadata/annotations', value: {{'{}': '{}'}}}}]",
            canary::MARK,
            canary::mark(self.name, digest)
        );
        let mut rules: Vec<Value> = self.matches.iter().map(Match::rule).collect();
        rules.push(Match::ours(&[canary::RESOURCE], &["CREATE"]).rule());
        let mut spec = json!({
            "failurePolicy": "Fail",
            "reinvocationPolicy": "IfNeeded",
            "matchConstraints": { "resourceRules": rules },
            "matchConditions": [{
                "name": "applies",
                "expression": format!("request.resource.resource != '{}' || ({canary})", canary::RESOURCE),
            }],
            "variables": self.variables.iter().map(|(name, value)| json!({ "name": name, "expression": value })).collect::<Vec<Value>>(),
            "mutations": [{
                "patchType": "JSONPatch",
                "jsonPatch": { "expression": format!("{canary} ? {mark} : {patch}") },
            }],
        });
        if self.has_settings {
            spec["paramKind"] = json!({ "apiVersion": "v1", "kind": "ConfigMap" });
        }
        spec
    }
}
