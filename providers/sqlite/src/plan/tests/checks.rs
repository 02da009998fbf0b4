//! Questions about rows: what they count, which keys they name, and that they can be asked before and after.

use super::lab::{Lab, Stopped};

/// The code, the count and the keys of the first check that rows stand against.
fn offends(current: &str, desired: &str) -> (String, i64, Vec<String>) {
    let lab = Lab::new(current);
    let wanted = super::lab::declared(desired);
    let changes = super::lab::differences(&lab.read(), &wanted, ptah_diff::ColumnOrder::Ignore);
    let reply = super::lab::answer(ptah_plan::request::planned_changes(&changes), &lab.read(), &wanted);
    let checks = reply.steps.iter().flat_map(|step| &step.checks);
    let mut found = checks.map(|check| {
        let rows = check.rows.as_ref().map(|query| lab.rows(query)).unwrap_or_default();
        (check.code.clone(), lab.number(&check.count), rows)
    });
    found.find(|(_, count, _)| *count > 0).unwrap_or_default()
}

fn is(code: &str, count: i64, keys: &[&str]) -> (String, i64, Vec<String>) {
    (code.to_owned(), count, keys.iter().map(|key| (*key).to_owned()).collect())
}

#[test]
fn each_question_counts_rows_and_names_their_keys() {
    let t = "CREATE TABLE t (id INTEGER PRIMARY KEY, a INT, b TEXT);
        INSERT INTO t VALUES (3, 1, 'x'), (5, NULL, 'y'), (8, 1, 'X'), (9, 0, NULL);";
    let with = |columns: &str| format!("CREATE TABLE t (id INTEGER PRIMARY KEY, {columns})");
    for (desired, expected) in [
        (with("a INT NOT NULL, b TEXT"), is("rows.null", 1, &["5"])),
        (with("a INT CHECK (a > 0), b TEXT"), is("rows.check", 1, &["9"])),
        (with("a INT UNIQUE, b TEXT"), is("rows.duplicate", 2, &["3", "8"])),
        (with("a INT, b TEXT COLLATE NOCASE UNIQUE"), is("rows.duplicate", 2, &["3", "8"])),
        (with("a INT REFERENCES t (id), b TEXT"), is("rows.orphan", 3, &["3", "8", "9"])),
        (with("a TEXT, b TEXT"), is("rows.value", 3, &["3", "8", "9"])),
        (with("a INT, b TEXT, c INT NOT NULL"), is("rows.null", 4, &["3", "5", "8", "9"])),
        (with("a INT, b TEXT, c INT DEFAULT 1 CHECK (c > a)"), is("rows.check", 2, &["3", "8"])),
        (with("a INT, b TEXT, c INT DEFAULT 4 REFERENCES t (id)"), is("rows.orphan", 4, &["3", "5", "8", "9"])),
        (with("a INT, b TEXT, c INT AS (a + 1) NOT NULL"), is("rows.null", 1, &["5"])),
        (with("a INT, b TEXT, c INT DEFAULT 2, CHECK (a * c > id - 2)"), is("rows.check", 2, &["8", "9"])),
        (with("a INT, b TEXT, UNIQUE (a, b)"), is("", 0, &[])),
        (with("a INT AS (id), b TEXT"), is("rows.value", 4, &["3", "5", "8", "9"])),
    ] {
        assert_eq!(offends(t, &desired), expected, "{desired}");
    }
}

#[test]
fn rows_are_named_by_what_identifies_them() {
    for (table, keys) in [
        ("a INT, b INT", vec!["1", "2"]),
        ("rowid INT, a INT", vec!["1", "2"]),
        ("k TEXT DEFAULT 'k', a INT, j INT DEFAULT 5", vec!["1", "2"]),
        ("rowid, oid, _rowid_, a INT", vec![]),
    ] {
        let current = format!("CREATE TABLE t ({table}); INSERT INTO t (a) VALUES (7), (7)");
        let desired = format!("CREATE TABLE t ({table}, UNIQUE (a))");
        assert_eq!(offends(&current, &desired), is("rows.duplicate", 2, &keys), "{table}");
    }
    let current = "CREATE TABLE t (j INT, k TEXT, a INT, PRIMARY KEY (k, j)) WITHOUT ROWID;
        INSERT INTO t VALUES (1, 'x', 7), (2, 'y', 7)";
    let desired = "CREATE TABLE t (j INT, k TEXT, a INT UNIQUE, PRIMARY KEY (k, j)) WITHOUT ROWID";
    assert_eq!(offends(current, desired), is("rows.duplicate", 2, &["'x' 1", "'y' 2"]));
}

#[test]
fn values_are_judged_as_they_will_be_stored() {
    let current = "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('1'), ('01'), ('2')";
    let lab = Lab::new(current);
    let Err(Stopped::Rows(found)) = lab.become_("CREATE TABLE t (a INTEGER UNIQUE)") else { panic!() };
    assert_eq!(found, [("rows.value".to_owned(), 3), ("rows.duplicate".to_owned(), 2)]);
}

#[test]
fn a_changed_collation_asks_again_whether_keys_are_apart() {
    let current = "CREATE TABLE t (a TEXT UNIQUE); INSERT INTO t VALUES ('x'), ('X')";
    assert_eq!(offends(current, "CREATE TABLE t (a TEXT COLLATE NOCASE UNIQUE)").0, "rows.duplicate");
    let index = "CREATE TABLE t (a TEXT); CREATE UNIQUE INDEX i ON t (a); INSERT INTO t VALUES ('x'), ('X')";
    let wanted = "CREATE TABLE t (a TEXT COLLATE NOCASE); CREATE UNIQUE INDEX i ON t (a)";
    assert_eq!(offends(index, wanted).0, "rows.duplicate");
}

#[test]
fn a_key_that_rows_keep_already_is_not_asked_about() {
    for (current, desired) in [
        ("CREATE TABLE t (a INT UNIQUE, b INT)", "CREATE TABLE t (a INT UNIQUE, b INT, UNIQUE (b, a))"),
        ("CREATE TABLE t (a INT PRIMARY KEY, b INT)", "CREATE TABLE t (a INT PRIMARY KEY, b INT DEFAULT 1)"),
        (
            "CREATE TABLE t (a INT, b INT); CREATE UNIQUE INDEX i ON t (a)",
            "CREATE TABLE t (a INT UNIQUE, b INT); CREATE UNIQUE INDEX i ON t (a)",
        ),
    ] {
        let step = super::lab::only_step(current, desired);
        assert_eq!(step.checks, [], "{desired}");
    }
}

#[test]
fn a_new_parent_has_no_rows_yet() {
    let current = "CREATE TABLE c (a INT); INSERT INTO c VALUES (1), (NULL)";
    let desired = "CREATE TABLE c (a INT REFERENCES p (id)); CREATE TABLE p (id INTEGER PRIMARY KEY)";
    assert_eq!(offends(current, desired), is("rows.orphan", 1, &["1"]));
    let lab = Lab::new("CREATE TABLE c (a INT); INSERT INTO c VALUES (NULL)");
    lab.become_(desired).unwrap();
}

#[test]
fn a_foreign_key_compares_as_the_parent_does() {
    let current = "CREATE TABLE p (k TEXT COLLATE NOCASE PRIMARY KEY); CREATE TABLE c (a, b INT);
        INSERT INTO p VALUES ('x'), ('1'); INSERT INTO c VALUES ('X', 1), ('z', 2)";
    let c = |a: &str, b: &str| {
        format!("CREATE TABLE p (k TEXT COLLATE NOCASE PRIMARY KEY); CREATE TABLE c (a {a}, b INT {b})")
    };
    assert_eq!(offends(current, &c("REFERENCES p", "")), is("rows.orphan", 1, &["2"]));
    assert_eq!(offends(current, &c("", "REFERENCES p")), is("rows.orphan", 1, &["2"]));
}
