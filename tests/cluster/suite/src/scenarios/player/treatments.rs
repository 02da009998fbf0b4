//! Every treatment of a Pod, on settling readings, which need a permit and no plan.

use anyhow::{Result, ensure};
use ptah_admission::cases::Actor;
use ptah_cluster_tests::scripted::{Database, Kind, Misbehaviour, Script, Store, Trouble};
use ptah_records::operator::latest::{Answer, OperationSpec, Section, SettleBasis, Work};
use ptah_records::operator::list::List;
use serde_json::Value;

use super::stage::{Cast, Stage};
use crate::player::Treatment;
use crate::wait::until;
use crate::world::{JSON, World};

pub(super) async fn all(world: World) -> Result<()> {
    let stage = Stage::new(world).await?;
    let script = Script { database: Database::named("billing"), ..Script::default() };
    let store = stage.player.script(&stage.namespace, None, &script)?;
    held_back(&stage, &store).await?;
    at_its_end(&stage, &store).await?;
    killed(&stage, &store).await?;
    twice(&stage, &store).await?;
    orphaned(&stage, &store).await?;
    deleted(&stage).await
}

fn settle(stage: &Stage, store: &Store) -> Result<OperationSpec> {
    let mut spec = stage.operation("operation-settle-schema")?;
    let identity = store.read()?.database.identity();
    if let Work::Settle { target_identity, basis, .. } = &mut spec.work {
        target_identity.database_identity = identity.database_identity;
        *basis = SettleBasis::Schema { exclude: List::default(), desired_state_fingerprint: None, desired: None };
    }
    Ok(spec)
}

/// A Pod under a treatment.
async fn under(stage: &Stage, store: &Store, treatment: Option<Treatment>) -> Result<(OperationSpec, Cast)> {
    if let Some(treatment) = treatment {
        stage.player.treat(Kind::Settle, treatment);
    }
    let spec = settle(stage, store)?;
    let cast = stage.cast(&spec, &[]).await?;
    Ok((spec, cast))
}

fn hangs(store: &Store) -> Result<()> {
    store.update(|script| {
        let trouble = Trouble::Hangs { after_units: 0 };
        script.misbehaviours.push(Misbehaviour::next(Kind::Settle, trouble));
        Ok(())
    })
}

async fn held_back(stage: &Stage, store: &Store) -> Result<()> {
    let (_, held) = under(stage, store, Some(Treatment::HeldBack)).await?;
    let (_, other) = under(stage, store, None).await?;
    stage.ended(&other, "Complete").await?;
    let pod = stage.world.admin.get(&stage.pod_path(&held)).await?;
    ensure!(pod["spec"]["nodeName"].is_null() && pod["status"]["phase"] == "Pending", "{}", pod["status"]);
    stage.player.release();
    stage.ended(&held, "Complete").await?;
    Ok(())
}

async fn at_its_end(stage: &Stage, store: &Store) -> Result<()> {
    let (_, silent) = under(stage, store, Some(Treatment::MessageLost)).await?;
    let end = stage.ended(&silent, "Complete").await?;
    ensure!(end["exitCode"] == 0 && end["message"].is_null(), "{end}");
    let (spec, unknown) = under(stage, store, Some(Treatment::EndUnknown)).await?;
    let end = stage.ended(&unknown, "Failed").await?;
    ensure!(end["reason"] == "ContainerStatusUnknown", "{end}");
    stage.results.wait_for(&spec.operation_id, &unknown.uid).await?;
    Ok(())
}

async fn killed(stage: &Stage, store: &Store) -> Result<()> {
    hangs(store)?;
    let (spec, cast) = under(stage, store, Some(Treatment::Killed)).await?;
    let end = stage.ended(&cast, "Failed").await?;
    ensure!(end["exitCode"] == 137 && end["message"].is_null(), "{end}");
    ensure!(stage.results.delivered(&spec.operation_id, &cast.uid).await?.is_none(), "it delivered something");
    // Nothing of it is left that holds the database's lock.
    let (_, next) = under(stage, store, None).await?;
    stage.ended(&next, "Complete").await?;
    Ok(())
}

async fn twice(stage: &Stage, store: &Store) -> Result<()> {
    let (spec, cast) = under(stage, store, Some(Treatment::Twice)).await?;
    stage.results.wait_for(&spec.operation_id, &cast.uid).await?;
    stage.ended(&cast, "Complete").await?;
    let refused = until("one of two being refused", || async { Ok(stage.results.refused().pop()) }).await?;
    ensure!(refused.as_str() == cast.uid, "another Pod was refused: {refused}");
    let played = stage.player.played()?;
    let ends: Vec<_> = played.iter().filter(|one| one.pod == cast.uid).collect();
    // The other one cannot tell anybody that it was refused, and tries for two minutes.
    ensure!(matches!(ends.as_slice(), [one] if one.exit == Some(0) && one.kind == Kind::Settle), "{ends:?}");
    Ok(())
}

async fn orphaned(stage: &Stage, store: &Store) -> Result<()> {
    hangs(store)?;
    let (_, cast) = under(stage, store, Some(Treatment::Orphaned)).await?;
    until("the Pod being on its way", || async {
        Ok((!pod(stage, &cast).await?["metadata"]["deletionTimestamp"].is_null()).then_some(()))
    })
    .await?;
    let alive = pod(stage, &cast).await?;
    ensure!(alive["status"]["phase"] == "Running", "nobody saw its end: {}", alive["status"]);
    ensure!(stage.player.played()?.iter().all(|one| one.pod != cast.uid), "its processes go on");
    stage.let_go(&cast).await
}

/// A Pod that is deleted in the ordinary way is stopped, and its end is seen.
async fn deleted(stage: &Stage) -> Result<()> {
    // The one before still hangs with the lock of its database in its hand.
    let script = Script { database: Database::named("other"), ..Script::default() };
    let other = stage.player.script(&stage.namespace, Some("billing"), &script)?;
    hangs(&other)?;
    let (spec, cast) = under(stage, &other, None).await?;
    until("its work", || async { Ok(other.read()?.misbehaviours.is_empty().then_some(())) }).await?;
    let path = stage.pod_path(&cast);
    stage.world.user(Actor::ClusterAdmin)?.send("DELETE", &path, JSON, Vec::new()).await?.accepted(&path)?;
    // Its supervisor still says that nothing was read.
    let frame = stage.results.wait_for(&spec.operation_id, &cast.uid).await?;
    ensure!(matches!(frame.sections.as_slice(), [Section::Compare(Answer::Failed(_))]), "{frame:?}");
    let end = stage.ended(&cast, "Complete").await?;
    ensure!(end["exitCode"] == 0, "{end}");
    let live = pod(stage, &cast).await?;
    ensure!(!live["metadata"]["deletionTimestamp"].is_null(), "it is on its way: {}", live["metadata"]);
    stage.let_go(&cast).await
}

async fn pod(stage: &Stage, cast: &Cast) -> Result<Value> {
    stage.world.admin.get(&stage.pod_path(cast)).await
}
