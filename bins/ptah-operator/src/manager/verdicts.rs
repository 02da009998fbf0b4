//! What is written onto an approval or an acknowledgment: one condition, with a sentence that a person can act on.

use std::collections::BTreeSet;

use ptah_crds::ConditionType;
use ptah_lifecycle::Stale;
use ptah_mirror::people::stale_reason;
use ptah_records::operator::time::Moment;
use serde_json::{Value, json};

/// What becomes of somebody's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    kind: ConditionType,
    reason: &'static str,
    message: &'static str,
}

/// It was spent.
pub(crate) const CONSUMED: Verdict = Verdict {
    kind: ConditionType::Consumed,
    reason: "Spent",
    message: "It was spent on the operation that the status names; nothing else can spend it.",
};

/// It counts for nothing.
pub(crate) fn stale(stale: Stale) -> Verdict {
    let message = match stale {
        Stale::NoSuchPlan => {
            "No plan of this resource has that UID and fingerprint; look at its status and approve the one there."
        }
        Stale::PlanReplaced => "Another plan took its place; read that one and approve it.",
        Stale::NotAwaiting => "The plan does not wait for an approval.",
        Stale::Superseded => "An older approval of the same plan counts.",
        Stale::UnattestedIdentity => {
            "Nobody can say whose it is: the admission policies were not in force when it was made. Make it again."
        }
        Stale::SelfApproval => "Who made the change cannot give the consent to it; another person has to.",
        Stale::RunNotUnresolved => "No run with that operation ID waits for a person here.",
        Stale::NotAdmitted => "The resource is not admitted to its database, so it can settle nothing there.",
    };
    Verdict { kind: ConditionType::Stale, reason: stale_reason(stale), message }
}

/// Puts a verdict among the conditions of an object, in the place of one of its kind.
pub(crate) fn put(object: &mut Value, verdict: &Verdict, now: Moment) {
    let generation = object["metadata"]["generation"].clone();
    let condition = json!({
        "type": verdict.kind,
        "status": "True",
        "reason": verdict.reason,
        "message": verdict.message,
        "observedGeneration": generation,
        "lastTransitionTime": now,
    });
    let mut conditions = object["status"]["conditions"].as_array().cloned().unwrap_or_default();
    conditions.retain(|one| one["type"] != condition["type"]);
    conditions.push(condition);
    object["status"]["conditions"] = json!(conditions);
    object["status"]["observedGeneration"] = generation;
}

/// Who wrote a spec: a quoted name a line, as admission leaves it. A line that is none of ours is taken as it stands, so that
/// nobody drops out by it.
pub(crate) fn writers(text: &str) -> BTreeSet<String> {
    let name = |line: &str| serde_json::from_str::<String>(line).unwrap_or_else(|_| line.to_owned());
    text.lines().filter(|line| !line.is_empty()).map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_takes_the_place_of_one_of_its_kind_and_leaves_the_others() {
        let now = Moment::parse("2026-01-31T23:59:59Z").unwrap();
        let mut object =
            json!({ "metadata": { "generation": 1 }, "status": { "conditions": [{ "type": "Accepted" }] } });
        put(&mut object, &stale(Stale::Superseded), now);
        put(&mut object, &stale(Stale::PlanReplaced), now);
        let conditions = object["status"]["conditions"].as_array().unwrap();
        let kinds: Vec<_> = conditions.iter().map(|one| one["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["Accepted", "Stale"]);
        assert_eq!(conditions[1]["reason"], json!("PlanReplaced"));
        assert_eq!(conditions[1]["lastTransitionTime"], json!("2026-01-31T23:59:59Z"));
    }

    #[test]
    fn every_writer_counts_also_one_whose_line_is_not_ours() {
        let expected = BTreeSet::from(["a \"b\"".to_owned(), "plain".to_owned()]);
        assert_eq!(writers("\"a \\\"b\\\"\"\n\nplain\n"), expected);
    }
}
