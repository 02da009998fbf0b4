//! Tokens by which a Pod says who it is when it reports: only a kubelet asks for them.

use crate::policy::{Match, Policy, Rule};

pub(super) fn policy() -> Policy {
    Policy {
        name: "ptah-tokens",
        about: "Who may ask for a token with which results are reported.",
        matches: vec![Match::of("", "v1", &["serviceaccounts/token"], &["CREATE"])],
        applies: "has(object.spec.audiences) && 'operator.ptah.run/results' in object.spec.audiences",
        variables: vec![],
        rules: vec![Rule {
            id: "kubelets-ask-for-tokens",
            attack: "somebody who may create tokens reports a result in the name of any Pod",
            message: "only a kubelet asks for tokens for the audience operator.ptah.run/results",
            expression: "has(request.userInfo.groups) && 'system:nodes' in request.userInfo.groups",
        }],
    }
}
