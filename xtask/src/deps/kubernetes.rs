//! Nothing that the command line links, directly or not, is a Kubernetes crate.
//!
//! The graph is followed through our crates' own manifests and through the lock file, for every platform and feature,
//! so it can only see too much, never too little.

use crate::report::Problem;
use crate::workspace::Workspace;

/// The rule's name.
const RULE: &str = "kubernetes";

/// The executables that may not see a cluster.
const EXECUTABLES: &[&str] = &["ptah", "ptah-runner"];

/// The beginnings of the names of Kubernetes crates.
const KUBERNETES: &[&str] = &["k8s-", "kube", "stackable-"];

/// Follows the graph below each executable.
pub(super) fn check(workspace: &Workspace) -> Vec<Problem> {
    let mut problems = Vec::new();
    for name in EXECUTABLES {
        let Some(member) = workspace.members.get(*name) else {
            continue;
        };
        for (to, from) in workspace.linked(name) {
            if KUBERNETES.iter().any(|start| to.starts_with(start)) {
                let place = format!("{}/Cargo.toml", member.folder);
                let text = format!("{name} links the Kubernetes crate {to}, through {from}");
                problems.push(Problem::whole(RULE, &place, text));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::{Kind, workspace};

    #[test]
    fn a_cluster_crate_behind_another_crate_is_found() {
        let workspace = workspace(&[
            ("ptah", "bins/ptah", &[("ptah-drive", Kind::Normal)]),
            ("ptah-drive", "crates/drive", &[("kube-client", Kind::Normal)]),
        ]);
        let problems = check(&workspace);
        assert_eq!(problems.len(), 1);
        assert!(problems[0].text.contains("through ptah-drive"));
    }

    #[test]
    fn the_operator_may_see_the_cluster() {
        let workspace = workspace(&[
            ("ptah", "bins/ptah", &[("tokio", Kind::Normal)]),
            ("ptah-operator", "bins/ptah-operator", &[("kube", Kind::Normal)]),
        ]);
        assert_eq!(check(&workspace), []);
    }
}
