//! Whole objects: how they are made, go and are replaced, in which order, and what it costs.

use ptah_diff::ColumnOrder;

use super::lab::{Lab, Stopped, cost, only_step, planned, texts};

/// Ids and costs of all steps.
fn costs(current: &str, desired: &str) -> Vec<String> {
    let reply = planned(current, desired);
    assert_eq!(reply.refusals, Vec::new());
    for backwards in [false, true] {
        Lab::new(current).become_in(desired, ColumnOrder::Ignore, backwards).unwrap();
    }
    reply.steps.iter().map(|step| format!("{}: {}", step.id.0, cost(step))).collect()
}

#[test]
fn what_is_made_is_safe_but_for_unique_indexes() {
    let desired = "CREATE TABLE t (a INT); CREATE INDEX i ON t (a); CREATE UNIQUE INDEX u ON t (a);
        CREATE VIEW v AS SELECT a FROM t; CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END;
        CREATE VIRTUAL TABLE f USING fts5 (x)";
    assert_eq!(
        costs("", desired),
        [
            "create-table:t: safe",
            "create-virtual-table:f: safe",
            "create-index:i: safe",
            "create-index:u: warning",
            "create-view:v: safe",
            "create-trigger:r: safe",
        ]
    );
}

#[test]
fn what_goes_costs_what_it_held() {
    let t = "CREATE TABLE t (a INT);";
    let current = "CREATE TABLE t (a INT); CREATE INDEX i ON t (a); CREATE UNIQUE INDEX u ON t (a); CREATE TABLE x (a);
        CREATE VIEW v AS SELECT a FROM t; CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END;
        CREATE VIRTUAL TABLE f USING fts5 (x)";
    assert_eq!(
        costs(current, t),
        [
            "drop-trigger:r: warning, loses definition",
            "drop-view:v: warning, loses definition",
            "drop-index:i: warning",
            "drop-index:u: destructive, loses protection",
            "drop-table:x: destructive, loses rows",
            "drop-virtual-table:f: destructive, loses rows",
        ]
    );
}

#[test]
fn what_a_table_owns_goes_with_it() {
    let current =
        "CREATE TABLE t (a INT); CREATE INDEX i ON t (a); CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END";
    assert_eq!(only_step(current, "").unit.statements(), ["DROP TABLE t"]);
}

#[test]
fn what_cannot_be_altered_goes_and_comes_in_one_group() {
    let current = "CREATE TABLE t (a INT, b INT); CREATE INDEX i ON t (a); CREATE VIEW v AS SELECT a FROM t;
        CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END";
    let desired = "CREATE TABLE t (a INT, b INT); CREATE INDEX i ON t (b); CREATE VIEW v AS SELECT b FROM t;
        CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 2; END";
    let reply = planned(current, desired);
    for (kind, name) in [("index", "i"), ("view", "v"), ("trigger", "r")] {
        let pair: Vec<_> = reply.steps.iter().filter(|step| step.rule.name == format!("replace-{kind}")).collect();
        let [drop, create] = pair.as_slice() else { panic!("{:#?}", texts(&reply)) };
        assert_eq!(drop.atomic_group.as_deref(), Some(format!("replace-{kind}:{name}").as_str()));
        assert_eq!(create.atomic_group, drop.atomic_group);
        assert!(create.after.iter().any(|after| after.step == drop.id));
        assert_eq!((drop.loss, create.loss), (None, None));
    }
    costs(current, desired);
}

#[test]
fn a_view_and_a_table_swap_a_name_in_either_direction() {
    let table = "CREATE TABLE t (a INT); CREATE TABLE x (a INT)";
    let view = "CREATE VIEW x AS SELECT a FROM t; CREATE TABLE t (a INT)";
    assert_eq!(costs(table, view), ["drop-table:x: destructive, loses rows", "create-view:x: safe"]);
    assert_eq!(costs(view, table), ["drop-view:x: warning, loses definition", "create-table:x: safe"]);
    let index = "CREATE TABLE t (a INT); CREATE INDEX x ON t (a)";
    assert_eq!(costs(index, table), ["drop-index:x: warning", "create-table:x: safe"]);
}

#[test]
fn views_come_after_what_they_read_and_go_before_it() {
    let all = "CREATE TABLE t (a INT); CREATE VIEW z AS SELECT a FROM t; CREATE VIEW a AS SELECT a FROM m;
        CREATE VIEW m AS SELECT a FROM z; CREATE TRIGGER r INSTEAD OF INSERT ON a BEGIN INSERT INTO t VALUES (new.a); END";
    let ids = |steps: Vec<String>| steps.iter().map(|s| s.split(": ").next().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(
        ids(costs("", all)),
        ["create-table:t", "create-view:z", "create-view:m", "create-view:a", "create-trigger:r"]
    );
    assert_eq!(ids(costs(all, "")), ["drop-view:a", "drop-view:m", "drop-view:z", "drop-table:t"]);
}

#[test]
fn a_replaced_view_keeps_its_triggers() {
    let schema = |column: &str| {
        format!(
            "CREATE TABLE t (a INT, b INT); CREATE VIEW v AS SELECT {column} AS x FROM t;
             CREATE TRIGGER r INSTEAD OF INSERT ON v BEGIN INSERT INTO t VALUES (new.x, 0); END"
        )
    };
    let steps = costs(&schema("a"), &schema("b"));
    assert_eq!(steps, ["drop-view:v: warning", "create-view:v: safe", "create-trigger:r: warning"]);
}

#[test]
fn a_view_over_a_view_that_is_replaced_does_not_stop_a_dropped_column() {
    let current =
        "CREATE TABLE t (a INT, b INT); CREATE VIEW v AS SELECT a, b FROM t; CREATE VIEW w AS SELECT a FROM v;
        INSERT INTO t VALUES (1, 2)";
    let desired = "CREATE TABLE t (a INT); CREATE VIEW v AS SELECT a FROM t; CREATE VIEW w AS SELECT a FROM v";
    let reply = planned(current, desired);
    assert!(reply.steps.iter().any(|step| step.rule.name == "rebuild.view-in-between"), "{:#?}", texts(&reply));
    costs(current, desired);
}

#[test]
fn a_dropped_table_is_asked_about_rows_that_refer_to_it() {
    let p = "CREATE TABLE p (id INTEGER PRIMARY KEY);";
    let c = "CREATE TABLE c (a INT REFERENCES p);";
    let lab = Lab::new(&format!("{p}{c} INSERT INTO p VALUES (1); INSERT INTO c VALUES (1), (2), (NULL)"));
    assert_eq!(lab.become_(c), Err(Stopped::Rows(vec![("rows.referenced".to_owned(), 1)])));
    let reply = planned(&format!("{p}{c}"), c);
    assert!(reply.steps[0].hazards.iter().any(|hazard| hazard.code == "foreign-keys.off"));
    assert_eq!(reply.steps[0].needs, ["foreign_keys=off"]);
    // With the key gone too nothing refers to it.
    lab.become_("CREATE TABLE c (a INT)").unwrap();
    assert_eq!(lab.rows("SELECT * FROM c"), ["1", "2", "NULL"]);
}

#[test]
fn a_new_unique_index_asks_for_duplicates_as_sqlite_sees_them() {
    for (table, index, values, count) in [
        ("a TEXT", "a", "('x'), ('X'), (NULL), (NULL)", 0),
        ("a TEXT", "a COLLATE NOCASE", "('x'), ('X'), (NULL), (NULL)", 2),
        ("a TEXT COLLATE NOCASE", "a", "('x'), ('X'), ('y')", 2),
        ("a INT", "a", "(1), (1.0), ('1'), (2)", 3),
        ("a", "a", "(1), (1.0), ('1'), (2)", 2),
        ("a INT", "abs(a)", "(1), (-1), (2)", 2),
        ("a INT", "a) WHERE (a > 1", "(1), (1), (2)", 0),
    ] {
        let lab = Lab::new(&format!("CREATE TABLE t ({table}); INSERT INTO t VALUES {values}"));
        let desired = format!("CREATE TABLE t ({table}); CREATE UNIQUE INDEX i ON t ({index})");
        match lab.become_(&desired) {
            Ok(_) => assert_eq!(count, 0, "{index} {values}"),
            Err(stopped) => assert_eq!(stopped, Stopped::Rows(vec![("rows.duplicate".to_owned(), count)])),
        }
    }
}

#[test]
fn an_index_over_a_new_column_can_be_asked_about_before_the_column_is_there() {
    let lab = Lab::new("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2)");
    let stopped = lab.become_("CREATE TABLE t (a INT, b INT DEFAULT 5); CREATE UNIQUE INDEX i ON t (b)");
    assert_eq!(stopped, Err(Stopped::Rows(vec![("rows.duplicate".to_owned(), 2)])));
    lab.become_("CREATE TABLE t (a INT, b INT DEFAULT 5, c INT AS (a + b)); CREATE UNIQUE INDEX i ON t (c, b)")
        .unwrap();
}

#[test]
fn a_view_with_an_unknown_function_is_made_with_a_warning() {
    // SQLite takes it, and so did the scratch database, with stand-ins.
    let reply = planned("", "CREATE TABLE t (a); CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT nosuch(1); END");
    assert_eq!(reply.refusals, Vec::new());
    assert_eq!(reply.steps[1].hazards[0].code, "function.unknown");
}

#[test]
fn names_with_dots_make_distinct_steps() {
    let reply = planned(
        "CREATE TABLE \"a.b\" (x); CREATE TABLE a (x)",
        "CREATE TABLE \"a.b\" (x, c INT); CREATE TABLE a (x, \"b.c\" INT)",
    );
    assert_eq!(reply.steps.len(), 2);
}
