//! Approvals and acknowledgments.

use serde_json::{Value, json};

use super::objects::{acknowledgment, approval, ours};
use super::{Actor, Case, Expected, OTHER, Request, case};

pub(super) fn approvals() -> Vec<Case> {
    use Actor::{Approver, ApproverOfInvoices, Author, ClusterAdmin, Manager, Robot, TrustedRobot};
    use Expected::{Allowed, Denied};
    let stamp = "approver-is-who-asks";
    let verb = "approve-this-resource";
    let robots = "no-robot-approves";
    let schemas = |actor, resource: &str| of_schema(actor, approval("PtahSchemaApproval", "schemaRef", resource));
    let migrations = |actor, resource: &str| {
        let body = approval("PtahMigrationApproval", "migrationRef", resource);
        Request::create(actor, &ours(OTHER, "ptahmigrationapprovals"), body)
    };
    vec![
        case(stamp, "approves in another person's name; the stamp overwrites it", Allowed, named(Approver)),
        case(stamp, "the same, with the stamp removed", Denied, named(Approver)).unstamped(),
        case(stamp, "names nobody, with the stamp removed", Denied, schemas(Approver, "billing")).unstamped(),
        case(verb, "approves for `billing`", Allowed, schemas(Approver, "billing")),
        case(verb, "approves for `billing`, a migration", Allowed, migrations(Approver, "billing")),
        case(verb, "approves without the verb", Denied, schemas(Author, "billing")),
        case(verb, "approves without the verb, a migration", Denied, migrations(Author, "billing")),
        case(verb, "approves for `billing`", Denied, schemas(ApproverOfInvoices, "billing")),
        case(verb, "approves for `invoices`", Allowed, schemas(ApproverOfInvoices, "invoices")),
        case(verb, "approves with every right there is", Allowed, schemas(ClusterAdmin, "billing")),
        case(robots, "approves", Denied, schemas(Robot, "billing")),
        case(robots, "approves, a migration", Denied, migrations(Robot, "billing")),
        case(robots, "approves", Allowed, schemas(TrustedRobot, "billing")),
        case(robots, "approves what it planned itself", Denied, schemas(Manager, "billing")),
    ]
}

pub(super) fn acknowledgments() -> Vec<Case> {
    use Actor::{Approver, ApproverOfInvoices, Author, Robot, TrustedRobot};
    use Expected::{Allowed, Denied};
    let stamp = "acknowledger-is-who-asks";
    let verb = "acknowledge-this-claimant";
    let robots = "no-robot-acknowledges";
    let looked = |actor, kind: &str, claimant: &str| {
        Request::create(actor, &ours(OTHER, "ptahmigrationrunacknowledgments"), acknowledgment(kind, claimant))
    };
    let mut other = acknowledgment("PtahMigration", "billing");
    other["spec"]["acknowledgedBy"] = json!({ "username": "somebody@acme.test", "groups": [] });
    let named = Request::create(Approver, &ours(OTHER, "ptahmigrationrunacknowledgments"), other);
    vec![
        case(stamp, "acknowledges in another person's name; the stamp overwrites it", Allowed, named.clone()),
        case(stamp, "the same, with the stamp removed", Denied, named).unstamped(),
        case(verb, "acknowledges for `billing`", Allowed, looked(Approver, "PtahMigration", "billing")),
        case(verb, "acknowledges for `billing`, a schema", Allowed, looked(Approver, "PtahSchema", "billing")),
        case(verb, "acknowledges without the verb", Denied, looked(Author, "PtahMigration", "billing")),
        case(verb, "acknowledges for `billing`", Denied, looked(ApproverOfInvoices, "PtahMigration", "billing")),
        case(
            verb,
            "acknowledges for `invoices`, a schema",
            Allowed,
            looked(ApproverOfInvoices, "PtahSchema", "invoices"),
        ),
        case(robots, "acknowledges", Denied, looked(Robot, "PtahMigration", "billing")),
        case(robots, "acknowledges", Allowed, looked(TrustedRobot, "PtahMigration", "billing")),
    ]
}

fn of_schema(actor: Actor, body: Value) -> Request {
    Request::create(actor, &ours(OTHER, "ptahschemaapprovals"), body)
}

/// An approval in which another person stands.
fn named(actor: Actor) -> Request {
    let mut body = approval("PtahSchemaApproval", "schemaRef", "billing");
    body["spec"]["approver"] = json!({ "username": "somebody@acme.test", "uid": "u-1", "groups": ["admins"] });
    of_schema(actor, body)
}
