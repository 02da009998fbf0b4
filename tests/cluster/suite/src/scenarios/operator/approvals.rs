//! manual-approval and stale-approval: consent is for one plan, once.

use anyhow::{Result, ensure};
use ptah_admission::cases::Actor;
use ptah_cluster_tests::scripted::{Content, Objects};
use serde_json::{Value, json};

use crate::managed::{AWAITING, DESTRUCTIVE, IN_SYNC, Managed, PROTECTED, Resource, objects, schema};
use crate::world::World;

const REFERENCE: &str = "oci://registry.acme.test/db/billing:stable";

fn first() -> Objects {
    objects(&[("table:users", "id, name")])
}

async fn waiting(world: &World, name: &str) -> Result<Managed> {
    let mut script = Managed::empty(name);
    script.registry.push(REFERENCE, Content::Schema(first()))?;
    Managed::start(world, script).await
}

/// Waits for a plan that waits, other than `before`, and sees to it that nothing was run for it.
async fn another_plan(resource: &Resource<'_>, before: &Value, runs: usize) -> Result<Value> {
    let other = |status: &Value| AWAITING.is(status) && status["plan"]["uid"] != before["plan"]["uid"];
    let status = resource.reaches("another plan that waits", other).await?;
    resource.has_applied(runs).await?;
    Ok(status)
}

pub(super) async fn exactly_that_plan(world: World) -> Result<()> {
    let managed = waiting(&world, "approved").await?;
    let resource = managed.make(&schema(REFERENCE, "OnApproval")).await?;
    let waits = resource.shows(AWAITING).await?;
    // Reading again changes nothing about the plan, and still nothing runs.
    let still = resource.shows_after_a_reading(AWAITING).await?;
    ensure!(still["plan"]["uid"] == waits["plan"]["uid"], "an unchanged plan was made again: {still:#}");
    resource.has_applied(0).await?;
    ensure!(managed.database()?.objects.is_empty(), "something ran without consent");

    let refused = resource.try_approve(Actor::Author, &waits["plan"], "by-an-author").await?;
    ensure!(refused.status == 403 || refused.status == 422, "an author approves: {refused:?}");
    let approval = resource.approve(&waits, "by-erin").await?;
    let answered = resource.is_answered(&approval, "Consumed", "Spent").await?;
    let status = resource.shows(IN_SYNC).await?;
    ensure!(managed.database()?.objects == first(), "the database is another one");
    let run = &status["lastRun"];
    ensure!(answered["consumedBy"]["operationID"] == run["operationID"], "spent by another: {answered:#}, {run:#}");
    ensure!(answered["consumedBy"]["planUID"] == waits["plan"]["uid"], "spent on another: {answered:#}");
    ensure!(status["applied"]["planRef"]["uid"] == waits["plan"]["uid"], "another plan was applied: {status:#}");
    resource.has_applied(1).await?;
    managed.end().await
}

pub(super) async fn spent_once(world: World) -> Result<()> {
    let managed = waiting(&world, "spent").await?;
    let resource = managed.make(&schema(REFERENCE, "OnApproval")).await?;
    let waits = resource.shows(AWAITING).await?;
    let approval = resource.approve(&waits, "first").await?;
    resource.shows(IN_SYNC).await?;

    // The database goes back to where the plan began, so the very same plan is current again, with its approval.
    managed.change(|script| {
        script.database.objects.clear();
        Ok(())
    })?;
    resource.shows(AWAITING).await?;
    let again = resource.shows_after_a_reading(AWAITING).await?;
    ensure!(again["plan"]["uid"] == waits["plan"]["uid"], "not the same plan: {again:#}");
    resource.is_answered(&approval, "Consumed", "Spent").await?;
    resource.has_applied(1).await?;
    ensure!(managed.database()?.objects.is_empty(), "an approval was spent twice");

    let second = resource.approve(&again, "second").await?;
    resource.is_answered(&second, "Consumed", "Spent").await?;
    resource.shows(IN_SYNC).await?;
    resource.has_applied(2).await?;
    managed.end().await
}

pub(super) async fn replaced(world: World) -> Result<()> {
    let managed = waiting(&world, "replaced").await?;
    let resource = managed.make(&schema(REFERENCE, "OnApproval")).await?;
    let old = resource.shows(AWAITING).await?;
    let wanted = objects(&[("table:users", "id, name"), ("table:orders", "id")]);
    managed.change(|script| script.registry.push(REFERENCE, Content::Schema(wanted.clone())).map(drop))?;
    let new = another_plan(&resource, &old, 0).await?;

    let late = resource.approve(&old, "of-the-older-plan").await?;
    let mut mixed = new.clone();
    mixed["plan"]["uid"] = old["plan"]["uid"].clone();
    let mixed = resource.approve(&mixed, "of-another-object").await?;
    let mut forged = new.clone();
    forged["plan"]["fingerprint"] = old["plan"]["fingerprint"].clone();
    let forged = resource.approve(&forged, "of-another-content").await?;
    for approval in [&late, &mixed, &forged] {
        resource.is_answered(approval, "Stale", "PlanReplaced").await?;
    }
    resource.shows(AWAITING).await?;
    resource.has_applied(0).await?;
    ensure!(managed.database()?.objects.is_empty(), "a stale approval let something run");

    let right = resource.approve(&new, "of-this-plan").await?;
    resource.is_answered(&right, "Consumed", "Spent").await?;
    resource.shows(IN_SYNC).await?;
    ensure!(managed.database()?.objects == wanted, "the database is another one");
    // What is approved when nothing waits is answered, too.
    let idle = resource.approve(&new, "too-late").await?;
    resource.is_answered(&idle, "Stale", "NoSuchPlan").await?;
    resource.has_applied(1).await?;
    managed.end().await
}

pub(super) async fn destructive(world: World) -> Result<()> {
    let mut script = Managed::empty("destructive");
    script.database.objects = objects(&[("table:users", "id, name"), ("archive", "id")]);
    script.registry.push(REFERENCE, Content::Schema(first()))?;
    let before = script.database.objects.clone();
    let managed = Managed::start(&world, script).await?;
    let resource = managed.make(&schema(REFERENCE, "Always")).await?;
    let blocked = resource.shows(DESTRUCTIVE).await?;
    let approval = resource.approve(&blocked, "in-vain").await?;
    resource.is_answered(&approval, "Stale", "NotAwaiting").await?;
    resource.shows_after_a_reading(DESTRUCTIVE).await?;
    ensure!(managed.database()?.objects == before, "the database was touched");
    ensure!(
        managed.jobs().await?.iter().all(|job| job["metadata"]["labels"]["app.kubernetes.io/component"] == "refresh")
    );

    // A protected table is refused whatever else is allowed.
    let protected = json!({ "allowDestructive": true, "protectedTables": ["archive"] });
    resource.edit(&json!({ "spec": { "policy": protected } })).await?;
    resource.shows(PROTECTED).await?;
    resource.edit(&json!({ "spec": { "policy": { "protectedTables": null } } })).await?;
    // What can lose something is never run without a person, also where everything else is.
    let waits = resource.shows(AWAITING).await?;
    resource.has_applied(0).await?;
    resource.approve(&waits, "let-it-go").await?;
    resource.shows(IN_SYNC).await?;
    ensure!(managed.database()?.objects == first(), "the database is another one");
    resource.has_applied(1).await?;
    managed.end().await
}
