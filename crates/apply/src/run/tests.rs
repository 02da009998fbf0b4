//! Every event at every effect, until nothing new can happen, beside a model of the database.

use std::collections::BTreeSet;

use ptah_model::{Digest, Fingerprint, OperationId};
use ptah_provider_api::claim::{OperationRecord, SegmentRecord};
use ptah_provider_api::execute::Outcome;
use ptah_provider_api::session::IdentityState;
use ptah_provider_api::transaction::TransactionState;

use super::*;

fn state(n: usize) -> Fingerprint {
    format!("sha256:{}", format!("{n:02x}").repeat(32)).parse().unwrap()
}

fn work(transactional: &[bool]) -> Work {
    let segment = |(i, transactional): (usize, &bool)| SegmentWork {
        transactional: *transactional,
        checks_rows: i == 0,
        units: if *transactional { 3 } else { 1 },
        before: state(i),
        after: state(i + 1),
    };
    Work {
        from: state(0),
        to: state(transactional.len()),
        segments: transactional.iter().enumerate().map(segment).collect(),
    }
}

fn request(target_exists: bool) -> Request {
    Request {
        operation: OperationId::new("this").unwrap(),
        dry_run: false,
        adopts: true,
        target_exists,
        lock_wait_ms: 10,
        busy_wait_ms: 10,
    }
}

fn earlier(outcome: Option<Outcome>) -> OperationRecord {
    OperationRecord {
        operation: OperationId::new("earlier").unwrap(),
        plan: Digest::of(b"earlier"),
        segments: 1,
        intents: vec![SegmentRecord {
            transactional: true,
            before: state(8),
            after: state(0),
            outcome: outcome.map(|o| (o, 1)),
        }],
        settled: None,
        at_us: 0,
    }
}

/// What is really in the database, whatever the run believes.
#[derive(Clone, Default)]
struct Truth {
    intended: BTreeSet<usize>,
    sent: BTreeSet<usize>,
    applied: BTreeSet<usize>,
    open: bool,
    in_open: Option<usize>,
    has_outcome: BTreeSet<usize>,
    locked: bool,
}

/// One way in which an effect can turn out: what the run is told, and what really happened.
#[derive(Clone)]
struct Turn {
    event: Event,
    truth: Truth,
}

struct Explorer {
    work: Work,
    leftovers: Vec<OperationRecord>,
    ends: usize,
    endings: BTreeSet<String>,
}

impl Explorer {
    fn explore(&mut self, run: &Run, truth: &Truth, interrupts: u8, waits: u8, depth: usize) {
        assert!(depth < 80, "a run ends");
        let effect = run.effect();
        assert_eq!(effect, run.effect(), "asking twice gives the same answer");
        if let Effect::Finish(ending) = &effect {
            self.judge(run, ending, truth);
            return;
        }
        for Turn { event, truth } in self.turns(&effect, truth, waits) {
            let waits = waits - u8::from(matches!(event, Event::Waited | Event::Busy { waited_ms: 5 }));
            let mut next = run.clone();
            next.observe(event).unwrap();
            self.explore(&next, &truth, interrupts, waits, depth + 1);
        }
        if interrupts > 0 {
            let mut next = run.clone();
            next.observe(Event::Interrupted).unwrap();
            self.explore(&next, truth, interrupts - 1, waits, depth + 1);
        }
    }

    /// The label has to say what the database holds.
    fn judge(&mut self, run: &Run, ending: &Ending, truth: &Truth) {
        self.ends += 1;
        self.endings.insert(format!("{ending:?}"));
        let (applied, of) = (truth.applied.len(), self.work.segments.len());
        match ending {
            Ending::InSync | Ending::DryRun | Ending::Declined | Ending::Refused(_) => {
                assert_eq!((applied, truth.sent.len()), (0, 0), "{ending:?}");
                assert!(!run.is_spent());
            }
            Ending::NotApplied(_) => assert_eq!(applied, 0, "{ending:?}"),
            Ending::Partial { applied: said, of: total, .. } => {
                assert_eq!((*said, *total), (applied, of), "{ending:?}");
                assert!(*said > 0 && *said < of);
            }
            Ending::Applied | Ending::NotProven { .. } | Ending::NotRecorded => assert_eq!(applied, of, "{ending:?}"),
            Ending::Unknown { applied: said, .. } => {
                assert!(*said <= applied && applied <= said + 1, "{ending:?} {applied}");
            }
        }
        let nothing_there = ending.exit_code() == 2;
        assert!(!nothing_there || applied == 0, "{ending:?}: exit code 2 with something in the database");
    }

    /// Every way in which the effect can turn out.
    fn turns(&self, effect: &Effect, truth: &Truth, waits: u8) -> Vec<Turn> {
        let same = |event| Turn { event, truth: truth.clone() };
        let lost = same(Event::Lost);
        let mut turns = match effect {
            Effect::TryLock => {
                let mut locked = truth.clone();
                locked.locked = true;
                let waited_ms = if waits > 0 { 5 } else { 10 };
                vec![
                    Turn { event: Event::LockAcquired, truth: locked },
                    same(Event::LockBusy { waited_ms }),
                    same(Event::LockLost),
                ]
            }
            Effect::WaitForLock => return vec![same(Event::Waited)],
            Effect::ReadClaims => self.claims(truth),
            Effect::ReadState { .. } => {
                vec![same(Event::StateRead(Self::found(truth))), same(Event::StateRead(state(99)))]
            }
            Effect::Prepare { .. } => {
                let in_sync = |to_remember| same(Event::InSync { to_remember });
                vec![
                    same(Event::Planned(self.work.clone())),
                    in_sync(true),
                    in_sync(false),
                    same(Event::PlanRefused(Against::Plan)),
                ]
            }
            Effect::Approve => return vec![same(Event::Approved), same(Event::Declined)],
            Effect::CreateTarget => vec![same(Event::Created), same(Event::PlanRefused(Against::Plan))],
            Effect::CheckLock => {
                assert!(truth.locked, "no lock is proven that was never taken");
                vec![same(Event::LockHeld), same(Event::LockLost)]
            }
            Effect::CheckRows { .. } => vec![same(Event::RowsHold), same(Event::RowsOffend)],
            Effect::Adopt | Effect::Remember { .. } | Effect::SettleEarlier { .. } | Effect::Settle { .. } => {
                vec![same(Event::Recorded), same(Event::NotRecorded)]
            }
            Effect::Release => vec![same(Event::Released)],
            Effect::Finish(_) => vec![],
            Effect::Intend { segment } => [intend(*segment, truth), busy(truth, waits)].concat(),
            Effect::Begin { segment } => [begin(*segment, truth), busy(truth, waits)].concat(),
            Effect::Execute { segment } => self.execute(*segment, truth),
            Effect::RecordOutcome { segment, in_transaction, .. } => record(*segment, *in_transaction, truth),
            Effect::Commit { segment } => commit(*segment, truth),
            Effect::Rollback { .. } => rollback(truth),
        };
        turns.push(lost);
        turns
    }

    fn claims(&self, truth: &Truth) -> Vec<Turn> {
        let read = |identity, operations: Vec<OperationRecord>| Turn {
            event: Event::ClaimsRead { identity, operations },
            truth: truth.clone(),
        };
        let mut own = earlier(None);
        own.operation = OperationId::new("this").unwrap();
        vec![
            read(IdentityState::Same, self.leftovers.clone()),
            read(IdentityState::Same, vec![own]),
            read(IdentityState::MovedOrCopied, vec![]),
        ]
    }

    fn found(truth: &Truth) -> Fingerprint {
        state(truth.applied.len())
    }

    fn execute(&self, segment: usize, truth: &Truth) -> Vec<Turn> {
        let transactional = self.work.segments[segment].transactional;
        assert!(truth.intended.contains(&segment), "nothing is sent before its intent is stored");
        assert!(!truth.sent.contains(&segment), "nothing is sent twice");
        assert_eq!(truth.open, transactional);
        assert_eq!(truth.applied.len(), segment, "segments run in their order");
        let mut sent = truth.clone();
        sent.sent.insert(segment);
        let mut done = sent.clone();
        if transactional {
            done.in_open = Some(segment);
        } else {
            done.applied.insert(segment);
        }
        let executed = |outcome, applied, truth: &Truth| Turn {
            event: Event::Executed { outcome, applied },
            truth: truth.clone(),
        };
        let mut offending = sent.clone();
        offending.in_open = None;
        let offend = transactional.then_some(Turn { event: Event::RowsOffend, truth: offending });
        let mut turns = vec![
            executed(Outcome::Applied, self.work.segments[segment].units, &done),
            executed(Outcome::NotApplied, 0, &sent),
            executed(Outcome::NotStarted, 0, truth),
            executed(Outcome::Unknown, 0, &sent),
            executed(Outcome::Unknown, 0, &done),
            Turn { event: Event::Lost, truth: done },
        ];
        turns.extend(offend);
        turns
    }
}

fn intend(segment: usize, truth: &Truth) -> Vec<Turn> {
    assert!(!truth.open, "an intent commits alone");
    let mut stored = truth.clone();
    stored.intended.insert(segment);
    let turn = |event, truth: &Truth| Turn { event, truth: truth.clone() };
    vec![
        turn(Event::Intended, &stored),
        turn(Event::AlreadySpent, truth),
        turn(Event::NotRecorded, truth),
        turn(Event::NotRecorded, &stored),
        turn(Event::Lost, &stored),
    ]
}

/// Waited out, or with time left as often as `waits` says.
fn busy(truth: &Truth, waits: u8) -> Vec<Turn> {
    let turn = |waited_ms| Turn { event: Event::Busy { waited_ms }, truth: truth.clone() };
    if waits > 0 { vec![turn(5), turn(10)] } else { vec![turn(10)] }
}

fn begin(segment: usize, truth: &Truth) -> Vec<Turn> {
    assert!(truth.intended.contains(&segment));
    let mut open = truth.clone();
    open.open = true;
    let mut turns = vec![Turn { event: Event::Begun, truth: open }];
    for why in [TransactionState::Busy, TransactionState::StateChanged, TransactionState::ClaimChanged] {
        turns.push(Turn { event: Event::NotBegun(why), truth: truth.clone() });
    }
    turns
}

fn record(segment: usize, in_transaction: bool, truth: &Truth) -> Vec<Turn> {
    assert_eq!(in_transaction, truth.open, "an outcome is written where its units are");
    let mut stored = truth.clone();
    stored.has_outcome.insert(segment);
    vec![
        Turn { event: Event::Recorded, truth: stored.clone() },
        Turn { event: Event::NotRecorded, truth: truth.clone() },
        Turn { event: Event::Lost, truth: stored },
    ]
}

fn commit(segment: usize, truth: &Truth) -> Vec<Turn> {
    assert!(truth.has_outcome.contains(&segment), "no commit without its outcome");
    let mut gone = truth.clone();
    (gone.open, gone.in_open) = (false, None);
    let mut done = gone.clone();
    done.applied.extend(truth.in_open);
    vec![
        Turn { event: Event::Committed, truth: done.clone() },
        Turn { event: Event::RolledBack, truth: gone.clone() },
        Turn { event: Event::CommitUnknown, truth: gone },
        Turn { event: Event::CommitUnknown, truth: done.clone() },
        Turn { event: Event::Lost, truth: done },
    ]
}

fn rollback(truth: &Truth) -> Vec<Turn> {
    let mut gone = truth.clone();
    (gone.open, gone.in_open) = (false, None);
    vec![Turn { event: Event::RolledBack, truth: gone.clone() }, Turn { event: Event::CommitUnknown, truth: gone }]
}

fn explore(transactional: &[bool], target_exists: bool, leftovers: Vec<OperationRecord>) -> Explorer {
    let mut explorer = Explorer { work: work(transactional), leftovers, ends: 0, endings: BTreeSet::new() };
    let mut request = request(target_exists);
    if !target_exists {
        let from = Fingerprint::of(&ptah_model::SchemaModel::default());
        explorer.work.from = from;
        explorer.work.segments[0].before = from;
        request.target_exists = false;
    }
    explorer.explore(&Run::new(request), &Truth::default(), 1, 1, 0);
    explorer
}

#[test]
fn every_effect_may_be_the_last_and_the_label_says_what_the_database_holds() {
    for transactional in [[true].as_slice(), &[false], &[true, true], &[false, true], &[true, false], &[false, false]] {
        let explored = explore(transactional, true, vec![]);
        assert!(explored.ends > 500, "{}", explored.ends);
        for wanted in ["Applied", "NotApplied(ProviderLost)", "Refused(Spent)", "Declined", "InSync", "NotRecorded"] {
            assert!(explored.endings.iter().any(|e| e == wanted), "{wanted} in {:?}", explored.endings);
        }
    }
}

#[test]
fn a_database_that_appears_after_the_plan_is_stale() {
    let explored = explore(&[true], false, vec![]);
    assert!(explored.endings.contains("Refused(Stale)"));
}

#[test]
fn what_an_earlier_run_left_is_settled_before_anything_is_planned() {
    let leftovers = vec![earlier(None), earlier(Some(Outcome::Applied))];
    let mut run = Run::new(request(true));
    run.observe(Event::LockAcquired).unwrap();
    run.observe(Event::ClaimsRead { identity: IdentityState::Same, operations: leftovers.clone() }).unwrap();
    run.observe(Event::StateRead(state(0))).unwrap();
    for _ in &leftovers {
        assert!(matches!(run.effect(), Effect::SettleEarlier { .. }), "{:?}", run.effect());
        run.observe(Event::Recorded).unwrap();
    }
    assert_eq!(run.effect(), Effect::ReadState { whole: true });
    let verdicts: Vec<_> = run.settled().iter().map(|s| s.applied).collect();
    assert_eq!(verdicts, [Some(1), Some(0)], "oldest first");
    explore(&[true], true, leftovers);
}

#[test]
fn a_dry_run_writes_nothing_not_even_a_settlement() {
    let mut run = Run::new(Request { dry_run: true, ..request(true) });
    run.observe(Event::LockAcquired).unwrap();
    let operations = vec![earlier(None)];
    run.observe(Event::ClaimsRead { identity: IdentityState::Same, operations }).unwrap();
    assert_eq!(run.effect(), Effect::ReadState { whole: true });
    run.observe(Event::StateRead(state(0))).unwrap();
    run.observe(Event::Planned(work(&[true]))).unwrap();
    run.observe(Event::Released).unwrap();
    assert_eq!(run.effect(), Effect::Finish(Ending::DryRun));
}

/// At the intent of the first segment, with consent.
fn intending() -> Run {
    let mut run = Run::new(request(true));
    let nothing = Event::ClaimsRead { identity: IdentityState::New, operations: vec![] };
    let planned = Event::Planned(work(&[true]));
    for event in [Event::LockAcquired, nothing, Event::StateRead(state(0)), planned, Event::Approved, Event::LockHeld] {
        run.observe(event).unwrap();
    }
    assert_eq!(run.effect(), Effect::Intend { segment: 0 });
    run
}

#[test]
fn a_busy_intent_or_begin_is_tried_again_under_a_proven_lock_until_the_time_is_over() {
    let mut run = intending();
    run.observe(Event::Busy { waited_ms: 9 }).unwrap();
    assert_eq!(run.effect(), Effect::CheckLock);
    run.observe(Event::LockHeld).unwrap();
    let mut over = run.clone();
    over.observe(Event::Busy { waited_ms: 10 }).unwrap();
    over.observe(Event::Released).unwrap();
    assert_eq!(over.effect(), Effect::Finish(Ending::Refused(Refusal::Busy)));
    run.observe(Event::Intended).unwrap();
    run.observe(Event::LockHeld).unwrap();
    run.observe(Event::Busy { waited_ms: 9 }).unwrap();
    assert_eq!(run.effect(), Effect::CheckLock);
    run.observe(Event::LockHeld).unwrap();
    assert_eq!(run.effect(), Effect::Begin { segment: 0 });
    run.observe(Event::Busy { waited_ms: 10 }).unwrap();
    assert!(matches!(run.effect(), Effect::RecordOutcome { outcome: Outcome::NotStarted, .. }), "{:?}", run.effect());
}

#[test]
fn a_partial_outcome_is_stored_with_the_count_that_was_reported() {
    for (outcome, applied) in [(Outcome::Partial, 2), (Outcome::NotApplied, 0)] {
        let mut run = intending();
        run.state = State::Segment(0, At::Executing);
        let work = run.known.work.as_mut().unwrap();
        work.segments[0].transactional = false;
        run.observe(Event::Executed { outcome, applied }).unwrap();
        let stored = Effect::RecordOutcome { segment: 0, outcome, applied, in_transaction: false };
        assert_eq!(run.effect(), stored);
    }
}

#[test]
fn nobody_says_that_the_server_refused_what_nobody_knows() {
    let mut run = intending();
    run.state = State::Segment(0, At::Executing);
    run.known.work.as_mut().unwrap().segments[0].transactional = false;
    run.observe(Event::Executed { outcome: Outcome::Unknown, applied: 0 }).unwrap();
    run.observe(Event::Recorded).unwrap();
    run.observe(Event::Released).unwrap();
    let Effect::Finish(Ending::Unknown { trouble, .. }) = run.effect() else { panic!("{:?}", run.effect()) };
    assert_eq!(trouble, Trouble::ProviderLost);
}

#[test]
fn an_answer_that_says_no_is_no_lost_provider_and_gives_the_lock_back() {
    let mut run = Run::new(request(true));
    run.observe(Event::LockAcquired).unwrap();
    run.observe(Event::CallFailed).unwrap();
    assert_eq!(run.effect(), Effect::Release);
    run.observe(Event::Released).unwrap();
    assert_eq!(run.effect(), Effect::Finish(Ending::Refused(Refusal::ProviderRefused)));
}

#[test]
fn that_nothing_is_to_be_done_is_remembered_by_a_run_that_may_write_and_by_no_other() {
    let in_sync = |request: Request| {
        let mut run = Run::new(request);
        run.observe(Event::LockAcquired).unwrap();
        run.observe(Event::ClaimsRead { identity: IdentityState::Same, operations: vec![] }).unwrap();
        run.observe(Event::StateRead(state(0))).unwrap();
        run.observe(Event::InSync { to_remember: true }).unwrap();
        run
    };
    let mut run = in_sync(request(true));
    assert_eq!(run.effect(), Effect::Remember { found: state(0) });
    assert!(!run.is_spent());
    run.observe(Event::NotRecorded).unwrap();
    run.observe(Event::Released).unwrap();
    assert_eq!(run.effect(), Effect::Finish(Ending::InSync), "losing the record costs time alone");
    let dry = in_sync(Request { dry_run: true, ..request(true) });
    assert_eq!(dry.effect(), Effect::Release);
}

#[test]
fn a_plan_made_on_another_state_is_refused() {
    let mut run = Run::new(request(true));
    run.observe(Event::LockAcquired).unwrap();
    run.observe(Event::ClaimsRead { identity: IdentityState::New, operations: vec![] }).unwrap();
    run.observe(Event::StateRead(state(5))).unwrap();
    run.observe(Event::Planned(work(&[true]))).unwrap();
    run.observe(Event::Released).unwrap();
    assert_eq!(run.effect(), Effect::Finish(Ending::Refused(Refusal::Stale)));
}

#[test]
fn an_event_that_cannot_follow_is_refused_with_both_names() {
    let mut run = Run::new(request(true));
    let illegal = run.observe(Event::Committed).unwrap_err();
    assert_eq!(*illegal, Illegal { effect: Effect::TryLock, event: Event::Committed });
}
