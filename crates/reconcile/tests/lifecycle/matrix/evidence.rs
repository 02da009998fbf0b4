//! Evidence: every kind of result, Pod and Job, and what it is worth.

use ptah_lifecycle::{
    Family, Frame, Kind, Operation, Outcome, ReadFailure, Reported, Section, SettleReading, Shown, Stopped, Uid,
};

use crate::support::{DB, ONE, World, digest, finished, key, reading};

const SAID: Reported = Reported { outcome: Outcome::Applied, right_database: true };

/// What is changed of a good result.
type Change = fn(&mut Frame);

/// What was delivered, for an operation whose Pod was let in.
struct Row {
    name: &'static str,
    frame: Change,
    /// What the record says, and what is noted beside it as reported.
    apply: (Outcome, Option<Outcome>),
    /// Whether a settling reading counts.
    settles: bool,
}

const UNKNOWN: (Outcome, Option<Outcome>) = (Outcome::Unknown, None);

const ROWS: [Row; 5] = [
    Row { name: "good", frame: |_| {}, apply: (Outcome::Applied, None), settles: true },
    Row { name: "of another operation", frame: |f| f.operation = Operation(9), apply: UNKNOWN, settles: false },
    Row { name: "twice, and different", frame: |f| f.conflict = true, apply: UNKNOWN, settles: false },
    Row { name: "signed by nobody", frame: |f| f.key = None, apply: UNKNOWN, settles: false },
    Row { name: "signed by another", frame: |f| f.key = Some(digest("another")), apply: UNKNOWN, settles: false },
];

/// Delivers what a row says.
fn deliver(world: &mut World, pod: Uid, section: Section, change: Change) {
    let operation = world.claim(ONE).operation;
    let mut frame =
        Frame { operation, pod, key: Some(key(pod)), conflict: false, section, rows: world.rows, state_version: 1 };
    change(&mut frame);
    world.frames.insert((operation, pod), frame);
}

#[test]
fn a_run_is_believed_only_when_its_result_is_whole_its_own_and_signed() {
    for family in [Family::Schema, Family::Migration] {
        for row in &ROWS {
            let mut world = World::of(family);
            let (claim, pod) = world.started(ONE);
            deliver(&mut world, pod, Section::Run(SAID), row.frame);
            world.stop(claim.operation, None);
            world.until(ONE, "RecordRun");
            let record = world.status(ONE).record.clone().unwrap();
            assert_eq!((record.outcome, record.reported), row.apply, "{family:?} {}", row.name);
        }
    }
}

#[test]
fn a_settling_reading_counts_only_when_it_is_whole_its_own_and_signed() {
    for family in [Family::Schema, Family::Migration] {
        for row in &ROWS {
            let mut world = World::of(family);
            world.ended(ONE, Outcome::Applied);
            world.until(ONE, "NoteJob");
            let operation = world.claim(ONE).operation;
            let pod = world.start_pod(operation);
            world.ask(ONE, operation, pod);
            deliver(&mut world, pod, Section::Settle(SettleReading::Read(finished())), row.frame);
            world.stop(operation, None);
            world.until(ONE, if row.settles { "SettleByReading" } else { "SettleFailed" });
            assert_eq!(world.status(ONE).record.is_none(), row.settles, "{family:?} {}", row.name);
        }
    }
}

#[test]
fn a_database_whose_lock_is_busy_settles_nothing() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        world.ended(ONE, Outcome::Applied);
        world.settle(ONE, SettleReading::Busy);
        world.until(ONE, "SettleFailed");
        let record = world.status(ONE).record.clone().unwrap();
        assert_eq!((record.outcome, record.reported), (Outcome::Applied, None), "nothing was read");
        assert!(world.database_lease(DB).hold.is_some());
        let shown = if family == Family::Migration { Shown::OutcomeUnknown } else { Shown::Settling };
        assert_eq!(world.status(ONE).shown, shown);
    }
}

#[test]
fn a_reading_is_taken_only_when_it_is_whole_and_its_own() {
    let rows: [(&str, Change, &str); 4] = [
        ("good", |_| {}, "TakeReading"),
        ("twice, and different", |frame| frame.conflict = true, "ReadFailed"),
        ("of another kind", |frame| frame.section = Section::Run(SAID), "ReadFailed"),
        ("a failure", |frame| frame.section = Section::Refresh(Err(ReadFailure::Passing)), "ReadFailed"),
    ];
    for (name, change, expected) in rows {
        let mut world = World::of(Family::Schema);
        world.until(ONE, "CreateJob");
        deliver(&mut world, Uid(4), Section::Refresh(Ok(reading(DB, "before"))), change);
        world.until(ONE, expected);
        assert_eq!(world.status(ONE).plan.is_some(), expected == "TakeReading", "{name}");
        assert_eq!(world.status(ONE).claim, None, "{name}");
    }
}

#[test]
fn the_kubelets_message_counts_only_where_there_is_no_result_and_only_of_the_pod_that_was_let_in() {
    for (let_in, expected) in [(true, (Outcome::Applied, None)), (false, UNKNOWN)] {
        let mut world = World::of(Family::Migration);
        let (claim, pod) = world.started(ONE);
        world.stop(claim.operation, None);
        let pods = world.pods.values_mut().next().unwrap();
        let speaks = if let_in { pod } else { Uid(0x2ad) };
        pods.iter_mut().filter(|found| found.uid == speaks).for_each(|found| {
            found.stopped = Some(Stopped { summary: Some(SAID) });
        });
        world.until(ONE, "RecordRun");
        let record = world.status(ONE).record.clone().unwrap();
        assert_eq!((record.outcome, record.reported), expected);
    }
}

#[test]
fn two_pods_of_one_run_make_it_unknown_and_both_are_kept() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        let (claim, pod) = world.started(ONE);
        world.start_pod(claim.operation);
        deliver(&mut world, pod, Section::Run(SAID), |_| {});
        world.stop(claim.operation, None);
        world.until(ONE, "RecordRun");
        let record = world.status(ONE).record.clone().unwrap();
        assert_eq!((record.outcome, record.reported), (Outcome::Unknown, Some(Outcome::Applied)));
        assert_eq!(record.evidence.pods.len(), 2);
    }
}

#[test]
fn a_pod_that_is_not_as_its_job_says_is_not_let_in_and_makes_a_run_unknown() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        let claim = world.applying(ONE, "NoteJob");
        let pod = world.start_pod(claim.operation);
        world.pods.values_mut().flatten().for_each(|pod| pod.as_built = false);
        assert_eq!(world.ask(ONE, claim.operation, pod), ptah_lifecycle::permit::Answer::Refused);

        let mut world = World::of(family);
        let (claim, pod) = world.started(ONE);
        world.pods.values_mut().flatten().for_each(|pod| pod.as_built = false);
        deliver(&mut world, pod, Section::Run(SAID), |_| {});
        world.stop(claim.operation, None);
        world.until(ONE, "RecordRun");
        let record = world.status(ONE).record.clone().unwrap();
        assert_eq!((record.outcome, record.reported), (Outcome::Unknown, Some(Outcome::Applied)));
    }
}

#[test]
fn a_job_that_is_not_the_one_of_the_claim_is_never_adopted_and_makes_the_run_unknown() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        let claim = world.applying(ONE, "CreateJob");
        world.jobs.get_mut(&claim.operation).unwrap().digest = digest("another document");
        world.until(ONE, "RecordRun");
        assert_eq!(world.status(ONE).record.as_ref().unwrap().outcome, Outcome::Unknown, "another document");

        let mut world = World::of(family);
        let (claim, pod) = world.started(ONE);
        world.stop(claim.operation, None);
        world.jobs.get_mut(&claim.operation).unwrap().uid = Uid(0x2ad);
        deliver(&mut world, pod, Section::Run(SAID), |_| {});
        world.until(ONE, "RecordRun");
        assert_eq!(world.status(ONE).record.as_ref().unwrap().outcome, Outcome::Unknown, "replaced");
        assert_eq!(world.creates[&claim.operation], 1);
    }
}

#[test]
fn a_job_without_a_pod_is_waited_for_and_settled_as_unknown() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        let claim = world.applying(ONE, "NoteJob");
        world.settle_down(ONE);
        assert_eq!(world.claim(ONE).operation, claim.operation);
        world.jobs.get_mut(&claim.operation).unwrap().terminal = true;
        world.until(ONE, "RecordRun");
        assert_eq!(world.status(ONE).record.as_ref().unwrap().outcome, Outcome::Unknown);
    }
}

#[test]
fn a_runner_that_was_never_let_in_says_so_and_its_run_is_settled_by_the_rows_from_before() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        let claim = world.applying(ONE, "NoteJob");
        let pod = world.start_pod(claim.operation);
        world.send(claim.operation, pod, None, Section::NotStarted);
        world.stop(claim.operation, None);
        world.until(ONE, "RecordRun");
        assert_eq!(world.status(ONE).record.as_ref().unwrap().outcome, Outcome::NotStarted);
        world.settle(ONE, SettleReading::Read(crate::support::untouched()));
        world.until(ONE, "SettleByReading");
    }
}

#[test]
fn a_word_of_not_started_from_a_run_that_was_let_in_is_not_believed() {
    let mut world = World::of(Family::Migration);
    let (claim, pod) = world.started(ONE);
    world.send(claim.operation, pod, Some(key(pod)), Section::NotStarted);
    world.stop(claim.operation, None);
    world.until(ONE, "RecordRun");
    assert_eq!(world.status(ONE).record.as_ref().unwrap().outcome, Outcome::Unknown);
}

#[test]
fn a_migration_that_says_nothing_happened_becomes_uncertain_when_the_reading_disagrees() {
    let mut world = World::of(Family::Migration);
    let run = world.ended(ONE, Outcome::NotApplied);
    let facts = ptah_lifecycle::Facts { dirty: true, ..crate::support::untouched() };
    world.settle(ONE, SettleReading::Read(facts));
    world.until(ONE, "SettleFailed");
    let record = world.status(ONE).record.clone().unwrap();
    assert_eq!((record.operation, record.outcome), (run, Outcome::Unknown));
    assert_eq!(record.reported, Some(Outcome::NotApplied));
    assert!(matches!(world.status(ONE).claim.as_ref().map(|claim| claim.kind), None | Some(Kind::Settle)));
}
