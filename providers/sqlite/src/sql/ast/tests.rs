//! Tests of reading declarations.

use proptest::prelude::*;

use super::*;

fn table(text: &str) -> Table {
    match Declaration::read(text, None).unwrap() {
        Declaration::Table(table) => table,
        other => panic!("not a table: {other:?}"),
    }
}

fn form(text: &str) -> String {
    let canonical = Declaration::read(text, None).unwrap().canonical();
    assert!(canonical.exact, "{text}");
    canonical.text
}

#[test]
fn a_column_keeps_all_that_was_written() {
    let table = table(
        "CREATE TABLE main.\"Otter\" (\n  \"Id\" INTEGER CONSTRAINT pk PRIMARY KEY ON CONFLICT REPLACE AUTOINCREMENT,\n  \
         name VARCHAR ( 20 ) CONSTRAINT nn NOT NULL ON CONFLICT IGNORE DEFAULT 'none' COLLATE nocase,\n  \
         len INT GENERATED ALWAYS AS (length(name)) STORED\n)",
    );
    assert_eq!(table.header.database.as_ref().unwrap().text, "main");
    let [id, name, len] = table.columns.as_slice() else { panic!("three columns") };
    assert_eq!((id.name.written.as_str(), id.name.folded.as_str()), ("\"Id\"", "id"));
    assert_eq!(
        (name.type_text.as_deref(), name.type_canonical.as_deref()),
        (Some("VARCHAR ( 20 )"), Some("varchar(20)"))
    );
    assert_eq!(name.affinity, Affinity::Text);
    let not_null = name.not_null.as_ref().unwrap();
    assert_eq!((not_null.name.as_ref().unwrap().text.as_str(), not_null.conflict), ("nn", Some(Conflict::Ignore)));
    assert_eq!(name.default.as_ref().unwrap().value.text, "'none'");
    assert_eq!(name.collation.as_ref().unwrap().name.folded, "nocase");
    let generated = len.generated.as_ref().unwrap();
    assert_eq!((generated.stored, generated.expression.canonical.text.as_str()), (true, "length(name)"));
    assert_eq!(len.type_canonical.as_deref(), Some("int"));
    assert!(table.autoincrement);
    assert_eq!(table.rowid_alias, Some(0));
    let key = &table.constraints[0];
    assert_eq!((key.name.as_ref().unwrap().text.as_str(), key.column), ("pk", Some(0)));
    assert_eq!(key.canonical(), "PRIMARY KEY (id) ON CONFLICT REPLACE AUTOINCREMENT ROWID");
}

#[test]
fn a_constraint_of_a_column_equals_one_of_the_table() {
    for (at_column, at_table) in [
        ("CREATE TABLE t(a INT UNIQUE, b)", "CREATE TABLE t(a INT, b, UNIQUE (a))"),
        ("CREATE TABLE t(a INT PRIMARY KEY, b)", "CREATE TABLE t(a INT, b, PRIMARY KEY (\"a\" ASC))"),
        ("CREATE TABLE t(a INTEGER PRIMARY KEY)", "create table T (A integer, primary key ('a'))"),
        (
            "CREATE TABLE t(a CONSTRAINT c CHECK (a > 1), b)",
            "CREATE TABLE t(a, b, CONSTRAINT c CHECK ((\"a\" > 1)) ON CONFLICT ABORT)",
        ),
        (
            "CREATE TABLE t(a REFERENCES p(x) MATCH FULL ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, b)",
            "CREATE TABLE t(a, b, FOREIGN KEY (a) REFERENCES P (X) ON UPDATE NO ACTION ON DELETE CASCADE MATCH full \
             DEFERRABLE INITIALLY DEFERRED)",
        ),
        ("CREATE TABLE t(a UNIQUE ON CONFLICT ABORT)", "CREATE TABLE t(a, UNIQUE ((a)))"),
    ] {
        assert_eq!(form(at_column), form(at_table), "{at_column}");
    }
}

#[test]
fn tables_that_may_differ_stay_apart() {
    for (one, other) in [
        ("CREATE TABLE t(a)", "CREATE TABLE t(a) STRICT"),
        ("CREATE TABLE t(a PRIMARY KEY)", "CREATE TABLE t(a PRIMARY KEY) WITHOUT ROWID"),
        ("CREATE TABLE t(a INT)", "CREATE TABLE t(a INTEGER)"),
        ("CREATE TABLE t(a INTEGER PRIMARY KEY)", "CREATE TABLE t(a INTEGER PRIMARY KEY AUTOINCREMENT)"),
        ("CREATE TABLE t(a INTEGER PRIMARY KEY DESC)", "CREATE TABLE t(a INTEGER, PRIMARY KEY (a DESC))"),
        ("CREATE TABLE t(a, UNIQUE (a))", "CREATE TABLE t(a, UNIQUE (a COLLATE nocase))"),
        ("CREATE TABLE t(a, UNIQUE (a))", "CREATE TABLE t(a, UNIQUE (a) ON CONFLICT REPLACE)"),
        ("CREATE TABLE t(a DEFAULT 1)", "CREATE TABLE t(a DEFAULT '1')"),
        ("CREATE TABLE t(a, b AS (a))", "CREATE TABLE t(a, b AS (a) STORED)"),
        ("CREATE TABLE t(a REFERENCES p)", "CREATE TABLE t(a REFERENCES p ON DELETE SET NULL)"),
        ("CREATE TABLE t(a REFERENCES p)", "CREATE TABLE t(a REFERENCES p DEFERRABLE INITIALLY DEFERRED)"),
        ("CREATE TABLE t(a NOT NULL)", "CREATE TABLE t(a NOT NULL ON CONFLICT IGNORE)"),
        ("CREATE TABLE t(a CHECK (a = \"x\"))", "CREATE TABLE t(a CHECK (a = \"a\"))"),
        ("CREATE TABLE t(a COLLATE nocase)", "CREATE TABLE t(a)"),
        ("CREATE INDEX i ON t(a)", "CREATE UNIQUE INDEX i ON t(a)"),
        ("CREATE INDEX i ON t(a)", "CREATE INDEX i ON t(a DESC)"),
        ("CREATE INDEX i ON t(a)", "CREATE INDEX i ON t(lower(a))"),
        ("CREATE INDEX i ON t(a)", "CREATE INDEX i ON t(a) WHERE a > 1"),
    ] {
        assert_ne!(form(one), form(other), "{one} and {other}");
    }
}

#[test]
fn the_rowid_is_found_as_sqlite_finds_it() {
    for (text, alias) in [
        ("CREATE TABLE t(a INTEGER PRIMARY KEY)", Some(0)),
        ("CREATE TABLE t(b, a \"integer\" PRIMARY KEY)", Some(1)),
        ("CREATE TABLE t(a INTEGER PRIMARY KEY DESC)", None),
        ("CREATE TABLE t(a INTEGER, PRIMARY KEY (a DESC))", Some(0)),
        ("CREATE TABLE t(a INT PRIMARY KEY)", None),
        ("CREATE TABLE t(a INTEGER(4) PRIMARY KEY)", None),
        ("CREATE TABLE t(a INTEGER, b, PRIMARY KEY (a, b))", None),
        ("CREATE TABLE t(a INTEGER PRIMARY KEY) WITHOUT ROWID", None),
    ] {
        assert_eq!(table(text).rowid_alias, alias, "{text}");
    }
}

#[test]
fn oddities_that_sqlite_accepts_are_read() {
    let odd = table(
        "CREATE TABLE t(a integer, \"b\" CONSTRAINT lost, key text, 'quoted' real default -1.5, \
         first unsigned big int (3, -2) NULL, CONSTRAINT lost, CONSTRAINT kept CHECK (a > 1) UNIQUE (a, \"b\"))",
    );
    let names: Vec<_> = odd.columns.iter().map(|column| column.name.folded.as_str()).collect();
    assert_eq!(names, ["a", "b", "key", "quoted", "first"]);
    assert_eq!(odd.columns[4].type_canonical.as_deref(), Some("unsigned big int(3,-2)"));
    let forms: Vec<_> = odd.constraints.iter().map(Constraint::canonical).collect();
    assert_eq!(forms, ["CHECK ((a > 1))", "UNIQUE (a, b)"]);
    let late = table("CREATE TABLE v(a INT REFERENCES p CONSTRAINT x DEFERRABLE INITIALLY DEFERRED, c INT NOT NULL)");
    assert_eq!(late.constraints[0].canonical(), "FOREIGN KEY (a) REFERENCES p DEFERRABLE INITIALLY DEFERRED");
    assert!(late.columns[1].not_null.as_ref().unwrap().name.is_none());
    let generated = table("CREATE TABLE t(c generated always, d generated always as (1) virtual)");
    assert_eq!(generated.columns[0].type_text.as_deref(), Some("generated always"));
    assert_eq!(generated.columns[1].type_text, None);
}

#[test]
fn an_index_keeps_terms_collations_and_order() {
    let text =
        "CREATE UNIQUE INDEX IF NOT EXISTS i ON \"T\" (a COLLATE \"NOCASE\" DESC, lower(b), \"c\") WHERE c IS NOT NULL";
    let columns = ["a", "b"].map(str::to_owned);
    let Declaration::Index(index) = Declaration::read(text, Some(&columns)).unwrap() else { panic!("not an index") };
    let terms: Vec<_> = index.columns.iter().map(IndexedColumn::canonical).collect();
    assert_eq!(terms, ["a COLLATE nocase DESC", "lower(b)", "'c'"]);
    assert!(index.header.unique && index.header.if_not_exists);
    assert_eq!(index.table.folded, "t");
    assert_eq!(index.condition.as_ref().unwrap().canonical.text, "(c IS NOT NULL)");
    assert!(index.references().functions.contains("lower"));
}

#[test]
fn a_trigger_is_read_with_a_condition_that_has_a_column_called_begin() {
    let text = "CREATE TRIGGER tr UPDATE OF a, \"B\" ON t FOR EACH ROW WHEN new.a AND begin BEGIN \
                UPDATE u SET x = CASE WHEN new.a THEN 1 END; SELECT RAISE(ABORT, 'no;'); END";
    let Declaration::Trigger(trigger) = Declaration::read(text, None).unwrap() else { panic!("not a trigger") };
    assert_eq!(trigger.timing, Timing::Before);
    assert_eq!(
        trigger.event,
        Event::Update(vec![crate::sql::name::Name::from_written("a"), crate::sql::name::Name::from_written("b")])
    );
    assert_eq!(trigger.when.as_ref().unwrap().text, "new.a AND begin");
    assert_eq!(trigger.body.len(), 2);
    assert_eq!(
        trigger.canonical().text,
        "CREATE TRIGGER tr BEFORE UPDATE OF a, b ON t WHEN (new.a AND \"begin\") BEGIN \
         UPDATE u SET x = CASE WHEN new.a THEN 1 END; SELECT RAISE(ABORT, 'no;'); END"
    );
    assert!(trigger.canonical().exact);
}

#[test]
fn a_view_and_a_virtual_table_are_read() {
    let spelled = form("create view V ( \"A\" ) as select x from main.t -- c");
    assert_eq!(spelled, "CREATE VIEW v (a) AS SELECT x FROM main.t");
    let text = "CREATE VIRTUAL TABLE IF NOT EXISTS docs USING FTS5( title, body , tokenize = 'porter ascii')";
    let Declaration::VirtualTable(docs) = Declaration::read(text, None).unwrap() else { panic!("not a virtual table") };
    assert_eq!(docs.module.folded, "fts5");
    assert_eq!(docs.arguments, ["title", "body", "tokenize = 'porter ascii'"]);
}

#[test]
fn what_cannot_be_read_is_reported_at_its_place() {
    for (text, what, line, column) in [
        ("CREATE TABLE t(a INT,\n  b ON)", "a constraint of the column, `,` or `)`", 2, 5),
        ("CREATE TABLE t(a", "`)`", 1, 17),
        ("CREATE TABLE t()", "a column", 1, 16),
        ("CREATE TABLE t(a) WITHOUT", "STRICT or WITHOUT ROWID", 1, 19),
        ("CREATE TABLE t(a, UNIQUE (a), b)", "a constraint; columns stand before all constraints", 1, 31),
        ("CREATE SEQUENCE s", "TABLE, INDEX, VIEW, TRIGGER or VIRTUAL TABLE", 1, 8),
        ("CREATE INDEX i ON t(a,)", "a column or an expression", 1, 23),
        ("CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1 END", "`;` and END", 1, 42),
    ] {
        let error = Declaration::read(text, None).unwrap_err();
        assert_eq!(error.kind, crate::sql::error::TextErrorKind::Expected { what }, "{text}");
        assert_eq!((error.position.line, error.position.column), (line, column), "{text}");
    }
}

proptest! {
    #[test]
    fn any_tokens_are_read_or_refused_without_a_panic(
        start in prop::sample::select(vec!["CREATE TABLE t(", "CREATE INDEX i ON t(", "CREATE VIEW v AS ", "CREATE TRIGGER x ", "CREATE VIRTUAL TABLE v USING m(", ""]),
        words in prop::collection::vec(prop::sample::select(vec![
            "a", "\"b\"", "'c'", "INT", "(", ")", ",", "1", "-", "DEFAULT", "NOT", "NULL", "PRIMARY KEY", "UNIQUE", "CHECK",
            "REFERENCES", "FOREIGN KEY", "ON", "DELETE", "CASCADE", "CONSTRAINT", "COLLATE", "AS", "GENERATED ALWAYS",
            "DEFERRABLE", "INITIALLY", "DEFERRED", "BEGIN", "END", ";", "WHEN", "AFTER", "INSERT", "SELECT", "WHERE", "DESC",
            "AUTOINCREMENT", ".", "STRICT", "WITHOUT", "ROWID", "-- x\n", "[", "\"",
        ]), 0..25)
    ) {
        let text = format!("{start}{}", words.join(" "));
        if let Ok(declaration) = Declaration::read(&text, None) {
            let _ = declaration.canonical();
        }
    }
}
