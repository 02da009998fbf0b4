//! The roles of people, with our own verbs. They are bound by nobody: an administrator binds them, in a namespace.
//!
//! `approve`, `acknowledge` and `automate` are verbs on the resource itself, `ptahschemas` or `ptahmigrations`, so a role
//! can give them for single resources by name. A role with `*` has them all.

use serde_json::{Value, json};

const READ: [&str; 3] = ["get", "list", "watch"];
const RESOURCES: [&str; 2] = ["ptahschemas", "ptahmigrations"];

/// Every role, in the order of their names.
pub(crate) fn roles() -> Vec<Value> {
    let approvals = ["ptahschemaapprovals", "ptahmigrationapprovals"];
    let acknowledgments = ["ptahmigrationrunacknowledgments"];
    vec![
        role("ptah-acknowledger", &[rule(&RESOURCES, &["acknowledge"]), rule(&acknowledgments, &["create"]), view()]),
        role(
            "ptah-approver",
            &[
                rule(&RESOURCES, &["approve"]),
                rule(&approvals, &["create", "delete"]),
                // What is approved has to be seen.
                rule(&["ptahschemaplanchunks"], &READ),
                view(),
            ],
        ),
        role("ptah-author", &[rule(&RESOURCES, &["create", "update", "patch", "delete"]), view()]),
        role("ptah-automator", &[rule(&RESOURCES, &["automate"])]),
        role(
            "ptah-realm-administrator",
            &[rule(&["ptahrealms"], &["get", "list", "watch", "create", "update", "patch", "delete"])],
        ),
        role("ptah-viewer", &[view()]),
    ]
}

/// Everything but what can hold statements and values: pieces of plans, and results.
fn view() -> Value {
    let seen = [
        "ptahschemas",
        "ptahschemaplans",
        "ptahschemaapprovals",
        "ptahmigrations",
        "ptahmigrationplans",
        "ptahmigrationapprovals",
        "ptahmigrationrunacknowledgments",
    ];
    rule(&seen, &READ)
}

fn rule(resources: &[&str], verbs: &[&str]) -> Value {
    json!({ "apiGroups": ["operator.ptah.run"], "resources": resources, "verbs": verbs })
}

fn role(name: &str, rules: &[Value]) -> Value {
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": { "name": name },
        "rules": rules,
    })
}
