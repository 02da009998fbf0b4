//! The samples of `crates/crds/tests/samples/`: what the tests there expect of types and rules, the API server does.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::Scenario;
use super::definitions::establish;
use crate::objects::{collection, holds, names, objects, text};
use crate::world::{Answer, JSON, World};

const FOLDER: &str = "crates/crds/tests/samples";

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![("samples_every_verdict_is_the_api_servers_own", |world| Box::pin(verdicts(world)))]
}

async fn verdicts(world: World) -> Result<()> {
    establish(&world.admin).await?;
    let namespace = world.namespace(json!({})).await?;
    let (mut accepted, mut refused) = (0, 0);
    for name in names(FOLDER)? {
        let text = text(&format!("{FOLDER}/{name}"))?;
        let expected = text.lines().next().and_then(|line| line.strip_prefix("# refused: ")).map(str::to_owned);
        let mut objects = objects(&text)?;
        let mut object = objects.pop().context("a sample without an object")?;
        let path = collection(&object, &namespace)?;
        place(&mut object, &namespace);
        let answer = match objects.pop() {
            None => world.admin.try_create(&path, &object).await?,
            Some(mut before) => {
                place(&mut before, &namespace);
                update(&world, &path, &before, object.clone()).await.with_context(|| name.clone())?
            }
        };
        match expected {
            None => {
                accepted += 1;
                let stored = answer.accepted(&name)?;
                ensure!(holds(&stored, &object), "{name} was stored as something else: {stored}");
            }
            Some(expected) => {
                refused += 1;
                ensure!(answer.status == 422, "{name}: {} and not 422: {}", answer.status, answer.message());
                ensure!(
                    answer.message().contains(&expected),
                    "{name} was refused for another reason: {}",
                    answer.message()
                );
            }
        }
        world.admin.delete(&format!("{path}/{}", object["metadata"]["name"].as_str().unwrap_or_default())).await?;
    }
    ensure!(accepted > 8 && refused > 20, "the samples are missing: {accepted} accepted, {refused} refused");
    Ok(())
}

/// Puts an object into the namespace of the test, if it has one.
fn place(object: &mut Value, namespace: &str) {
    if object["metadata"].get("namespace").is_some() {
        object["metadata"]["namespace"] = json!(namespace);
    }
}

/// Creates the first and has it replaced by the second.
async fn update(world: &World, path: &str, before: &Value, mut after: Value) -> Result<Answer> {
    let stored = world.admin.create(path, before).await?;
    after["metadata"]["resourceVersion"] = stored["metadata"]["resourceVersion"].clone();
    let path = format!("{path}/{}", after["metadata"]["name"].as_str().unwrap_or_default());
    world.admin.send("PUT", &path, JSON, after.to_string().into_bytes()).await
}
