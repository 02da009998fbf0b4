//! What only the manager writes: statuses, plans, their pieces, and results.

use crate::policy::{Match, Policy, Rule};

pub(super) fn policy() -> Policy {
    Policy {
        name: "ptah-manager-state",
        about: "Who may write what the manager decides on.",
        matches: vec![
            Match::ours(
                &[
                    "ptahschemas/status",
                    "ptahschemaplans/status",
                    "ptahschemaapprovals/status",
                    "ptahmigrations/status",
                    "ptahmigrationplans/status",
                    "ptahmigrationapprovals/status",
                    "ptahmigrationrunacknowledgments/status",
                ],
                &["UPDATE"],
            ),
            Match::ours(
                &["ptahschemaplans", "ptahschemaplanchunks", "ptahmigrationplans", "ptahresultrecords"],
                &["CREATE", "UPDATE", "DELETE"],
            ),
        ],
        applies: "true",
        variables: vec![
            ("manager", "request.userInfo.username == params.data.manager"),
            // Absent in a request for the object itself.
            ("status", "has(request.subResource) && request.subResource == 'status'"),
        ],
        rules: vec![
            Rule {
                id: "manager-writes-status",
                attack: "an author marks a half-done run as settled, or a plan as approved, by editing a status",
                message: "only the manager writes a status",
                expression: "!variables.status || variables.manager",
            },
            Rule {
                id: "manager-writes-plans",
                attack: "a plan, a piece of one or a result that the manager did not make; a result that vanishes",
                message: "only the manager writes plans, their pieces and results",
                // What is removed with its owner or its namespace is removed by Kubernetes itself. The collector of what
                // lost its owner also takes marks of ownership off; the spec cannot be changed by anybody.
                expression: "variables.status || variables.manager || request.operation != 'CREATE' && \
                             request.userInfo.username == 'system:serviceaccount:kube-system:generic-garbage-collector' || \
                             request.operation == 'DELETE' && \
                             request.userInfo.username == 'system:serviceaccount:kube-system:namespace-controller'",
            },
        ],
    }
}
