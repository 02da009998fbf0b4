//! Who approves. That the plan exists, waits, and is not the approver's own change is judged by the core, which reads.

use super::PERSON_OR_TRUSTED;
use crate::policy::{Match, Policy, Rule};

pub(super) fn policy() -> Policy {
    Policy {
        name: "ptah-approvals",
        about: "Who may approve a plan, and in whose name.",
        matches: vec![Match::ours(&["ptahschemaapprovals", "ptahmigrationapprovals"], &["CREATE"])],
        applies: "true",
        variables: vec![
            ("spec", "dyn(object).spec"),
            ("resource", "request.resource.resource == 'ptahschemaapprovals' ? 'ptahschemas' : 'ptahmigrations'"),
            (
                "subject",
                "request.resource.resource == 'ptahschemaapprovals' ? string(variables.spec.schemaRef.name) : \
                 string(variables.spec.migrationRef.name)",
            ),
        ],
        rules: vec![
            Rule {
                id: "approver-is-who-asks",
                attack: "an approval in another person's name, where the stamp was removed",
                message: "the approver of an approval is who creates it",
                expression: "has(variables.spec.approver) && variables.spec.approver.username == request.userInfo.username",
            },
            Rule {
                id: "approve-this-resource",
                attack: "somebody who may create approvals approves for a database that is not theirs",
                message: "approving needs the verb approve on the resource that the approval names",
                expression: "authorizer.group('operator.ptah.run').resource(variables.resource).namespace(request.namespace)\
                             .name(variables.subject).check('approve').allowed()",
            },
            Rule {
                id: "no-robot-approves",
                attack: "a service account whose role has * approves what it deploys",
                message: "service accounts approve only where the settings trust them",
                expression: PERSON_OR_TRUSTED,
            },
        ],
    }
}
