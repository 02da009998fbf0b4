//! Readings: kept until their session closes, and used by what needs no session.

use ptah_model::{EngineName, SnapshotId};
use ptah_provider_api::dev::{DevContent, DevDatabase, ProvisionDevRequest};
use ptah_provider_api::key::SessionId;
use ptah_provider_api::plan::{PlanReply, PlanRequest, PlannedAction, PlannedChange, SnapshotRef};
use ptah_provider_api::reason::MALFORMED_REASON;
use ptah_provider_api::render::RenderRequest;
use ptah_provider_wire::OnWire;
use ptah_provider_wire::stream::RenderingCollector;
use tonic::{Code, Status};

use crate::host::{Host, said};
use crate::zorp::table;

fn engine() -> EngineName {
    EngineName::new("zorp").unwrap()
}

async fn reading(host: &Host, session: &SessionId) -> SnapshotRef {
    let snapshot = host.inspect(session, true).await.unwrap().snapshot;
    SnapshotRef { session: session.clone(), snapshot }
}

async fn plan(host: &Host, current: &SnapshotRef, desired: &SnapshotRef, changes: usize) -> Result<PlanReply, Status> {
    let change = PlannedChange { object: table("t"), member: None, action: PlannedAction::Create };
    let request = PlanRequest {
        engine: engine(),
        current: current.clone(),
        desired: desired.clone(),
        changes: vec![change; changes],
    };
    let reply = host.client().plan(request.to_wire()).await?;
    Ok(PlanReply::from_wire(reply.into_inner()).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_uses_readings_of_two_sessions() {
    let host = Host::start().await;
    let (target, dev) = (host.open().await, host.open().await);
    host.world.set_tables(&[1]);
    let current = reading(&host, &target).await;
    host.world.set_tables(&[1, 1, 1]);
    let desired = reading(&host, &dev).await;
    let reply = plan(&host, &current, &desired, 3).await.unwrap();
    assert_eq!((reply.steps.len(), reply.refusals.len()), (2, 1));
    assert_eq!(reply.refusals.first().unwrap().reason, MALFORMED_REASON);
    assert_eq!(host.world.times("plan 1 3"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_serves_what_was_not_asked_for_is_internal() {
    let host = Host::start().await;
    let session = host.open().await;
    let current = reading(&host, &session).await;
    let (code, reason) = said(&plan(&host, &current, &current, 1).await.unwrap_err());
    assert_eq!(code, Code::Internal);
    assert!(reason.contains("PlanReply.steps.change_ids"), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reading_ends_with_its_session_and_an_unknown_one_is_not_found() {
    let host = Host::start().await;
    let session = host.open().await;
    let current = reading(&host, &session).await;
    let unknown = SnapshotRef { snapshot: SnapshotId::new("x").unwrap(), ..current.clone() };
    assert_eq!(plan(&host, &current, &unknown, 0).await.unwrap_err().code(), Code::NotFound);
    host.close(&session).await.unwrap();
    assert_eq!(plan(&host, &current, &current, 0).await.unwrap_err().code(), Code::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fingerprint_alone_keeps_the_objects_in_the_provider() {
    let host = Host::start().await;
    let session = host.open().await;
    host.world.set_tables(&[1, 2]);
    let only = host.inspect(&session, true).await.unwrap();
    let whole = host.inspect(&session, false).await.unwrap();
    assert_eq!((only.count, only.schema.is_empty()), (2, true));
    assert_eq!(only.fingerprint, whole.fingerprint);
    assert_ne!(only.snapshot, whole.snapshot);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reading_is_rendered() {
    let host = Host::start().await;
    let session = host.open().await;
    host.world.set_tables(&[1, 1]);
    let snapshot = reading(&host, &session).await;
    let request = RenderRequest { engine: engine(), snapshot };
    let mut parts = host.client().render(request.to_wire()).await.unwrap().into_inner();
    let mut collector = RenderingCollector::default();
    while let Some(part) = parts.message().await.unwrap() {
        collector.push(part).unwrap();
    }
    let texts: Vec<_> = collector.finish().unwrap().definitions.into_iter().map(|d| d.text).collect();
    assert_eq!(texts, ["zorp table t0", "zorp table t1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dev_database_is_a_copy_of_a_reading() {
    let host = Host::start().await;
    let session = host.open().await;
    host.world.set_tables(&[1, 1]);
    let snapshot = reading(&host, &session).await;
    let request = ProvisionDevRequest {
        request: host.id(),
        engine: engine(),
        session: Some(session),
        content: DevContent::CopyOf(snapshot),
    };
    let reply = host.client().provision_dev(request.clone().to_wire()).await.unwrap();
    let database = DevDatabase::from_wire(reply.into_inner()).unwrap();
    database.validate_for(&request).unwrap();
    assert_eq!(database.dev.0, "copy-of-2");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_could_not_be_read_is_named_with_a_clean_reason() {
    let host = Host::start().await;
    let session = host.open().await;
    host.world.set_unread("two\nlines");
    let reading = host.inspect(&session, false).await.unwrap();
    let reasons: Vec<_> = reading.schema.not_described().map(|u| u.reason.as_str()).collect();
    assert_eq!(reasons, [MALFORMED_REASON]);
}
