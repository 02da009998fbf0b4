//! Which change forces a rebuild, by which rule, and what it costs.

use ptah_diff::ColumnOrder;
use ptah_provider_api::step::{Step, TransactionRule, Unit};

use super::lab::{Lab, cost, only_step, planned, texts};
use crate::rebuild::RebuildTable;

const P: &str = "CREATE TABLE p (id INTEGER PRIMARY KEY, u INT UNIQUE); ";

fn check(current: &str, desired: &str, rule: &str, costs: &str) -> Step {
    let (current, desired) = (format!("{P}{current}"), format!("{P}{desired}"));
    let step = only_step(&current, &desired);
    assert_eq!((step.rule.name.as_str(), cost(&step).as_str()), (rule, costs), "{desired}: {}", step.rule.sentence);
    assert_eq!(step.id.0, "rebuild:t");
    assert_eq!(step.transaction, TransactionRule::Inside);
    assert_eq!(step.atomic_group.as_deref(), Some("rebuild:t"));
    assert!(step.locks[0].rewrites && step.locks[0].scans);
    Lab::new(&current).become_(&desired).unwrap();
    step
}

const LOST: &str = "destructive, loses protection";

#[test]
fn each_facet_of_a_column_that_has_no_way_in_place_names_its_rule() {
    let t = |b: &str, c: &str, rest: &str| format!("CREATE TABLE t (a INTEGER, b {b}, c {c}, g AS ({rest}))");
    let plain = t("TEXT", "REAL DEFAULT 1", "a");
    for (desired, rule) in [
        (t("VARCHAR(9)", "REAL DEFAULT 1", "a"), "rebuild.type-changed"),
        (t("BLOB", "REAL DEFAULT 1", "a"), "rebuild.type-changed"),
        (t("TEXT", "REAL DEFAULT 2", "a"), "rebuild.default-changed"),
        (t("TEXT COLLATE NOCASE", "REAL DEFAULT 1", "a"), "rebuild.collation-changed"),
        (t("TEXT", "REAL DEFAULT 1", "a + 1"), "rebuild.generated-changed"),
        (t("TEXT", "REAL DEFAULT 1, h AS (a) STORED", "a"), "rebuild.stored-column-added"),
        (t("TEXT", "REAL DEFAULT 1, h DEFAULT CURRENT_TIMESTAMP", "a"), "rebuild.default-not-constant"),
    ] {
        check(&plain, &desired, rule, "warning");
    }
    check(
        &plain.replace(", g AS (a)", ""),
        "CREATE TABLE t (z INT)",
        "rebuild.no-column-left",
        "destructive, loses values",
    );
    let strict = "CREATE TABLE t (a INT, b INT) STRICT";
    check("CREATE TABLE t (a INT, b INT)", strict, "rebuild.strict-changed", "warning");
    let (with, without) = ("CREATE TABLE t (a INT PRIMARY KEY)", "CREATE TABLE t (a INT PRIMARY KEY) WITHOUT ROWID");
    check(with, without, "rebuild.without-rowid-changed", "warning");
}

#[test]
fn each_constraint_that_has_no_way_in_place_names_its_rule() {
    let t = |rest: &str| format!("CREATE TABLE t (a INT, b INT{rest})");
    for (current, desired, rule, costs) in [
        ("", ", PRIMARY KEY (a)", "rebuild.primary-key-added", "warning"),
        (", PRIMARY KEY (a)", "", "rebuild.primary-key-dropped", LOST),
        ("", ", UNIQUE (a)", "rebuild.unique-added", "warning"),
        (", CONSTRAINT u UNIQUE (a)", "", "rebuild.unique-dropped", LOST),
        (", CONSTRAINT u UNIQUE (a)", ", CONSTRAINT u UNIQUE (a, b)", "rebuild.unique-changed", "warning"),
        (" CHECK (a > 0)", "", "rebuild.check-dropped", LOST),
        ("", ", FOREIGN KEY (a) REFERENCES p", "rebuild.foreign-key-added", "warning"),
        (" REFERENCES p", "", "rebuild.foreign-key-dropped", LOST),
        (
            ", CONSTRAINT f FOREIGN KEY (a) REFERENCES p",
            ", CONSTRAINT f FOREIGN KEY (a) REFERENCES p ON DELETE CASCADE",
            "rebuild.foreign-key-changed",
            "warning",
        ),
        (
            ", CONSTRAINT x UNIQUE (b)",
            ", CONSTRAINT x UNIQUE (b), CONSTRAINT x CHECK (a > 0)",
            "rebuild.name-taken",
            "warning",
        ),
    ] {
        check(&t(current), &t(desired), rule, costs);
    }
}

#[test]
fn a_column_that_takes_more_than_itself_along_goes_by_a_rebuild() {
    let lost = "destructive, loses values";
    for (current, desired, rule) in [
        ("CREATE TABLE t (a INT, b INT UNIQUE)", "CREATE TABLE t (a INT)", "rebuild.unique-dropped"),
        (
            "CREATE TABLE t (a INT CHECK (b > 0), b INT)",
            "CREATE TABLE t (b INT, CHECK (b > 0))",
            "rebuild.constraint-stays",
        ),
        (
            "CREATE TABLE t (a INT, b INT CHECK (b > c), c INT CHECK (b < c))",
            "CREATE TABLE t (a INT)",
            "rebuild.columns-name-each-other",
        ),
    ] {
        check(current, desired, rule, lost);
    }
}

#[test]
fn the_rule_names_the_facet_that_forces_the_rebuild() {
    let step = check(
        "CREATE TABLE t (a INT CONSTRAINT f REFERENCES p (id))",
        "CREATE TABLE t (a INT CONSTRAINT f REFERENCES p (id) ON UPDATE CASCADE)",
        "rebuild.foreign-key-changed",
        "warning",
    );
    assert_eq!(
        step.rule.sentence,
        "SQLite cannot change the on-update of a foreign key of `t`, so the table is made anew and its rows are copied"
    );
}

#[test]
fn the_order_of_columns_is_changed_by_a_rebuild() {
    let lab = Lab::new("CREATE TABLE t (a INT, b INT); INSERT INTO t VALUES (1, 2)");
    let reply = lab.become_in("CREATE TABLE t (b INT, a INT)", ColumnOrder::Exact, false).unwrap();
    assert_eq!(reply.steps[0].rule.name, "rebuild.column-order");
    assert_eq!(lab.rows("SELECT * FROM t"), ["2 1"]);
}

#[test]
fn the_statements_of_a_rebuild_are_all_that_is_done() {
    let reply = planned(
        "CREATE TABLE \"my order\" (id INTEGER PRIMARY KEY AUTOINCREMENT, a INT, g AS (a), old TEXT);
         CREATE INDEX i ON \"my order\" (a); CREATE TABLE c (o REFERENCES \"my order\");
         CREATE TRIGGER r AFTER INSERT ON \"my order\" BEGIN SELECT 1; END",
        "CREATE TABLE \"my order\" (id INTEGER PRIMARY KEY AUTOINCREMENT, a INT /* kept */, g AS (a), new TEXT DEFAULT (date()));
         CREATE INDEX i ON \"my order\" (a); CREATE TABLE c (o REFERENCES \"my order\");
         CREATE TRIGGER r AFTER INSERT ON \"my order\" BEGIN SELECT 1; END",
    );
    assert_eq!(reply.steps.len(), 1, "{:#?}", texts(&reply));
    assert_eq!(
        reply.steps[0].unit.statements(),
        [
            "CREATE TABLE \"ptah_rebuild_my order\" (id INTEGER PRIMARY KEY AUTOINCREMENT, a INT /* kept */, g AS (a), new TEXT DEFAULT (date()))",
            "INSERT OR ABORT INTO \"ptah_rebuild_my order\" (id, a) SELECT id, a FROM \"my order\"",
            "DELETE FROM sqlite_sequence WHERE name = 'ptah_rebuild_my order'",
            "INSERT INTO sqlite_sequence (name, seq) SELECT 'ptah_rebuild_my order', seq FROM sqlite_sequence WHERE name = 'my order'",
            "DROP TABLE \"my order\"",
            "ALTER TABLE \"ptah_rebuild_my order\" RENAME TO \"my order\"",
            "CREATE INDEX i ON \"my order\" (a)",
            "CREATE TRIGGER r AFTER INSERT ON \"my order\" BEGIN SELECT 1; END",
        ]
    );
    let Unit::Native(operation) = &reply.steps[0].unit else { panic!() };
    let payload = RebuildTable::read(operation).unwrap();
    assert_eq!((payload.copies, payload.drops), (1, 4));
    assert!(payload.keeps_row_ids && payload.keeps_sequence && !payload.keeps_statistics);
    assert_eq!(payload.children, ["c"]);
}

#[test]
fn the_name_of_the_new_table_is_free() {
    let reply = planned(
        "CREATE TABLE t (a DEFAULT 1); CREATE TABLE PTAH_rebuild_t (a); CREATE VIEW ptah_rebuild_t_2 AS SELECT 1",
        "CREATE TABLE t (a DEFAULT 2); CREATE TABLE PTAH_rebuild_t (a); CREATE VIEW ptah_rebuild_t_2 AS SELECT 1;
         CREATE INDEX ptah_rebuild_t_3 ON t (a)",
    );
    let create = &reply.steps[0].unit.statements()[0];
    assert!(create.starts_with("CREATE TABLE ptah_rebuild_t_4"), "{create}");
}

#[test]
fn values_that_were_computed_stay_when_their_column_is_stored_from_now_on() {
    let lab = Lab::new("CREATE TABLE t (a INT, g INT AS (a * 2)); INSERT INTO t VALUES (1), (2)");
    lab.become_("CREATE TABLE t (a INT, g INT)").unwrap();
    assert_eq!(lab.rows("SELECT * FROM t"), ["1 2", "2 4"]);
}

#[test]
fn other_spellings_of_the_same_table_are_no_change() {
    let reply = planned(
        "CREATE TABLE t (a INT NOT NULL UNIQUE, CHECK ((a > 0)))",
        "create table T (\"A\" int CHECK (a>0) NOT NULL, unique([a]))",
    );
    assert_eq!(reply.steps, Vec::new());
}
