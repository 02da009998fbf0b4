//! The text and the document of every ending.

use ptah_apply::{Against, Refusal, Trouble};
use ptah_model::Fingerprint;
use ptah_provider_host::HostError;

use super::*;

const REFUSALS: [Refusal; 15] = [
    Refusal::LockBusy,
    Refusal::LockLost,
    Refusal::Spent,
    Refusal::MovedOrCopied,
    Refusal::NotSettled,
    Refusal::Plan(Against::Sources),
    Refusal::Plan(Against::Plan),
    Refusal::Plan(Against::Proof),
    Refusal::Stale,
    Refusal::NotRecorded,
    Refusal::Busy,
    Refusal::Interrupted,
    Refusal::ProviderLost,
    Refusal::ProviderRefused,
    Refusal::NotCreated,
];

const TROUBLES: [Trouble; 10] = [
    Trouble::LockLost,
    Trouble::NotRecorded,
    Trouble::Busy,
    Trouble::StateChanged,
    Trouble::ClaimChanged,
    Trouble::RowsOffend,
    Trouble::Failed,
    Trouble::Interrupted,
    Trouble::ProviderLost,
    Trouble::IntentLost,
];

fn fingerprint() -> Fingerprint {
    format!("sha256:{}", "ab".repeat(32)).parse().unwrap()
}

fn operation() -> OperationId {
    OperationId::new("01939f6e-0000-7000-8000-000000000001").unwrap()
}

fn view<'a>(ending: &'a Ending, operation: Option<&'a OperationId>) -> RunView<'a> {
    RunView {
        database: "app.db",
        ending,
        settled: &[],
        adopted: None,
        operation,
        plan: Some(Digest::of(b"plan")),
        saved: false,
        remembered: false,
        reason: None,
        provider: None,
    }
}

fn text(endings: &[Ending]) -> String {
    let operation = operation();
    let one = |ending: &Ending| format!("({}) {}", ending.exit_code(), view(ending, Some(&operation)).page().plain());
    endings.iter().map(one).collect::<Vec<_>>().join("\n")
}

#[test]
fn each_ending_says_what_is_known_and_what_to_do() {
    insta::assert_snapshot!(text(&[
        Ending::InSync,
        Ending::DryRun,
        Ending::Declined,
        Ending::Applied,
        Ending::NotApplied(Trouble::Failed),
        Ending::Partial { applied: 1, of: 3, trouble: Trouble::Failed },
        Ending::NotProven { found: fingerprint() },
        Ending::NotRecorded,
        Ending::Unknown { applied: 1, of: 3, trouble: Trouble::ProviderLost },
    ]));
}

#[test]
fn each_refusal_says_why_and_what_to_do() {
    insta::assert_snapshot!(text(&REFUSALS.map(Ending::Refused)));
}

#[test]
fn each_trouble_says_why_and_what_to_do() {
    insta::assert_snapshot!(text(&TROUBLES.map(Ending::NotApplied)));
}

#[test]
fn only_what_is_certain_is_said_to_be_absent() {
    for trouble in TROUBLES {
        let told = text(&[Ending::Unknown { applied: 0, of: 1, trouble }]);
        assert!(told.starts_with("(3) unknown: certainly in the database: 0 of 1 segment;"), "{told}");
        assert!(!told.contains("nothing of") && !told.contains("nothing was"), "{told}");
    }
}

#[test]
fn a_saved_plan_that_is_spent_says_so() {
    let told = |ending| RunView { saved: true, ..view(&ending, None) }.page().plain();
    assert!(told(Ending::NotApplied(Trouble::Busy)).contains("the saved plan is spent"));
    for quiet in [Ending::Applied, Ending::Declined, Ending::Refused(Refusal::LockBusy)] {
        assert!(!told(quiet).contains("spent"));
    }
}

#[test]
fn what_was_settled_is_told_in_words() {
    let settled = |verdict, applied| Settled { operation: operation(), verdict, applied, of: 3 };
    let all = [
        settled(Verdict::Applied, Some(3)),
        settled(Verdict::NotApplied, Some(0)),
        settled(Verdict::Partial, Some(2)),
        settled(Verdict::Diverged, None),
    ];
    let told: Vec<String> = all.iter().map(settled_sentence).collect();
    insta::assert_snapshot!(told.join("\n"));
    let document = RunView { settled: &all, ..view(&Ending::InSync, None) }.document(Vec::new(), Vec::new());
    assert_eq!(document.settled.len(), 4);
}

#[test]
fn the_document_of_an_unknown_run_says_so_and_counts() {
    let operation = operation();
    let ending = Ending::Unknown { applied: 1, of: 3, trouble: Trouble::ProviderLost };
    insta::assert_json_snapshot!(view(&ending, Some(&operation)).document(Vec::new(), Vec::new()));
}

#[test]
fn a_provider_that_died_is_told_as_such_and_not_as_a_missing_right() {
    let told = |ending: Ending, provider| RunView { provider, ..view(&ending, None) }.page().plain();
    let ended = HostError::Ended { call: ptah_provider_host::Call::Claim };
    for ending in [Refusal::NotRecorded, Refusal::ProviderLost].map(Ending::Refused) {
        let with = told(ending.clone(), Some(&ended));
        assert!(with.contains("the provider") && !with.contains("able to write"), "{with}");
        assert_ne!(with, told(ending, None));
    }
    let recorded = told(Ending::NotRecorded, Some(&ended));
    assert!(recorded.contains("the provider ended before that"), "{recorded}");
    assert!(recorded.contains("run `ptah schema apply` again"), "{recorded}");
    assert!(told(Ending::NotRecorded, None).contains("make room"), "a record that was refused has another remedy");
}

#[test]
fn codes_are_distinct() {
    let mut refusals = REFUSALS.map(refusal_code).to_vec();
    refusals.sort_unstable();
    refusals.dedup();
    let mut troubles = TROUBLES.map(trouble_code).to_vec();
    troubles.sort_unstable();
    troubles.dedup();
    assert_eq!((refusals.len(), troubles.len()), (REFUSALS.len(), TROUBLES.len()));
}
