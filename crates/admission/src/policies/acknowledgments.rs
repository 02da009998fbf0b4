//! Who says what became of a run that no reading settles.

use super::PERSON_OR_TRUSTED;
use crate::policy::{Match, Policy, Rule};

pub(super) fn policy() -> Policy {
    Policy {
        name: "ptah-acknowledgments",
        about: "Who may acknowledge a run whose outcome nobody knows, and in whose name.",
        matches: vec![Match::ours(&["ptahmigrationrunacknowledgments"], &["CREATE"])],
        applies: "true",
        variables: vec![
            ("spec", "dyn(object).spec"),
            ("resource", "variables.spec.claimantRef.kind == 'PtahSchema' ? 'ptahschemas' : 'ptahmigrations'"),
        ],
        rules: vec![
            Rule {
                id: "acknowledger-is-who-asks",
                attack: "an acknowledgment in another person's name, where the stamp was removed",
                message: "who acknowledges is who creates the acknowledgment",
                expression: "has(variables.spec.acknowledgedBy) && \
                             variables.spec.acknowledgedBy.username == request.userInfo.username",
            },
            Rule {
                id: "acknowledge-this-claimant",
                attack: "somebody clears the record of a half-done run of a database that is not theirs",
                message: "acknowledging needs the verb acknowledge on the claimant that is named",
                expression: "authorizer.group('operator.ptah.run').resource(variables.resource).namespace(request.namespace)\
                             .name(string(variables.spec.claimantRef.name)).check('acknowledge').allowed()",
            },
            Rule {
                id: "no-robot-acknowledges",
                attack: "a service account whose role has * clears a record that asks for a person",
                message: "service accounts acknowledge only where the settings trust them",
                expression: PERSON_OR_TRUSTED,
            },
        ],
    }
}
