//! The Leases of realms and databases, and what stands on them: holds, and what was settled.

use crate::policy::{Match, Policy, Rule};

/// The annotations of a database's Lease, whichever object of the request has them; in CEL. In every namespace: the fence
/// looks at every Lease that carries one, so a foreign one could keep an upgrade from passing.
const OURS: &str = "[object, oldObject].exists(o, o != null && (\
    o.metadata.name.startsWith('ptah-t-') || o.metadata.name.startsWith('ptah-d-') || \
    has(o.metadata.annotations) && o.metadata.annotations.exists(k, k in [\
    'operator.ptah.run/lease-epoch', 'operator.ptah.run/hold', 'operator.ptah.run/settled', 'operator.ptah.run/bound-to'])))";

pub(super) fn policy() -> Policy {
    Policy {
        name: "ptah-leases",
        about: "Who may write who holds a database, and what is not settled in it.",
        matches: vec![Match::of("coordination.k8s.io", "v1", &["leases"], &["CREATE", "UPDATE", "DELETE"])],
        applies: OURS,
        variables: vec![
            (
                "before",
                "oldObject != null && has(oldObject.metadata.annotations) && \
                 'operator.ptah.run/hold' in oldObject.metadata.annotations ? \
                 oldObject.metadata.annotations['operator.ptah.run/hold'] : ''",
            ),
            (
                "after",
                "object != null && has(object.metadata.annotations) && \
                 'operator.ptah.run/hold' in object.metadata.annotations ? \
                 object.metadata.annotations['operator.ptah.run/hold'] : ''",
            ),
            (
                "settled",
                "object != null && has(object.metadata.annotations) && \
                 'operator.ptah.run/settled' in object.metadata.annotations ? \
                 object.metadata.annotations['operator.ptah.run/settled'] : ''",
            ),
            // The name in quotes, as it stands in both documents: `"operationID":` has 14 characters.
            ("named", "variables.before.find('\"operationID\":\"[^\"]+\"')"),
        ],
        rules: vec![
            Rule {
                id: "manager-writes-leases",
                attack: "somebody takes a database from the run that holds it, or plants a newer version to stop upgrades",
                message: "only the manager writes the Leases of databases and realms, and nobody deletes one",
                expression: "request.operation == 'DELETE' ? \
                             request.userInfo.username == 'system:serviceaccount:kube-system:namespace-controller' : \
                             request.userInfo.username == params.data.manager",
            },
            Rule {
                id: "hold-leaves-settled",
                attack: "a manager with a fault, or a stolen token of one, drops what keeps others from an unsettled database",
                message: "a hold is dropped only when its operation is added to what was settled",
                expression: "request.operation != 'UPDATE' || variables.before == '' || variables.before == variables.after || \
                             variables.named != '' && variables.settled.contains(variables.named.substring(14))",
            },
        ],
    }
}
