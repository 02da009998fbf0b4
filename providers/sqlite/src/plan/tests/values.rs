//! Values that a change would rewrite, refuse or leave out: found before anything runs.

use super::lab::{Lab, Stopped, code, stopped};

#[test]
fn text_that_would_become_a_number_is_counted_first() {
    let lab = Lab::new(
        "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('01234'), ('12345678901234567890'), ('12abc'), ('x'), (NULL), ('1e3')",
    );
    for (to, count) in [("INTEGER", 3), ("NUMERIC", 3), ("REAL", 3), ("BLOB", 0), ("VARCHAR(9)", 0)] {
        let desired = format!("CREATE TABLE t (a {to})");
        match lab.become_(&desired) {
            Err(Stopped::Rows(codes)) => assert_eq!(codes, [code("rows.value", count)], "{to}"),
            Ok(_) => {
                assert_eq!(count, 0, "{to}");
                lab.become_("CREATE TABLE t (a TEXT)").unwrap();
            }
            other => panic!("{other:?}"),
        }
    }
    let reply = super::lab::planned("CREATE TABLE t (a TEXT)", "CREATE TABLE t (a INTEGER)");
    assert!(reply.steps[0].checks[0].lossy);
}

#[test]
fn numbers_that_would_become_text_or_another_number_are_counted_first() {
    for (from, values, to, count) in [
        ("INTEGER", "(1), ('x'), (NULL), (2.5)", "TEXT", 2),
        ("REAL", "(1), (2.5), (NULL)", "INTEGER", 1),
        ("INTEGER", "(1), ('x'), (2.5)", "REAL", 1),
        ("BLOB", "(1), ('1'), (x'31'), (1.0), (1.5)", "INTEGER", 2),
        ("INTEGER", "(1)", "NUMERIC", 0),
    ] {
        let lab = Lab::new(&format!("CREATE TABLE t (a {from}); INSERT INTO t VALUES {values}"));
        let types = "SELECT typeof(a) FROM t";
        let before = lab.rows(types);
        match lab.become_(&format!("CREATE TABLE t (a {to})")) {
            Err(Stopped::Rows(codes)) => assert_eq!(codes, [code("rows.value", count)], "{from} to {to}"),
            Ok(_) => assert_eq!((count, lab.rows(types)), (0, before), "{from} to {to}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_count_of_changed_values_is_what_sqlite_would_change() {
    let values = "(1), (-7), (2.5), (3.0), ('01'), (' 5 '), ('5x'), ('0x10'), ('1e2'), (''), (x'35'), (NULL),
        (9007199254740993), ('9007199254740993'), ('1.0'), ('1.50'), (1e300), ('1e400'), ('+3'), ('.5'), ('5.'), ('1_000')";
    let types = ["", "TEXT", "NUMERIC", "INTEGER", "REAL"];
    for from in types {
        for to in types.iter().filter(|to| **to != from) {
            let lab =
                Lab::new(&format!("CREATE TABLE t (a {from}); INSERT INTO t VALUES {values}; CREATE TABLE n (a {to})"));
            lab.connection.execute_batch("INSERT INTO n (rowid, a) SELECT rowid, a FROM t").unwrap();
            let changed = lab.number(
                "SELECT count(*) FROM t, n WHERE t.rowid = n.rowid
                 AND (typeof(t.a) <> typeof(n.a) OR CAST(t.a AS BLOB) IS NOT CAST(n.a AS BLOB))",
            );
            let counted = match lab.become_(&format!("CREATE TABLE t (a {to}); CREATE TABLE n (a {to})")) {
                Err(Stopped::Rows(codes)) => codes.iter().map(|(_, count)| count).sum(),
                Ok(_) => 0,
                other => panic!("{other:?}"),
            };
            assert_eq!(counted, changed, "from `{from}` to `{to}`");
        }
    }
}

#[test]
fn what_strict_refuses_is_counted_first() {
    for (ty, values, count) in [
        ("INT", "(1), ('2'), (3.0), (NULL)", 0),
        ("INT", "('x'), (1.5), (x'00'), (1)", 3),
        ("TEXT", "('x'), (x'00'), (NULL)", 1),
        ("REAL", "(1.5), ('x'), (x'00')", 2),
        ("BLOB", "(x'00'), ('x'), (1)", 2),
        ("ANY", "(x'00'), ('x'), (1), (1.5)", 0),
    ] {
        let lab = Lab::new(&format!("CREATE TABLE t (a {ty}); INSERT INTO t VALUES {values}"));
        let refused = match lab.become_(&format!("CREATE TABLE t (a {ty}) STRICT")) {
            Err(Stopped::Rows(codes)) => {
                codes.iter().filter(|(code, _)| code == "rows.type").map(|(_, count)| count).sum()
            }
            Ok(_) => 0,
            other => panic!("{other:?}"),
        };
        assert_eq!(refused, count, "{ty} {values}");
    }
}

#[test]
fn a_new_column_without_value_or_default_needs_an_empty_table() {
    let desired = "CREATE TABLE t (a INT, b INT NOT NULL)";
    let lab = Lab::new("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2)");
    assert_eq!(stopped(&lab, desired), [code("rows.null", 2)]);
    lab.connection.execute_batch("DELETE FROM t").unwrap();
    lab.become_(desired).unwrap();
}

#[test]
fn a_default_that_is_no_constant_is_computed_for_each_row() {
    let lab = Lab::new("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2)");
    let reply = lab.become_("CREATE TABLE t (a INT, b TEXT NOT NULL DEFAULT (hex(randomblob(8))))").unwrap();
    assert_eq!(reply.steps[0].rule.name, "rebuild.default-not-constant");
    assert_eq!(lab.number("SELECT count(DISTINCT b) FROM t"), 2);
}
