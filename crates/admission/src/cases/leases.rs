//! Leases, and the hold on one.

use serde_json::{Value, json};

use super::objects::{lease, leases, operation};
use super::{Actor, Case, Expected, Request, case};

const WRITER: &str = "manager-writes-leases";
const HOLD: &str = "hold-leaves-settled";

pub(super) fn cases() -> Vec<Case> {
    use Actor::{Author, ClusterAdmin, Manager, NamespaceController, Robot};
    use Expected::{Allowed, Denied};
    let create = |actor, name: &str, annotations| Request::create(actor, &leases(""), lease(name, annotations));
    let newer = json!({ "operator.ptah.run/hold": hold(1).replace("\"controllerStateVersion\":1", "\"controllerStateVersion\":9") });
    vec![
        case(WRITER, "creates one of its own", Allowed, create(Author, "mine", json!({}))),
        case(WRITER, "creates one with a database's name", Denied, create(Author, "ptah-d-0a1b2c", json!({}))),
        case(WRITER, "creates one with a realm's name", Denied, create(Robot, "ptah-t-0a1b2c", json!({}))),
        case(WRITER, "plants a hold of a newer version on one of its own", Denied, create(Author, "mine", newer)),
        case(WRITER, "creates one with a database's name", Denied, create(ClusterAdmin, "ptah-d-0a1b2c", json!({}))),
        case(WRITER, "creates one with a database's name", Allowed, create(Manager, "ptah-d-0a1b2c", json!({}))),
        held(WRITER, "takes it over", Denied, Author, json!({ "spec": { "holderIdentity": "dana" } })),
        held(WRITER, "renews it", Allowed, Manager, json!({ "spec": { "holderIdentity": "manager" } })),
        gone("deletes it", Denied, Author, "/ptah-d-1"),
        gone("deletes all at once", Denied, Author, ""),
        gone("deletes it", Denied, Manager, "/ptah-d-1"),
        gone("deletes it with its namespace", Allowed, NamespaceController, "/ptah-d-1"),
        held(HOLD, "drops the hold", Denied, Manager, marks(None, None)),
        held(HOLD, "drops the hold, and names another operation as settled", Denied, Manager, marks(None, Some(2))),
        held(HOLD, "puts another hold in its place", Denied, Manager, marks(Some(2), None)),
        held(HOLD, "drops the hold, and names it as settled", Allowed, Manager, marks(None, Some(1))),
        held(
            HOLD,
            "puts another hold in its place, and names the first as settled",
            Allowed,
            Manager,
            marks(Some(2), Some(1)),
        ),
    ]
}

/// A change of a database's Lease on which the first operation has a hold.
fn held(rule: &'static str, attempt: &'static str, expected: Expected, actor: Actor, body: Value) -> Case {
    case(rule, attempt, expected, Request::patch(actor, &leases("/ptah-d-1"), body)).given(given())
}

fn gone(attempt: &'static str, expected: Expected, actor: Actor, path: &str) -> Case {
    case(WRITER, attempt, expected, Request::delete(actor, &leases(path))).given(given())
}

fn given() -> Request {
    let body = lease("ptah-d-1", json!({ "operator.ptah.run/hold": hold(1) }));
    Request::create(Actor::Manager, &leases(""), body).stored()
}

fn marks(held: Option<u8>, settled: Option<u8>) -> Value {
    let list = |number| {
        format!(
            "{{\"kind\":\"settled list\",\"contractVersion\":1,\"controllerStateVersion\":1,\"body\":{{\"operations\":[\"{}\"]}}}}",
            operation(number)
        )
    };
    json!({ "metadata": { "annotations": {
        "operator.ptah.run/hold": held.map(hold),
        "operator.ptah.run/settled": settled.map(list),
    } } })
}

/// A hold as far as a policy looks at it.
fn hold(number: u8) -> String {
    format!(
        "{{\"kind\":\"hold\",\"contractVersion\":1,\"controllerStateVersion\":1,\"body\":{{\"operationID\":\"{}\",\"family\":\"Schema\"}}}}",
        operation(number)
    )
}
