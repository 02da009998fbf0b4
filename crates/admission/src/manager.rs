//! What the manager may ask of an API server: each right with the request that needs it, and nothing that no request needs.
//!
//! Roles say which kinds and verbs; which objects of a kind, and what may be written into them, the policies say. A right that
//! is added here lets a stolen token of the manager do more: the tests at the end say what must never be among them.

use serde_json::{Value, json};

use crate::settings::names;

const OURS: &str = "operator.ptah.run";
const RBAC: &str = "rbac.authorization.k8s.io";

/// Where a right holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In every namespace, and for what is in none.
    Everywhere,
    /// In the manager's own namespace.
    Own,
}

/// One right of the manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Right {
    /// Where it holds.
    pub scope: Scope,
    /// The group of the resources; empty for Kubernetes' core.
    pub group: &'static str,
    /// The resources, by plural, with a subresource after a slash.
    pub resources: &'static [&'static str],
    /// What may be done with them; in the order of the API's documentation.
    pub verbs: &'static [&'static str],
    /// The only objects that it is for; empty for all of them.
    pub objects: &'static [&'static str],
    /// What the manager needs it for.
    pub why: &'static str,
}

/// Every right of the manager.
pub fn rights() -> Vec<Right> {
    [resources(), people(), runs(), surroundings(), own()].concat()
}

fn everywhere(
    group: &'static str,
    resources: &'static [&'static str],
    verbs: &'static [&'static str],
    why: &'static str,
) -> Right {
    Right { scope: Scope::Everywhere, group, resources, verbs, objects: &[], why }
}

/// The resources that are driven, and what is kept about them.
fn resources() -> Vec<Right> {
    vec![
        everywhere(
            OURS,
            &["ptahschemas", "ptahmigrations"],
            &["get", "list", "watch", "patch"],
            "to drive them; the patch puts a finalizer on and takes it off",
        ),
        everywhere(
            OURS,
            &["ptahschemas/status", "ptahmigrations/status"],
            &["update"],
            "claims, and what became of them, stand there",
        ),
        everywhere(OURS, &["ptahrealms"], &["get"], "whether a realm admits a resource"),
        everywhere(
            OURS,
            &["ptahschemaplans", "ptahmigrationplans"],
            &["get", "list", "create", "patch", "delete"],
            "to store what is to be approved; the list is also for the fence, which refuses to begin under newer state; \
             the patch notes since when nothing names a plan, and then it goes",
        ),
        everywhere(OURS, &["ptahschemaplans/status"], &["update"], "a plan is ready when all of its pieces are stored"),
        everywhere(OURS, &["ptahschemaplanchunks"], &["get", "create"], "the pieces of a plan"),
    ]
}

/// What people say about them.
fn people() -> Vec<Right> {
    vec![
        everywhere(
            OURS,
            &["ptahschemaapprovals", "ptahmigrationapprovals", "ptahmigrationrunacknowledgments"],
            &["list", "watch"],
            "consent is looked for when it is needed, uncached",
        ),
        everywhere(
            OURS,
            &["ptahschemaapprovals/status", "ptahmigrationapprovals/status", "ptahmigrationrunacknowledgments/status"],
            &["update"],
            "that it was spent, or came too late",
        ),
    ]
}

/// Runs: Jobs, their Pods, what they are given, and what they report.
fn runs() -> Vec<Right> {
    vec![
        everywhere(
            "batch",
            &["jobs"],
            &["get", "list", "watch", "create", "patch"],
            "a run is a Job; the patch sets when a finished one goes",
        ),
        everywhere(
            "",
            &["pods"],
            &["list", "patch"],
            "how a run's Pod ended; the patch takes off the finalizer that kept it",
        ),
        everywhere(
            "",
            &["configmaps"],
            &["get", "create"],
            "the verification policy that a resource names, and the copies of a plan's pieces that a Job mounts",
        ),
        everywhere(
            OURS,
            &["ptahresultrecords"],
            &["get", "list", "watch", "create", "delete"],
            "what runs report is stored before they are answered, and goes when nobody needs it; canaries ask for one as a \
             dry run",
        ),
        everywhere(
            "authentication.k8s.io",
            &["tokenreviews"],
            &["create"],
            "which Pod it is that asks for a permit or reports",
        ),
    ]
}

/// What is looked at before anything is believed.
fn surroundings() -> Vec<Right> {
    vec![
        everywhere(
            "admissionregistration.k8s.io",
            &["validatingadmissionpolicies", "mutatingadmissionpolicies"],
            &["list"],
            "whether the policies are in force; without them no consent counts",
        ),
        everywhere(
            "admissionregistration.k8s.io",
            &["validatingadmissionpolicybindings", "mutatingadmissionpolicybindings"],
            &["get", "list"],
            "whether they are bound to everything; `admission check` gets one after the other",
        ),
        everywhere(
            "apiextensions.k8s.io",
            &["customresourcedefinitions"],
            &["get", "list"],
            "whether the definitions are those of this release",
        ),
        everywhere(
            "coordination.k8s.io",
            &["leases"],
            &["list"],
            "the fence looks for newer state, also where a manager had another namespace",
        ),
        Right {
            objects: &["kube-system"],
            ..everywhere("", &["namespaces"], &["get"], "its UID is the cluster's identity in the rows of databases")
        },
    ]
}

/// What is kept in the manager's own namespace.
fn own() -> Vec<Right> {
    let own =
        |group, resources, verbs, objects, why| Right { scope: Scope::Own, group, resources, verbs, objects, why };
    vec![
        own(
            "coordination.k8s.io",
            &["leases"],
            &["get", "create", "update"],
            &[],
            "who leads, who holds a realm or a database, and what is not settled in it",
        ),
        own("", &["secrets"], &["create"], &[], "a role cannot say by which name something is created"),
        own(
            "",
            &["secrets"],
            &["get", "update"],
            &[names::AUTHORITY],
            "the keys of the server for permits and results, and no other Secret",
        ),
    ]
}

/// The service account, its roles and their bindings.
pub(crate) fn objects() -> Vec<Value> {
    let rules = |scope| rights().iter().filter(|right| right.scope == scope).map(rule).collect::<Vec<Value>>();
    let own = json!({ "name": names::OPERATOR, "namespace": names::NAMESPACE });
    let every = json!({ "name": names::OPERATOR });
    let role = |kind: &str, metadata: &Value, scope| json!({ "apiVersion": format!("{RBAC}/v1"), "kind": kind, "metadata": metadata, "rules": rules(scope) });
    let binding = |kind: &str, of: &str, metadata: &Value| {
        json!({
            "apiVersion": format!("{RBAC}/v1"),
            "kind": kind,
            "metadata": metadata,
            "roleRef": { "apiGroup": RBAC, "kind": of, "name": names::OPERATOR },
            "subjects": [{ "kind": "ServiceAccount", "name": names::OPERATOR, "namespace": names::NAMESPACE }],
        })
    };
    vec![
        json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": own }),
        role("ClusterRole", &every, Scope::Everywhere),
        binding("ClusterRoleBinding", "ClusterRole", &every),
        role("Role", &own, Scope::Own),
        binding("RoleBinding", "Role", &own),
    ]
}

fn rule(right: &Right) -> Value {
    let mut rule = json!({ "apiGroups": [right.group], "resources": right.resources, "verbs": right.verbs });
    if !right.objects.is_empty() {
        rule["resourceNames"] = json!(right.objects);
    }
    rule
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the manager may do this outside its own namespace.
    fn may(resource: &str, verb: &str) -> bool {
        rights().iter().any(|right| {
            right.scope == Scope::Everywhere && right.resources.contains(&resource) && right.verbs.contains(&verb)
        })
    }

    #[test]
    fn the_manager_has_no_right_by_a_wildcard() {
        for right in rights() {
            assert_ne!(right.group, "*");
            assert!(right.resources.iter().chain(right.verbs).chain(right.objects).all(|word| !word.contains('*')));
        }
    }

    #[test]
    fn the_manager_has_no_right_on_secrets_outside_its_own_namespace_and_reads_one_there() {
        for right in rights().iter().filter(|right| right.resources.contains(&"secrets")) {
            assert_eq!(right.scope, Scope::Own);
            assert!(right.verbs == ["create"] || right.objects == [names::AUTHORITY], "{right:?}");
        }
    }

    #[test]
    fn the_manager_makes_no_pod_and_enters_none() {
        for verb in ["create", "update", "delete", "deletecollection"] {
            assert!(!may("pods", verb), "{verb}");
        }
        assert!(rights().iter().flat_map(|right| right.resources).all(|resource| !resource.starts_with("pods/")));
    }

    #[test]
    fn the_manager_deletes_nothing_but_stored_plans_and_results_one_by_one() {
        let deletes = |right: &Right| right.verbs.iter().any(|verb| verb.starts_with("delete"));
        let deleted: Vec<&str> =
            rights().iter().filter(|right| deletes(right)).flat_map(|right| right.resources).copied().collect();
        assert_eq!(deleted, ["ptahschemaplans", "ptahmigrationplans", "ptahresultrecords"]);
        assert!(rights().iter().flat_map(|right| right.verbs).all(|verb| *verb != "deletecollection"));
    }

    #[test]
    fn the_manager_gives_no_rights_and_acts_as_nobody_else() {
        let forbidden = ["bind", "escalate", "impersonate", "approve", "acknowledge", "automate"];
        assert!(rights().iter().flat_map(|right| right.verbs).all(|verb| !forbidden.contains(verb)));
        assert!(rights().iter().all(|right| right.group != RBAC));
        assert!(!may("serviceaccounts/token", "create"));
    }

    #[test]
    fn the_manager_writes_neither_policies_nor_definitions_nor_what_a_person_says() {
        let written = ["create", "update", "patch"];
        for resource in [
            "validatingadmissionpolicies",
            "validatingadmissionpolicybindings",
            "mutatingadmissionpolicies",
            "mutatingadmissionpolicybindings",
            "customresourcedefinitions",
            "ptahschemaapprovals",
            "ptahmigrationapprovals",
            "ptahmigrationrunacknowledgments",
            "ptahrealms",
        ] {
            assert!(written.iter().all(|verb| !may(resource, verb)), "{resource}");
        }
    }

    #[test]
    fn the_settings_of_the_policies_are_not_the_managers_to_change() {
        assert!(!may("configmaps", "update") && !may("configmaps", "patch"));
        assert!(
            rights().iter().all(|right| right.scope == Scope::Everywhere || !right.resources.contains(&"configmaps"))
        );
    }
}
