//! Evidence: always harvested, kept in both families, believed only as far as it goes.

use ptah_lifecycle::evidence::{self, Verdict};
use ptah_lifecycle::{Family, IdentitySource, Operation, Outcome, Reported, Section, Uid, bounds};

use crate::support::{ONE, World, digest, key, label};

const SAID: Reported = Reported { outcome: Outcome::Applied, right_database: true };

#[test]
fn a_run_whose_inputs_moved_is_still_read_and_kept_as_what_was_reported() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        let (claim, pod) = world.started(ONE);
        world.edit(ONE, |resource| resource.spec.inputs.scope = digest("another scope"));
        world.send(claim.operation, pod, Some(key(pod)), Section::Run(SAID));
        world.stop(claim.operation, Some(SAID));
        world.until(ONE, "RecordRun");
        let record = world.status(ONE).record.clone().unwrap();
        assert_eq!((record.outcome, record.reported), (Outcome::Unknown, Some(Outcome::Applied)));
    }
}

#[test]
fn suspending_a_resource_does_not_make_its_running_change_unknown() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        let (claim, pod) = world.started(ONE);
        world.edit(ONE, |resource| {
            resource.spec.suspended = true;
            resource.spec.interval = 77;
        });
        world.send(claim.operation, pod, Some(key(pod)), Section::Run(SAID));
        world.stop(claim.operation, None);
        world.until(ONE, "RecordRun");
        assert_eq!(world.status(ONE).record.as_ref().unwrap().outcome, Outcome::Applied);
    }
}

#[test]
fn the_pods_of_a_run_are_kept_in_both_families_and_their_word_outlives_them() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        let (claim, pod) = world.started(ONE);
        world.stop(claim.operation, None);
        world.until(ONE, "NoteEvidence");
        world.pods.clear();
        world.jobs.clear();
        world.until(ONE, "RecordRun");
        let record = world.status(ONE).record.clone().unwrap();
        assert_eq!((record.evidence.pods, record.evidence.stopped), (vec![pod], vec![pod]));
        assert!(world.now < claim.execution_not_after, "nothing had to be waited for");
    }
}

#[test]
fn a_pod_that_is_only_said_to_be_over_is_waited_for_to_the_horizon() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        let (claim, _) = world.started(ONE);
        let job = world.jobs.get_mut(&claim.operation).unwrap();
        job.terminal = true;
        world.pods.get_mut(&job.uid).unwrap()[0].said_over = true;
        world.settle_down(ONE);
        assert!(world.status(ONE).record.is_none());
        world.now = claim.execution_not_after.plus(bounds::horizon());
        world.until(ONE, "RecordRun");
    }
}

#[test]
fn another_pods_end_says_nothing_about_the_one_that_was_let_in() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        let (claim, pod) = world.started(ONE);
        let other = world.start_pod(claim.operation);
        world.jobs.get_mut(&claim.operation).unwrap().terminal = true;
        for found in world.pods.values_mut().flatten().filter(|found| found.uid == other) {
            found.said_over = true;
            found.stopped = Some(ptah_lifecycle::Stopped { summary: None });
        }
        world.now = claim.execution_not_after.plus(bounds::horizon());
        world.settle_down(ONE);
        assert!(world.status(ONE).record.is_none(), "{pod:?} is still seen to run");
        let pods = world.pods.values_mut().flatten();
        pods.filter(|found| found.uid == pod).for_each(|found| found.said_over = true);
        world.until(ONE, "RecordRun");
    }
}

#[test]
fn a_result_outlives_the_node_and_the_pod_that_sent_it() {
    let mut world = World::of(Family::Migration);
    let (claim, pod) = world.started(ONE);
    world.send(claim.operation, pod, Some(key(pod)), Section::Run(SAID));
    world.pods.clear();
    world.jobs.clear();
    world.now = claim.execution_not_after.plus(bounds::horizon());
    world.until(ONE, "RecordRun");
    assert_eq!(world.status(ONE).record.as_ref().unwrap().outcome, Outcome::Applied);
}

#[test]
fn a_later_manager_adopts_by_the_job_that_was_stored() {
    let mut world = World::of(Family::Schema);
    let claim = world.applying(ONE, "CreateJob");
    world.manager.components = digest("components 2");
    world.restart();
    world.until(ONE, "NoteJob");
    assert_eq!(world.claim(ONE).job, Some(world.jobs[&claim.operation].uid));
    let pod = world.start_pod(claim.operation);
    assert!(matches!(world.ask(ONE, claim.operation, pod), ptah_lifecycle::permit::Answer::Granted(_)));
}

#[test]
fn the_outcome_is_written_before_the_job_may_go() {
    let mut world = World::of(Family::Schema);
    world.ended(ONE, Outcome::Applied);
    let names = world.names(ONE);
    assert!(!names.contains(&"ExpireJob".to_owned()) && !names.contains(&"ReleasePod".to_owned()));
    world.until(ONE, "ExpireJob");
    assert!(world.status(ONE).record.is_some());
}

#[test]
fn a_deleted_resource_waits_for_its_run_and_lets_no_pod_go_before_its_word_is_kept() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        let (claim, _) = world.started(ONE);
        world.edit(ONE, |resource| resource.deleting = true);
        world.settle_down(ONE);
        assert!(world.resources[&ONE].finalizer, "something may still write");
        world.stop(claim.operation, Some(SAID));
        world.settle_down(ONE);
        assert!(world.resources.is_empty());
        let names = world.names(ONE);
        let place = |name: &str| names.iter().position(|found| found == name).unwrap();
        assert!(place("RecordRun") < place("ReleasePod") && place("ReleasePod") < place("RemoveFinalizer"));
        assert_eq!(label(&world.log.last().unwrap().1), "RemoveFinalizer");
    }
}

#[test]
fn a_record_is_whole() {
    let mut world = World::of(Family::Migration);
    let run = world.ended(ONE, Outcome::Partial(1));
    let record = world.status(ONE).record.clone().unwrap();
    let job = world.jobs[&run].uid;
    assert_eq!((record.operation, record.family, record.outcome), (run, Family::Migration, Outcome::Partial(1)));
    assert_eq!((record.identity.source, record.job), (IdentitySource::Reported, Some(job)));
    assert_eq!(record.identity.database, digest(crate::support::DB));
    assert!(world.plans.values().any(|plan| plan.reference() == record.plan));
    assert_eq!(record.evidence.pods.len(), 1);
    assert_eq!(record.dispatched_by, Some(world.manager.components));
    assert_eq!(record.execution_not_after, record.since.plus(world.resources[&ONE].spec.window));
    let (realm, database) = (world.realm_lease("key").epoch, world.database_lease(crate::support::DB).epoch);
    assert_eq!((record.realm_epoch, record.database_epoch), (Some(realm), Some(database)));
    let plan = world.plans.values().find(|plan| plan.reference() == record.plan).unwrap();
    assert_eq!(record.basis, Some(plan.basis()), "every planned version, and the rows from before");
    assert_eq!(record.access, Some(world.resources[&ONE].spec.access()));
    let hold = world.database_lease(crate::support::DB).hold.unwrap();
    assert_eq!((hold.operation, hold.plan, hold.fingerprint), (run, record.plan.uid, record.plan.fingerprint));
    assert_eq!(hold.execution_not_after, record.execution_not_after);
}

#[test]
fn a_record_says_planned_where_the_runner_was_connected_to_another_database() {
    let mut world = World::of(Family::Migration);
    let (claim, pod) = world.started(ONE);
    let said = Reported { outcome: Outcome::Applied, right_database: false };
    world.send(claim.operation, pod, Some(key(pod)), Section::Run(said));
    world.stop(claim.operation, None);
    world.until(ONE, "RecordRun");
    let record = world.status(ONE).record.clone().unwrap();
    assert_eq!((record.outcome, record.reported), (Outcome::Unknown, Some(Outcome::Applied)));
    assert_eq!(record.identity.source, IdentitySource::Planned);
}

/// A Pod that was refused says so, and that is no result of the run.
#[test]
fn a_second_pod_that_was_never_let_in_does_not_hide_the_result_of_the_first() {
    for family in [Family::Schema, Family::Migration] {
        // By UID the other Pod may come first as well as last.
        for other in [Uid(1), Uid(u128::MAX)] {
            let mut world = World::of(family);
            let (claim, pod) = world.started(ONE);
            world.send(claim.operation, other, None, Section::NotStarted);
            world.send(claim.operation, pod, Some(key(pod)), Section::Run(SAID));
            world.stop(claim.operation, None);
            world.until(ONE, "RecordRun");
            assert_eq!(world.status(ONE).record.as_ref().unwrap().outcome, SAID.outcome, "{other:?}");
        }
    }
}

#[test]
fn the_word_of_a_pod_that_was_never_let_in_is_not_the_word_of_the_one_that_was() {
    let mut world = World::of(Family::Migration);
    let (claim, _) = world.started(ONE);
    world.send(claim.operation, Uid(1), None, Section::NotStarted);
    world.stop(claim.operation, Some(SAID));
    world.until(ONE, "RecordRun");
    assert_eq!(world.status(ONE).record.as_ref().unwrap().outcome, SAID.outcome, "its own last message is there");
}

#[test]
fn a_pod_is_kept_while_its_operation_is_under_way_and_by_nothing_else_once_it_stopped() {
    let mut world = World::of(Family::Schema);
    let (claim, pod) = world.started(ONE);
    let kept = |operation, stopped| evidence::KeptPod { uid: pod, operation, stopped };
    let judge = |world: &World, pod| {
        let statuses: Vec<_> = world.resources.values().map(|found| found.status.clone()).collect();
        evidence::judge(&[pod], &statuses)[0].1
    };
    for stopped in [false, true] {
        assert_eq!(judge(&world, kept(claim.operation, stopped)), Verdict::Claimed);
    }
    // The Job of this one was never noted, or its claim or its resource is gone.
    let left = Operation(0xdead);
    assert_eq!(judge(&world, kept(left, false)), Verdict::Running);
    assert_eq!(judge(&world, kept(left, true)), Verdict::Release);
    world.stop(claim.operation, Some(SAID));
    world.until(ONE, "RecordRun");
    assert_eq!(judge(&world, kept(claim.operation, true)), Verdict::Release, "its word is in the record");
    world.resources.clear();
    assert_eq!(judge(&world, kept(claim.operation, true)), Verdict::Release);
}
