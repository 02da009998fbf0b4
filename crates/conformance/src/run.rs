//! Tries every rule, one after another.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use ptah_provider_api::feature::gated_calls;
use ptah_provider_wire::pb;

use crate::lab::{Lab, Offer};
use crate::message::describe_all;
use crate::peer::Peer;
use crate::process::Spawn;
use crate::report::{Report, Told};
use crate::rule::{Finding, Rule, Stop, Verdict, broken};
use crate::target::Target;

/// The longest that one rule may take. The longest wait that a rule asks for is well below.
const RULE_LIMIT: Duration = Duration::from_mins(2);

/// Tries the rules on a target; `told` hears of each when it is done.
///
/// **Flow.** Starts the executable once to hear what it offers; then tries each rule on processes of its own. An
/// executable that cannot even be described fails every rule that needs more.
///
/// **Caveats.** Needs a tokio runtime with time and I/O. Fills and empties the database at the target's address.
pub async fn run(target: &Target, rules: &[Rule], mut told: impl FnMut(&Told)) -> Report {
    let began = Instant::now();
    let probe = offer(target).await;
    let nothing = Offer::default();
    let mut all = Vec::new();
    for rule in rules {
        let began = Instant::now();
        let verdict = match &probe {
            Ok(offer) => judge(target, offer, rule).await,
            Err(_) if rule.needs.is_empty() && !rule.database => judge(target, &nothing, rule).await,
            Err(finding) => Verdict::Failed(finding.clone()),
        };
        let one = Told { rule: *rule, verdict, took: began.elapsed() };
        told(&one);
        all.push(one);
    }
    let provider = probe.map(|offer| offer.description.provider_id).unwrap_or_default();
    Report { provider, told: all, took: began.elapsed() }
}

async fn judge(target: &Target, offer: &Offer, rule: &Rule) -> Verdict {
    if let Some(missing) = rule.needs.iter().find(|feature| !offer.has(feature)) {
        return Verdict::NotApplicable(format!("the feature {missing} is not offered"));
    }
    if rule.database && target.address.is_none() {
        return Verdict::NotApplicable("no address was given".to_owned());
    }
    let lab = Lab::new(target, offer);
    let ended = tokio::time::timeout(RULE_LIMIT, (rule.run)(&lab)).await;
    let ended = ended.unwrap_or_else(|_| {
        Err(broken("the calls of the rule", format!("no end within {} seconds", RULE_LIMIT.as_secs())))
    });
    match ended {
        Ok(()) => Verdict::Passed,
        Err(Stop::Failed(finding)) => Verdict::Failed(finding),
        Err(Stop::NotApplicable(why)) => Verdict::NotApplicable(why),
    }
}

/// Hears what the executable offers.
async fn offer(target: &Target) -> Result<Offer, Finding> {
    let heard = hear(target).await;
    heard.map_err(|stop| match stop {
        Stop::Failed(finding) => finding,
        Stop::NotApplicable(why) => Finding { sent: "Describe".to_owned(), came: why },
    })
}

async fn hear(target: &Target) -> Result<Offer, Stop> {
    let peer = Peer::start(&Spawn::new(&target.executable, &target.environment)).await?;
    let description = peer.describe(describe_all()).await?;
    let engine = description.engines.iter().find(|engine| answers(engine, target.engine.as_deref())).cloned();
    let engine = engine.ok_or_else(|| broken("Describe", "no engine of the name that was asked for"))?;
    let services: BTreeSet<&str> = gated_calls().iter().map(|(feature, _)| *feature).collect();
    let ours: BTreeSet<&String> = engine.features.iter().collect();
    let kept = description.features.iter().filter(|f| ours.contains(f) || !services.contains(f.as_str()));
    let features = kept.chain(engine.features.iter().filter(|f| !services.contains(f.as_str()))).cloned().collect();
    Ok(Offer { description, engine, features })
}

fn answers(engine: &pb::Engine, name: Option<&str>) -> bool {
    name.is_none_or(|name| engine.name == name || engine.aliases.iter().any(|alias| alias == name))
}
