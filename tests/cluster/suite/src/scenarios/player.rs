//! That the player plays: real Jobs of a manager whose part the tests take.

mod results;
mod stage;
mod treatments;

use anyhow::{Context as _, Result, ensure};
use ptah_admission::cases::Actor;
use ptah_cluster_tests::scripted::{Content, Database, Kind, Misbehaviour, Objects, Script, Trouble};
use ptah_records::operator::latest::{
    Answer, ApplyContent, AttachmentName, ChunkRef, Frame, OperationSpec, Outcome, Proposed, Section, StoredContent,
    Work,
};
use ptah_records::operator::list::List;
use ptah_records::operator::text::{ObjectName, OciReference};
use ptah_records::operator::whole::Whole;
use serde_json::{Value, json};

use self::stage::Stage;
use super::Scenario;
use crate::world::World;

const REFERENCE: &str = "oci://registry.test/db/billing:2026.10";

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        ("player_a_refresh_and_its_apply_are_played_and_their_jobs_complete", |world| Box::pin(lifecycle(world))),
        ("player_a_run_that_dies_is_reported_as_unknown", |world| Box::pin(dies(world))),
        ("player_each_treatment_is_what_the_api_server_then_shows", |world| Box::pin(treatments::all(world))),
    ]
}

/// A database without anything, and an artifact that wants three objects.
fn script() -> Result<Script> {
    let wanted = ["a", "b", "c"].into_iter().map(|name| (name.to_owned(), "id".to_owned())).collect::<Objects>();
    let mut script = Script { database: Database::named("billing"), ..Script::default() };
    script.registry.push(REFERENCE, Content::Schema(wanted))?;
    Ok(script)
}

async fn lifecycle(world: World) -> Result<()> {
    let stage = Stage::new(world).await?;
    let store = stage.player.script(&stage.namespace, Some("elsewhere"), &script()?)?;
    stage.player.alias(&stage.namespace, "billing", &store)?;
    let run = planned(&stage).await?;
    let cast = stage.cast(&run, &[volume()]).await?;
    let frame = stage.results.wait_for(&run.operation_id, &cast.uid).await?;
    let end = stage.ended(&cast, "Complete").await?;
    ensure!(end["exitCode"] == 0 && end["reason"] == "Completed", "{end}");
    ensure!(end["message"].as_str().is_some_and(|message| message.contains("Applied")), "{end}");
    ensure!(outcome(&frame) == Some(Outcome::Applied), "{frame:?}");
    ensure!(store.read()?.database.objects.len() == 3, "all of it is there");
    stage.let_go(&cast).await
}

async fn dies(world: World) -> Result<()> {
    let stage = Stage::new(world).await?;
    let store = stage.player.script(&stage.namespace, None, &script()?)?;
    let run = planned(&stage).await?;
    let trouble = Trouble::Dies { after_units: 9, goes_on: None };
    store.update(|script| {
        script.misbehaviours.push(Misbehaviour::next(Kind::Apply, trouble));
        Ok(())
    })?;
    let cast = stage.cast(&run, &[volume()]).await?;
    let frame = stage.results.wait_for(&run.operation_id, &cast.uid).await?;
    ensure!(outcome(&frame) == Some(Outcome::Unknown), "{frame:?}");
    // The exit status speaks of the delivery alone.
    let end = stage.ended(&cast, "Complete").await?;
    ensure!(end["exitCode"] == 0, "{end}");
    ensure!(store.read()?.database.objects.len() == 3, "it died after its last commit");
    let played = stage.player.played()?;
    let log = played.last().map(|one| one.log.as_str());
    ensure!(log.is_some_and(|log| !log.is_empty()), "the supervisor says why: {log:?}");
    stage.let_go(&cast).await
}

/// Plays a refresh, and makes the Apply of what it planned, with the plan staged.
async fn planned(stage: &Stage) -> Result<OperationSpec> {
    let mut refresh = stage.operation("operation-refresh-schema")?;
    if let Work::Refresh { artifact, .. } = &mut refresh.work {
        artifact.reference = OciReference::new(REFERENCE)?;
    }
    let cast = stage.cast(&refresh, &[]).await?;
    let (frame, plan) = stage.results.wait_for_plan(&refresh.operation_id, &cast.uid).await?;
    stage.ended(&cast, "Complete").await?;
    stage.let_go(&cast).await?;
    let [
        Section::Resolve(_),
        Section::Verify(_),
        Section::State(Answer::Done(state)),
        Section::Plan(Answer::Done(made)),
    ] = frame.sections.as_slice()
    else {
        anyhow::bail!("another frame: {frame:?}");
    };
    ensure!(matches!(made, Proposed::Schema { destructive: false, .. }), "{made:?}");
    staged(stage, &plan).await?;
    let about = frame.attachments.as_slice().iter().find(|one| one.name == AttachmentName::Plan).context("a plan")?;
    let size = about.size.get();
    let chunk = ChunkRef {
        name: ObjectName::new("plan")?,
        index: Whole::new(0)?,
        digest: about.digest.clone(),
        size: Whole::new(size)?,
    };
    let mut run = stage.operation("operation-apply-schema")?;
    if let Work::Apply { target_identity, content, .. } = &mut run.work {
        target_identity.database_identity = state.identity.database_identity.clone();
        *content = ApplyContent::Schema {
            content: StoredContent {
                digest: about.digest.clone(),
                size: about.size,
                encoding: about.encoding,
                stored_size: about.stored_size,
                chunks: List::new(vec![chunk])?,
            },
            actual_state_fingerprint: state.state_fingerprint.clone(),
            protected_tables: List::default(),
        };
    }
    Ok(run)
}

/// Keeps a plan where a Pod can mount it.
async fn staged(stage: &Stage, plan: &[u8]) -> Result<()> {
    let map = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "plan" },
        "data": { "piece": std::str::from_utf8(plan)? },
    });
    let path = format!("/api/v1/namespaces/{}/configmaps", stage.namespace);
    stage.world.user(Actor::Manager)?.create(&path, &map).await?;
    Ok(())
}

fn volume() -> Value {
    let item = json!({ "key": "piece", "path": "0000" });
    json!({ "name": "plan", "projected": { "sources": [{ "configMap": { "name": "plan", "items": [item] } }] } })
}

fn outcome(frame: &Frame) -> Option<Outcome> {
    match frame.sections.as_slice() {
        [Section::Run(run)] => Some(run.outcome),
        _ => None,
    }
}
