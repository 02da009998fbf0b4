//! Who may do what each rule is about, and who may not: one list for the page and for the tests on a real API server.
//!
//! A case is one request of one user, sent as a dry run where there is one. What has to be there before is created by whom
//! it belongs to. All users have every right on every resource of Kubernetes' own roles, so what refuses them is the policy,
//! not a role; only our three verbs they have as it is said.

mod automation;
mod jobs;
mod leases;
mod objects;
mod people;
mod pods;
mod sessions;
mod state;

use serde_json::Value;

use crate::settings::{Settings, names};

/// The namespace of a case that carries the label `operator.ptah.run/enabled`, in paths and objects.
pub const ENABLED: &str = "{enabled}";
/// The namespace of a case that does not.
pub const OTHER: &str = "{other}";

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Actor {
    /// A person who writes resources, and holds none of our verbs.
    Author,
    /// A person who holds `approve`, `acknowledge` and `automate` on all resources of the namespace.
    Approver,
    /// A person who holds them on the resource `invoices` alone.
    ApproverOfInvoices,
    /// A service account whose role has `*` for resources and verbs.
    Robot,
    /// The same, in the settings' list of trusted ones.
    TrustedRobot,
    /// A member of `system:masters`.
    ClusterAdmin,
    /// The manager.
    Manager,
    /// Kubernetes' controller of Jobs.
    JobController,
    /// Kubernetes' collector of what lost its owner.
    GarbageCollector,
    /// Kubernetes' controller of namespaces.
    NamespaceController,
    /// The kubelet of the node `node-1`.
    Kubelet,
}

impl Actor {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Author,
        Self::Approver,
        Self::ApproverOfInvoices,
        Self::Robot,
        Self::TrustedRobot,
        Self::ClusterAdmin,
        Self::Manager,
        Self::JobController,
        Self::GarbageCollector,
        Self::NamespaceController,
        Self::Kubelet,
    ];

    /// The word for it in a table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Author => "author",
            Self::Approver => "approver",
            Self::ApproverOfInvoices => "approver of `invoices`",
            Self::Robot => "robot with `*`",
            Self::TrustedRobot => "trusted robot",
            Self::ClusterAdmin => "cluster admin",
            Self::Manager => "manager",
            Self::JobController => "Job controller",
            Self::GarbageCollector => "garbage collector",
            Self::NamespaceController => "namespace controller",
            Self::Kubelet => "kubelet",
        }
    }

    /// The user name under which the API server knows it.
    pub fn user(self) -> &'static str {
        match self {
            Self::Author => "dana@acme.test",
            Self::Approver => "erin@acme.test",
            Self::ApproverOfInvoices => "ines@acme.test",
            Self::Robot => "system:serviceaccount:ci:deployer",
            Self::TrustedRobot => "system:serviceaccount:gitops:flux",
            Self::ClusterAdmin => "root@acme.test",
            Self::Manager => names::MANAGER,
            Self::JobController => names::JOB_CONTROLLER,
            Self::GarbageCollector => names::GARBAGE_COLLECTOR,
            Self::NamespaceController => names::NAMESPACE_CONTROLLER,
            Self::Kubelet => "system:node:node-1",
        }
    }

    /// The groups that the API server has to be told; those of service accounts it knows.
    pub fn groups(self) -> &'static [&'static str] {
        match self {
            Self::ClusterAdmin => &["system:masters"],
            Self::Kubelet => &["system:nodes"],
            _ => &[],
        }
    }
}

/// What has to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// No policy refuses it, and it is done.
    Allowed,
    /// The rule refuses it.
    Denied,
    /// No policy refuses it; whether it can be done is another question, such as a session in a Pod that does not run.
    Passed,
}

/// One request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Who sends it.
    pub actor: Actor,
    /// The method.
    pub method: &'static str,
    /// The path, with a query.
    pub path: String,
    /// The form of the body.
    pub content_type: &'static str,
    /// The body; null for none.
    pub body: Value,
}

/// One case of one rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The rule.
    pub rule: &'static str,
    /// What is tried, in a few words.
    pub attempt: &'static str,
    /// Whether the policies that stamp are taken away before, and put back afterwards.
    pub is_unstamped: bool,
    /// What has to be there.
    pub given: Vec<Request>,
    /// What is tried.
    pub request: Request,
    /// What has to happen.
    pub expected: Expected,
}

/// Every case, in the order of the page.
pub fn cases() -> Vec<Case> {
    let all = [
        people::approvals(),
        people::acknowledgments(),
        automation::cases(),
        state::cases(),
        leases::cases(),
        jobs::cases(),
        pods::cases(),
        sessions::cases(),
    ];
    all.into_iter().flatten().collect()
}

/// The settings under which the cases are as they say.
pub fn settings() -> Settings {
    Settings {
        trusted: vec![Actor::TrustedRobot.user().to_owned()],
        images: vec![objects::image()],
        ..Settings::default()
    }
}

/// The forms of a body.
const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";
/// Lists of containers are merged by name, as `kubectl` does it.
const STRATEGIC: &str = "application/strategic-merge-patch+json";

/// A case without anything that has to be there.
fn case(rule: &'static str, attempt: &'static str, expected: Expected, request: Request) -> Case {
    Case { rule, attempt, is_unstamped: false, given: Vec::new(), request, expected }
}

impl Case {
    fn given(mut self, request: Request) -> Self {
        self.given.push(request);
        self
    }

    fn unstamped(mut self) -> Self {
        self.is_unstamped = true;
        self
    }
}

impl Request {
    /// Creates an object in a collection.
    fn create(actor: Actor, collection: &str, body: Value) -> Self {
        Self { actor, method: "POST", path: format!("{collection}?dryRun=All"), content_type: JSON, body }
    }

    /// Changes parts of an object by a merge patch.
    fn patch(actor: Actor, path: &str, body: Value) -> Self {
        Self { actor, method: "PATCH", path: format!("{path}?dryRun=All"), content_type: MERGE, body }
    }

    fn delete(actor: Actor, path: &str) -> Self {
        let path = format!("{path}?dryRun=All");
        Self { actor, method: "DELETE", path, content_type: JSON, body: Value::Null }
    }

    /// The same, and it is stored.
    fn stored(mut self) -> Self {
        self.path = self.path.replace("?dryRun=All", "");
        self
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::policies;

    #[test]
    fn every_rule_is_tried_both_ways() {
        let refused: BTreeSet<&str> =
            cases().iter().filter(|case| case.expected == Expected::Denied).map(|case| case.rule).collect();
        let allowed: BTreeSet<&str> =
            cases().iter().filter(|case| case.expected != Expected::Denied).map(|case| case.rule).collect();
        for policy in policies() {
            for rule in policy.rules {
                assert!(refused.contains(rule.id), "nobody is refused by {}", rule.id);
                assert!(allowed.contains(rule.id), "nobody passes {}", rule.id);
            }
        }
    }

    #[test]
    fn a_case_names_a_rule_that_there_is() {
        let known: BTreeSet<&str> =
            policies().iter().flat_map(|policy| policy.rules.iter().map(|rule| rule.id).collect::<Vec<_>>()).collect();
        assert!(cases().iter().all(|case| known.contains(case.rule)));
    }

    #[test]
    fn the_administrator_is_refused_where_only_the_manager_may() {
        for rule in ["manager-writes-status", "manager-writes-leases", "nobody-gets-in"] {
            let refused = |case: &Case| {
                case.rule == rule && case.expected == Expected::Denied && case.request.actor == Actor::ClusterAdmin
            };
            assert!(cases().iter().any(refused), "{rule}");
        }
    }
}
