//! The policies, with real users, both ways.

mod attempts;
mod install;

use anyhow::{Context as _, Result, ensure};
use ptah_admission::cases::{self, Actor, Case, ENABLED};
use ptah_admission::{canary, policies};
use ptah_records::operator::names as marks;
use serde_json::{Value, json};

use self::attempts::{attempt, place, run};
use self::install::proofs;
pub(crate) use self::install::{apply, apply_files, install, only_its_rights};
use super::Scenario;
use crate::objects::{objects, text};
use crate::wait::until;
use crate::world::{JSON, World};

const POLICIES: &str = "/apis/admissionregistration.k8s.io/v1";

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        ("admission_every_file_is_applied_and_every_expression_fits_its_types", |world| {
            Box::pin(files_are_applied(world))
        }),
        ("admission_every_canary_is_refused_and_a_policy_that_was_removed_is_missed", |world| {
            Box::pin(canaries(world))
        }),
        ("admission_every_rule_holds_both_ways", |world| Box::pin(rules(world))),
        ("admission_the_real_controllers_are_let_through_and_the_evidence_waits", |world| Box::pin(controllers(world))),
        ("admission_an_approval_carries_the_person_who_asked", |world| Box::pin(identities(world))),
        ("admission_who_wrote_a_spec_is_kept_until_the_manager_empties_it", |world| Box::pin(writers(world))),
    ]
}

async fn files_are_applied(world: World) -> Result<()> {
    install(&world).await?;
    for policy in policies() {
        let path = format!("{POLICIES}/validatingadmissionpolicies/{}", policy.name);
        let status = until(&format!("{} being type-checked", policy.name), || async {
            let live = world.admin.get(&path).await?;
            let is_done = live["status"]["observedGeneration"] == live["metadata"]["generation"];
            Ok(is_done.then(|| live["status"].clone()))
        })
        .await?;
        let warnings = &status["typeChecking"]["expressionWarnings"];
        ensure!(warnings.as_array().is_none_or(Vec::is_empty), "{}: {warnings}", policy.name);
        let path = format!("{POLICIES}/validatingadmissionpolicybindings/{}", policy.name);
        ensure!(
            canary::covers(&policy.binding(), &world.admin.get(&path).await?),
            "the binding of {} covers less",
            policy.name
        );
    }
    Ok(())
}

async fn canaries(world: World) -> Result<()> {
    install(&world).await?;
    let removed = "ptah-leases";
    let manager = world.kubeconfig(Actor::Manager)?;
    let check = ["admission", "check", "--kubeconfig", manager.as_str()];
    let output = world.operator(&check, "").await?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.success() && said.matches(": in force\n").count() == 12, "{said}");
    world.admin.delete(&format!("{POLICIES}/validatingadmissionpolicybindings/{removed}")).await?;
    until("the removed policy being missed", || async {
        let proofs = proofs(&world).await?;
        let missed = proofs[removed] == Err(canary::CanaryProblem::NotRefused(removed));
        let others = proofs.iter().filter(|(name, _)| **name != removed).all(|(_, proof)| proof.is_ok());
        Ok((missed && others).then_some(()))
    })
    .await?;
    let output = world.operator(&check, "").await?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let named = said.contains("ptah-leases: the policy ptah-leases does not act");
    ensure!(output.status.code() == Some(1) && named && said.matches(": in force\n").count() == 11, "{said}");
    let stamp = "ptah-stamp-approver";
    world.admin.delete(&format!("{POLICIES}/mutatingadmissionpolicybindings/{stamp}")).await?;
    until("the removed stamp being missed", || async { Ok(proofs(&world).await?[stamp].is_err().then_some(())) })
        .await?;
    install(&world).await
}

async fn rules(world: World) -> Result<()> {
    install(&world).await?;
    let mut broken = Vec::new();
    println!("{:<28} {:<24} {:<9} {:<9} WHAT IS TRIED", "RULE", "USER", "EXPECTED", "SEEN");
    let (unstamped, stamped): (Vec<Case>, Vec<Case>) = cases::cases().into_iter().partition(|case| case.is_unstamped);
    run(&world, &stamped, &mut broken).await?;
    for stamp in ["ptah-stamp-approver", "ptah-stamp-acknowledger"] {
        world.admin.delete(&format!("{POLICIES}/mutatingadmissionpolicybindings/{stamp}")).await?;
        until("the stamp being gone", || async { Ok(proofs(&world).await?[stamp].is_err().then_some(())) }).await?;
    }
    run(&world, &unstamped, &mut broken).await?;
    install(&world).await?;
    println!(
        "{} cases of {} rules",
        stamped.len() + unstamped.len(),
        policies().iter().map(|policy| policy.rules.len()).sum::<usize>()
    );
    ensure!(broken.is_empty(), "{} cases were otherwise:\n{}", broken.len(), broken.join("\n"));
    Ok(())
}

/// Kubernetes' own controllers make, count and remove what belongs to an operation; only the evidence waits for the manager.
async fn controllers(world: World) -> Result<()> {
    install(&world).await?;
    for propagation in ["Background", "Foreground"] {
        let place = place(&world).await?;
        let enabled = &place[ENABLED];
        let made =
            cases::cases().into_iter().find(|case| case.rule == "manager-makes-jobs" && case.attempt == "makes one");
        let made =
            made.map(|case| case.request).filter(|request| request.actor == Actor::Manager).context("no such case")?;
        let mut job = made.body;
        job["spec"]["template"]["metadata"]["finalizers"] = json!(["operator.ptah.run/evidence"]);
        let jobs = format!("/apis/batch/v1/namespaces/{enabled}/jobs");
        world.user(Actor::Manager)?.create(&jobs, &job).await?;
        let pod = until("the Job controller making a Pod", || async {
            let pods = world.admin.get(&format!("/api/v1/namespaces/{enabled}/pods")).await?;
            Ok(pods["items"].get(0).cloned())
        })
        .await?;
        let name = pod["metadata"]["name"].as_str().context("a Pod without a name")?;
        ensure!(pod["metadata"]["annotations"][marks::OPERATION_ID].is_string(), "the Pod carries no mark");
        let job_name = job["metadata"]["name"].as_str().unwrap_or_default();
        let gone = format!("{jobs}/{job_name}?propagationPolicy={propagation}");
        world.admin.send("DELETE", &gone, JSON, Vec::new()).await?.accepted(&gone)?;
        let path = format!("/api/v1/namespaces/{enabled}/pods/{name}");
        until("all but the evidence being gone", || async {
            let live = world.admin.get(&path).await?;
            let rest = &live["metadata"]["finalizers"];
            let is_ending = !live["metadata"]["deletionTimestamp"].is_null();
            Ok((is_ending && *rest == json!([marks::EVIDENCE])).then_some(()))
        })
        .await
        .context(propagation)?;
        world.user(Actor::Manager)?.merge(&path, &json!({ "metadata": { "finalizers": null } })).await?;
        until("the Pod and its Job being gone", || async {
            let pod = world.admin.send("GET", &path, JSON, Vec::new()).await?.status;
            let job = world.admin.send("GET", &format!("{jobs}/{job_name}"), JSON, Vec::new()).await?.status;
            Ok((pod == 404 && job == 404).then_some(()))
        })
        .await
        .context(propagation)?;
    }
    Ok(())
}

async fn identities(world: World) -> Result<()> {
    install(&world).await?;
    let place = place(&world).await?;
    for case in cases::cases() {
        let is_stamped =
            ["approver-is-who-asks", "acknowledger-is-who-asks"].contains(&case.rule) && !case.is_unstamped;
        if !is_stamped {
            continue;
        }
        let made = attempt(&world, &case, &place).await?.accepted(case.attempt)?;
        let spec = &made["spec"];
        let found = if spec["approver"].is_null() { &spec["acknowledgedBy"] } else { &spec["approver"] };
        ensure!(found["username"] == case.request.actor.user(), "{found}");
        ensure!(found["groups"] == json!(["system:authenticated"]), "{found}");
        ensure!(found.get("uid").is_none(), "a UID that the client made up was kept: {found}");
    }
    Ok(())
}

async fn writers(world: World) -> Result<()> {
    install(&world).await?;
    let namespace = world.namespace(json!({})).await?;
    let schemas = format!("/apis/operator.ptah.run/v1alpha1/namespaces/{namespace}/ptahschemas");
    let mut schema = objects(&text("crates/crds/tests/samples/schema-minimal.yaml")?)?.pop().context("no sample")?;
    schema["metadata"] = json!({ "name": "billing", "annotations": { WRITERS: "\"nobody\"" } });
    let [dana, erin, robot, manager] = [Actor::Author, Actor::Approver, Actor::Robot, Actor::Manager];
    let path = format!("{schemas}/billing");
    let spec = |interval: &str| json!({ "spec": { "interval": interval } });
    let mark = |value: Value| json!({ "metadata": { "annotations": { WRITERS: value } } });
    let first = world.user(dana)?.create(&schemas, &schema).await?;
    ensure!(written(&first) == [dana.user()], "what the client wrote was kept: {:?}", written(&first));
    for (actor, patch, expected, why) in [
        (erin, spec("1h"), vec![dana, erin], "another person's change"),
        (dana, spec("2h"), vec![dana, erin], "a second change of one person"),
        (
            robot,
            json!({ "metadata": { "labels": { "a": "b" } } }),
            vec![dana, erin],
            "a label is no change of the spec",
        ),
        (erin, mark(json!("")), vec![dana, erin], "a person empties it"),
        (erin, mark(Value::Null), vec![dana, erin], "a person removes it"),
        (robot, spec("3h"), vec![dana, erin, robot], "a robot's change"),
        (manager, mark(json!("")), vec![], "the manager empties it"),
        (erin, spec("4h"), vec![erin], "the next change"),
    ] {
        let stored = world.user(actor)?.merge(&path, &patch).await.context(why)?;
        let expected: Vec<&str> = expected.iter().map(|actor| actor.user()).collect();
        ensure!(written(&stored) == expected, "{why}: {:?}", written(&stored));
    }
    Ok(())
}

const WRITERS: &str = marks::SPEC_WRITERS;

/// Who is kept as a writer: a quoted name a line.
fn written(object: &Value) -> Vec<String> {
    let text = object["metadata"]["annotations"][WRITERS].as_str().unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| line.to_owned())).collect()
}
