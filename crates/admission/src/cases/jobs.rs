//! Operation Jobs.

use serde_json::{Value, json};

use super::objects::{job, jobs};
use super::{Actor, Case, ENABLED, Expected, OTHER, Request, case};

pub(super) fn cases() -> Vec<Case> {
    [ownership(), programs(), node(), tokens()].concat()
}

fn ownership() -> Vec<Case> {
    use Actor::{Author, ClusterAdmin, GarbageCollector, Manager};
    use Expected::{Allowed, Denied};
    let maker = "manager-makes-jobs";
    let built = "job-stays-as-built";
    let create = |actor, body| Request::create(actor, &jobs(ENABLED), body);
    let label = || json!({ "metadata": { "labels": { "a": "b" } } });
    let mut foreign = job("own");
    foreign["metadata"].as_object_mut().map(|metadata| metadata.remove("annotations"));
    let elsewhere = Request::create(Manager, &jobs(OTHER), job("ptah-apply-x"));
    vec![
        case(maker, "makes one of its own", Allowed, create(Author, foreign)),
        case(maker, "makes one with an operation's mark", Denied, create(Author, job("ptah-apply-x"))),
        case(maker, "makes one with an operation's mark", Denied, create(ClusterAdmin, job("ptah-apply-x"))),
        case(maker, "makes one", Allowed, create(Manager, job("ptah-apply-x"))),
        changed(maker, "labels it", Denied, Author, label()),
        changed(maker, "takes a mark of ownership off", Allowed, GarbageCollector, label()),
        changed(built, "pauses it", Denied, Manager, json!({ "spec": { "suspend": true } })),
        changed(built, "gives it more time", Denied, Manager, json!({ "spec": { "activeDeadlineSeconds": 86400 } })),
        changed(
            built,
            "sets how long it is kept",
            Allowed,
            Manager,
            json!({ "spec": { "ttlSecondsAfterFinished": 60 } }),
        ),
        case("only-enabled-namespaces", "makes one where nobody asked for it", Denied, elsewhere),
        sound("only-enabled-namespaces", "makes one in an enabled namespace"),
    ]
}

fn programs() -> Vec<Case> {
    let images = "only-known-images";
    let runner = "only-the-runner";
    let evil = || json!("registry.acme.test/evil:1");
    let shell = json!({ "postStart": { "exec": { "command": ["sh"] } } });
    let probe = json!({ "exec": { "command": ["sh"] } });
    vec![
        stolen(images, "runs an image of its own", with("/containers/0/image", evil())),
        stolen(images, "runs one in an init container", beside(evil())),
        sound(images, "runs a known one"),
        stolen(runner, "runs a shell", with("/containers/0/command", json!(["/bin/sh", "-c"]))),
        stolen(runner, "leaves the command to the image", with("/containers/0/command", Value::Null)),
        stolen(runner, "runs a shell when it starts", with("/containers/0/lifecycle", shell)),
        stolen(runner, "runs a shell as a probe", with("/containers/0/livenessProbe", probe)),
        sound(runner, "runs the runner"),
    ]
}

fn node() -> Vec<Case> {
    let rule = "nothing-of-the-node";
    let folder = json!({ "name": "token", "hostPath": { "path": "/" } });
    let more = json!({ "add": ["SYS_ADMIN"] });
    vec![
        stolen(rule, "mounts a folder of the node", with("/volumes/0", folder)),
        stolen(rule, "uses the node's network", with("/hostNetwork", json!(true))),
        stolen(rule, "sees the node's processes", with("/hostPID", json!(true))),
        stolen(rule, "chooses its node itself", with("/nodeName", json!("node-1"))),
        stolen(rule, "is privileged", with("/containers/0/securityContext", json!({ "privileged": true }))),
        stolen(rule, "may become more", with("/containers/0/securityContext", json!({}))),
        stolen(rule, "adds a capability", with("/containers/0/securityContext/capabilities", more)),
        sound(rule, "has nothing of it"),
    ]
}

fn tokens() -> Vec<Case> {
    let rule = "no-token-of-the-api";
    let source = "/volumes/0/projected/sources/0/serviceAccountToken";
    vec![
        stolen(rule, "has the service account's own token", with("/automountServiceAccountToken", json!(true))),
        stolen(rule, "says nothing about it", with("/automountServiceAccountToken", Value::Null)),
        stolen(rule, "asks for one of the API server", with(source, json!({ "path": "token" }))),
        sound(rule, "has one to report with"),
    ]
}

/// What a stolen token of the manager tries, in an enabled namespace.
fn stolen(rule: &'static str, attempt: &'static str, body: Value) -> Case {
    case(rule, attempt, Expected::Denied, Request::create(Actor::Manager, &jobs(ENABLED), body))
}

/// The Job as the manager makes it.
fn sound(rule: &'static str, attempt: &'static str) -> Case {
    let request = Request::create(Actor::Manager, &jobs(ENABLED), job("ptah-apply-x"));
    case(rule, attempt, Expected::Allowed, request)
}

/// A Job with another value at a place of its Pod; null takes the place away.
fn with(place: &str, value: Value) -> Value {
    let mut job = job("ptah-apply-x");
    let (holder, name) = place.rsplit_once('/').unwrap_or(("", place));
    let holder = job.pointer_mut(&format!("/spec/template/spec{holder}"));
    match holder {
        Some(Value::Array(list)) => list[0] = value,
        Some(holder) if value.is_null() => {
            holder.as_object_mut().map(|object| object.remove(name));
        }
        Some(holder) => holder[name] = value,
        None => {}
    }
    job
}

/// A Job with a container of that image before its own.
fn beside(image: Value) -> Value {
    let mut job = job("ptah-apply-x");
    let mut first = job["spec"]["template"]["spec"]["containers"][0].clone();
    first["name"] = json!("first");
    first["image"] = image;
    job["spec"]["template"]["spec"]["initContainers"] = json!([first]);
    job
}

fn changed(rule: &'static str, attempt: &'static str, expected: Expected, actor: Actor, body: Value) -> Case {
    let given = Request::create(Actor::Manager, &jobs(ENABLED), job("ptah-apply-1")).stored();
    case(rule, attempt, expected, Request::patch(actor, &format!("{}/ptah-apply-1", jobs(ENABLED)), body)).given(given)
}
