//! Each way in which changing a SQLite table has lost data somewhere, by name.

use ptah_diff::ColumnOrder;

use super::lab::{Lab, Stopped, code, declared, stopped, texts};

#[test]
fn a_rebuild_keeps_child_rows_under_on_delete_cascade() {
    let child = "CREATE TABLE child (id INTEGER PRIMARY KEY, p INT REFERENCES parent (id) ON DELETE CASCADE);";
    let lab = Lab::new(&format!(
        "CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT DEFAULT 'a'); {child}
         INSERT INTO parent VALUES (1, 'x'), (2, 'y'), (3, 'z'); INSERT INTO child VALUES (1, 1), (2, 2), (3, 3)"
    ));
    let reply =
        lab.become_(&format!("CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT DEFAULT 'b'); {child}")).unwrap();
    assert_eq!(reply.steps[0].rule.name, "rebuild.default-changed");
    assert_eq!(reply.steps[0].needs, ["foreign_keys=off"]);
    assert_eq!(lab.rows("SELECT * FROM child"), ["1 1", "2 2", "3 3"]);
    assert_eq!(lab.rows("SELECT * FROM parent"), ["1 'x'", "2 'y'", "3 'z'"]);
}

#[test]
fn a_chain_of_rebuilds_over_foreign_keys_keeps_all_rows() {
    let schema = |ty: &str| {
        format!(
            "CREATE TABLE a (id INTEGER PRIMARY KEY, v {ty} DEFAULT 1);
             CREATE TABLE b (id INTEGER PRIMARY KEY, v {ty} DEFAULT 1, a INT REFERENCES a (id) ON DELETE CASCADE);
             CREATE TABLE c (id INTEGER PRIMARY KEY, v {ty} DEFAULT 1, b INT REFERENCES b (id) ON DELETE SET NULL,
                self INT REFERENCES c (id) ON DELETE CASCADE);"
        )
    };
    for backwards in [false, true] {
        let lab = Lab::new(&format!(
            "{} INSERT INTO a (id) VALUES (1), (2); INSERT INTO b VALUES (1, 1, 1), (2, 1, 2);
             INSERT INTO c VALUES (1, 1, 1, NULL), (2, 1, 2, 1)",
            schema("INTEGER")
        ));
        let reply = lab.become_in(&schema("BIGINT"), ColumnOrder::Ignore, backwards).unwrap();
        assert_eq!(reply.steps.len(), 3);
        assert_eq!(lab.rows("SELECT * FROM c"), ["1 1 1 NULL", "2 1 2 1"]);
        assert_eq!(lab.rows("SELECT * FROM b"), ["1 1 1", "2 1 2"]);
    }
}

#[test]
fn an_on_conflict_replace_clause_loses_no_row_in_a_rebuild() {
    let lab = Lab::new(
        "CREATE TABLE t (a INT, b INT, c TEXT); INSERT INTO t VALUES (1, 5, 'x'), (2, 5, 'y'), (3, NULL, 'z')",
    );
    let desired = "CREATE TABLE t (a INT, b INT UNIQUE ON CONFLICT REPLACE, c TEXT)";
    assert_eq!(stopped(&lab, desired), [code("rows.duplicate", 2)]);
    assert_eq!(lab.rows("SELECT a FROM t"), ["1", "2", "3"]);
    lab.connection.execute_batch("UPDATE t SET b = 6 WHERE a = 2").unwrap();
    lab.become_(desired).unwrap();
    assert_eq!(lab.rows("SELECT * FROM t"), ["1 5 'x'", "2 6 'y'", "3 NULL 'z'"]);
}

#[test]
fn an_on_conflict_clause_cannot_skip_or_change_a_row_even_if_nobody_asks_first() {
    for clause in ["REPLACE", "IGNORE"] {
        let lab = Lab::new("CREATE TABLE t (a INT, b INT DEFAULT 9); INSERT INTO t VALUES (1, 5), (2, 5), (3, NULL)");
        let wanted = declared(&format!(
            "CREATE TABLE t (a INT, b INT NOT NULL ON CONFLICT {clause} UNIQUE ON CONFLICT {clause} DEFAULT 9)"
        ));
        let changes = super::lab::differences(&lab.read(), &wanted, ColumnOrder::Ignore);
        let changes = ptah_plan::request::planned_changes(&changes);
        let mut reply = super::lab::answer(changes, &lab.read(), &wanted);
        reply.steps.iter_mut().for_each(|step| step.checks.clear());
        assert!(matches!(lab.run(&reply, false), Err(Stopped::Failed(..))), "{clause}");
        assert_eq!(lab.rows("SELECT * FROM t"), ["1 5", "2 5", "3 NULL"]);
    }
}

#[test]
fn sqlite_sequence_does_not_fall() {
    let t = |default: &str| format!("CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a INT DEFAULT {default});");
    for rows in
        ["VALUES (1), (2), (3); DELETE FROM t WHERE id = 3", "VALUES (1), (2), (3); DELETE FROM t", "SELECT 1 WHERE 0"]
    {
        let lab = Lab::new(&format!("{} INSERT INTO t (a) {rows}", t("1")));
        let before = lab.rows("SELECT * FROM sqlite_sequence");
        lab.become_(&t("2")).unwrap();
        assert_eq!(lab.rows("SELECT * FROM sqlite_sequence"), before, "{rows}");
        let next = lab.number("SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence");
        lab.connection.execute_batch("INSERT INTO t (a) VALUES (1)").unwrap();
        assert_eq!(lab.number("SELECT max(id) FROM t"), next, "{rows}");
    }
}

#[test]
fn strict_without_rowid_and_indexes_over_expressions_survive_a_rebuild() {
    let schema = |default: &str| {
        format!(
            "CREATE TABLE t (a TEXT COLLATE NOCASE, b INT DEFAULT {default}, c ANY, g INT AS (b * 2) STORED,
                v INT AS (b + 1), PRIMARY KEY (a, b DESC)) STRICT, WITHOUT ROWID;
             CREATE UNIQUE INDEX i ON t (lower(a), b + 1 DESC) WHERE b > 0; CREATE TABLE log (a);
             CREATE TRIGGER r AFTER DELETE ON t BEGIN INSERT INTO log VALUES (old.a); END;"
        )
    };
    let lab = Lab::new(&format!("{} INSERT INTO t (a, b, c) VALUES ('x', 1, '01'), ('y', 2, x'00')", schema("1")));
    lab.become_(&schema("2")).unwrap();
    assert_eq!(lab.rows("SELECT * FROM t"), ["'x' 1 '01' 2 2", "'y' 2 x'00' 4 3"]);
    lab.connection.execute_batch("DELETE FROM t WHERE a = 'X'").unwrap();
    assert_eq!(lab.rows("SELECT * FROM log"), ["'x'"]);
    assert!(lab.connection.execute_batch("INSERT INTO t (a, b) VALUES ('Y', 2)").is_err());
    assert!(lab.connection.execute_batch("INSERT INTO t (a, b) VALUES ('z', 'z')").is_err());
}

#[test]
fn views_and_triggers_that_name_the_table_do_not_stop_a_rebuild() {
    let schema = |default: &str| {
        format!(
            "CREATE TABLE t (a INTEGER PRIMARY KEY, b INT DEFAULT {default}); CREATE TABLE log (a);
             CREATE VIEW v AS SELECT * FROM t WHERE t.b > 0; CREATE VIEW w AS SELECT a FROM v;
             CREATE TRIGGER own AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.b); END;
             CREATE TRIGGER other AFTER INSERT ON log BEGIN UPDATE t SET b = b + 1 WHERE a = 1; END;
             CREATE TRIGGER instead INSTEAD OF INSERT ON v BEGIN INSERT INTO t VALUES (new.a, new.b); END;"
        )
    };
    let lab = Lab::new(&format!("{} INSERT INTO t VALUES (1, 1)", schema("1")));
    let reply = lab.become_(&schema("2")).unwrap();
    assert_eq!(reply.steps.len(), 1);
    lab.connection.execute_batch("INSERT INTO v VALUES (2, 5)").unwrap();
    assert_eq!(lab.rows("SELECT * FROM w"), ["1", "2"]);
    assert_eq!(lab.rows("SELECT * FROM t"), ["1 3", "2 5"]);
    assert_eq!(lab.rows("SELECT * FROM log"), ["1", "5"]);
}

#[test]
fn an_unrelated_broken_view_does_not_stop_a_rebuild() {
    let lab =
        Lab::new("CREATE TABLE t (a INT DEFAULT 1); CREATE VIEW v AS SELECT x FROM missing; INSERT INTO t VALUES (7)");
    let wanted = "CREATE TABLE t (a INT DEFAULT 2)";
    let changes = super::lab::differences(&lab.read(), &declared(wanted), ColumnOrder::Ignore);
    let reply = super::lab::answer(ptah_plan::request::planned_changes(&changes), &lab.read(), &declared(wanted));
    lab.run(&reply, false).unwrap();
    assert_eq!(lab.rows("SELECT * FROM t"), ["7"]);
}

#[test]
fn a_view_that_would_break_undoes_the_rebuild() {
    let lab =
        Lab::new("CREATE TABLE t (a INT, b INT UNIQUE); CREATE VIEW v AS SELECT b FROM t; INSERT INTO t VALUES (1, 2)");
    let wanted = declared("CREATE TABLE t (a INT)");
    let changes = super::lab::differences(&lab.read(), &wanted, ColumnOrder::Ignore);
    let mut changes = ptah_plan::request::planned_changes(&changes);
    changes.retain(|change| change.object.kind == ptah_model::Kind::table());
    let reply = super::lab::answer(changes, &lab.read(), &wanted);
    assert!(matches!(lab.run(&reply, false), Err(Stopped::Failed(..))));
    assert_eq!(lab.rows("SELECT * FROM v"), ["2"]);
}

#[test]
fn orphans_that_are_there_stop_nothing_and_new_ones_do() {
    let schema = |default: &str, key: &str| {
        format!(
            "CREATE TABLE p (id INTEGER PRIMARY KEY);
             CREATE TABLE c (a INT REFERENCES p (id), b INT DEFAULT {default} {key});"
        )
    };
    let lab = Lab::new(&format!(
        "{} INSERT INTO p VALUES (1); INSERT INTO c VALUES (99, 1), (1, 2), (NULL, NULL)",
        schema("1", "")
    ));
    lab.become_(&schema("2", "")).unwrap();
    assert_eq!(stopped(&lab, &schema("2", "REFERENCES p (id)")), [code("rows.orphan", 1)]);
    lab.connection.execute_batch("UPDATE c SET b = 1 WHERE b = 2").unwrap();
    lab.become_(&schema("2", "REFERENCES p (id)")).unwrap();
    assert_eq!(lab.rows("SELECT * FROM c"), ["99 1", "1 1", "NULL NULL"]);
}

#[test]
fn a_key_that_does_not_fit_its_parent_stops_no_rebuild() {
    let schema = |default: &str| {
        format!("CREATE TABLE p (a INT DEFAULT {default}); CREATE TABLE c (a INT DEFAULT {default} REFERENCES p (a));")
    };
    let lab = Lab::new(&format!("{} INSERT INTO p VALUES (1); INSERT INTO c VALUES (1), (2)", schema("1")));
    lab.become_(&schema("2")).unwrap();
    assert_eq!(lab.rows("SELECT * FROM c"), ["1", "2"]);
}

#[test]
fn a_parent_and_a_child_may_change_their_key_in_one_plan() {
    for backwards in [false, true] {
        let lab = Lab::new(
            "CREATE TABLE p (a INT UNIQUE, b INT); CREATE TABLE c (k INT REFERENCES p (a));
             INSERT INTO p VALUES (1, 1), (2, 2); INSERT INTO c VALUES (1), (2)",
        );
        lab.become_in(
            "CREATE TABLE p (a INT, b INT UNIQUE); CREATE TABLE c (k INT REFERENCES p (b))",
            ColumnOrder::Ignore,
            backwards,
        )
        .unwrap();
        assert_eq!(lab.rows("SELECT * FROM c"), ["1", "2"]);
    }
}

#[test]
fn row_ids_stay_where_they_can_be_seen() {
    for (columns, source) in [("a INT", "rowid"), ("rowid TEXT, a INT", "_rowid_"), ("rowid, _rowid_, a INT", "oid")] {
        let lab = Lab::new(&format!(
            "CREATE TABLE t ({columns} DEFAULT 1); INSERT INTO t ({source}, a) VALUES (5, 1), (9, 2)"
        ));
        lab.become_(&format!("CREATE TABLE t ({columns} DEFAULT 2)")).unwrap();
        assert_eq!(lab.rows(&format!("SELECT {source}, a FROM t")), ["5 1", "9 2"], "{columns}");
    }
    let hidden = "rowid, _rowid_, oid, a INT";
    let lab = Lab::new(&format!("CREATE TABLE t ({hidden} DEFAULT 1); INSERT INTO t (a) VALUES (1), (2)"));
    let reply = lab.become_(&format!("CREATE TABLE t ({hidden} DEFAULT 2)")).unwrap();
    assert!(reply.steps[0].hazards.iter().any(|hazard| hazard.code == "row-ids.change"));
    assert_eq!(lab.rows("SELECT a FROM t"), ["1", "2"]);
}

#[test]
fn a_row_id_stays_when_the_key_that_shows_it_comes_or_goes() {
    let lab = Lab::new("CREATE TABLE t (a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (4, 'x'), (7, 'y')");
    lab.become_("CREATE TABLE t (a INTEGER, b)").unwrap();
    assert_eq!(lab.rows("SELECT rowid, a FROM t"), ["4 4", "7 7"]);
    lab.become_("CREATE TABLE t (a INTEGER PRIMARY KEY, b)").unwrap();
    assert_eq!(lab.rows("SELECT rowid, b FROM t"), ["4 'x'", "7 'y'"]);
    lab.become_("CREATE TABLE t (a INTEGER PRIMARY KEY, b) WITHOUT ROWID").unwrap();
    lab.become_("CREATE TABLE t (a INTEGER PRIMARY KEY, b)").unwrap();
    assert_eq!(lab.rows("SELECT rowid, b FROM t"), ["4 'x'", "7 'y'"]);
}

#[test]
fn statistics_are_carried_over_where_they_fit() {
    let schema =
        |default: &str| format!("CREATE TABLE t (a INT UNIQUE, b INT DEFAULT {default}); CREATE INDEX i ON t (b);");
    let lab = Lab::new(&format!("{} INSERT INTO t VALUES (1, 1), (2, 1), (3, 2); ANALYZE", schema("1")));
    let statistics =
        "SELECT tbl, idx, stat FROM sqlite_stat1 UNION ALL SELECT tbl, idx, neq FROM sqlite_stat4 ORDER BY 1, 2, 3";
    let before = lab.rows(statistics);
    assert!(before.len() > 2);
    let reply = lab.become_(&schema("2")).unwrap();
    assert_eq!(lab.rows(statistics), before);
    let told = |reply: &ptah_provider_api::plan::PlanReply| -> Vec<String> {
        let hazards = reply.steps[0].hazards.iter().filter(|hazard| hazard.code == "statistics");
        hazards.map(|hazard| hazard.text.clone()).collect()
    };
    assert_eq!(told(&reply), ["statistics of ANALYZE about the table are carried over"]);
    // The numbers of the indexes of keys would mean others, so the table is analysed instead.
    let keyed = "CREATE TABLE t (a INT, b INT UNIQUE); CREATE INDEX i ON t (b);";
    lab.connection.execute_batch("UPDATE t SET b = a").unwrap();
    let reply = lab.become_(keyed).unwrap();
    assert_eq!(told(&reply), ["statistics of ANALYZE about the table go with it, and ANALYZE is run for the new one"]);
    let after = lab.rows("SELECT idx, stat FROM sqlite_stat1 ORDER BY idx");
    assert_eq!(after, ["'i' '3 1'", "'sqlite_autoindex_t_1' '3 1'"]);
    assert!(
        Lab::new(&schema("1")).become_(&schema("2")).unwrap().steps[0].hazards.iter().all(|h| h.code != "statistics")
    );
}

#[test]
fn a_check_that_names_its_table_survives_a_rebuild() {
    let schema = |default: &str| {
        format!(
            "CREATE TABLE \"the table\" (a INT DEFAULT {default} CHECK (\"the table\".a > 0), b INT,
                CONSTRAINT k CHECK (\"the table\".a <> b) , CHECK (b > 0));"
        )
    };
    let lab = Lab::new(&format!("{} INSERT INTO \"the table\" VALUES (1, 2)", schema("1")));
    let reply = lab.become_(&schema("2")).unwrap();
    assert_eq!(reply.steps.len(), 1, "{:#?}", texts(&reply));
    assert!(lab.connection.execute_batch("INSERT INTO \"the table\" VALUES (0, 1)").is_err());
    assert!(lab.connection.execute_batch("INSERT INTO \"the table\" VALUES (1, 1)").is_err());
}

#[test]
fn a_rebuild_is_one_step_for_all_changes_of_a_table() {
    let lab = Lab::new(
        "CREATE TABLE t (a INT, b INT, c TEXT DEFAULT 'x', d INT); CREATE INDEX i ON t (a); CREATE INDEX j ON t (b);
         INSERT INTO t VALUES (1, 2, 'c', 3)",
    );
    let reply = lab
        .become_(
            "CREATE TABLE t (e INT DEFAULT 9, a INT NOT NULL, c TEXT DEFAULT 'y', d INT, UNIQUE (a, d)); CREATE INDEX i ON t (a);
             CREATE INDEX j ON t (d)",
        )
        .unwrap();
    let ids: Vec<_> = reply.steps.iter().map(|step| step.id.0.as_str()).collect();
    assert_eq!(ids, ["drop-index:j", "rebuild:t", "create-index:j"]);
    assert_eq!(lab.rows("SELECT * FROM t"), ["9 1 'c' 3"]);
    assert_eq!(lab.rows("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"), ["'i'", "'j'"]);
}

#[test]
fn a_table_without_a_common_column_keeps_its_rows() {
    let lab = Lab::new("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2)");
    lab.become_("CREATE TABLE t (b INT DEFAULT 5)").unwrap();
    assert_eq!(lab.rows("SELECT * FROM t"), ["5", "5"]);
}
