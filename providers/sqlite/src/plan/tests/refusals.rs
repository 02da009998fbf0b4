//! What cannot be made, refused by name before anything starts.

use ptah_model::{Kind, Name};
use ptah_plan::request::planned_changes;
use ptah_provider_api::plan::{PlannedAction, PlannedChange};
use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;

use super::lab::{Lab, answer, declared, differences, refused};
use crate::catalogue::{self, SqliteSnapshot};

/// A schema that can be written only where a function and a collation are known.
fn with_stand_ins(sql: &str) -> SqliteSnapshot {
    let connection = Connection::open_in_memory().unwrap();
    let flags = FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("nosuch", -1, flags, |_| Ok(1)).unwrap();
    connection.create_collation("nosuch", |a: &str, b: &str| a.cmp(b)).unwrap();
    connection.execute_batch(sql).unwrap();
    catalogue::read(&connection).unwrap()
}

fn refusals(current: &SqliteSnapshot, desired: &SqliteSnapshot) -> Vec<(String, String)> {
    let changes = differences(current, desired, ptah_diff::ColumnOrder::Ignore);
    let reply = answer(planned_changes(&changes), current, desired);
    reply.refusals.into_iter().map(|refusal| (refusal.code, refusal.reason)).collect()
}

fn check(current: &str, desired: &str, code: &str, names: &str) {
    let found = refusals(&with_stand_ins(current), &with_stand_ins(desired));
    assert!(!found.is_empty() && found.iter().all(|(c, _)| c == code), "{desired}: {found:?}");
    assert!(found[0].1.contains(names), "{found:?}");
}

#[test]
fn a_function_or_collation_that_the_build_lacks_is_refused_by_name() {
    let t = "CREATE TABLE t (a TEXT)";
    for (current, desired) in [
        ("", "CREATE TABLE t (a TEXT CHECK (nosuch(a)))"),
        ("", "CREATE TABLE t (a TEXT, b AS (nosuch(a)))"),
        (t, "CREATE TABLE t (a TEXT, CHECK (nosuch(a)))"),
        (t, "CREATE TABLE t (a TEXT, b INT CHECK (nosuch(b)))"),
        (t, "CREATE TABLE t (a TEXT, b INT AS (nosuch(a)))"),
        (t, "CREATE TABLE t (a TEXT); CREATE INDEX i ON t (nosuch(a))"),
        (t, "CREATE TABLE t (a TEXT); CREATE INDEX i ON t (a) WHERE nosuch(a)"),
        ("CREATE TABLE t (a TEXT CHECK (nosuch(a)))", "CREATE TABLE t (a TEXT DEFAULT 'x' CHECK (nosuch(a)))"),
        (
            "CREATE TABLE t (a TEXT); CREATE INDEX i ON t (nosuch(a))",
            "CREATE TABLE t (a TEXT DEFAULT 'x'); CREATE INDEX i ON t (nosuch(a))",
        ),
    ] {
        check(current, desired, "function.unknown", "`nosuch`");
    }
    for (current, desired) in [
        ("", "CREATE TABLE t (a TEXT COLLATE nosuch)"),
        (t, "CREATE TABLE t (a TEXT, b TEXT COLLATE nosuch)"),
        (t, "CREATE TABLE t (a TEXT); CREATE INDEX i ON t (a COLLATE nosuch)"),
        ("CREATE TABLE t (a TEXT COLLATE nosuch)", "CREATE TABLE t (a TEXT COLLATE nosuch); CREATE INDEX i ON t (a)"),
    ] {
        check(current, desired, "collation.unknown", "`nosuch`");
    }
}

#[test]
fn an_index_with_an_unknown_collation_blocks_what_reads_the_whole_schema() {
    let other = "CREATE TABLE o (a TEXT); CREATE INDEX oi ON o (a COLLATE nosuch);";
    for (current, desired) in [
        ("CREATE TABLE t (a INT, b INT);", "CREATE TABLE t (a INT);"),
        ("CREATE TABLE t (a INT DEFAULT 1);", "CREATE TABLE t (a INT DEFAULT 2);"),
    ] {
        check(&format!("{current}{other}"), &format!("{desired}{other}"), "collation.unknown", "`oi`");
    }
    let column = "CREATE TABLE t (a INT DEFAULT 1); CREATE TABLE o (a TEXT COLLATE nosuch); CREATE INDEX oi ON o (a)";
    check(column, &column.replace("DEFAULT 1", "DEFAULT 2"), "collation.unknown", "`oi`");
    // What does not read it goes on, and so does everything once the index goes.
    let (t, wider) = ("CREATE TABLE t (a INT);", "CREATE TABLE t (a INT, b INT NOT NULL DEFAULT 1, CHECK (a > 0));");
    assert_eq!(refusals(&with_stand_ins(&format!("{t}{other}")), &with_stand_ins(&format!("{wider}{other}"))), []);
    let without = "CREATE TABLE t (a INT DEFAULT 2); CREATE TABLE o (a TEXT)";
    assert_eq!(refusals(&with_stand_ins(&format!("{t}{other}")), &with_stand_ins(without)), []);
}

#[test]
fn an_unrelated_broken_view_or_trigger_blocks_a_dropped_column() {
    let view = "CREATE VIEW v AS SELECT x FROM missing;";
    let (t, narrow) = ("CREATE TABLE t (a INT, b INT);", "CREATE TABLE t (a INT);");
    check(&format!("{t}{view}"), narrow, "drop-column.blocked", "the view `v`");
    let trigger = "CREATE TABLE o (a); CREATE TRIGGER r AFTER INSERT ON o BEGIN INSERT INTO missing VALUES (1); END;";
    check(&format!("{t}{trigger}"), &format!("{narrow}{trigger}"), "drop-column.blocked", "the trigger `r`");
    // A trigger that goes in the same plan goes first.
    for backwards in [false, true] {
        let lab = Lab::new(&format!("{t}{trigger}"));
        lab.become_in(&format!("{narrow} CREATE TABLE o (a)"), ptah_diff::ColumnOrder::Ignore, backwards).unwrap();
    }
}

#[test]
fn what_sqlite_says_about_blockers_is_what_is_refused() {
    // Each is refused because SQLite itself stops there; when it no longer does, this fails.
    for (blocker, change) in [
        ("CREATE VIEW v AS SELECT x FROM missing", "ALTER TABLE t DROP COLUMN b"),
        ("CREATE VIEW v AS SELECT x FROM missing", "ALTER TABLE t RENAME TO u"),
        (
            "CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO missing VALUES (1); END",
            "ALTER TABLE t RENAME COLUMN a TO c",
        ),
    ] {
        let lab = Lab::new(&format!("CREATE TABLE t (a INT, b INT); {blocker}"));
        assert!(lab.connection.execute_batch(change).is_err(), "{change}");
    }
    let lab = Lab::new("CREATE TABLE t (a INT, b INT); CREATE VIEW v AS SELECT x FROM missing");
    for change in ["ADD COLUMN c INT CHECK (c > 0)", "ADD CHECK (a > 0)", "ALTER COLUMN a SET NOT NULL"] {
        lab.connection.execute_batch(&format!("ALTER TABLE t {change}")).unwrap();
    }
}

#[test]
fn a_virtual_table_that_differs_is_refused() {
    assert_eq!(
        refused("CREATE VIRTUAL TABLE f USING fts5 (a)", "CREATE VIRTUAL TABLE f USING fts5 (a, b)"),
        ["virtual-table.different"]
    );
    assert_eq!(refused("CREATE VIRTUAL TABLE f USING fts5 (a)", "CREATE VIRTUAL TABLE F USING FTS5(a)"), [""; 0]);
}

#[test]
fn what_could_not_be_read_is_neither_dropped_nor_altered_nor_rebuilt() {
    let connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch(
            "CREATE TABLE f_data (a INT, b INT); PRAGMA writable_schema = ON;
             INSERT INTO sqlite_schema VALUES ('table', 'f', 'f', 0, 'CREATE VIRTUAL TABLE f USING nosuch(x)');
             PRAGMA writable_schema = RESET",
        )
        .unwrap();
    let current = catalogue::read(&connection).unwrap();
    let desired = declared("CREATE TABLE f_data (a TEXT)");
    assert_eq!(differences(&current, &declared(""), ptah_diff::ColumnOrder::Ignore), []);
    let table = |name: &str| crate::kinds::object_id(Kind::table(), None, name);
    let drop = |object| PlannedChange { object, member: None, action: PlannedAction::Drop };
    let alter = PlannedChange { object: table("f_data"), member: None, action: PlannedAction::Reorder };
    let vtab = crate::kinds::object_id(crate::kinds::virtual_table(), None, "f");
    for change in [drop(table("f_data")), drop(vtab), alter] {
        let reply = answer(vec![change], &current, &desired);
        assert_eq!((reply.steps.len(), reply.refusals[0].code.as_str()), (0, "object.not-described"));
    }
}

#[test]
fn a_member_of_something_that_has_none_is_refused() {
    let current = declared("CREATE TABLE t (a); CREATE VIEW v AS SELECT a FROM t");
    let member = ptah_model::MemberId { kind: Kind::column(), name: Name::unnamed("a") };
    let object = crate::kinds::object_id(Kind::view(), None, "v");
    let change = PlannedChange { object, member: Some(member), action: PlannedAction::Drop };
    assert_eq!(answer(vec![change], &current, &current).refusals[0].code, "action.unsupported");
}

#[test]
fn a_trigger_that_works_is_not_taken_for_a_broken_one() {
    for body in [
        "SELECT new.a, x.a FROM t AS x, o AS y WHERE x.a IS DISTINCT FROM y.a",
        "INSERT INTO o (a) SELECT j.value FROM json_each(new.a) AS j JOIN t ON t.a = j.value",
        "UPDATE o SET a = (SELECT max(q) FROM (WITH w AS (SELECT 1 AS q) SELECT q FROM w))",
        "INSERT INTO o VALUES (1) ON CONFLICT DO UPDATE SET a = excluded.a",
        "DELETE FROM f WHERE rowid = old.a",
        "SELECT count(*) FROM f_data JOIN sqlite_schema",
    ] {
        let event = if body.contains("old") { "DELETE" } else { "INSERT" };
        let rest = format!(
            "CREATE TABLE o (a UNIQUE); CREATE VIRTUAL TABLE f USING fts5 (x);
             CREATE TRIGGER r AFTER {event} ON t BEGIN {body}; END;"
        );
        let lab = Lab::new(&format!("CREATE TABLE t (a INT, b INT); {rest}"));
        lab.become_(&format!("CREATE TABLE t (a INT); {rest}")).unwrap();
    }
}
