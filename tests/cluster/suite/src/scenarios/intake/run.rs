//! A whole run's reports: the real runner, by the token of a real Pod, to a server that keeps what it takes on the API
//! server. The Pod is deleted in the middle: from its permit on, the key delivers.

use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result, bail, ensure};
use ptah_admission::cases::Actor;
use ptah_intake::authority::Authority;
use ptah_intake::{
    ClusterReviewer, ClusterStore, Delivery, Gatekeeper, Intake, Names, Permitted, Place, Pod, Reviewed, Reviewer as _,
    Standing, Store as _, read_delivery, serve,
};
use ptah_records::operator::latest::{OperationSpec, Outcome, PermitAnswer, PermitRequest, Section};
use ptah_records::operator::names::RESULT_AUDIENCE;
use ptah_records::operator::seal;
use ptah_records::operator::text::{HostName, LabelName, OperationId, Uid};
use ptah_records::operator::time::Moment;
use ptah_records::operator::whole::Whole;
use serde_json::json;
use tokio::sync::oneshot;

use super::{pod, token};
use crate::objects::text;
use crate::scenarios::admission::install;
use crate::wait::until;
use crate::world::World;

/// Lets every Pod in, and keeps what it delivers in one place.
struct LetsIn(Mutex<Place>);

impl Gatekeeper for LetsIn {
    async fn permit(&self, _: &Pod, request: PermitRequest) -> Permitted {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).key = Some(request.key_digest);
        let Ok(budget_seconds) = Whole::new(60) else { return Permitted::NotLeader };
        Permitted::Answer(PermitAnswer::Granted { operation_id: request.operation_id, budget_seconds })
    }

    async fn standing(&self, _: &OperationId, _: &Uid) -> Standing {
        Standing::Live(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

/// Waits for the test, so that the Pod can go in the middle.
const WORK: &str = "touch $FOLDER/begun; while [ ! -e $FOLDER/go ]; do sleep 0.05; done";

pub(super) async fn outlives_its_pod(world: World) -> Result<()> {
    install(&world).await?;
    let namespace = world.namespace(json!({})).await?;
    let account = format!("/api/v1/namespaces/{namespace}/serviceaccounts/default");
    until("the namespace's service account", || async { Ok(world.admin.get(&account).await.ok()) }).await?;
    let pod = pod(&world, &namespace, "runs").await?;
    let uid = Uid::new(pod["metadata"]["uid"].as_str().context("a UID")?)?;
    let token = token(&world.user(Actor::Kubelet)?, &account, RESULT_AUDIENCE, Some(&pod)).await?;

    let manager = || Ok::<_, anyhow::Error>(world.user(Actor::Manager)?.client());
    let authority = Authority::new(in_seconds(0)?)?;
    let names = Names::new(&authority)?;
    let place = Place { namespace: LabelName::new(namespace.clone())?, resource: Uid::new("a-resource")?, key: None };
    let store = Arc::new(ClusterStore::new(manager()?));
    let intake = Intake::new(ClusterReviewer::new(manager()?), LetsIn(Mutex::new(place.clone())), store.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(async move {
        let stopped = async { drop(stopped.await) };
        serve(listener, &names, Arc::new(intake), stopped).await
    });

    let folder = tempfile::tempdir()?;
    let spec = operation(&authority, port)?;
    std::fs::write(folder.path().join("operation.json"), seal::write(&spec)?)?;
    std::fs::write(folder.path().join("token"), token.reveal())?;
    std::fs::create_dir(folder.path().join("work"))?;
    let mut running = runner(&world, folder.path(), &uid)?;
    until("the work's beginning", || async { Ok(folder.path().join("begun").exists().then_some(())) }).await?;
    world.admin.delete(&format!("/api/v1/namespaces/{namespace}/pods/runs?gracePeriodSeconds=0")).await?;
    until("the Pod's token being refused", || async {
        let fresh = ClusterReviewer::new(manager()?);
        Ok((fresh.review(&token).await == Reviewed::Refused).then_some(()))
    })
    .await?;
    std::fs::write(folder.path().join("go"), "")?;
    let ended =
        tokio::time::timeout(Duration::from_mins(1), running.wait()).await.context("the runner did not end")??;
    let said = std::fs::read_to_string(folder.path().join("log"))?;
    ensure!(ended.code() == Some(0), "the runner ended with {ended}: {said}");

    let records = store.list(&place.namespace, &spec.operation_id).await?;
    let Delivery::Whole(whole) = read_delivery(&spec.operation_id, &uid, records) else { bail!("it is not whole") };
    let [Section::Run(run)] = whole.frame.sections.as_slice() else { bail!("another frame: {:?}", whole.frame) };
    ensure!(run.outcome == Outcome::Unknown, "a process that says nothing is {:?}", run.outcome);
    drop(stop);
    serving.await??;
    Ok(())
}

/// An Apply that reports to this server.
fn operation(authority: &Authority, port: u16) -> Result<OperationSpec> {
    let golden = text("crates/records/src/operator/v1/golden/operation-apply-migration.json")?;
    let mut spec: OperationSpec = seal::read(golden.trim_end().as_bytes())?;
    spec.delivery.host = HostName::new("localhost")?;
    spec.delivery.port = Whole::new(u64::from(port))?;
    spec.delivery.server_name = authority.newest().server_name().clone();
    spec.delivery.authority = authority.newest().authority().clone();
    spec.limits.dispatch_not_after = in_seconds(60)?;
    spec.limits.execution_not_after = in_seconds(120)?;
    Ok(spec)
}

/// The real runner, which is built beside the operator.
fn runner(world: &World, folder: &Path, pod: &Uid) -> Result<tokio::process::Child> {
    let mut command = tokio::process::Command::new(world.program("ptah-runner"));
    command.arg("supervise");
    for (flag, file) in
        [("--operation", "operation.json"), ("--token", "token"), ("--folder", "work"), ("--message", "message")]
    {
        command.arg(flag).arg(folder.join(file));
    }
    command.args(["--pod", pod.as_str(), "--grace", "1", "--", "/bin/sh", "-c", WORK]).env("FOLDER", folder);
    command.stderr(std::fs::File::create(folder.join("log"))?);
    command.stdin(Stdio::null()).kill_on_drop(true).spawn().context("the runner was not built; run `make test-cluster`")
}

fn in_seconds(seconds: u64) -> Result<Moment> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
    Ok(Moment::from_milliseconds(u64::try_from(now.as_millis())? + seconds * 1_000)?)
}
