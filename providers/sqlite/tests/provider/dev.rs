//! Scratch databases: one database to a session, many to SQLite.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use ptah_model::EngineName;
use ptah_provider_api::dev::{DevContent, ProvisionDevRequest};
use ptah_provider_api::execute::Outcome;
use ptah_provider_api::session::{OpenRequest, OpenTarget, Purpose};
use ptah_provider_api::step::Unit;
use ptah_provider_api::transaction::TransactionState;
use ptah_provider_sdk::{Engine as _, EngineSession as _, Snapshot as _};
use ptah_provider_sqlite::rebuild::{CopiedColumn, NEEDS, RebuildTable};
use ptah_provider_sqlite::{SqliteEngine, SqliteSession, SqliteSnapshot};

use crate::support::{Place, WAIT, applied, begin, fingerprint, id, reader, run, run_units, snapshot};

fn dev(copy_of: Option<Arc<SqliteSnapshot>>) -> SqliteSession {
    let engine = SqliteEngine::new();
    let request = ProvisionDevRequest {
        request: id("dev"),
        engine: EngineName::new("sqlite").unwrap(),
        session: None,
        content: DevContent::Empty,
    };
    let dev = engine.provision_dev(&request, copy_of).unwrap();
    let request = OpenRequest {
        request: id("open"),
        engine: EngineName::new("sqlite").unwrap(),
        target: OpenTarget::Dev(dev),
        purpose: Purpose::Dev,
        create: false,
        recover: false,
        accept: BTreeSet::new(),
        lock_timeout_ms: 0,
    };
    engine.open(&request).unwrap().session
}

fn copy_of(sql: &str) -> (SqliteSession, Place) {
    let place = Place::with(sql);
    (dev(Some(snapshot(&mut reader(&place.path)))), place)
}

fn split(sql: &str) -> Vec<String> {
    let script = ptah_provider_sqlite::sql::split::split(sql).unwrap();
    script.statements.iter().map(|s| s.text(sql).to_owned()).collect()
}

/// The same statements on a scratch database and on a file read the same.
fn reads_like_a_file(session: &mut SqliteSession, place: &Place, sql: &str) {
    for statement in split(sql) {
        applied(session, None, &[&statement]);
        place.sql(&statement);
    }
    let scratch = snapshot(session);
    let file = snapshot(&mut reader(&place.path));
    assert_eq!(scratch.schema(), file.schema());
    assert_eq!(scratch.fingerprint(), file.fingerprint());
}

#[test]
fn what_is_created_in_shards_reads_as_one_database() {
    let mut sql = String::new();
    for n in 0..120 {
        write!(sql, "CREATE TABLE t{n} (id INTEGER PRIMARY KEY, x REFERENCES t{} (id));", (n + 1) % 120).unwrap();
        write!(sql, "CREATE INDEX i{n} ON t{n} (x);").unwrap();
    }
    sql.push_str("CREATE VIEW far AS SELECT a.x FROM t0 AS a JOIN t119 AS b USING (id);");
    sql.push_str("CREATE VIEW farther AS SELECT x FROM far JOIN t60 USING (x);");
    sql.push_str("CREATE TRIGGER g AFTER INSERT ON t0 BEGIN DELETE FROM t118; END;");
    let place = Place::with("");
    let mut session = dev(None);
    reads_like_a_file(&mut session, &place, &sql);
    assert_eq!(snapshot(&mut session).schema().not_described().len(), 0);
}

#[test]
fn a_name_that_is_taken_in_another_shard_is_taken() {
    let mut session = dev(None);
    for n in 0..60 {
        applied(&mut session, None, &[&format!("CREATE TABLE t{n} (a)")]);
    }
    for taken in ["CREATE TABLE T0 (a)", "CREATE VIEW t0 AS SELECT 1", "CREATE INDEX t0 ON t59 (a)"] {
        let executed = run(&mut session, None, &[taken]);
        assert_eq!(executed.outcome, Outcome::NotApplied, "{taken}");
        assert!(executed.diagnostic.unwrap().as_str().contains("there already"));
    }
    applied(
        &mut session,
        None,
        &["CREATE TABLE IF NOT EXISTS t0 (b)", "CREATE TRIGGER t0 AFTER INSERT ON t1 BEGIN SELECT 1; END"],
    );
}

const SHOP: &str = "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, age INT);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, user REFERENCES users (id));
    CREATE TABLE log (what); CREATE TABLE apart (a, b);
    CREATE INDEX by_name ON users (name);
    CREATE VIEW named AS SELECT name AS name FROM users; CREATE VIEW twice AS SELECT name FROM named;
    CREATE TRIGGER seen AFTER INSERT ON orders BEGIN INSERT INTO log SELECT name FROM users; END;
    CREATE TRIGGER gone AFTER DELETE ON users BEGIN DELETE FROM log; END";

#[test]
fn a_copy_reads_as_what_it_was_copied_from() {
    let (mut session, place) = copy_of(SHOP);
    assert_eq!(fingerprint(&mut session), fingerprint(&mut reader(&place.path)));
}

#[test]
fn a_rename_on_a_copy_rewrites_children_views_and_triggers() {
    let (mut session, place) = copy_of(SHOP);
    reads_like_a_file(
        &mut session,
        &place,
        "ALTER TABLE users RENAME TO people; ALTER TABLE people RENAME COLUMN name TO called;
         ALTER TABLE people RENAME COLUMN id TO number; ALTER TABLE people DROP COLUMN age;
         ALTER TABLE log RENAME TO journal; ALTER TABLE apart ADD COLUMN c DEFAULT 3;
         DROP VIEW twice; DROP INDEX by_name; DROP TRIGGER gone; CREATE INDEX by_called ON people (called)",
    );
}

#[test]
fn a_change_after_a_view_was_made_elsewhere_reaches_the_view() {
    let mut sql = String::from("CREATE TABLE first (a); ");
    for n in 0..60 {
        write!(sql, "CREATE TABLE t{n} (a);").unwrap();
    }
    sql.push_str("CREATE VIEW v AS SELECT first.a FROM first JOIN t59; ");
    sql.push_str(
        "ALTER TABLE first RENAME COLUMN a TO b; ALTER TABLE t59 RENAME TO last; DROP VIEW v; DROP TABLE first;",
    );
    let place = Place::with("");
    reads_like_a_file(&mut dev(None), &place, &sql);
}

#[test]
fn a_view_before_its_table_can_be_read_once_the_table_is_there() {
    let mut session = dev(None);
    applied(&mut session, None, &["CREATE VIEW v AS SELECT a FROM t"]);
    assert_eq!(snapshot(&mut session).schema().not_described().len(), 1);
    applied(&mut session, None, &["CREATE TABLE t (a)"]);
    assert_eq!(snapshot(&mut session).schema().not_described().len(), 0);
}

fn rebuild() -> Unit {
    let payload = RebuildTable {
        table: "users".to_owned(),
        new_table: "_new".to_owned(),
        columns: vec![CopiedColumn { from: "id".to_owned(), to: "id".to_owned() }],
        copies: 1,
        drops: 2,
        needs: NEEDS.map(str::to_owned).to_vec(),
        keeps_row_ids: true,
        keeps_sequence: false,
        keeps_statistics: false,
        children: vec!["orders".to_owned()],
    };
    let statements = [
        "CREATE TABLE _new (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INT)",
        "INSERT OR ABORT INTO _new SELECT * FROM users",
        "DROP TABLE users",
        "ALTER TABLE _new RENAME TO users",
        "CREATE INDEX by_name ON users (name)",
        "CREATE TRIGGER gone AFTER DELETE ON users BEGIN DELETE FROM log; END",
    ];
    Unit::Native(payload.operation(statements.map(str::to_owned).to_vec()))
}

#[test]
fn a_rebuild_on_a_copy_reads_like_the_rebuild_of_the_file() {
    let (mut session, place) = copy_of(SHOP);
    let transaction = begin(&mut session, &NEEDS);
    let executed = run_units(&mut session, Some(&transaction), vec![rebuild()]);
    assert_eq!(executed.outcome, Outcome::Applied, "{:?}", executed.diagnostic);
    assert_eq!(session.commit(&transaction, WAIT).unwrap().state, TransactionState::Committed);
    let mut target = crate::support::writer(&place.path);
    let transaction = begin(&mut target, &NEEDS);
    assert_eq!(run_units(&mut target, Some(&transaction), vec![rebuild()]).outcome, Outcome::Applied);
    target.commit(&transaction, WAIT).unwrap();
    assert_eq!(fingerprint(&mut session), fingerprint(&mut target));
}

#[test]
fn a_transaction_across_shards_rolls_back_as_one() {
    let (mut session, _place) = copy_of(SHOP);
    let before = snapshot(&mut session);
    for n in 0..60 {
        applied(&mut session, None, &[&format!("CREATE TABLE t{n} (a)")]);
    }
    let middle = fingerprint(&mut session);
    let transaction = begin(&mut session, &[]);
    applied(
        &mut session,
        Some(&transaction),
        &[
            "ALTER TABLE users RENAME TO people",
            "DROP TABLE t0",
            "CREATE TABLE more (a)",
            "ALTER TABLE t59 ADD COLUMN b",
        ],
    );
    assert_ne!(fingerprint(&mut session), middle);
    assert_eq!(session.rollback(&transaction).unwrap().state, TransactionState::RolledBack);
    assert_eq!(fingerprint(&mut session), middle);
    for n in 0..60 {
        applied(&mut session, None, &[&format!("DROP TABLE t{n}")]);
    }
    assert_eq!(fingerprint(&mut session), before.fingerprint());
    applied(&mut session, None, &["ALTER TABLE users RENAME TO people", "CREATE TABLE more (a)"]);
}

#[test]
fn unknown_functions_and_collations_have_stand_ins_on_the_scratch_side_only() {
    let sql = [
        "CREATE TABLE t (a CHECK (own(a)), b COLLATE theirs, c AS (other(a, 1)) STORED)",
        "CREATE INDEX i ON t (own(a))",
    ];
    let mut session = dev(None);
    applied(&mut session, None, &sql);
    assert_eq!(snapshot(&mut session).schema().objects().len(), 2);
    let place = Place::with("CREATE TABLE other (a)");
    let mut target = crate::support::writer(&place.path);
    let executed = run(&mut target, None, &["CREATE INDEX i ON other (own(a))"]);
    assert_eq!(executed.outcome, Outcome::NotApplied);
    assert!(executed.diagnostic.unwrap().as_str().contains("function"));
}

#[test]
fn functions_and_modules_that_debians_shell_has_are_known() {
    let mut session = dev(None);
    applied(
        &mut session,
        None,
        &[
            "CREATE TABLE t (a CHECK (sqrt(a) > pi()))",
            "CREATE VIRTUAL TABLE g USING geopoly(a)",
            "CREATE VIRTUAL TABLE r USING rtree(id, x, y)",
            "CREATE VIRTUAL TABLE f USING fts5(x)",
        ],
    );
    assert_eq!(snapshot(&mut session).schema().objects().len(), 4);
}

#[test]
fn a_source_can_not_reach_beyond_its_scratch_database() {
    let place = Place::with("CREATE TABLE t (a)");
    let attach = format!("ATTACH '{}' AS x", place.path.display());
    let into = format!("VACUUM INTO '{}'", place.folder().join("out.db").display());
    let mut session = dev(None);
    for unit in [
        attach.as_str(),
        into.as_str(),
        "PRAGMA foreign_keys=ON",
        "PRAGMA hard_heap_limit=0",
        "CREATE TABLE fed AS SELECT 1",
        "CREATE TEMP TABLE x (a)",
        "CREATE TABLE other.x (a)",
        "CREATE TABLE _ptah_x (a)",
        "BEGIN",
        "SELECT load_extension('x')",
    ] {
        let executed = run(&mut session, None, &[unit]);
        assert_eq!(executed.outcome, Outcome::NotApplied, "{unit}");
    }
    assert!(!place.folder().join("out.db").exists());
    assert!(snapshot(&mut session).schema().is_empty());
}

#[test]
fn an_endless_query_in_a_source_is_stopped() {
    let mut session = dev(None);
    let endless = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let executed = run(&mut session, None, &[endless]);
    assert_eq!(executed.engine_code.as_deref(), Some("SQLITE_INTERRUPT"));
    applied(&mut session, None, &["CREATE TABLE t (a)"]);
}

#[test]
fn a_scratch_database_ends_with_its_session_and_has_no_locks_or_records() {
    let mut session = dev(None);
    assert!(session.try_lock(&crate::support::scope(), &id("l")).is_err());
    assert!(session.read_claims(1).is_err());
    applied(&mut session, None, &["CREATE TABLE t (a)"]);
    session.close();
    assert!(snapshot(&mut dev(None)).schema().is_empty());
}

#[test]
fn a_copy_of_an_analysed_database_has_the_tables_of_statistics() {
    let (mut session, place) = copy_of("CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1); ANALYZE");
    let statistics = snapshot(&mut session).statistics();
    assert_eq!(statistics, snapshot(&mut reader(&place.path)).statistics());
    assert!(statistics.stat1);
    applied(&mut session, None, &["UPDATE sqlite_stat1 SET tbl = 'u' WHERE tbl = 't'"]);
    assert!(!snapshot(&mut dev(None)).statistics().stat1);
}

#[test]
fn a_source_that_fills_the_memory_is_stopped_and_the_session_works_on() {
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "dev::child_with_little_memory", "--nocapture"])
        .env("PTAH_TEST_LITTLE_MEMORY", "1")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&child.stdout).into_owned();
    assert!(child.status.success() && told.contains("child: stopped"), "{told}");
}

/// Not a promise of its own: what the test above runs. The limit is the process's, so it has one of its own.
#[test]
fn child_with_little_memory() {
    if std::env::var_os("PTAH_TEST_LITTLE_MEMORY").is_none() {
        return;
    }
    let mut session = dev(None);
    let raw = rusqlite::Connection::open_in_memory().unwrap();
    let limit = |pragma: &str| raw.query_row(pragma, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(limit("PRAGMA hard_heap_limit"), 2 << 30, "what a scratch database sets");
    // SQLite lets it fall only.
    assert_eq!(limit("PRAGMA hard_heap_limit=8000000"), 8_000_000);
    applied(&mut session, None, &["CREATE TABLE t (a)"]);
    let much = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 1000)
        INSERT INTO t SELECT zeroblob(100000) FROM n";
    let executed = run(&mut session, None, &[much]);
    assert_eq!((executed.outcome, executed.engine_code.as_deref()), (Outcome::NotApplied, Some("SQLITE_NOMEM")));
    applied(&mut session, None, &["CREATE TABLE u (a)"]);
    assert!(!snapshot(&mut session).schema().is_empty());
    println!("\nchild: stopped");
}
