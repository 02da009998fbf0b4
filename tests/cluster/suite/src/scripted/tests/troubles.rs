//! Each trouble does what it says.

use std::time::Duration;

use ptah_lifecycle::{ReadFailure, Section as CoreSection, SettleReading};
use ptah_records::operator::latest::{Answer, OperationSpec, Outcome, Section};
use ptah_records::operator::text::ShortText;

use super::super::{Content, Ending, Kind, Parcel, Trouble};
use super::scene::{REFERENCE, Scene, core_of, last, objects, reading, run_of, without_transactions};

/// Three objects are planned, each committed by itself, and the Apply of them.
fn planned() -> (Scene, Parcel, OperationSpec) {
    let scene = Scene::new();
    let wanted = objects(&[("a", "1"), ("b", "2"), ("c", "3")]);
    scene.edit(|script| drop(script.registry.push(REFERENCE, Content::Schema(wanted)).unwrap()));
    let mut refresh = scene.refresh("schema");
    without_transactions(&mut refresh);
    let planned = scene.reports(&refresh);
    let run = scene.apply_schema(&planned);
    (scene, planned, run)
}

fn there(scene: &Scene) -> usize {
    scene.database().objects.len()
}

#[test]
fn a_run_that_dies_leaves_what_it_committed_and_gives_the_lock_back() {
    let (scene, planned, run) = planned();
    scene.strikes(Kind::Apply, Trouble::Dies { after_units: 2, goes_on: None });
    let Ending::Dies(Some(session)) = scene.ending(&run) else { panic!("it dies") };
    assert_eq!((there(&scene), scene.database().runs[0].finished), (2, false));
    drop(session);
    let settle = scene.settle_schema(&run, &planned);
    let read = scene.reports(&settle);
    assert!(matches!(last(&read), Some(Section::Compare(Answer::Done(found))) if found.as_desired == Some(false)));
}

#[test]
fn a_transaction_that_was_not_committed_is_lost_whole() {
    let scene = Scene::new();
    let wanted = objects(&[("a", "1"), ("b", "2")]);
    scene.edit(|script| drop(script.registry.push(REFERENCE, Content::Schema(wanted)).unwrap()));
    let planned = scene.reports(&scene.refresh("schema"));
    let run = scene.apply_schema(&planned);
    scene.strikes(Kind::Apply, Trouble::Dies { after_units: 1, goes_on: None });
    drop(scene.ending(&run));
    assert_eq!(there(&scene), 0);
}

#[test]
fn a_server_that_goes_on_commits_later_and_nobody_gets_the_lock_before() {
    let (scene, planned, run) = planned();
    scene.strikes(Kind::Apply, Trouble::Dies { after_units: 1, goes_on: Some(300) });
    drop(scene.ending(&run));
    assert_eq!(there(&scene), 1);
    let settle = scene.settle_schema(&run, &planned);
    assert!(matches!(last(&scene.reports(&settle)), Some(Section::Busy(_))));
    std::thread::sleep(Duration::from_millis(350));
    assert_eq!(there(&scene), 2);
    assert!(matches!(last(&scene.reports(&settle)), Some(Section::Compare(Answer::Done(_)))));
}

#[test]
fn a_run_that_hangs_holds_the_lock() {
    let (scene, planned, run) = planned();
    scene.strikes(Kind::Apply, Trouble::Hangs { after_units: 1 });
    let Ending::Hangs(Some(session)) = scene.ending(&run) else { panic!("it hangs") };
    let settle = scene.settle_schema(&run, &planned);
    let busy = scene.reports(&settle);
    let Some(Section::Busy(found)) = last(&busy) else { panic!("{busy:?}") };
    assert_eq!(found.holder.as_ref().map(ShortText::as_str), Some(&*std::process::id().to_string()));
    assert_eq!(core_of(&scene, &busy, None).section, CoreSection::Settle(SettleReading::Busy));
    drop(session);
    assert!(matches!(last(&scene.reports(&settle)), Some(Section::Compare(_))));
}

#[test]
fn a_run_says_how_far_it_came_or_that_it_does_not_know() {
    for (trouble, outcome, objects, finished) in [
        (Trouble::Fails { after_units: 0 }, Outcome::NotApplied, 0, true),
        (Trouble::Fails { after_units: 2 }, Outcome::Partial, 2, true),
        (Trouble::Fails { after_units: 9 }, Outcome::Applied, 3, true),
        (Trouble::SaysUnknown { after_units: 1 }, Outcome::Unknown, 1, false),
        (Trouble::SaysUnknown { after_units: 9 }, Outcome::Unknown, 3, true),
        (Trouble::NoConnection, Outcome::NotStarted, 0, true),
        (Trouble::Busy, Outcome::NotApplied, 0, true),
    ] {
        let (scene, _, run) = planned();
        scene.strikes(Kind::Apply, trouble.clone());
        let report = scene.reports(&run);
        assert_eq!(run_of(&report).outcome, outcome, "{trouble:?}");
        assert_eq!(there(&scene), objects, "{trouble:?}");
        assert_eq!(scene.database().runs.first().is_none_or(|run| run.finished), finished, "{trouble:?}");
    }
}

#[test]
fn a_reading_that_fails_is_told_as_one() {
    for trouble in [Trouble::NoConnection, Trouble::Busy, Trouble::Fails { after_units: 0 }] {
        let (scene, planned, run) = planned();
        scene.strikes(Kind::Refresh, trouble.clone());
        let read = scene.reports(&scene.refresh("schema"));
        assert_eq!(reading(&scene, &read), Err(ReadFailure::Passing), "{trouble:?}");
        scene.strikes(Kind::Settle, trouble.clone());
        let settle = scene.settle_schema(&run, &planned);
        let section = core_of(&scene, &scene.reports(&settle), None).section;
        let is_busy = section == CoreSection::Settle(SettleReading::Busy);
        assert_eq!(is_busy, trouble == Trouble::Busy, "{section:?}");
    }
}

#[test]
fn what_goes_wrong_strikes_its_own_kind_as_often_as_it_says() {
    let (scene, _, run) = planned();
    scene.strikes(Kind::Settle, Trouble::NoConnection);
    scene.strikes(Kind::Apply, Trouble::NoConnection);
    scene.edit(|script| script.misbehaviours[1].times = 2);
    let outcomes: Vec<Outcome> = (0..3).map(|_| run_of(&scene.reports(&run)).outcome).collect();
    assert_eq!(outcomes, [Outcome::NotStarted, Outcome::NotStarted, Outcome::Applied]);
    assert_eq!(scene.store.read().unwrap().misbehaviours.len(), 1);
    assert!(scene.reports(&scene.refresh("schema")).plan.is_empty(), "in sync");
}
