//! What is changed in place, and by which rule.

use super::lab::{Lab, cost, only_step, texts};

/// The rule, the cost and the statement of the only step.
fn check(current: &str, desired: &str, rule: &str, costs: &str, text: &str) {
    let step = only_step(current, desired);
    assert_eq!((step.rule.name.as_str(), cost(&step).as_str()), (rule, costs), "{desired}");
    assert_eq!(step.unit.statements(), [text]);
    Lab::new(current).become_(desired).unwrap();
}

#[test]
fn each_change_with_a_way_in_place_uses_it() {
    let t = "CREATE TABLE t (a INTEGER PRIMARY KEY, b INT, c TEXT CONSTRAINT k CHECK (c <> ''), CONSTRAINT f FOREIGN KEY (b) REFERENCES t (a))";
    let base = "CREATE TABLE t (a INTEGER PRIMARY KEY, b INT, c TEXT, CONSTRAINT k CHECK (c <> ''), CONSTRAINT f FOREIGN KEY (b) REFERENCES t (a)";
    check(t, &format!("{base}, CHECK (b > 0))"), "add-check.in-place", "warning", "ALTER TABLE t ADD CHECK (b > 0)");
    check(
        t,
        &format!("{base}, CONSTRAINT \"two words\" CHECK (b > 0))"),
        "add-check.in-place",
        "warning",
        "ALTER TABLE t ADD CONSTRAINT \"two words\" CHECK (b > 0)",
    );
    check(
        t,
        "CREATE TABLE t (a INTEGER PRIMARY KEY, b INT, c TEXT CONSTRAINT k CHECK (c <> ''))",
        "drop-constraint.in-place",
        "destructive, loses protection",
        "ALTER TABLE t DROP CONSTRAINT f",
    );
}

#[test]
fn a_column_is_added_with_its_declared_text_and_what_it_brings() {
    let t = "CREATE TABLE t (a INTEGER PRIMARY KEY)";
    for (column, costs) in [
        ("b INT", "safe"),
        ("\"order\" TEXT DEFAULT 'x''y' COLLATE NOCASE", "safe"),
        ("b INT NOT NULL DEFAULT 5", "safe"),
        ("b INT NOT NULL", "warning"),
        ("b INT CHECK (b > 0)", "warning"),
        ("b INT CONSTRAINT k CHECK (b > 0) REFERENCES t (a) ON DELETE SET NULL", "warning"),
        ("b INT AS (a + 1)", "safe"),
        ("b DEFAULT -1", "safe"),
        ("b INT DEFAULT 1 REFERENCES t (a)", "warning"),
    ] {
        check(
            t,
            &format!("CREATE TABLE t (a INTEGER PRIMARY KEY, {column})"),
            "add-column.in-place",
            costs,
            &format!("ALTER TABLE t ADD COLUMN {column}"),
        );
    }
}

#[test]
fn a_foreign_key_of_the_table_over_a_new_column_comes_with_the_column() {
    check(
        "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE t (a INT)",
        "CREATE TABLE p (id INTEGER PRIMARY KEY);
         CREATE TABLE t (a INT, b INT, CONSTRAINT f FOREIGN KEY (b) REFERENCES p (id) ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED)",
        "add-column.in-place",
        "safe",
        "ALTER TABLE t ADD COLUMN b INT CONSTRAINT f REFERENCES p (id) ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED",
    );
}

#[test]
fn a_constraint_that_is_there_is_not_added_again_with_a_column() {
    let current = "CREATE TABLE t (a INT CHECK (a > 0))";
    let desired = "CREATE TABLE t (a INT, b TEXT CHECK (a > 0) DEFAULT 'x' CHECK (b <> ''))";
    let reply = Lab::new(current).become_(desired).unwrap();
    assert_eq!(texts(&reply), ["add-column:t.b: ALTER TABLE t ADD COLUMN b TEXT DEFAULT 'x' CHECK (b <> '')"]);
}

#[test]
fn not_null_comes_and_goes_in_place() {
    let (with, without) = ("CREATE TABLE t (a INT NOT NULL, b)", "CREATE TABLE t (a INT, b)");
    check(without, with, "set-not-null.in-place", "warning", "ALTER TABLE t ALTER COLUMN a SET NOT NULL");
    check(with, without, "drop-not-null.in-place", "warning", "ALTER TABLE t ALTER COLUMN a DROP NOT NULL");
    check(
        with,
        "CREATE TABLE t (a INT NOT NULL ON CONFLICT REPLACE, b)",
        "set-not-null.in-place",
        "warning",
        "ALTER TABLE t ALTER COLUMN a SET NOT NULL ON CONFLICT REPLACE",
    );
}

#[test]
fn a_column_is_dropped_in_place_with_what_stands_at_it() {
    check(
        "CREATE TABLE t (a INT, b INT CHECK (b > 0) REFERENCES t (a))",
        "CREATE TABLE t (a INT)",
        "drop-column.in-place",
        "destructive, loses values",
        "ALTER TABLE t DROP COLUMN b",
    );
}

#[test]
fn a_column_goes_after_what_names_it() {
    let current = "CREATE TABLE t (a INT, b INT, c INT AS (b + 1), d INT CHECK (d > b), CONSTRAINT k CHECK (b > 0));
         CREATE INDEX i ON t (b); CREATE VIEW v AS SELECT b FROM t;
         CREATE TRIGGER r AFTER UPDATE ON t WHEN new.b > 0 BEGIN SELECT 1; END;
         INSERT INTO t (a, b, d) VALUES (1, 2, 3)";
    let desired = "CREATE TABLE t (a INT); CREATE VIEW v AS SELECT a FROM t";
    for backwards in [false, true] {
        let lab = Lab::new(current);
        let reply = lab.become_in(desired, ptah_diff::ColumnOrder::Ignore, backwards).unwrap();
        assert!(reply.steps.iter().all(|step| !step.rule.name.starts_with("rebuild")), "{:#?}", texts(&reply));
        assert_eq!(lab.rows("SELECT * FROM t"), ["1"]);
    }
}

#[test]
fn a_changed_check_goes_and_comes_in_one_group() {
    let reply = super::lab::planned(
        "CREATE TABLE t (a INT, CONSTRAINT k CHECK (a > 0))",
        "CREATE TABLE t (a INT, CONSTRAINT k CHECK (a > 1))",
    );
    assert_eq!(
        texts(&reply),
        [
            "drop-constraint:t.k: ALTER TABLE t DROP CONSTRAINT k",
            "add-check:t.k: ALTER TABLE t ADD CONSTRAINT k CHECK (a > 1)"
        ]
    );
    assert!(reply.steps.iter().all(|step| step.atomic_group.as_deref() == Some("change-check:t.k")));
    assert_eq!(reply.steps[1].after[0].step, reply.steps[0].id);
    assert!(reply.steps.iter().all(|step| step.loss.is_none()));
}

#[test]
fn columns_come_in_the_declared_order() {
    let lab = Lab::new("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)");
    lab.become_("CREATE TABLE t (a INT, z INT DEFAULT 1, b INT DEFAULT 2, y INT DEFAULT 3)").unwrap();
    assert_eq!(lab.rows("SELECT * FROM t"), ["1 1 2 3"]);
    let columns = "SELECT group_concat(name) FROM pragma_table_info('t')";
    assert_eq!(lab.rows(columns), ["'a,z,b,y'"]);
}

#[test]
fn every_kind_of_change_at_once_is_made_in_place() {
    let lab = Lab::new(
        "CREATE TABLE t (a INT, b INT NOT NULL, c INT, d INT CONSTRAINT k CHECK (d > 0));
         INSERT INTO t VALUES (1, 2, 3, 4)",
    );
    let reply = lab
        .become_(
            "CREATE TABLE t (a INT NOT NULL, b INT, d INT, e INT DEFAULT 7, CHECK (e > a), CONSTRAINT l CHECK (d > b))",
        )
        .unwrap();
    let rules: Vec<_> = reply.steps.iter().map(|step| step.rule.name.as_str()).collect();
    assert_eq!(
        rules,
        [
            "drop-constraint.in-place",
            "drop-not-null.in-place",
            "drop-column.in-place",
            "add-column.in-place",
            "set-not-null.in-place",
            "add-check.in-place",
            "add-check.in-place"
        ]
    );
    assert_eq!(lab.rows("SELECT * FROM t"), ["1 2 4 7"]);
}

#[test]
fn a_column_with_a_key_and_a_default_comes_in_place_and_the_key_is_asked_about() {
    // With foreign keys on SQLite would refuse it, even without rows.
    let current = "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE t (a INT)";
    let desired = "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE t (a INT, b INT DEFAULT 7 REFERENCES p (id))";
    let text = "ALTER TABLE t ADD COLUMN b INT DEFAULT 7 REFERENCES p (id)";
    assert_eq!(only_step(current, desired).unit.statements(), [text]);
    let lab = Lab::new(&format!("{current}; INSERT INTO t VALUES (1)"));
    assert_eq!(super::lab::stopped(&lab, desired), [super::lab::code("rows.orphan", 1)]);
    lab.connection.execute_batch("INSERT INTO p VALUES (7)").unwrap();
    lab.become_(desired).unwrap();
}

#[test]
fn a_changed_match_of_a_key_is_made() {
    let p = "CREATE TABLE p (id INTEGER PRIMARY KEY);";
    let lab = Lab::new(&format!(
        "{p} CREATE TABLE t (a INT REFERENCES p); INSERT INTO p VALUES (1); INSERT INTO t VALUES (1)"
    ));
    lab.become_(&format!("{p} CREATE TABLE t (a INT REFERENCES p MATCH FULL, b INT REFERENCES p MATCH PARTIAL)"))
        .unwrap();
    lab.become_(&format!("{p} CREATE TABLE t (a INT REFERENCES p MATCH SIMPLE, b INT REFERENCES p)")).unwrap();
    assert_eq!(lab.rows("SELECT * FROM t"), ["1 NULL"]);
}
