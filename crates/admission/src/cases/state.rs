//! Statuses, pieces of plans, and results.

use serde_json::{Value, json};

use super::objects::{chunk, ours, result, schema};
use super::{Actor, Case, Expected, OTHER, Request, case};

const STATUS: &str = "manager-writes-status";
const PLANS: &str = "manager-writes-plans";

pub(super) fn cases() -> Vec<Case> {
    use Actor::{Approver, Author, ClusterAdmin, GarbageCollector, JobController, Manager, NamespaceController, Robot};
    use Expected::{Allowed, Denied};
    let chunks = ours(OTHER, "ptahschemaplanchunks");
    let results = ours(OTHER, "ptahresultrecords");
    let piece = |actor| Request::create(actor, &chunks, chunk("piece"));
    let report = |actor| Request::create(actor, &results, result("report"));
    vec![
        status("says that all is well", Denied, Author),
        status("says that all is well", Denied, Approver),
        status("says that all is well", Denied, Robot),
        status("says that all is well", Denied, ClusterAdmin),
        status("says that all is well", Allowed, Manager),
        case(PLANS, "stores a piece of a plan", Denied, piece(Author)),
        case(PLANS, "stores a piece of a plan", Denied, piece(ClusterAdmin)),
        case(PLANS, "stores a piece of a plan", Denied, piece(GarbageCollector)),
        case(PLANS, "stores a piece of a plan", Allowed, piece(Manager)),
        case(PLANS, "reports a result", Denied, report(Author)),
        case(PLANS, "reports a result", Denied, report(JobController)),
        case(PLANS, "reports a result", Allowed, report(Manager)),
        removed("removes a result", Denied, Author),
        removed("removes a result", Denied, ClusterAdmin),
        removed("removes a result", Allowed, Manager),
        removed("removes a result with its owner", Allowed, GarbageCollector),
        removed("removes a result with its namespace", Allowed, NamespaceController),
        case(PLANS, "removes all results at once", Denied, Request::delete(Author, &results)).given(stored()),
    ]
}

fn status(attempt: &'static str, expected: Expected, actor: Actor) -> Case {
    let given = Request::create(Actor::Author, &ours(OTHER, "ptahschemas"), schema("ledger", "OnApproval")).stored();
    let well: Value = json!({ "status": { "phase": "InSync" } });
    case(STATUS, attempt, expected, Request::patch(actor, &ours(OTHER, "ptahschemas/ledger/status"), well)).given(given)
}

fn removed(attempt: &'static str, expected: Expected, actor: Actor) -> Case {
    case(PLANS, attempt, expected, Request::delete(actor, &ours(OTHER, "ptahresultrecords/kept"))).given(stored())
}

fn stored() -> Request {
    Request::create(Actor::Manager, &ours(OTHER, "ptahresultrecords"), result("kept")).stored()
}
