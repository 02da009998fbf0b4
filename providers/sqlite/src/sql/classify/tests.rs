//! Tests of the classes.

use proptest::prelude::*;

use super::*;
use crate::sql::split::split;

fn of(text: &str) -> Classified {
    let script = split(text).unwrap();
    classify(text, &script.statements[0])
}

#[test]
fn every_statement_is_named_by_its_first_words() {
    let drop = |kind, if_exists| Class::Drop { kind, if_exists };
    for (text, class, name) in [
        ("CREATE TABLE t(a)", Class::Create(ObjectKind::Table), "t"),
        ("CREATE TABLE IF NOT EXISTS main.t(a)", Class::Create(ObjectKind::Table), "t"),
        ("CREATE TABLE t AS SELECT 1", Class::CreateTableAs, "t"),
        ("CREATE VIRTUAL TABLE v USING fts5(a)", Class::Create(ObjectKind::VirtualTable), "v"),
        ("CREATE UNIQUE INDEX i ON t(a)", Class::Create(ObjectKind::Index), "i"),
        ("CREATE VIEW v AS SELECT 1", Class::Create(ObjectKind::View), "v"),
        ("CREATE TRIGGER r INSERT ON t BEGIN SELECT 1; END", Class::Create(ObjectKind::Trigger), "r"),
        ("ALTER TABLE t ADD COLUMN b INT", Class::AlterTable, "t"),
        ("ALTER TABLE t ALTER COLUMN b SET NOT NULL", Class::AlterTable, "t"),
        ("ALTER TABLE t FROBNICATE b", Class::AlterTable, "t"),
        ("DROP TABLE IF EXISTS t", drop(ObjectKind::Table, true), "t"),
        ("DROP TRIGGER r", drop(ObjectKind::Trigger, false), "r"),
        ("INSERT OR IGNORE INTO main.t VALUES (1)", Class::Insert, "t"),
        ("REPLACE INTO t VALUES (1)", Class::Insert, "t"),
        ("WITH c AS (SELECT 'insert') INSERT INTO t SELECT * FROM c", Class::Insert, "t"),
        ("WITH c AS (DELETE), d(x) AS (VALUES (1)) SELECT 1", Class::Select, ""),
        ("UPDATE OR REPLACE t SET a = 1", Class::Update, "t"),
        ("DELETE FROM t", Class::Delete, "t"),
        ("VALUES (1)", Class::Select, ""),
        ("PRAGMA foreign_keys = OFF", Class::Pragma, "foreign_keys"),
        ("ATTACH 'x' AS y", Class::Attach, ""),
        ("DETACH y", Class::Detach, ""),
        ("BEGIN IMMEDIATE", Class::Transaction, ""),
        ("end", Class::Transaction, ""),
        ("ROLLBACK TO s", Class::Transaction, ""),
        ("REINDEX", Class::Reindex, ""),
        ("ANALYZE t", Class::Analyze, ""),
        ("VACUUM INTO 'x'", Class::Vacuum, ""),
        ("EXPLAIN QUERY PLAN SELECT 1", Class::Explain, ""),
        ("GRANT ALL", Class::Unknown, ""),
        ("CREATE SEQUENCE s", Class::Unknown, ""),
        ("'text'", Class::Unknown, ""),
    ] {
        let found = of(text);
        let found_name = found.name.as_ref().map_or("", |name| name.folded.as_str());
        assert_eq!((found.class, found_name), (class, name), "{text}");
    }
}

#[test]
fn temporary_objects_and_other_databases_are_told() {
    assert!(of("CREATE TEMP TABLE t(a)").temporary);
    assert!(of("CREATE TEMPORARY VIEW v AS SELECT 1").temporary);
    assert!(of("CREATE TABLE temp.t(a)").temporary);
    assert!(!of("CREATE TABLE main.t(a)").temporary);
    assert_eq!(of("CREATE TABLE main.t(a)").other_database(), None);
    assert_eq!(of("CREATE TABLE \"Aux\".t(a)").other_database().unwrap().folded, "aux");
}

#[test]
fn members_have_names_and_places() {
    let text = "CREATE TABLE t(\n  a INT CHECK (a > 0),\n  b INT,\n  CONSTRAINT u UNIQUE (b)\n)";
    let places: Vec<_> = of(text)
        .members
        .iter()
        .map(|member| {
            let name = member.name.as_ref().map(|name| name.folded.clone());
            let at = crate::sql::position::Position::of(text, member.span.start);
            (member.kind, name, at.line, at.column)
        })
        .collect();
    assert_eq!(
        places,
        [
            (MemberKind::Column, Some("a".to_owned()), 2, 3),
            (MemberKind::Constraint, None, 2, 9),
            (MemberKind::Column, Some("b".to_owned()), 3, 3),
            (MemberKind::Constraint, Some("u".to_owned()), 4, 3),
        ]
    );
    let index = of("CREATE INDEX i ON \"T\" (a)");
    assert_eq!(index.owner.unwrap().0.folded, "t");
}

proptest! {
    #[test]
    fn any_text_is_classified_without_a_panic(text in any::<String>()) {
        if let Ok(script) = split(&text) {
            for statement in &script.statements {
                let _ = classify(&text, statement);
            }
        }
    }
}
