//! A sequence's life.

use ptah_lifecycle::{Operation, StateRefusal};
use ptah_records::operator::latest::{Answer, MigrationStep, OperationSpec, Outcome, RowsRead, Section};
use ptah_records::operator::text::MigrationKey;
use ptah_records::operator::whole::Whole;

use super::super::{Content, HistoryRow, Kind, Migration, Trouble};
use super::scene::{REFERENCE, Scene, core_of, last, proposed, put, reading, run_of};

fn migration(version: &str, names: &[&str]) -> Migration {
    Migration::new(version, names.iter().map(|name| put(name, version)).collect()).unwrap()
}

fn push(scene: &Scene, all: Vec<Migration>) {
    scene.edit(|script| drop(script.registry.push(REFERENCE, Content::Migrations(all)).unwrap()));
}

fn rows(scene: &Scene, spec: &OperationSpec) -> RowsRead {
    let parcel = scene.reports(spec);
    let Some(Section::Rows(Answer::Done(rows))) = last(&parcel) else { panic!("{parcel:?}") };
    rows.clone()
}

fn versions(scene: &Scene) -> Vec<String> {
    scene.database().history.iter().map(|row| row.version.to_string()).collect()
}

#[test]
fn a_release_is_planned_run_settled_and_followed_by_the_next() {
    let scene = Scene::new();
    push(&scene, vec![migration("1", &["a"]), migration("2", &["b", "c"])]);
    let planned = scene.reports(&scene.refresh("migration"));
    let run = scene.apply_migration(&planned);
    let report = scene.reports(&run);
    assert_eq!((run_of(&report).outcome, run_of(&report).applied_versions.as_slice().len()), (Outcome::Applied, 2));
    let read = rows(&scene, &scene.settle_migration(&run, &planned));
    assert!(read.every_planned_applied && read.older_unchanged && read.nothing_pending && !read.dirty);
    assert_eq!(reading(&scene, &scene.reports(&scene.refresh("migration"))).unwrap().proposal, None);

    push(&scene, vec![migration("1", &["a"]), migration("2", &["b", "c"]), migration("3", &["d"])]);
    let next = scene.reports(&scene.refresh("migration"));
    let (history, steps) = proposed(&next);
    assert_eq!((history.applied_count.get(), history.pending_count.get(), steps.len()), (2, 1, 1));
    assert_eq!(history.current_version.map(|version| version.to_string()).as_deref(), Some("2"));
}

#[test]
fn an_empty_database_begins_with_the_last_checkpoint_and_any_other_never_runs_one() {
    let scene = Scene::new();
    let mut checkpoint = migration("3", &["a", "b"]);
    checkpoint.checkpoint = true;
    let all = vec![migration("1", &["a"]), migration("2", &["b"]), checkpoint, migration("4", &["c"])];
    push(&scene, all.clone());
    let planned = scene.reports(&scene.refresh("migration"));
    let version =
        |steps: Vec<MigrationStep>| -> Vec<String> { steps.iter().map(|step| step.version.to_string()).collect() };
    assert_eq!(version(proposed(&planned).1), ["3", "4"]);
    let run = scene.apply_migration(&planned);
    scene.reports(&run);
    let after = scene.reports(&scene.refresh("migration"));
    assert_eq!(proposed(&after).0.checkpoint_version.map(|version| version.to_string()).as_deref(), Some("3"));
    assert_eq!(version(proposed(&after).1), Vec::<String>::new());

    let checksum = all[0].checksum().unwrap();
    let row = HistoryRow { version: all[0].version.clone(), checksum, checkpoint: false, dirty: false };
    scene.edit(|script| script.database.history = vec![row]);
    assert_eq!(version(proposed(&scene.reports(&scene.refresh("migration"))).1), ["2", "4"]);
}

#[test]
fn a_history_that_is_not_the_artifacts_is_told() {
    let scene = Scene::new();
    push(&scene, vec![migration("1", &["a"]), migration("2", &["b"])]);
    let row = |version: &str, of: &Migration| HistoryRow {
        version: MigrationKey::new(version).unwrap(),
        checksum: of.checksum().unwrap(),
        checkpoint: false,
        dirty: false,
    };
    let (one, two, other) = (migration("1", &["a"]), migration("2", &["b"]), migration("1", &["changed"]));
    let dirty = HistoryRow { dirty: true, ..row("2", &two) };
    for (history, expected) in [
        (vec![row("1", &other)], StateRefusal::HistoryModified),
        (vec![row("1", &one), row("9", &two)], StateRefusal::HistoryAhead),
        (vec![row("2", &two)], StateRefusal::HistoryOutOfOrder),
        (vec![row("1", &one), dirty], StateRefusal::HistoryDirty),
    ] {
        scene.edit(|script| script.database.history = history);
        let read = reading(&scene, &scene.reports(&scene.refresh("migration"))).unwrap();
        assert_eq!(read.refusal, Some(expected));
    }
}

#[test]
fn a_file_without_a_transaction_stops_in_its_middle_and_settles_once_it_was_repaired() {
    let scene = Scene::new();
    let mut file = migration("2", &["b", "c", "d"]);
    file.transaction = None;
    push(&scene, vec![migration("1", &["a"]), file.clone()]);
    let planned = scene.reports(&scene.refresh("migration"));
    let run = scene.apply_migration(&planned);
    scene.strikes(Kind::Apply, Trouble::Fails { after_units: 3 });
    let report = scene.reports(&run);
    let said = run_of(&report);
    assert_eq!((said.outcome, said.applied_units.map(Whole::get)), (Outcome::Partial, Some(3)));
    assert_eq!(said.applied_versions.as_slice().len(), 1);
    let settle = scene.settle_migration(&run, &planned);
    let read = rows(&scene, &settle);
    assert!(read.dirty && !read.every_planned_applied && read.older_unchanged);
    scene.edit(|script| {
        put("d", "2").run(&mut script.database.objects);
        script.database.history[1].dirty = false;
    });
    let read = rows(&scene, &settle);
    assert!(!read.dirty && read.every_planned_applied);
}

#[test]
fn what_was_refused_at_once_leaves_the_rows_of_before() {
    let scene = Scene::new();
    let mut file = migration("1", &["a", "b"]);
    file.transaction = None;
    push(&scene, vec![file]);
    let planned = scene.reports(&scene.refresh("migration"));
    let before = proposed(&planned).0.rows_digest;
    let run = scene.apply_migration(&planned);
    scene.strikes(Kind::Apply, Trouble::Fails { after_units: 0 });
    assert_eq!(run_of(&scene.reports(&run)).outcome, Outcome::NotApplied);
    let read = rows(&scene, &scene.settle_migration(&run, &planned));
    assert_eq!((read.rows_digest, read.dirty, read.runs.unfinished.is_empty()), (before, false, true));
}

#[test]
fn a_run_that_died_is_unfinished_in_the_database_and_the_core_is_told() {
    let scene = Scene::new();
    push(&scene, vec![migration("1", &["a"]), migration("2", &["b"])]);
    let planned = scene.reports(&scene.refresh("migration"));
    let run = scene.apply_migration(&planned);
    scene.strikes(Kind::Apply, Trouble::Dies { after_units: 1, goes_on: None });
    drop(scene.ending(&run));
    assert_eq!(versions(&scene), ["1"]);
    let frame = core_of(&scene, &scene.reports(&scene.refresh("migration")), None);
    let unfinished = frame.rows.unfinished.unwrap();
    let id = u128::from_str_radix(&run.operation_id.as_str().replace('-', ""), 16).unwrap();
    assert_eq!((frame.rows.sequence, unfinished.operation), (1, Operation(id)));
}
