//! What only the connection inside a session shows.

use std::sync::{Arc, Mutex};

use ptah_model::{EngineName, Scope};
use ptah_provider_api::execute::{ExecuteRequest, Outcome, TransactionId};
use ptah_provider_api::key::{Key, RequestId, SessionId};
use ptah_provider_api::session::{Address, OpenRequest, OpenTarget, Purpose};
use ptah_provider_api::step::Unit;
use ptah_provider_api::transaction::{BeginRequest, TransactionState};
use rusqlite::trace::{TraceEvent, TraceEventCodes};

use super::{TargetSession, open};
use crate::rebuild::{CopiedColumn, NEEDS, RebuildTable};

struct Lab {
    _folder: tempfile::TempDir,
    session: TargetSession,
}

fn lab(sql: &str) -> Lab {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    let request = OpenRequest {
        request: RequestId::new("o").unwrap(),
        engine: EngineName::new("sqlite").unwrap(),
        target: OpenTarget::Address(Address::new("unused")),
        purpose: Purpose::Apply,
        create: false,
        recover: false,
        accept: std::collections::BTreeSet::new(),
        lock_timeout_ms: 0,
    };
    let session = open(&request, &path).unwrap().session;
    Lab { _folder: folder, session }
}

fn key() -> Key {
    Key {
        session: SessionId::new("s").unwrap(),
        scope: Scope::new("c").unwrap(),
        request: RequestId::new("r").unwrap(),
    }
}

impl Lab {
    fn connection(&self) -> &rusqlite::Connection {
        &self.session.open.as_ref().unwrap().connected.connection
    }

    fn number(&self, query: &str) -> i64 {
        self.connection().query_row(query, [], |row| row.get(0)).unwrap()
    }

    fn begin(&mut self, settings: &[&str]) -> TransactionId {
        let request = BeginRequest {
            key: key(),
            settings: settings.iter().map(|s| (*s).to_owned()).collect(),
            expect_state: None,
            expect_claim: None,
            lock_timeout_ms: 0,
        };
        self.session.begin(&request).unwrap().transaction.unwrap()
    }

    fn run(&mut self, transaction: Option<&TransactionId>, units: Vec<Unit>) -> ptah_provider_sdk::Executed {
        let request =
            ExecuteRequest { key: key(), units, transaction: transaction.cloned(), statement_timeout_ms: None };
        self.session.execute(&request).unwrap()
    }

    /// Everything that SQLite is asked to run from now on.
    fn trace(&mut self) -> Arc<Mutex<Vec<String>>> {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&seen);
        let note = move |event: TraceEvent<'_>| {
            if let TraceEvent::Stmt(statement, _) = event {
                into.lock().unwrap().push(statement.sql().into_owned());
            }
        };
        let connection = &mut self.session.open.as_mut().unwrap().connected.connection;
        connection.trace_v2(TraceEventCodes::SQLITE_TRACE_STMT, Some(note)).unwrap();
        seen
    }
}

fn sql(text: &str) -> Unit {
    Unit::Sql { text: text.to_owned() }
}

#[test]
fn an_applying_connection_waits_for_the_disk_and_lets_no_schema_be_written_by_hand() {
    let lab = lab("CREATE TABLE t (a)");
    assert_eq!(lab.number("PRAGMA synchronous"), 3, "EXTRA");
    assert_eq!(lab.number("PRAGMA recursive_triggers"), 0);
    assert_eq!(lab.number("PRAGMA foreign_keys"), 0);
    assert_eq!(lab.number("PRAGMA trusted_schema"), 0);
    lab.connection().execute_batch("PRAGMA writable_schema=ON").unwrap();
    assert!(lab.connection().execute("DELETE FROM sqlite_schema", []).is_err());
}

#[test]
fn a_full_disk_is_told_with_its_code_and_the_truth_about_the_transaction() {
    let mut lab = lab("CREATE TABLE t (a)");
    // SQLite's own limit of pages stands for a disk without space: the same code takes the same road.
    let pages = lab.number("PRAGMA page_count") + 2;
    lab.connection().query_row(&format!("PRAGMA max_page_count={pages}"), [], |_| Ok(())).unwrap();
    let transaction = lab.begin(&[]);
    let much = sql("INSERT INTO t VALUES (hex(zeroblob(100000)))");
    let executed = lab.run(Some(&transaction), vec![sql("INSERT INTO t VALUES (1)"), much.clone()]);
    assert_eq!(executed.engine_code.as_deref(), Some("SQLITE_FULL"));
    let gone = lab.connection().is_autocommit();
    let expected = if gone { (Outcome::NotApplied, 0) } else { (Outcome::Partial, 1) };
    assert_eq!((executed.outcome, executed.applied), expected);
    let ended = lab.session.commit(&transaction, std::time::Duration::ZERO).unwrap();
    let expected = if gone { TransactionState::RolledBack } else { TransactionState::Committed };
    assert_eq!(ended.state, expected);
    assert_eq!(lab.number("SELECT count(*) FROM t"), i64::from(!gone));
    let executed = lab.run(None, vec![much]);
    assert_eq!((executed.outcome, executed.engine_code.as_deref()), (Outcome::NotApplied, Some("SQLITE_FULL")));
}

#[test]
fn what_a_rebuild_writes_is_word_for_word_what_was_printed() {
    let mut lab = lab("CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a); CREATE TABLE c (t REFERENCES t);
         CREATE VIEW v AS SELECT a FROM t; CREATE INDEX i ON t (a); INSERT INTO t (a) VALUES (1), (2);
         CREATE TRIGGER g AFTER INSERT ON c BEGIN DELETE FROM t; END; ANALYZE");
    let statements = [
        "CREATE TABLE n (id INTEGER PRIMARY KEY AUTOINCREMENT, a NOT NULL)",
        "INSERT OR ABORT INTO n (id, a) SELECT id, a FROM t",
        "DROP TABLE t",
        "ALTER TABLE n RENAME TO t",
        "CREATE INDEX i ON t (a)",
    ]
    .map(str::to_owned)
    .to_vec();
    let payload = RebuildTable {
        table: "t".to_owned(),
        new_table: "n".to_owned(),
        columns: ["id", "a"].map(|c| CopiedColumn { from: c.to_owned(), to: c.to_owned() }).to_vec(),
        copies: 1,
        drops: 2,
        needs: NEEDS.map(str::to_owned).to_vec(),
        keeps_row_ids: true,
        keeps_sequence: true,
        keeps_statistics: false,
        children: vec!["c".to_owned()],
    };
    let transaction = lab.begin(&NEEDS);
    let seen = lab.trace();
    let unit = Unit::Native(payload.operation(statements.clone()));
    let executed = lab.run(Some(&transaction), vec![unit]);
    assert_eq!(executed.outcome, Outcome::Applied, "{:?}", executed.diagnostic);
    let seen = seen.lock().unwrap().clone();
    let reads = |text: &String| text.starts_with("SELECT") || text.starts_with("PRAGMA");
    let (reads, writes): (Vec<_>, Vec<_>) = seen.into_iter().partition(reads);
    assert_eq!(writes, statements);
    assert!(!reads.is_empty());
}

#[test]
fn the_catalogue_takes_the_same_number_of_queries_however_many_tables_there_are() {
    let queries = |tables: usize| {
        use std::fmt::Write as _;
        let mut sql = String::new();
        for n in 0..tables {
            write!(sql, "CREATE TABLE t{n} (a, b); CREATE INDEX i{n} ON t{n} (a);").unwrap();
        }
        let mut lab = lab(&sql);
        let seen = lab.trace();
        lab.session.inspect(std::time::Duration::ZERO).unwrap();
        let seen = seen.lock().unwrap().clone();
        // A table-valued pragma asks its pragma once for each table; that is one query of ours.
        seen.into_iter()
            .filter(|text| !text.starts_with("PRAGMA \"main\"") && !text.starts_with("PRAGMA table"))
            .count()
    };
    assert_eq!(queries(1), queries(60));
}
