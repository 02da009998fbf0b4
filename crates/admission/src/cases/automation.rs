//! Changes of resources that are applied without an approval.

use serde_json::{Value, json};

use super::objects::{migration, ours, schema};
use super::{Actor, Case, Expected, OTHER, Request, case};

const VERB: &str = "automate-this-resource";
const ROBOTS: &str = "no-robot-automates";

pub(super) fn cases() -> Vec<Case> {
    use Actor::{Approver, ApproverOfInvoices, Author, Manager, Robot, TrustedRobot};
    use Expected::{Allowed, Denied};
    let always = || json!({ "spec": { "policy": { "apply": "Always" } } });
    let other = || json!({ "spec": { "desired": { "ociRef": "oci://registry.acme.test/db/evil:1" } } });
    let protect = || json!({ "spec": { "policy": { "protectedTables": ["ledger"] } } });
    let create = |actor, apply: &str| Request::create(actor, &ours(OTHER, "ptahschemas"), schema("billing", apply));
    let made = |actor| Request::create(actor, &ours(OTHER, "ptahmigrations"), migration("billing", "Always"));
    vec![
        case(VERB, "creates one with `OnApproval`", Allowed, create(Author, "OnApproval")),
        case(VERB, "creates one with `Always`", Denied, create(Author, "Always")),
        case(VERB, "creates one with `Always`, a migration", Denied, made(Author)),
        case(VERB, "creates one with `Always`", Allowed, create(Approver, "Always")),
        case(VERB, "creates `billing` with `Always`", Denied, create(ApproverOfInvoices, "Always")),
        on("OnApproval", VERB, "turns approvals off", Denied, Author, always()),
        on("OnApproval", VERB, "turns approvals off", Allowed, Approver, always()),
        on("Always", VERB, "points it at another artifact", Denied, Author, other()),
        on("Always", VERB, "points it at another artifact", Allowed, Approver, other()),
        on("Always", VERB, "changes what is protected", Denied, Author, protect()),
        on("Always", VERB, "suspends it", Allowed, Author, json!({ "spec": { "suspend": true } })),
        on("Always", VERB, "changes its interval", Allowed, Author, json!({ "spec": { "interval": "1h" } })),
        on(
            "Always",
            VERB,
            "turns approvals on",
            Allowed,
            Author,
            json!({ "spec": { "policy": { "apply": "OnApproval" } } }),
        ),
        on(
            "Always",
            VERB,
            "adds its finalizer",
            Allowed,
            Manager,
            json!({ "metadata": { "finalizers": ["operator.ptah.run/active-operation"] } }),
        ),
        on("Always", ROBOTS, "points it at another artifact", Denied, Robot, other()),
        on("Always", ROBOTS, "points it at another artifact", Denied, Manager, other()),
        on("Always", ROBOTS, "points it at another artifact", Allowed, TrustedRobot, other()),
        on("Always", ROBOTS, "labels it", Allowed, Robot, json!({ "metadata": { "labels": { "team": "x" } } })),
    ]
}

/// A change of a resource that is there.
fn on(apply: &str, rule: &'static str, attempt: &'static str, expected: Expected, actor: Actor, body: Value) -> Case {
    let given = Request::create(Actor::Approver, &ours(OTHER, "ptahschemas"), schema("ledger", apply)).stored();
    case(rule, attempt, expected, Request::patch(actor, &ours(OTHER, "ptahschemas/ledger"), body)).given(given)
}
