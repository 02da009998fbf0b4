//! A schema's life.

use ptah_lifecycle::{Outcome as Core, Section as CoreSection, SettleReading, StateRefusal};
use ptah_records::operator::latest::{Answer, FindingSeverity, Outcome, Section, SettleBasis, Work};
use ptah_records::operator::list::List;
use ptah_records::operator::whole::Whole;

use super::super::{Content, Ending, Kind, Trouble};
use super::scene::{REFERENCE, Scene, core_of, last, objects, put, reading, run_of};

fn pushed(all: &[(&str, &str)]) -> Scene {
    let scene = Scene::new();
    scene.edit(|script| drop(script.registry.push(REFERENCE, Content::Schema(objects(all))).unwrap()));
    scene
}

#[test]
fn what_is_missing_is_planned_applied_and_in_sync_afterwards() {
    let scene = pushed(&[("core.orders", "id, total"), ("grant:reader", "select on core.orders")]);
    let planned = scene.reports(&scene.refresh("schema"));
    let before = reading(&scene, &planned).unwrap();
    let proposal = before.proposal.unwrap();
    assert_eq!((proposal.destructive, proposal.privileges, before.refusal), (false, true, None));

    let run = scene.apply_schema(&planned);
    let applied = scene.reports(&run);
    assert_eq!((run_of(&applied).outcome, run_of(&applied).units.map(Whole::get)), (Outcome::Applied, Some(2)));
    assert!(matches!(core_of(&scene, &applied, None).section, CoreSection::Run(said) if said.right_database));
    assert_eq!(scene.database().objects.len(), 2);
    assert!(scene.database().runs[0].finished);

    let settled = scene.reports(&scene.settle_schema(&run, &planned));
    let CoreSection::Settle(SettleReading::Read(facts)) = core_of(&scene, &settled, None).section else { panic!() };
    assert!(facts.as_desired && !facts.unfinished);
    let after = reading(&scene, &scene.reports(&scene.refresh("schema"))).unwrap();
    assert_eq!((after.proposal, after.state), (None, proposal.desired));
}

#[test]
fn drift_is_what_the_plan_undoes_and_dropping_is_destructive() {
    let scene = pushed(&[("core.orders", "id")]);
    scene.edit(|script| script.database.objects = objects(&[("core.orders", "id, mine"), ("core.tenants", "id")]));
    scene.edit(|script| drop(script.database.objects.insert("audit.log".to_owned(), "left out".to_owned())));
    let planned = scene.reports(&scene.refresh("schema"));
    let Some(Section::State(Answer::Done(state))) = planned.frame.sections.as_slice().get(2) else { panic!() };
    assert_eq!(state.drift.highest_severity, Some(FindingSeverity::Destructive));
    assert_eq!(state.drift.finding_count.get(), 2);
    let read = reading(&scene, &planned).unwrap();
    assert!(read.proposal.unwrap().destructive);
    // It is listed as protected in the operation.
    assert_eq!(read.refusal, Some(StateRefusal::ProtectedTable));
}

#[test]
fn a_plan_of_another_state_is_not_applied() {
    let scene = pushed(&[("core.orders", "id")]);
    let planned = scene.reports(&scene.refresh("schema"));
    let run = scene.apply_schema(&planned);
    scene.edit(|script| put("core.mine", "id").run(&mut script.database.objects));
    let report = scene.reports(&run);
    assert_eq!(run_of(&report).outcome, Outcome::NotApplied);
    assert_eq!(scene.database().runs, []);
}

#[test]
fn a_run_of_another_database_is_not_believed_to_be_of_this_one() {
    let scene = pushed(&[("core.orders", "id")]);
    let run = {
        let planned = scene.reports(&scene.refresh("schema"));
        scene.apply_schema(&planned)
    };
    scene.edit(|script| script.database.name = "other".to_owned());
    let report = scene.reports(&run);
    scene.edit(|script| script.database.name = "billing".to_owned());
    let CoreSection::Run(said) = core_of(&scene, &report, None).section else { panic!() };
    assert_eq!((said.outcome, said.right_database), (Core::NotApplied, false));
}

#[test]
fn a_run_is_spent_once_and_an_unfinished_one_stops_the_next_until_it_is_settled() {
    let scene = pushed(&[("core.orders", "id")]);
    let planned = scene.reports(&scene.refresh("schema"));
    let first = scene.apply_schema(&planned);
    scene.strikes(Kind::Apply, Trouble::SaysNothing { after_units: 0 });
    assert!(matches!(scene.ending(&first), Ending::SaysNothing));
    assert_eq!(run_of(&scene.reports(&first)).outcome, Outcome::Unknown);
    let mut second = scene.apply_schema(&planned);
    assert_eq!(run_of(&scene.reports(&second)).outcome, Outcome::NotApplied);
    if let Work::Apply { settled, .. } = &mut second.work {
        *settled = List::new(vec![first.operation_id]).unwrap();
    }
    let report = scene.reports(&second);
    assert_eq!(run_of(&report).sequence.map(Whole::get), Some(2));
    assert!(scene.database().runs.iter().all(|run| run.finished));
}

#[test]
fn a_settling_reading_without_the_desired_document_compares_nothing() {
    let scene = pushed(&[("core.orders", "id")]);
    let planned = scene.reports(&scene.refresh("schema"));
    let run = scene.apply_schema(&planned);
    let mut settle = scene.settle_schema(&run, &planned);
    if let Work::Settle { basis, .. } = &mut settle.work {
        *basis = SettleBasis::Schema { exclude: List::default(), desired_state_fingerprint: None, desired: None };
    }
    let read = scene.reports(&settle);
    assert!(matches!(last(&read), Some(Section::Compare(Answer::Done(found))) if found.as_desired.is_none()));
}

#[test]
fn a_settling_reading_whose_desired_document_lost_a_piece_compares_nothing() {
    let scene = pushed(&[("core.orders", "id")]);
    let planned = scene.reports(&scene.refresh("schema"));
    let run = scene.apply_schema(&planned);
    let settle = scene.settle_schema(&run, &planned);
    scene.lose("desired/0001");
    let read = scene.reports(&settle);
    assert!(matches!(last(&read), Some(Section::Compare(Answer::Done(found))) if found.as_desired.is_none()));
}
