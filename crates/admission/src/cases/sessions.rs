//! Sessions in Pods, and the tokens of Pods.

use serde_json::{Value, json};

use super::objects::{core, plain_pod, pod};
use super::{Actor, Case, Expected, JSON, Request, case};

const SESSION: &str = "nobody-gets-in";
const TOKEN: &str = "kubelets-ask-for-tokens";

pub(super) fn cases() -> Vec<Case> {
    use Actor::{Author, ClusterAdmin, Kubelet, Manager, Robot};
    use Expected::{Allowed, Denied, Passed};
    vec![
        enter("opens a session", Denied, Author, "ptah-apply-1-abcde"),
        enter("opens a session", Denied, Manager, "ptah-apply-1-abcde"),
        enter("opens a session", Denied, ClusterAdmin, "ptah-apply-1-abcde"),
        case(SESSION, "opens a session in a Pod of its own", Passed, session(Author, "web"))
            .given(Request::create(Author, &core("pods"), plain_pod("web")).stored()),
        case(TOKEN, "asks for a token to report with", Denied, token(Author, "operator.ptah.run/results", None)),
        case(TOKEN, "asks for a token to report with", Denied, token(Robot, "operator.ptah.run/results", None)),
        case(TOKEN, "asks for a token to report with", Denied, token(Manager, "operator.ptah.run/results", None)),
        case(TOKEN, "asks for a token for another audience", Allowed, token(Author, "vault.acme.test", None)),
        case(
            TOKEN,
            "asks for the token of a Pod that it runs",
            Allowed,
            token(Kubelet, "operator.ptah.run/results", Some("ptah-apply-2-abcde")),
        )
        .given(placed()),
    ]
}

fn enter(attempt: &'static str, expected: Expected, actor: Actor, name: &str) -> Case {
    let given = Request::create(Actor::JobController, &core("pods"), pod(name)).stored();
    case(SESSION, attempt, expected, session(actor, name)).given(given)
}

fn session(actor: Actor, name: &str) -> Request {
    let path = core(&format!("pods/{name}/exec?command=id&stdout=true"));
    Request { actor, method: "POST", path, content_type: JSON, body: Value::Null }
}

/// A request for a token of the default service account, bound to a Pod where one is named.
fn token(actor: Actor, audience: &str, pod: Option<&str>) -> Request {
    let mut spec = json!({ "audiences": [audience], "expirationSeconds": 3600 });
    if let Some(name) = pod {
        // The UID is that of the Pod that was created before.
        spec["boundObjectRef"] = json!({ "apiVersion": "v1", "kind": "Pod", "name": name, "uid": "{uid}" });
    }
    let body = json!({ "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec });
    Request { actor, method: "POST", path: core("serviceaccounts/default/token"), content_type: JSON, body }
}

/// An operation Pod on the kubelet's node.
fn placed() -> Request {
    let mut body = pod("ptah-apply-2-abcde");
    body["spec"]["nodeName"] = json!("node-1");
    Request::create(Actor::JobController, &core("pods"), body).stored()
}
