//! Features and services: what is listed is served, and what is not listed is not.

use tonic::{Code, Response, Status};

use super::{broken, describe_all, ensure, fresh, gated_calls, pb};
use crate::lab::Lab;
use crate::peer::{Client, whole};
use crate::rule::{Check, failed, is_transport};

/// A session that no provider has made.
const NOWHERE: &str = "0123456789012345678901-nowhere";

/// The code of a call with a request that names nothing that exists; `Ok` for one that was answered.
pub(super) async fn code_of(client: Client, call: &str, engine: &str) -> Result<Code, Status> {
    let mut client = client;
    let key = || Some(pb::Key { session_id: NOWHERE.to_owned(), scope: "x".to_owned(), request_id: fresh() });
    let (session_id, engine) = (NOWHERE.to_owned(), engine.to_owned());
    let nowhere = || Some(pb::SnapshotRef { session_id: NOWHERE.to_owned(), snapshot_id: "x".to_owned() });
    let end = || pb::EndRequest { key: key(), transaction_id: "x".to_owned(), lock_timeout_ms: 0 };
    let lock = || pb::LockRequest { key: key() };
    match call {
        "Open" => code(client.open(opening(engine)).await),
        "Close" => code(client.close(pb::CloseRequest { session_id, request_id: fresh() }).await),
        "Inspect" => code(whole(client.inspect(pb::InspectRequest { session_id, ..Default::default() }).await).await),
        "Plan" => {
            let asked = pb::PlanRequest { engine, current: nowhere(), desired: nowhere(), changes: Vec::new() };
            code(client.plan(asked).await)
        }
        "Render" => code(whole(client.render(pb::RenderRequest { engine, snapshot: nowhere() }).await).await),
        "AnalyzeSql" => {
            let asked = pb::AnalyzeSqlRequest { engine, source: "a.sql".to_owned(), text: String::new() };
            code(whole(client.analyze_sql(asked).await).await)
        }
        "Execute" => {
            let units = crate::message::units(&["x"]);
            code(client.execute(pb::ExecuteRequest { key: key(), units, ..Default::default() }).await)
        }
        "BeginTransaction" => {
            code(client.begin_transaction(pb::BeginRequest { key: key(), ..Default::default() }).await)
        }
        "CommitTransaction" => code(client.commit_transaction(end()).await),
        "RollbackTransaction" => code(client.rollback_transaction(end()).await),
        "TryLock" => code(client.try_lock(lock()).await),
        "CheckLock" => code(client.check_lock(lock()).await),
        "ReleaseLock" => code(client.release_lock(lock()).await),
        _ => other_code_of(client, call, &engine).await,
    }
}

async fn other_code_of(mut client: Client, call: &str, engine: &str) -> Result<Code, Status> {
    let key = Some(pb::Key { session_id: NOWHERE.to_owned(), scope: "x".to_owned(), request_id: fresh() });
    let (session_id, engine) = (NOWHERE.to_owned(), engine.to_owned());
    match call {
        "Claim" => code(client.claim(crate::rules::claims::settlement(key, &fresh())).await),
        "ReadClaims" => code(client.read_claims(pb::ReadClaimsRequest { session_id, limit: 1 }).await),
        "AdoptDatabase" => {
            let adoption = pb::Adoption::Moved.into();
            code(client.adopt_database(pb::AdoptRequest { key, adoption, at_us: 0 }).await)
        }
        "ForgetRecords" => code(client.forget_records(pb::ForgetRequest { key }).await),
        "QueryRows" => {
            let query = "x".to_owned();
            code(client.query_rows(pb::QueryRowsRequest { session_id, query, transaction_id: None, limit: 1 }).await)
        }
        "ProvisionDev" => {
            let content = Some(pb::provision_dev_request::Content::Empty(pb::DevEmpty {}));
            // Of a session that is not there, so that nothing is made.
            let asked = pb::ProvisionDevRequest { request_id: fresh(), engine, session_id: Some(session_id), content };
            code(client.provision_dev(asked).await)
        }
        _ => Err(Status::unimplemented("")),
    }
}

fn opening(engine: String) -> pb::OpenRequest {
    let target = Some(pb::open_request::Target::DevId("nowhere".to_owned()));
    let purpose = pb::Purpose::Dev.into();
    pb::OpenRequest { request_id: fresh(), engine, purpose, target, ..Default::default() }
}

fn code<T>(answer: Result<Response<T>, Status>) -> Result<Code, Status> {
    match answer {
        Ok(_) => Ok(Code::Ok),
        Err(status) if is_transport(&status) => Err(status),
        Err(status) => Ok(status.code()),
    }
}

/// Every call but Describe.
fn calls() -> impl Iterator<Item = &'static str> {
    ["Open", "Close"].into_iter().chain(gated_calls().iter().flat_map(|(_, calls)| calls.iter().copied()))
}

pub(super) async fn describe_comes_first(lab: &Lab<'_>) -> Check {
    let peer = lab.silent().await?;
    let engine = lab.engine();
    for call in calls() {
        let sent = format!("{call} before Describe");
        let code = code_of(peer.client(), call, &engine).await.map_err(|status| broken(&sent, failed(&status)))?;
        // A call that it does not have is as good: it does not know yet that it is asked for something else.
        let refused = matches!(code, Code::FailedPrecondition | Code::Unimplemented);
        ensure(refused, &sent, format!("code {code:?}"))?;
    }
    Ok(())
}

pub(super) async fn a_service_that_is_listed_is_served(lab: &Lab<'_>) -> Check {
    served(lab, true).await
}

pub(super) async fn a_service_that_is_not_listed_is_unimplemented(lab: &Lab<'_>) -> Check {
    served(lab, false).await
}

async fn served(lab: &Lab<'_>, listed: bool) -> Check {
    let peer = lab.silent().await?;
    peer.describe(describe_all()).await?;
    let engine = lab.engine();
    for (feature, calls) in gated_calls() {
        if lab.offer.has(feature) != listed {
            continue;
        }
        for call in *calls {
            let sent = format!(
                "{call} of something that is not there ({feature} is {}listed)",
                if listed { "" } else { "not " }
            );
            let code = code_of(peer.client(), call, &engine).await.map_err(|status| broken(&sent, failed(&status)))?;
            ensure((code == Code::Unimplemented) != listed, &sent, format!("code {code:?}"))?;
        }
    }
    Ok(())
}
