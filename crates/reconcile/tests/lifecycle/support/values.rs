//! Values to begin with. Each field differs from every other, so that a mix-up shows.

use ptah_lifecycle::{
    ApplyPolicy, Family, Identity, IdentitySource, Inputs, PolicyObject, Proposal, Reading, Resource, Spec, Status,
    Uid, Version, bounds,
};
use ptah_model::Digest;

/// A digest that is told apart by a word.
pub(crate) fn digest(word: &str) -> Digest {
    Digest::of(word.as_bytes())
}

/// A database of this name, as a Pod reports it.
pub(crate) fn identity(database: &str) -> Identity {
    Identity {
        database: digest(database),
        route: digest(&format!("route to {database}")),
        source: IdentitySource::Reported,
        apart: None,
    }
}

/// A change of the state of this name, harmless.
pub(crate) fn proposal(state: &str) -> Proposal {
    Proposal {
        content: digest(&format!("content on {state}")),
        desired: digest("desired"),
        actual: digest(state),
        artifact: digest("artifact bytes"),
        destructive: false,
        privileges: false,
    }
}

/// A reading of the database that proposes a change.
pub(crate) fn reading(database: &str, state: &str) -> Reading {
    Reading {
        identity: identity(database),
        instance: None,
        state: digest(state),
        proposal: Some(proposal(state)),
        refusal: None,
    }
}

/// A resource that waits for approval of what it plans. Its realm is named after `key`.
pub(crate) fn resource(family: Family, uid: u128, key: &str) -> Resource {
    Resource {
        family,
        uid: Uid(uid),
        version: Version(1),
        deleting: false,
        finalizer: false,
        spec: Spec {
            coordination: digest(key),
            shared: false,
            suspended: false,
            apply: ApplyPolicy::OnApproval,
            allow_destructive: false,
            window: 900,
            interval: 600,
            retry: bounds::BACKOFF_FIRST,
            inputs: Inputs {
                artifact: digest(&format!("artifact of {uid}")),
                target: digest(&format!("target of {uid}")),
                scope: digest("scope"),
                execution: digest("execution"),
                verification: PolicyObject { uid: Uid(0xabc), digest: digest("policy bytes") },
            },
        },
        status: Status::default(),
    }
}
