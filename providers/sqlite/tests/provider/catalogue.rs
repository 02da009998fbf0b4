//! What the schema model says of a database.

use ptah_model::{Fingerprint, Kind, Object, SchemaModel};
use ptah_provider_sdk::{Engine as _, Snapshot as _};
use ptah_provider_sqlite::SqliteEngine;

use crate::support::{Place, fingerprint, reader, snapshot};

fn schema(sql: &str) -> SchemaModel {
    let place = Place::with(sql);
    let snapshot = snapshot(&mut reader(&place.path));
    assert_eq!(snapshot.fingerprint(), Fingerprint::of(snapshot.schema()));
    snapshot.schema().clone()
}

fn same(left: &str, right: &str, equal: bool) {
    let of = |sql: &str| fingerprint(&mut reader(&Place::with(sql).path));
    assert_eq!(of(left) == of(right), equal, "{left} / {right}");
}

fn only<'a>(schema: &'a SchemaModel, name: &str) -> &'a Object {
    let mut found = schema.objects().filter(|object| object.id.name.normalized == name);
    let object = found.next().unwrap();
    assert!(found.next().is_none());
    object
}

#[test]
fn spelling_is_no_difference_and_meaning_is() {
    same("CREATE TABLE t (a INTEGER)", "create  table \"T\"(\n  [A] integer /* x */ )", true);
    same("CREATE TABLE t (a CHECK (a > 0))", "CREATE TABLE t (a CHECK (((a) > 0)))", true);
    same("CREATE TABLE t (a, UNIQUE (a))", "CREATE TABLE t (a UNIQUE)", true);
    same("CREATE TABLE t (a TEXT COLLATE BINARY)", "CREATE TABLE t (a TEXT)", true);
    same("CREATE TABLE t (a INT)", "CREATE TABLE t (a INTEGER)", false);
    same("CREATE TABLE t (a DEFAULT 1)", "CREATE TABLE t (a DEFAULT 2)", false);
    same(
        "CREATE TABLE t (a)",
        "CREATE TABLE t (a) STRICT, WITHOUT ROWID".replace("(a)", "(a INT PRIMARY KEY)").as_str(),
        false,
    );
    same("CREATE TABLE t (a NOT NULL)", "CREATE TABLE t (a NOT NULL ON CONFLICT IGNORE)", false);
    same("CREATE TABLE t (a REFERENCES t MATCH simple)", "CREATE TABLE t (a REFERENCES t)", true);
    same("CREATE TABLE t (a REFERENCES t MATCH full)", "CREATE TABLE t (a REFERENCES \"T\" MATCH FULL)", true);
    same("CREATE TABLE t (a REFERENCES t MATCH FULL)", "CREATE TABLE t (a REFERENCES t MATCH PARTIAL)", false);
    same("CREATE TABLE t (a REFERENCES t MATCH FULL)", "CREATE TABLE t (a REFERENCES t)", false);
    same("CREATE TABLE t (a); CREATE INDEX i ON t (a)", "CREATE TABLE t (a); CREATE INDEX i ON t (a DESC)", false);
    same(
        "CREATE TABLE t (a); CREATE VIEW v AS SELECT a FROM t",
        "CREATE TABLE t (a); CREATE VIEW v AS select \"a\" from t;",
        true,
    );
}

#[test]
fn every_part_of_a_table_is_a_member_with_its_facets() {
    let schema = schema(
        "CREATE TABLE p (x INTEGER PRIMARY KEY);
         CREATE TABLE t (
           id INTEGER PRIMARY KEY AUTOINCREMENT,
           name VARCHAR(10) NOT NULL ON CONFLICT REPLACE DEFAULT ('a' || 'b') COLLATE NOCASE,
           up TEXT AS (upper(name)) STORED,
           p REFERENCES p (x) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
           CONSTRAINT positive CHECK (id > 0),
           CHECK (name <> ''),
           UNIQUE (name, p) ON CONFLICT IGNORE
         )",
    );
    let table = only(&schema, "t");
    let shown: Vec<String> = table
        .members
        .iter()
        .map(|member| {
            let facets: Vec<_> = member.facets.iter().map(|(name, facet)| format!("{name}={}", facet.text)).collect();
            format!("{} {{{}}}", member.id, facets.join("; "))
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @r"
    column id {affinity=integer; type=INTEGER}
    column name {affinity=text; collation=NOCASE; default=('a' || 'b'); not-null=NOT NULL ON CONFLICT REPLACE; type=VARCHAR(10)}
    column up {affinity=text; generated=(upper(name)) STORED; type=TEXT}
    column p {affinity=blob}
    PRIMARY KEY {autoincrement=yes; columns=id; rowid=yes}
    FOREIGN KEY (p) REFERENCES p (x) {columns=p; initially-deferred=yes; on-delete=CASCADE; target=p (x)}
    check positive {expression=id > 0}
    CHECK ((name <> '')) {expression=name <> ''}
    UNIQUE (name, p) {columns=name, p; conflict=ON CONFLICT IGNORE}
    ");
}

#[test]
fn the_same_unnamed_constraint_twice_is_two_members() {
    let schema = schema(
        "CREATE TABLE t (a, CHECK (a > 0), CHECK (a > 0), CONSTRAINT c CHECK (a > 1), CONSTRAINT c CHECK (a > 2))",
    );
    let checks: Vec<_> = only(&schema, "t").members_of(&Kind::check()).map(|m| m.id.name.normalized.clone()).collect();
    assert_eq!(checks.len(), 4);
    assert!(checks[1].ends_with("#2") && checks[3] == "c#2", "{checks:?}");
}

#[test]
fn a_broken_view_is_not_described_and_hides_nothing_else() {
    let schema =
        schema("CREATE TABLE t (a); CREATE VIEW broken AS SELECT * FROM gone; CREATE VIEW v AS SELECT a FROM t");
    let unread: Vec<_> = schema.not_described().map(|u| (u.id.name.source.clone(), u.reason.clone())).collect();
    assert_eq!(unread.len(), 1);
    assert_eq!(unread[0].0, "broken");
    assert!(unread[0].1.contains("does not exist"), "{unread:?}");
    assert_eq!(schema.objects().len(), 2);
}

#[test]
fn everything_that_may_be_a_shadow_of_an_unknown_module_is_not_described() {
    let place = Place::with(
        "CREATE TABLE t (a); CREATE TABLE vt_data (x); CREATE INDEX vi ON vt_data (x); CREATE TABLE vtx (a)",
    );
    place.sql(
        "PRAGMA writable_schema=ON;
         INSERT INTO sqlite_schema VALUES ('table', 'vt', 'vt', 0, 'CREATE VIRTUAL TABLE vt USING nobody(a, b)')",
    );
    let snapshot = snapshot(&mut reader(&place.path));
    let unread: Vec<_> = snapshot.schema().not_described().map(|u| u.id.name.source.clone()).collect();
    let mut unread = unread;
    unread.sort();
    assert_eq!(unread, ["vi", "vt", "vt_data"]);
    assert_eq!(snapshot.schema().objects().len(), 2);
}

#[test]
fn shadow_tables_of_a_known_module_are_left_out() {
    let schema = schema("CREATE VIRTUAL TABLE f USING fts5(title, body); CREATE TABLE t (a)");
    assert_eq!(schema.objects().len(), 2);
    assert_eq!(schema.not_described().len(), 0);
    assert_eq!(only(&schema, "f").id.kind.as_str(), "virtual-table");
}

#[test]
fn a_table_that_needs_an_unknown_function_or_collation_is_described() {
    let place = Place::empty();
    let connection = rusqlite::Connection::open(&place.path).unwrap();
    let flags =
        rusqlite::functions::FunctionFlags::SQLITE_UTF8 | rusqlite::functions::FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("own", 1, flags, |_| Ok(1)).unwrap();
    connection.create_collation("theirs", |a: &str, b: &str| a.cmp(b)).unwrap();
    connection
        .execute_batch("CREATE TABLE t (a CHECK (own(a)), b COLLATE theirs); CREATE INDEX i ON t (own(a)); CREATE INDEX j ON t (b)")
        .unwrap();
    drop(connection);
    let snapshot = snapshot(&mut reader(&place.path));
    assert_eq!(snapshot.schema().objects().len(), 3);
    assert_eq!(snapshot.schema().not_described().len(), 0);
}

#[test]
fn a_reading_renders_as_text_that_makes_it_again() {
    let sql = "CREATE VIEW a AS SELECT * FROM b; CREATE VIEW b AS SELECT x FROM t; CREATE TABLE t (x, y REFERENCES u);
        CREATE TABLE u (id INTEGER PRIMARY KEY); CREATE UNIQUE INDEX i ON t (x) WHERE y > 0;
        CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM u WHERE id = new.x; END; CREATE VIRTUAL TABLE f USING fts5(q)";
    let place = Place::with(sql);
    let first = snapshot(&mut reader(&place.path));
    let rendered = SqliteEngine::new().render(&first).unwrap();
    rendered.validate().unwrap();
    let texts: Vec<_> = rendered.definitions.iter().map(|d| d.text.as_str()).collect();
    let again = Place::with(&texts.join(";\n"));
    assert_eq!(fingerprint(&mut reader(&again.path)), first.fingerprint());
    let names: Vec<_> = rendered.definitions.iter().map(|d| d.object.name.source.as_str()).collect();
    assert_eq!(names, ["t", "u", "f", "i", "b", "a", "g"]);
}

#[test]
fn what_sqlite_writes_into_a_text_by_itself_is_no_difference() {
    let after = |before: &str, sqlite: &str, declared: &str| {
        same(&format!("{before}; {sqlite}"), declared, true);
        same(before, declared, false);
    };
    let t = "CREATE TABLE t (a INT, b INT CONSTRAINT k CHECK (b > 0)); CREATE INDEX i ON t (a); CREATE VIEW v AS SELECT a FROM t";
    after(t, "ALTER TABLE t RENAME TO u", &t.replace(" t ", " u ").replace("FROM t", "FROM u"));
    let renamed = "CREATE TABLE t (c INT, b INT CONSTRAINT k CHECK (b > 0)); CREATE INDEX i ON t (c); CREATE VIEW v AS SELECT c FROM t";
    after(t, "ALTER TABLE t RENAME a TO c", renamed);
    after(t, "ALTER TABLE t DROP CONSTRAINT k", &t.replace(" CONSTRAINT k CHECK (b > 0)", ""));
    after(t, "ALTER TABLE t ADD COLUMN c TEXT DEFAULT 'x'", &t.replace("(b > 0))", "(b > 0), c TEXT DEFAULT 'x')"));
    after(t, "ALTER TABLE t DROP COLUMN b", &t.replace(", b INT CONSTRAINT k CHECK (b > 0)", ""));
    after(t, "ALTER TABLE t ALTER COLUMN a SET NOT NULL", &t.replace("a INT,", "a INT NOT NULL,"));
    after(t, "ALTER TABLE t ADD CHECK (a > 1)", &t.replace("(b > 0))", "(b > 0), CHECK (a > 1))"));
}

#[test]
fn comments_and_white_space_are_no_difference() {
    let plain = "CREATE TABLE t (a INT DEFAULT 1.0 CHECK (a > 1), b AS (a + 1)); CREATE VIEW v AS SELECT a FROM t;
        CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t WHERE a = 2; END;
        CREATE INDEX i ON t (a) WHERE a > 0";
    let with_comments = plain.replace(' ', " /* a; 'comment */\n").replace(", b", ", -- another \" one\n b");
    same(plain, &with_comments, true);
    // Numbers are equal by their value, and values by their meaning.
    same(plain, &plain.replace("1.0", "1.00"), true);
    same(plain, &plain.replace("1.0", "1"), false);
}

#[test]
fn names_differ_by_more_than_the_case_of_their_letters() {
    same("CREATE TABLE Otter (Fur)", "CREATE TABLE otter (fur)", true);
    same("CREATE TABLE \"ÖTTER\" (a)", "CREATE TABLE \"ötter\" (a)", false);
    let mut place = schema("CREATE TABLE \"ÖTTER\" (a); CREATE TABLE \"ötter\" (a)").objects().count();
    assert_eq!(std::mem::take(&mut place), 2, "SQLite folds ASCII only");
}

#[test]
fn the_next_automatic_key_and_the_rows_are_no_difference() {
    let t = "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a)";
    same(&format!("{t}; INSERT INTO t (a) VALUES (1), (2); DELETE FROM t"), t, true);
}
