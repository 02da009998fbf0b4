//! The parts of the results server that speak to an API server: whose a token is, and what is kept.

mod run;

use anyhow::{Context as _, Result, ensure};
use ptah_admission::cases::Actor;
use ptah_crds::PtahResultRecord;
use ptah_intake::{ClusterReviewer, ClusterStore, Created, Reviewed, Reviewer as _, Store as _, Token};
use ptah_records::operator::limits::PIECE;
use ptah_records::operator::names::RESULT_AUDIENCE;
use ptah_records::operator::text::{LabelName, ObjectName, OperationId};
use serde_json::{Value, json};

use super::Scenario;
use super::admission::install;
use crate::wait::until;
use crate::world::{User, World};

const OPERATION: &str = "01890a5d-ac96-774b-bcce-b302099a8051";
const OTHER_OPERATION: &str = "01890a5d-ac96-774b-bcce-b302099a8052";

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        ("intake_a_pods_own_token_names_it_and_no_other_token_names_anybody", |world| Box::pin(tokens(world))),
        ("intake_what_is_kept_first_stays_and_is_listed_by_its_operation", |world| Box::pin(records(world))),
        ("intake_a_run_reports_by_its_key_after_its_pod_is_gone", |world| Box::pin(run::outlives_its_pod(world))),
    ]
}

async fn tokens(world: World) -> Result<()> {
    install(&world).await?;
    let namespace = world.namespace(json!({})).await?;
    let account = format!("/api/v1/namespaces/{namespace}/serviceaccounts/default");
    until("the namespace's service account", || async { Ok(world.admin.get(&account).await.ok()) }).await?;
    let reviewer = ClusterReviewer::new(world.user(Actor::Manager)?.client());
    let kubelet = world.user(Actor::Kubelet)?;
    let node = world.impersonating("test-node", &["system:nodes", "system:masters"])?;

    let pod = pod(&world, &namespace, "reports").await?;
    let own = token(&kubelet, &account, RESULT_AUDIENCE, Some(&pod)).await?;
    let Reviewed::Pod(found) = reviewer.review(&own).await else { anyhow::bail!("the Pod's own token names nobody") };
    let uid = pod["metadata"]["uid"].as_str();
    let is_it = found.namespace.as_str() == namespace && found.name.as_str() == "reports";
    ensure!(is_it && Some(found.uid.as_str()) == uid, "the token names {found:?}");

    let other = token(&world.admin, &account, "https://kubernetes.default.svc", Some(&pod)).await?;
    let unbound = token(&node, &account, RESULT_AUDIENCE, None).await?;
    let nobodys = Token::new("eyJhbGciOiJub25lIn0.e30.").context("a token")?;
    for (what, token) in [("one for another audience", other), ("one of no Pod", unbound), ("a made-up one", nobodys)] {
        ensure!(reviewer.review(&token).await == Reviewed::Refused, "{what} was not refused");
    }
    let denied = token_answer(&world.admin, &account, RESULT_AUDIENCE, Some(&pod)).await?;
    ensure!(denied.status == 422 || denied.status == 403, "not only a kubelet is given such a token: {denied:?}");

    let gone = self::pod(&world, &namespace, "gone").await?;
    let of_gone = token(&kubelet, &account, RESULT_AUDIENCE, Some(&gone)).await?;
    let path = format!("/api/v1/namespaces/{namespace}/pods/gone");
    world.admin.delete(&format!("{path}?gracePeriodSeconds=0")).await?;
    let again = self::pod(&world, &namespace, "gone").await?;
    ensure!(again["metadata"]["uid"] != gone["metadata"]["uid"], "another Pod of the same name");
    // Each time as a manager that has not asked before: this one would remember the answer for a while.
    until("the token of a deleted Pod being refused", || async {
        let fresh = ClusterReviewer::new(world.user(Actor::Manager)?.client());
        Ok((fresh.review(&of_gone).await == Reviewed::Refused).then_some(()))
    })
    .await
}

/// A Pod on the node `node-1` that wants our token.
async fn pod(world: &World, namespace: &str, name: &str) -> Result<Value> {
    let source = json!({ "serviceAccountToken": { "audience": RESULT_AUDIENCE, "path": "token" } });
    let pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": name },
        "spec": {
            "nodeName": "node-1",
            "containers": [{ "name": "work", "image": "example.invalid/none" }],
            "volumes": [{ "name": "token", "projected": { "sources": [source] } }],
        },
    });
    world.admin.create(&format!("/api/v1/namespaces/{namespace}/pods"), &pod).await
}

async fn token(user: &User, account: &str, audience: &str, pod: Option<&Value>) -> Result<Token> {
    let answer = token_answer(user, account, audience, pod).await?.accepted("a token")?;
    answer["status"]["token"].as_str().and_then(Token::new).context("an answer without a token")
}

async fn token_answer(user: &User, account: &str, audience: &str, pod: Option<&Value>) -> Result<crate::world::Answer> {
    let mut spec = json!({ "audiences": [audience], "expirationSeconds": 600 });
    if let Some(pod) = pod {
        let of = &pod["metadata"];
        spec["boundObjectRef"] = json!({ "apiVersion": "v1", "kind": "Pod", "name": of["name"], "uid": of["uid"] });
    }
    let request = json!({ "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec });
    user.try_create(&format!("{account}/token"), &request).await
}

async fn records(world: World) -> Result<()> {
    install(&world).await?;
    let namespace = LabelName::new(world.namespace(json!({})).await?)?;
    let store = ClusterStore::new(world.user(Actor::Manager)?.client());
    let operation = OperationId::new(OPERATION)?;
    for index in 0..6 {
        ensure!(store.create(&piece(&namespace, OPERATION, index, "a")?).await? == Created::Now, "piece {index}");
    }
    ensure!(store.create(&piece(&namespace, OTHER_OPERATION, 0, "a")?).await? == Created::Now, "another operation's");
    let first = piece(&namespace, OPERATION, 3, "a")?;
    let second = piece(&namespace, OPERATION, 3, "b")?;
    ensure!(store.create(&first).await? == Created::Before, "a repeat is told");
    ensure!(store.create(&second).await? == Created::Before, "another of the same name is told");
    let name = ObjectName::new(first.metadata.name.clone().context("a name")?)?;
    let kept = store.get(&namespace, &name).await?.context("what was kept is there")?;
    ensure!(kept.spec == first.spec, "the first stays");
    ensure!(store.get(&namespace, &ObjectName::new("nothing")?).await?.is_none(), "what is not there is not there");
    let mut listed = store.list(&namespace, &operation).await?;
    listed.sort_by_key(|record| record.spec.index.get());
    let places: Vec<u64> = listed.iter().map(|record| record.spec.index.get()).collect();
    ensure!(places == [0, 1, 2, 3, 4, 5], "the list of an operation has its records alone, all of them: {places:?}");
    ensure!(listed.iter().all(|record| record.spec.data.as_ref().is_some_and(|data| data.0.len() == PIECE)));
    let author = ClusterStore::new(world.user(Actor::Author)?.client());
    ensure!(author.create(&piece(&namespace, OPERATION, 7, "a")?).await.is_err(), "only the manager keeps results");
    Ok(())
}

/// A full piece.
fn piece(namespace: &LabelName, operation: &str, index: u64, digit: &str) -> Result<PtahResultRecord> {
    // Half a mebibyte of zeros: the last of its groups of three bytes has two.
    let data = format!("{}=", "A".repeat(PIECE.div_ceil(3) * 4 - 1));
    let object = json!({
        "apiVersion": "operator.ptah.run/v1alpha1",
        "kind": "PtahResultRecord",
        "metadata": { "name": format!("ptah-r-{operation}-{index}"), "namespace": namespace.as_str() },
        "spec": {
            "controllerStateVersion": 1,
            "operationID": operation,
            "podUID": "11111111-1111-4111-8111-111111111105",
            "type": "Piece",
            "index": index,
            "digest": format!("sha256:{}", digit.repeat(64)),
            "data": data,
        },
    });
    Ok(serde_json::from_value(object)?)
}
