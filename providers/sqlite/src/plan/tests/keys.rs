//! Foreign keys and the keys that they refer to, across tables that change together.

use ptah_diff::ColumnOrder;

use super::lab::{Lab, code, planned, refused, stopped};

#[test]
fn a_key_that_would_not_fit_its_parent_is_refused() {
    let p = "CREATE TABLE p (a INT UNIQUE, b INT);";
    let c = |key: &str| format!("CREATE TABLE c (x INT DEFAULT 1 {key});");
    let fits = c("REFERENCES p (a)");
    // The key is new, or the parent loses what it fits.
    assert_eq!(refused(&format!("{p}{}", c("")), &format!("{p}{}", c("REFERENCES p (b)"))), ["foreign-key.mismatch"]);
    let poorer = "CREATE TABLE p (a INT, b INT);";
    assert_eq!(refused(&format!("{p}{fits}"), &format!("{poorer}{fits}")), ["foreign-key.mismatch"]);
    // What is told only when it is too late for SQLite is told with a new table or column too.
    let hazards = |current: &str, desired: &str| {
        let reply = planned(current, desired);
        reply.steps.into_iter().flat_map(|step| step.hazards).filter(|h| h.code == "foreign-key.mismatch").count()
    };
    assert_eq!(hazards(p, &format!("{p}{}", c("REFERENCES p (b)"))), 1);
    assert_eq!(hazards(&format!("{p}{}", c("")), &format!("{p}{}", c(", y INT REFERENCES p (b)"))), 1);
    assert_eq!(hazards(p, &format!("{p}{fits}")), 0);
}

#[test]
fn new_keys_in_a_circle_are_refused_when_their_parents_change_too() {
    let current = "CREATE TABLE a (x INT, y INT); CREATE TABLE b (x INT, y INT);";
    let desired =
        "CREATE TABLE a (x INT UNIQUE, y INT REFERENCES b (x)); CREATE TABLE b (x INT UNIQUE, y INT REFERENCES a (x));";
    assert!(refused(current, desired).contains(&"foreign-key.circle".to_owned()));
}

#[test]
fn a_unique_constraint_becomes_a_unique_index_under_a_key() {
    let c = "CREATE TABLE c (x INT REFERENCES p (a));";
    for backwards in [false, true] {
        let lab = Lab::new(&format!(
            "CREATE TABLE p (a INT, b INT, UNIQUE (a)); {c} INSERT INTO p VALUES (1, 1); INSERT INTO c VALUES (1)"
        ));
        let desired = format!("CREATE TABLE p (a INT, b INT); CREATE UNIQUE INDEX i ON p (a); {c}");
        lab.become_in(&desired, ColumnOrder::Ignore, backwards).unwrap();
        assert_eq!(lab.rows("SELECT x FROM c"), ["1"]);
    }
}

#[test]
fn a_key_that_names_no_columns_follows_the_primary_key() {
    let c = "CREATE TABLE c (x INT REFERENCES p);";
    let lab = Lab::new(&format!(
        "CREATE TABLE p (a INT PRIMARY KEY, b INT); {c} INSERT INTO p VALUES (1, 2), (2, 3); INSERT INTO c VALUES (1), (2)"
    ));
    let desired = format!("CREATE TABLE p (a INT, b INT PRIMARY KEY); {c}");
    assert_eq!(stopped(&lab, &desired), [code("rows.orphan", 1)]);
    lab.connection.execute_batch("UPDATE c SET x = 3 WHERE x = 1").unwrap();
    lab.become_(&desired).unwrap();
}

#[test]
fn a_key_to_a_parent_that_compares_in_another_way_is_asked_about() {
    let schema = |collation: &str| {
        format!("CREATE TABLE p (a TEXT COLLATE {collation} PRIMARY KEY); CREATE TABLE c (x TEXT REFERENCES p);")
    };
    let lab = Lab::new(&format!("{} INSERT INTO p VALUES ('a'); INSERT INTO c VALUES ('A')", schema("NOCASE")));
    assert_eq!(stopped(&lab, &schema("BINARY")), [code("rows.orphan", 1)]);
}

#[test]
fn a_new_key_to_a_table_that_goes_leaves_every_row_without_a_parent() {
    let lab =
        Lab::new("CREATE TABLE p (a INTEGER PRIMARY KEY); CREATE TABLE c (x INT); INSERT INTO c VALUES (1), (NULL)");
    assert_eq!(stopped(&lab, "CREATE TABLE c (x INT REFERENCES p (a))"), [code("rows.orphan", 1)]);
}

#[test]
fn orphans_are_asked_about_first_where_row_ids_do_not_stay() {
    let schema = |tail: &str| {
        format!("CREATE TABLE p (a INTEGER PRIMARY KEY); CREATE TABLE c (k INT PRIMARY KEY, x INT REFERENCES p){tail};")
    };
    let lab = Lab::new(&format!("{} INSERT INTO c VALUES (1, 9)", schema("")));
    assert_eq!(stopped(&lab, &schema(" WITHOUT ROWID")), [code("rows.orphan", 1)]);
    lab.connection.execute_batch("INSERT INTO p VALUES (9)").unwrap();
    lab.become_(&schema(" WITHOUT ROWID")).unwrap();
}

#[test]
fn a_primary_key_asks_for_null_where_sqlite_takes_none() {
    for (table, count) in [
        ("CREATE TABLE t (a INT, b INT, PRIMARY KEY (a))", 0),
        ("CREATE TABLE t (a INT, b INT, PRIMARY KEY (a)) STRICT", 1),
        ("CREATE TABLE t (a INT, b INT, PRIMARY KEY (a)) WITHOUT ROWID", 1),
        ("CREATE TABLE t (a INTEGER, b INT, PRIMARY KEY (a))", 1),
    ] {
        let lab = Lab::new("CREATE TABLE t (a INT, b INT); INSERT INTO t VALUES (1, 1), (NULL, 2)");
        if count == 0 {
            lab.become_(table).unwrap();
        } else {
            assert_eq!(stopped(&lab, table), [code("rows.null", count)], "{table}");
        }
    }
}

#[test]
fn a_name_that_goes_with_a_table_can_be_given_again() {
    for backwards in [false, true] {
        let lab = Lab::new(
            "CREATE TABLE a (x INT); CREATE TABLE b (x INT); CREATE INDEX i ON a (x);
             CREATE TRIGGER r AFTER INSERT ON a BEGIN SELECT 1; END",
        );
        let desired =
            "CREATE TABLE b (x INT); CREATE INDEX i ON b (x); CREATE TRIGGER r AFTER INSERT ON b BEGIN SELECT 1; END";
        lab.become_in(desired, ColumnOrder::Ignore, backwards).unwrap();
    }
}

#[test]
fn rows_are_named_even_when_their_key_goes() {
    let lab = Lab::new("CREATE TABLE t (k INTEGER PRIMARY KEY, a INT); INSERT INTO t VALUES (1, 7), (2, 7)");
    let reply = planned(
        "CREATE TABLE t (k INTEGER PRIMARY KEY, a INT)",
        "CREATE TABLE t (a INT DEFAULT 1); CREATE UNIQUE INDEX i ON t (a)",
    );
    let checks: Vec<_> = reply.steps.iter().flat_map(|step| &step.checks).collect();
    assert_eq!(checks[0].rows.as_ref().map(|rows| lab.rows(rows)), Some(vec!["1".to_owned(), "2".to_owned()]));
}

#[test]
fn a_new_row_id_under_a_key_is_asked_about_with_the_numbers_that_rows_will_get() {
    let p = |rows: &str| format!("CREATE TABLE p (id INTEGER PRIMARY KEY); {rows}");
    let t = "CREATE TABLE t (old INTEGER PRIMARY KEY, x INT); INSERT INTO t VALUES (70, 1), (80, 2), (90, 3);";
    let keyed = "CREATE TABLE t (id INTEGER DEFAULT 5 PRIMARY KEY REFERENCES p (id), x INT)";
    let lab = Lab::new(&format!("{}{t}", p("INSERT INTO p VALUES (1), (3), (70);")));
    assert_eq!(stopped(&lab, &format!("{}{keyed}", p(""))), [code("rows.orphan", 1)]);
    lab.connection.execute_batch("INSERT INTO p VALUES (2)").unwrap();
    lab.become_(&format!("{}{keyed}", p(""))).unwrap();
    assert_eq!(lab.rows("SELECT * FROM t"), ["1 1", "2 2", "3 3"]);
    // The same for a check, a computed column, and where nothing else is copied.
    let checked = |rule: &str| format!("CREATE TABLE t (id INTEGER PRIMARY KEY, twice AS (id * 2), CHECK ({rule}))");
    for (rule, broken) in [("id < 3", 1), ("twice <> 4", 1), ("twice > 0", 0)] {
        let lab = Lab::new(t);
        if broken > 0 {
            assert_eq!(stopped(&lab, &checked(rule)), [code("rows.check", broken)], "{rule}");
        } else {
            lab.become_(&checked(rule)).unwrap();
        }
    }
    let lab = Lab::new(t);
    lab.become_("CREATE TABLE t (id INTEGER DEFAULT 'none' PRIMARY KEY)").unwrap();
    assert_eq!(lab.rows("SELECT * FROM t"), ["1", "2", "3"]);
}

#[test]
fn a_key_over_a_column_that_computes_something_else_is_asked_about() {
    let t = |computed: &str| {
        format!("CREATE TABLE t (a INTEGER PRIMARY KEY, d INT AS ({computed}), FOREIGN KEY (d) REFERENCES t (a))")
    };
    let lab = Lab::new(&format!("{}; INSERT INTO t VALUES (1), (2)", t("a")));
    assert_eq!(stopped(&lab, &t("a + 1")), [code("rows.orphan", 1)]);
    lab.become_(&t("3 - a")).unwrap();
    // Through another computed column, and where the key comes or goes with it.
    let through = |computed: &str| {
        format!("CREATE TABLE t (a INTEGER PRIMARY KEY, m INT AS ({computed}), d INT AS (m) REFERENCES t (a))")
    };
    let lab = Lab::new(&format!("{}; INSERT INTO t VALUES (1), (2)", through("a")));
    assert_eq!(stopped(&lab, &through("a + 1")), [code("rows.orphan", 1)]);
    for (key, other) in [("p (k)", ""), ("p (k)", ", u INT UNIQUE"), ("t (a)", ", u INT CHECK (u > 0)")] {
        let t = |computed: &str, more: &str| {
            format!(
                "CREATE TABLE p (k INT PRIMARY KEY); CREATE TABLE t (a INT UNIQUE, b INT, c AS ({computed}) REFERENCES {key}{more})"
            )
        };
        let lab = Lab::new(&format!("{}; INSERT INTO p VALUES (1); INSERT INTO t (a, b) VALUES (1, 7)", t("a", "")));
        assert_eq!(stopped(&lab, &t("b", other)), [code("rows.orphan", 1)], "{key} {other}");
    }
    // The same where the values themselves become others.
    let c = |typed: &str| format!("CREATE TABLE p (k TEXT UNIQUE); CREATE TABLE c (x {typed} REFERENCES p (k));");
    let lab = Lab::new(&format!("{} INSERT INTO p VALUES ('01'); INSERT INTO c VALUES ('01')", c("TEXT")));
    assert_eq!(stopped(&lab, &c("INT")), [code("rows.value", 1), code("rows.orphan", 1)]);
}
