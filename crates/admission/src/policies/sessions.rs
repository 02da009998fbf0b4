//! Nobody gets into an operation Pod. A request to do so shows no Pod, so it is known by its name, in enabled namespaces.

use crate::policy::{Match, Policy, Rule};

pub(super) fn policy() -> Policy {
    Policy {
        name: "ptah-sessions",
        about: "Nobody opens a session in an operation Pod.",
        matches: vec![Match::of("", "v1", &["pods/exec", "pods/attach"], &["CONNECT"])],
        applies: "has(request.name) && request.name.startsWith('ptah-')",
        variables: vec![],
        rules: vec![Rule {
            id: "nobody-gets-in",
            attack: "somebody reads the database's credential out of a running Pod",
            message: "nobody opens a session in an operation Pod",
            expression: "!(has(namespaceObject.metadata.labels) && \
                         'operator.ptah.run/enabled' in namespaceObject.metadata.labels && \
                         namespaceObject.metadata.labels['operator.ptah.run/enabled'] == 'true')",
        }],
    }
}
