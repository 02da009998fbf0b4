//! Who may change what is applied without anybody's approval.

use crate::policy::{Match, Policy, Rule};

pub(super) fn policy() -> Policy {
    Policy {
        name: "ptah-automation",
        about: "Who may change a resource whose plans are applied without an approval.",
        matches: vec![Match::ours(&["ptahschemas", "ptahmigrations"], &["CREATE", "UPDATE"])],
        applies: "true",
        variables: vec![
            ("spec", "dyn(object).spec"),
            ("old", "oldObject == null ? dyn({}) : dyn(oldObject).spec"),
            (
                "always",
                "has(variables.spec.policy) && has(variables.spec.policy.apply) && variables.spec.policy.apply == 'Always'",
            ),
            // Every field counts but these two, so that a field that is added later counts as well.
            ("still", "['suspend', 'interval']"),
            (
                "moved",
                "variables.spec.exists(k, !(k in variables.still) && (!(k in variables.old) || \
                 variables.spec[k] != variables.old[k])) || \
                 variables.old.exists(k, !(k in variables.still) && !(k in variables.spec))",
            ),
            ("due", "variables.always && variables.moved"),
        ],
        rules: vec![
            Rule {
                id: "automate-this-resource",
                attack: "an author turns approvals off, or changes what runs while they are off",
                message: "changing a resource while policy.apply is Always needs the verb automate on it",
                expression: "!variables.due || authorizer.group('operator.ptah.run').resource(request.resource.resource)\
                             .namespace(request.namespace).name(string(dyn(object).metadata.name)).check('automate').allowed()",
            },
            Rule {
                id: "no-robot-automates",
                attack: "a service account whose role has * makes changes that nobody looks at",
                message: "service accounts automate only where the settings trust them",
                expression: "!variables.due || !request.userInfo.username.startsWith('system:serviceaccount:') || \
                             request.userInfo.username in params.data.trusted.split('\\n')",
            },
        ],
    }
}
