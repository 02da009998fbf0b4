//! Operation Pods.

use serde_json::{Value, json};

use super::objects::{core, plain_pod, pod};
use super::{Actor, Case, Expected, OTHER, Request, STRATEGIC, case};

const MAKER: &str = "job-controller-makes-pods";
const JOINS: &str = "nobody-joins-a-job";
const ALONE: &str = "pods-are-left-alone";
const EVIDENCE: &str = "evidence-stays";
const ITS_OWN: &str = "manager-touches-its-pods";

pub(super) fn cases() -> Vec<Case> {
    use Actor::{Author, ClusterAdmin, JobController, Manager};
    use Expected::{Allowed, Denied};
    let create = |actor, body| Request::create(actor, &core("pods"), body);
    let label = || json!({ "metadata": { "labels": { "batch.kubernetes.io/controller-uid": "11111111-aaaa-4bbb-8ccc-222222222222" } } });
    let mut counted = plain_pod("web");
    counted["metadata"]["labels"] = label()["metadata"]["labels"].clone();
    let elsewhere = Request::create(Author, &format!("/api/v1/namespaces/{OTHER}/pods"), counted.clone());
    let container =
        json!({ "spec": { "ephemeralContainers": [{ "name": "look", "image": "registry.acme.test/sh:1" }] } });
    let resize = json!({ "spec": { "containers": [{ "name": "runner", "resources": { "limits": { "cpu": "2" } } }] } });
    vec![
        case(MAKER, "makes one of its own", Allowed, create(Author, plain_pod("web"))),
        case(MAKER, "makes one with an operation's mark", Denied, create(Author, pod("ptah-apply-x-abcde"))),
        case(MAKER, "makes one with an operation's mark", Denied, create(ClusterAdmin, pod("ptah-apply-x-abcde"))),
        case(MAKER, "makes one with an operation's mark", Denied, create(Manager, pod("ptah-apply-x-abcde"))),
        case(MAKER, "makes one that a Job would count", Denied, create(Author, counted)),
        case(MAKER, "makes one that a Job would count, in another namespace", Allowed, elsewhere),
        case(MAKER, "makes one", Allowed, create(JobController, pod("ptah-apply-x-abcde"))),
        own(JOINS, "gives one of its own a Job's label", Denied, Author, label()),
        own(
            JOINS,
            "gives one of its own another label",
            Allowed,
            Author,
            json!({ "metadata": { "labels": { "a": "b" } } }),
        ),
        run(
            ALONE,
            "changes its image",
            Denied,
            Manager,
            json!([{ "name": "runner", "image": "registry.acme.test/evil:1" }]),
        ),
        on(ALONE, "labels it", Denied, Author, "", json!({ "metadata": { "labels": { "a": "b" } } })),
        on(
            ALONE,
            "takes its mark off",
            Denied,
            JobController,
            "",
            json!({ "metadata": { "annotations": { "operator.ptah.run/operation-id": null } } }),
        ),
        on(ALONE, "adds a container to look around", Denied, Author, "/ephemeralcontainers", container.clone()),
        on(ALONE, "adds a container to look around", Denied, ClusterAdmin, "/ephemeralcontainers", container),
        on(ALONE, "gives it more of the node", Denied, Author, "/resize", resize),
        on(ALONE, "labels it", Allowed, JobController, "", json!({ "metadata": { "labels": { "a": "b" } } })),
        on(EVIDENCE, "removes the finalizer", Denied, JobController, "", json!({ "metadata": { "finalizers": null } })),
        on(EVIDENCE, "removes the finalizer", Allowed, Manager, "", json!({ "metadata": { "finalizers": null } })),
    ]
    .into_iter()
    .chain(of_the_manager())
    .collect()
}

fn of_the_manager() -> [Case; 5] {
    use Actor::{Author, Manager};
    use Expected::{Allowed, Denied};
    let elsewhere = format!("/api/v1/namespaces/{OTHER}/pods");
    let makes = Request::create(Manager, &elsewhere, plain_pod("web"));
    let image = json!({ "spec": { "containers": [{ "name": "main", "image": "registry.acme.test/evil:1" }] } });
    let swap = |actor| {
        let mut request = Request::patch(actor, &format!("{elsewhere}/web"), image.clone());
        request.content_type = STRATEGIC;
        request
    };
    let there = || Request::create(Author, &elsewhere, plain_pod("web")).stored();
    let finalizers = json!({ "metadata": { "finalizers": null } });
    [
        case(ITS_OWN, "makes a Pod", Denied, makes),
        case(ITS_OWN, "puts another image into somebody's Pod", Denied, swap(Manager)).given(there()),
        case(ITS_OWN, "puts another image into one of its own", Allowed, swap(Author)).given(there()),
        own(ITS_OWN, "labels somebody's Pod", Denied, Manager, json!({ "metadata": { "labels": { "a": "b" } } })),
        on(ITS_OWN, "takes its finalizer off an operation Pod", Allowed, Manager, "", finalizers),
    ]
}

/// A change of an operation Pod.
fn on(rule: &'static str, attempt: &'static str, expected: Expected, actor: Actor, part: &str, body: Value) -> Case {
    let mut request = Request::patch(actor, &core(&format!("pods/ptah-apply-1-abcde{part}")), body);
    if !part.is_empty() {
        request.content_type = STRATEGIC;
    }
    case(rule, attempt, expected, request).given(given())
}

fn run(rule: &'static str, attempt: &'static str, expected: Expected, actor: Actor, containers: Value) -> Case {
    let mut case = on(rule, attempt, expected, actor, "", json!({ "spec": { "containers": containers } }));
    case.request.content_type = STRATEGIC;
    case
}

fn own(rule: &'static str, attempt: &'static str, expected: Expected, actor: Actor, body: Value) -> Case {
    let given = Request::create(Actor::Author, &core("pods"), plain_pod("web")).stored();
    case(rule, attempt, expected, Request::patch(actor, &core("pods/web"), body)).given(given)
}

fn given() -> Request {
    Request::create(Actor::JobController, &core("pods"), pod("ptah-apply-1-abcde")).stored()
}
