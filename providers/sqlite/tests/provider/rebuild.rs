//! The native operation `rebuild-table`: what is printed is what is written, and nothing is lost.

use ptah_provider_api::execute::{Outcome, TransactionId};
use ptah_provider_api::step::{NativeOperation, Unit};
use ptah_provider_api::transaction::TransactionState;
use ptah_provider_sdk::EngineSession as _;
use ptah_provider_sqlite::SqliteSession;
use ptah_provider_sqlite::rebuild::{CopiedColumn, NEEDS, RebuildTable};

use crate::support::{Place, WAIT, begin, run_units, writer};

/// Rebuilds `t (id, a)` with another shape.
struct Rebuild {
    payload: RebuildTable,
    statements: Vec<String>,
}

impl Rebuild {
    fn of(create: &str, copy: &str) -> Self {
        let statements = [create, copy, "DROP TABLE t", "ALTER TABLE _new_t RENAME TO t"];
        Self {
            payload: RebuildTable {
                table: "t".to_owned(),
                new_table: "_new_t".to_owned(),
                columns: ["id", "a"].map(|name| CopiedColumn { from: name.to_owned(), to: name.to_owned() }).to_vec(),
                copies: 1,
                drops: 2,
                needs: NEEDS.map(str::to_owned).to_vec(),
                keeps_row_ids: true,
                keeps_sequence: false,
                keeps_statistics: false,
                children: Vec::new(),
            },
            statements: statements.map(str::to_owned).to_vec(),
        }
    }

    fn standard() -> Self {
        Self::of(
            "CREATE TABLE _new_t (id INTEGER PRIMARY KEY, a TEXT NOT NULL DEFAULT 'x')",
            "INSERT OR ABORT INTO _new_t (id, a) SELECT id, a FROM t",
        )
    }

    fn unit(&self) -> Unit {
        Unit::Native(self.payload.operation(self.statements.clone()))
    }

    fn refused(&self, session: &mut SqliteSession) -> String {
        let transaction = begin(session, &NEEDS);
        let executed = run_units(session, Some(&transaction), vec![self.unit()]);
        assert_eq!(executed.outcome, Outcome::NotApplied);
        let ended = session.rollback(&transaction).unwrap();
        assert_eq!(ended.state, TransactionState::RolledBack);
        executed.diagnostic.unwrap().as_str().to_owned()
    }

    fn done(&self, session: &mut SqliteSession) {
        let transaction: TransactionId = begin(session, &NEEDS);
        let executed = run_units(session, Some(&transaction), vec![self.unit()]);
        assert_eq!(executed.outcome, Outcome::Applied, "{:?}", executed.diagnostic);
        let ended = session.commit(&transaction, WAIT).unwrap();
        assert_eq!(ended.state, TransactionState::Committed);
    }
}

const TABLE: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT);";

#[test]
fn a_rebuild_keeps_rows_children_views_and_triggers() {
    let place = Place::with(&format!(
        "{TABLE} CREATE TABLE c (t REFERENCES t(id) ON DELETE CASCADE); CREATE VIEW v AS SELECT a FROM t;
         CREATE TABLE log (x); CREATE TRIGGER g AFTER INSERT ON c BEGIN INSERT INTO log SELECT a FROM t; END;
         INSERT INTO t VALUES (7, 'one'), (9, 'two'); INSERT INTO c VALUES (7), (9), (9)"
    ));
    let mut rebuild = Rebuild::standard();
    rebuild.payload.children = vec!["c".to_owned()];
    rebuild.done(&mut writer(&place.path));
    assert_eq!(place.number("SELECT count(*) FROM c"), 3, "no cascade");
    assert_eq!(place.number("SELECT sum(id) FROM t"), 16);
    assert_eq!(place.number("SELECT count(*) FROM v"), 2);
    assert_eq!(place.number("SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%_new_t%'"), 0);
}

#[test]
fn a_rebuild_without_its_settings_or_outside_a_transaction_is_not_started() {
    let place = Place::with(TABLE);
    let mut session = writer(&place.path);
    let executed = run_units(&mut session, None, vec![Rebuild::standard().unit()]);
    assert_eq!(executed.outcome, Outcome::NotStarted);
    let transaction = begin(&mut session, &[]);
    let executed = run_units(&mut session, Some(&transaction), vec![Rebuild::standard().unit()]);
    assert_eq!(executed.outcome, Outcome::NotStarted);
    assert!(executed.diagnostic.unwrap().as_str().contains("`foreign_keys=off`"));
}

#[test]
fn a_changed_operation_and_another_version_are_not_started() {
    let place = Place::with(TABLE);
    let mut session = writer(&place.path);
    let transaction = begin(&mut session, &NEEDS);
    let Unit::Native(good) = Rebuild::standard().unit() else { unreachable!() };
    let mut changed = good.clone();
    changed.statements.push("DROP TABLE t".to_owned());
    let newer = NativeOperation::new(good.kind.clone(), 2, good.payload.clone(), good.statements.clone());
    for operation in [changed, newer] {
        let executed = run_units(&mut session, Some(&transaction), vec![Unit::Native(operation)]);
        assert_eq!(executed.outcome, Outcome::NotStarted);
    }
}

#[test]
fn a_copy_that_loses_a_row_rolls_everything_back() {
    let place = Place::with(&format!("{TABLE} INSERT INTO t VALUES (1, 'a'), (2, NULL)"));
    let mut session = writer(&place.path);
    let rebuild = Rebuild::of(
        "CREATE TABLE _new_t (id INTEGER PRIMARY KEY, a TEXT NOT NULL ON CONFLICT IGNORE)",
        "INSERT INTO _new_t (id, a) SELECT id, a FROM t",
    );
    assert!(rebuild.refused(&mut session).contains("another number of rows"));
    assert_eq!(place.number("SELECT count(*) FROM t"), 2);
}

#[test]
fn a_copy_with_other_row_ids_rolls_everything_back() {
    let place = Place::with("CREATE TABLE t (id, a); INSERT INTO t (rowid, id, a) VALUES (5, 1, 2), (9, 3, 4)");
    let mut session = writer(&place.path);
    let create = "CREATE TABLE _new_t (id, a NOT NULL)";
    let lossy = Rebuild::of(create, "INSERT OR ABORT INTO _new_t (id, a) SELECT id, a FROM t");
    assert!(lossy.refused(&mut session).contains("other row IDs"));
    Rebuild::of(create, "INSERT OR ABORT INTO _new_t (rowid, id, a) SELECT rowid, id, a FROM t").done(&mut session);
    assert_eq!(place.number("SELECT sum(rowid) FROM t"), 14);
}

#[test]
fn orphans_that_were_there_are_normal_and_new_ones_refuse() {
    let place = Place::with(&format!(
        "{TABLE} CREATE TABLE c (t REFERENCES t(id)); INSERT INTO t VALUES (1, 'a'), (2, 'b');
         PRAGMA foreign_keys=OFF; INSERT INTO c VALUES (1), (99)"
    ));
    let mut session = writer(&place.path);
    let mut rebuild = Rebuild::standard();
    rebuild.payload.children = vec!["c".to_owned()];
    rebuild.done(&mut session);
    let mut shifted = Rebuild::of(
        "CREATE TABLE _new_t (id INTEGER PRIMARY KEY, a TEXT)",
        "INSERT OR ABORT INTO _new_t (id, a) SELECT id + 100, a FROM t",
    );
    shifted.payload.children = vec!["c".to_owned()];
    shifted.payload.keeps_row_ids = false;
    assert!(shifted.refused(&mut session).contains("`c`"));
    assert_eq!(place.number("SELECT max(id) FROM t"), 2);
}

#[test]
fn a_view_that_the_rebuild_would_break_rolls_everything_back_and_a_broken_one_is_no_obstacle() {
    let place =
        Place::with(&format!("{TABLE} CREATE VIEW broken AS SELECT * FROM gone; CREATE VIEW v AS SELECT a FROM t"));
    let mut session = writer(&place.path);
    Rebuild::standard().done(&mut session);
    let without_a = Rebuild::of(
        "CREATE TABLE _new_t (id INTEGER PRIMARY KEY)",
        "INSERT OR ABORT INTO _new_t (id) SELECT id FROM t",
    );
    assert!(without_a.refused(&mut session).contains("`v`"));
}

#[test]
fn a_trigger_that_the_rebuild_would_break_rolls_everything_back() {
    let place = Place::with(&format!(
        "{TABLE} CREATE TABLE o (x); CREATE TRIGGER g AFTER INSERT ON o BEGIN UPDATE t SET a = new.x; END"
    ));
    let without_a = Rebuild::of(
        "CREATE TABLE _new_t (id INTEGER PRIMARY KEY)",
        "INSERT OR ABORT INTO _new_t (id) SELECT id FROM t",
    );
    assert!(without_a.refused(&mut writer(&place.path)).contains("triggers of o"));
}

#[test]
fn the_next_automatic_key_stays_what_it_was() {
    let place = Place::with(
        "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT);
         INSERT INTO t (a) VALUES ('a'), ('b'), ('c'); DELETE FROM t WHERE id = 3",
    );
    let mut session = writer(&place.path);
    let mut rebuild = Rebuild::of(
        "CREATE TABLE _new_t (id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT NOT NULL)",
        "INSERT OR ABORT INTO _new_t (id, a) SELECT id, a FROM t",
    );
    rebuild.payload.keeps_sequence = true;
    assert!(rebuild.refused(&mut session).contains("next automatic key"), "it fell from 3 to 2");
    rebuild.statements.splice(
        2..2,
        [
            "DELETE FROM sqlite_sequence WHERE name = '_new_t'".to_owned(),
            "INSERT INTO sqlite_sequence (name, seq) SELECT '_new_t', seq FROM sqlite_sequence WHERE name = 't'"
                .to_owned(),
        ],
    );
    rebuild.payload.drops = 4;
    rebuild.done(&mut session);
    assert_eq!(place.number("SELECT seq FROM sqlite_sequence WHERE name = 't'"), 3);
}

#[test]
fn statistics_are_carried_over_or_the_rebuild_is_refused() {
    let place =
        Place::with(&format!("{TABLE} CREATE INDEX i ON t (a); INSERT INTO t VALUES (1, 'a'), (2, 'b'); ANALYZE"));
    let mut session = writer(&place.path);
    let rows = place.number("SELECT count(*) FROM sqlite_stat1 WHERE tbl = 't'");
    assert!(rows > 0);
    let mut rebuild = Rebuild::standard();
    rebuild.payload.keeps_statistics = true;
    assert!(rebuild.refused(&mut session).contains("statistics"));
    for (place, text) in [
        (2, "INSERT INTO sqlite_stat4 SELECT '_new_t', idx, neq, nlt, ndlt, sample FROM sqlite_stat4 WHERE tbl = 't'"),
        (2, "INSERT INTO sqlite_stat1 SELECT '_new_t', idx, stat FROM sqlite_stat1 WHERE tbl = 't'"),
    ] {
        rebuild.statements.insert(place, text.to_owned());
    }
    rebuild.payload.drops = 4;
    for text in [
        "UPDATE sqlite_stat1 SET tbl = 't' WHERE tbl = '_new_t'",
        "UPDATE sqlite_stat4 SET tbl = 't' WHERE tbl = '_new_t'",
        "CREATE INDEX i ON t (a)",
    ] {
        rebuild.statements.push(text.to_owned());
    }
    rebuild.done(&mut session);
    assert_eq!(place.number("SELECT count(*) FROM sqlite_stat1 WHERE tbl = 't'"), rows);
}

#[test]
fn a_failed_rebuild_takes_the_units_before_it_back_too_and_says_so() {
    let place = Place::with(&format!("{TABLE} INSERT INTO t VALUES (1, NULL)"));
    let mut session = writer(&place.path);
    let transaction = begin(&mut session, &NEEDS);
    let first = Unit::Sql { text: "CREATE TABLE other (x)".to_owned() };
    let executed = run_units(&mut session, Some(&transaction), vec![first, Rebuild::standard().unit()]);
    assert_eq!((executed.outcome, executed.applied), (Outcome::NotApplied, 0));
    assert_eq!(executed.engine_code.as_deref(), Some("SQLITE_CONSTRAINT_NOTNULL"));
    assert!(executed.diagnostic.unwrap().as_str().contains("whole transaction was rolled back"));
    assert_eq!(session.commit(&transaction, WAIT).unwrap().state, TransactionState::RolledBack);
    assert_eq!(place.number("SELECT count(*) FROM sqlite_schema"), 1);
}

#[test]
fn a_key_that_does_not_fit_its_parent_before_and_after_is_no_obstacle() {
    let place = Place::with(&format!("{TABLE} CREATE TABLE c (t REFERENCES t(a)); INSERT INTO t VALUES (1, 'x')"));
    let mut rebuild = Rebuild::standard();
    rebuild.payload.children = vec!["c".to_owned()];
    rebuild.done(&mut writer(&place.path));
}
