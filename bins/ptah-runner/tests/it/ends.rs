//! How the work ends: by itself, at its deadline, with the Pod; and what it leaves behind.

use std::time::{Duration, Instant};

use ptah_records::operator::latest::Outcome;
use rustix::process::{Pid, Signal, kill_process};

use crate::scene::{Scene, ended, granted, is_there, refused, until, willing};
use crate::server::Script;

fn signal(process: u32, signal: Signal) {
    kill_process(Pid::from_raw(i32::try_from(process).unwrap()).unwrap(), signal).unwrap();
}

#[test]
fn a_result_that_was_left_is_delivered_as_it_is() {
    let scene = Scene::new(willing(60));
    let frame = scene.prepared();
    let ran = scene.run(&format!("cp {} $PTAH_RESULT_FOLDER/frame.json", frame.display()));
    assert_eq!(ran.code, Some(0), "{}", ran.log);
    assert_eq!(scene.delivered(), Some(scene.applied()));
    let message = scene.message();
    assert_eq!(message.outcome, Some(Outcome::Applied));
}

#[test]
fn a_process_that_dies_without_a_word_leaves_the_outcome_unknown() {
    for script in ["exit 0", "exit 3", "kill -9 $$", "echo '{' > $PTAH_RESULT_FOLDER/frame.json"] {
        let scene = Scene::new(willing(60));
        let ran = scene.run(script);
        assert_eq!(ran.code, Some(0), "the exit status speaks of the delivery alone: {}", ran.log);
        assert_eq!(scene.outcome(), Some((Outcome::Unknown, Some("runner_process_died".to_owned()))), "{script}");
    }
}

#[test]
fn a_result_of_an_earlier_start_is_not_taken_for_this_ones() {
    let scene = Scene::new(willing(60));
    std::fs::copy(scene.prepared(), scene.path("work/frame.json")).unwrap();
    assert_eq!(scene.run("exit 0").code, Some(0));
    assert_eq!(scene.outcome().unwrap().0, Outcome::Unknown);
}

#[test]
fn a_process_that_ignores_sigterm_is_killed_at_its_deadline() {
    let scene = Scene::new(willing(2));
    let started = Instant::now();
    let ran = scene.run("trap '' TERM; echo $$ > $SCENE/pid; while :; do sleep 0.1; done");
    assert_eq!(ran.code, Some(0), "{}", ran.log);
    assert!(started.elapsed() >= Duration::from_secs(3), "two seconds of budget and one of grace");
    assert!(!is_there(scene.number("pid")));
    assert_eq!(scene.outcome(), Some((Outcome::Unknown, Some("runner_out_of_time".to_owned()))));
}

#[test]
fn a_process_that_finishes_after_sigterm_is_believed() {
    let scene = Scene::new(willing(1));
    let frame = scene.prepared();
    let script = format!(
        "trap 'cp {} $PTAH_RESULT_FOLDER/frame.json; exit 0' TERM; while :; do sleep 0.1; done",
        frame.display()
    );
    assert_eq!(scene.run(&script).code, Some(0));
    assert_eq!(scene.outcome(), Some((Outcome::Applied, None)));
}

#[test]
fn the_end_of_the_run_by_the_calendar_ends_it_too() {
    let mut scene = Scene::new(willing(600));
    scene.times(2, 2);
    let ran = scene.run("while :; do sleep 0.1; done");
    assert_eq!(ran.code, Some(0), "{}", ran.log);
    assert_eq!(scene.outcome(), Some((Outcome::Unknown, Some("runner_out_of_time".to_owned()))));
}

#[test]
fn what_a_process_forks_and_leaves_is_gone_before_anything_is_reported() {
    let scene = Scene::new(willing(60));
    let frame = scene.prepared();
    // Out of its group and its session, and ignoring SIGTERM: only who adopts it can find it.
    let left = "setsid sh -c 'trap \"\" TERM; echo $$ > $SCENE/left; while :; do sleep 0.1; done' &";
    let wait = "while [ ! -s $SCENE/left ]; do sleep 0.05; done";
    let ran = scene.run(&format!("{left} {wait}; cp {} $PTAH_RESULT_FOLDER/frame.json", frame.display()));
    assert_eq!(ran.code, Some(0), "{}", ran.log);
    assert!(!is_there(scene.number("left")), "it could still write");
    assert_eq!(scene.outcome(), Some((Outcome::Applied, None)));
}

#[test]
fn a_process_that_forks_without_end_is_ended() {
    let scene = Scene::new(willing(1));
    let ran = scene.run("trap '' TERM; while :; do sh -c 'trap \"\" TERM; sleep 300' & sleep 0.05; done");
    assert_eq!(ran.code, Some(0), "{}", ran.log);
    assert_eq!(scene.outcome(), Some((Outcome::Unknown, Some("runner_out_of_time".to_owned()))));
}

#[test]
fn a_flood_of_output_neither_blocks_the_work_nor_reaches_the_log() {
    let scene = Scene::new(willing(60));
    let frame = scene.prepared();
    let flood = "head -c 30000000 /dev/zero | tr '\\0' 'x'; head -c 30000000 /dev/zero | tr '\\0' 'y' >&2";
    let ran = scene.run(&format!("{flood}; cp {} $PTAH_RESULT_FOLDER/frame.json", frame.display()));
    assert_eq!((ran.code, ran.log.as_str()), (Some(0), ""));
    assert_eq!(scene.outcome(), Some((Outcome::Applied, None)));
}

#[test]
fn a_pod_that_is_stopped_ends_its_work_and_still_reports() {
    let scene = Scene::new(willing(60));
    let child = scene.start("trap '' TERM; echo $$ > $SCENE/pid; while :; do sleep 0.1; done");
    let process = scene.number("pid");
    signal(child.id(), Signal::TERM);
    assert_eq!(ended(child).code, Some(0));
    assert!(!is_there(process));
    assert_eq!(scene.outcome(), Some((Outcome::Unknown, Some("runner_stopped".to_owned()))));
}

#[test]
fn a_killed_supervisor_is_noticed_by_its_process() {
    let scene = Scene::new(willing(60));
    let child = scene.start("echo $$ > $SCENE/pid; cat > /dev/null; exit 0");
    let process = scene.number("pid");
    signal(child.id(), Signal::KILL);
    ended(child);
    until(|| (!is_there(process)).then_some(()));
    assert_eq!(scene.outcome(), None, "nobody was left to say anything");
}

#[test]
fn a_process_that_cannot_be_started_never_started() {
    let scene = Scene::new(willing(60));
    std::fs::remove_dir(scene.path("work")).unwrap();
    std::fs::write(scene.path("work"), "a file in its place").unwrap();
    let ran = scene.run("exit 0");
    assert_eq!(ran.code, Some(0), "{}", ran.log);
    assert_eq!(scene.outcome(), Some((Outcome::NotStarted, Some("runner_no_process".to_owned()))));
}

#[test]
fn a_container_that_is_started_again_never_says_that_nothing_was_begun() {
    // The first start was let in, and the second is refused: another key asks.
    let scene = Scene::new(Script { permits: vec![Some(granted(60)), Some(refused())], ..willing(60) });
    let child = scene.start("echo $$ > $SCENE/pid; cat > /dev/null");
    scene.number("pid");
    signal(child.id(), Signal::KILL);
    ended(child);
    let again = scene.run("touch $SCENE/twice");
    assert_eq!(again.code, Some(74), "{}", again.log);
    assert!(!scene.path("twice").exists());
    assert_eq!(scene.message().outcome, Some(Outcome::Unknown));
}
