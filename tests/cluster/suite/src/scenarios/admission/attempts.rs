//! Carries out the cases, and says what became of each.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use ptah_admission::cases::{Actor, Case, ENABLED, Expected, OTHER, Request};
use serde_json::json;

use crate::wait::until;
use crate::world::{Answer, JSON, World};

pub(super) async fn run(world: &World, cases: &[Case], broken: &mut Vec<String>) -> Result<()> {
    let shared = place(world).await?;
    for case in cases {
        // What is given to one case is not met by the next.
        let place = if case.given.is_empty() { shared.clone() } else { place(world).await? };
        let said = attempt(world, case, &place).await.with_context(|| format!("{} {}", case.rule, case.attempt))?;
        let seen = match verdict(&said) {
            "other" if case.expected == Expected::Passed => "passed",
            seen => seen,
        };
        println!(
            "{:<28} {:<24} {:<9} {:<9} {}",
            case.rule,
            case.request.actor.word(),
            word(case.expected),
            seen,
            case.attempt
        );
        let is_right = match case.expected {
            Expected::Allowed => seen == "allowed",
            Expected::Passed => seen != "refused",
            Expected::Denied => seen == "refused" && said.message().contains(&format!("[{}]", case.rule)),
        };
        if !is_right {
            let request = &case.request;
            broken.push(format!(
                "{} {} {} {}: {} {}",
                case.rule,
                request.actor.word(),
                request.method,
                request.path,
                said.status,
                said.message()
            ));
        }
    }
    Ok(())
}

fn word(expected: Expected) -> &'static str {
    match expected {
        Expected::Allowed => "allowed",
        Expected::Denied => "refused",
        Expected::Passed => "passed",
    }
}

/// What became of a request: refused by a policy, done, or something else.
fn verdict(said: &Answer) -> &'static str {
    if said.message().contains("ValidatingAdmissionPolicy 'ptah-") {
        "refused"
    } else if (200..300).contains(&said.status) {
        "allowed"
    } else {
        "other"
    }
}

/// Two new namespaces, by the words that stand for them.
pub(super) async fn place(world: &World) -> Result<BTreeMap<&'static str, String>> {
    let enabled = world.namespace(json!({ "operator.ptah.run/enabled": "true" })).await?;
    let other = world.namespace(json!({})).await?;
    for namespace in [&enabled, &other] {
        let account = format!("/api/v1/namespaces/{namespace}/serviceaccounts/default");
        until("the default service account", || async {
            Ok((world.admin.send("GET", &account, JSON, Vec::new()).await?.status == 200).then_some(()))
        })
        .await?;
    }
    Ok(BTreeMap::from([(ENABLED, enabled), (OTHER, other)]))
}

pub(super) async fn attempt(world: &World, case: &Case, place: &BTreeMap<&'static str, String>) -> Result<Answer> {
    let mut uid = String::new();
    for given in &case.given {
        let made = sent(world, given, place, "").await?.accepted("what has to be there")?;
        made["metadata"]["uid"].as_str().unwrap_or_default().clone_into(&mut uid);
    }
    if case.request.actor != Actor::Kubelet {
        return sent(world, &case.request, place, &uid).await;
    }
    // Which Pods a kubelet runs, the API server learns a moment after they were created.
    until("the Pod being known to be the kubelet's", || async {
        let said = sent(world, &case.request, place, &uid).await?;
        Ok((said.status != 403 || verdict(&said) == "refused").then_some(said))
    })
    .await
}

async fn sent(world: &World, request: &Request, place: &BTreeMap<&'static str, String>, uid: &str) -> Result<Answer> {
    let filled = |text: &str| {
        let text = place.iter().fold(text.to_owned(), |text, (word, namespace)| text.replace(word, namespace));
        text.replace("{uid}", uid)
    };
    let body = if request.body.is_null() { Vec::new() } else { filled(&request.body.to_string()).into_bytes() };
    let user = world.user(request.actor)?;
    user.send(request.method, &filled(&request.path), request.content_type, body).await
}
