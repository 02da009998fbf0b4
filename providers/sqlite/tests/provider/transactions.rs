//! Transactions, their assertions, and what is known when something fails.

use ptah_provider_api::execute::{ExecuteRequest, Outcome};
use ptah_provider_api::query::QueryRowsRequest;
use ptah_provider_api::step::Unit;
use ptah_provider_api::transaction::{BeginRequest, TransactionState};
use ptah_provider_sdk::EngineSession as _;

use crate::support::{
    Place, WAIT, applied, begin, begin_request, fingerprint, intended, key, other_process_can, run, writer,
};

#[test]
fn a_transaction_keeps_writers_out_until_it_ends() {
    for mode in ["WAL", "DELETE"] {
        let place = Place::with(&format!("PRAGMA journal_mode={mode}; CREATE TABLE t (a)"));
        let mut session = writer(&place.path);
        let transaction = begin(&mut session, &[]);
        assert!(!other_process_can(&place.path, "INSERT INTO t VALUES (1)"), "{mode}");
        applied(&mut session, Some(&transaction), &["INSERT INTO t VALUES (2)"]);
        assert_eq!(session.commit(&transaction, WAIT).unwrap().state, TransactionState::Committed);
        assert!(other_process_can(&place.path, "INSERT INTO t VALUES (1)"), "{mode}");
        assert_eq!(place.number("SELECT count(*) FROM t"), 2);
    }
}

#[test]
fn a_busy_database_is_busy_and_nothing_began() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    let other = rusqlite::Connection::open(&place.path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let began = session.begin(&begin_request()).unwrap();
    assert_eq!((began.state, began.transaction), (TransactionState::Busy, None));
    drop(other);
    begin(&mut session, &[]);
}

#[test]
fn a_changed_schema_is_refused_and_says_what_was_found() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    let decided = fingerprint(&mut session);
    place.sql("CREATE TABLE u (a)");
    let expect = |state| BeginRequest { expect_state: Some(state), ..begin_request() };
    let began = session.begin(&expect(decided)).unwrap();
    assert_eq!(began.state, TransactionState::StateChanged);
    assert_ne!(began.found_state, Some(decided));
    assert!(began.found_state.is_some());
    let now = fingerprint(&mut session);
    assert_eq!(began.found_state, Some(now));
    assert_eq!(session.begin(&expect(now)).unwrap().state, TransactionState::Begun);
}

#[test]
fn vacuum_changes_the_schema_version_and_is_looked_at_and_not_refused() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    let decided = fingerprint(&mut session);
    let version = place.number("PRAGMA schema_version");
    place.sql("VACUUM");
    assert_ne!(place.number("PRAGMA schema_version"), version);
    let request = BeginRequest { expect_state: Some(decided), ..begin_request() };
    assert_eq!(session.begin(&request).unwrap().state, TransactionState::Begun);
}

#[test]
fn making_our_tables_is_no_change_of_the_schema() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    let decided = fingerprint(&mut session);
    let sequence = intended(&mut session, "op");
    let request = BeginRequest { expect_state: Some(decided), expect_claim: Some(sequence), ..begin_request() };
    assert_eq!(session.begin(&request).unwrap().state, TransactionState::Begun);
}

#[test]
fn another_claim_than_the_expected_one_stops_the_transaction() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    let sequence = intended(&mut session, "op");
    let request = BeginRequest { expect_claim: Some(sequence + 1), ..begin_request() };
    assert_eq!(session.begin(&request).unwrap().state, TransactionState::ClaimChanged);
    assert!(other_process_can(&place.path, "INSERT INTO t VALUES (1)"), "nothing is left open");
}

#[test]
fn settings_are_made_before_the_transaction_and_taken_away_after_it() {
    let place = Place::with(
        "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p ON DELETE CASCADE);
         INSERT INTO p VALUES (1); INSERT INTO c VALUES (1)",
    );
    let mut session = writer(&place.path);
    let transaction = begin(&mut session, &["foreign_keys=on"]);
    applied(&mut session, Some(&transaction), &["DELETE FROM p"]);
    session.rollback(&transaction).unwrap();
    let transaction = begin(&mut session, &[]);
    applied(&mut session, Some(&transaction), &["DELETE FROM p"]);
    session.commit(&transaction, WAIT).unwrap();
    assert_eq!(place.number("SELECT count(*) FROM c"), 1, "foreign keys are off again");
    let request = BeginRequest { settings: vec!["page_size=512".to_owned()], ..begin_request() };
    let began = session.begin(&request).unwrap();
    assert_eq!(began.state, TransactionState::NotStarted);
    assert!(began.diagnostic.unwrap().as_str().contains("`page_size=512`"));
}

#[test]
fn units_stop_at_the_first_failure_with_our_sentence_and_the_engines_code() {
    let place = Place::with("CREATE TABLE t (hush NOT NULL)");
    let mut session = writer(&place.path);
    let executed =
        run(&mut session, None, &["CREATE TABLE a (x)", "INSERT INTO t VALUES (NULL)", "CREATE TABLE b (x)"]);
    assert_eq!((executed.outcome, executed.applied), (Outcome::Partial, 1));
    assert_eq!(executed.engine_code.as_deref(), Some("SQLITE_CONSTRAINT_NOTNULL"));
    let told = executed.diagnostic.unwrap();
    assert!(!told.as_str().contains("hush"), "{told}");
    assert_eq!(place.number("SELECT count(*) FROM sqlite_schema"), 2);
}

#[test]
fn a_failed_unit_in_a_transaction_leaves_the_ones_before_it_in_the_transaction() {
    let place = Place::with("CREATE TABLE t (a UNIQUE)");
    let mut session = writer(&place.path);
    let transaction = begin(&mut session, &[]);
    let units = ["INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (1)"];
    let executed = run(&mut session, Some(&transaction), &units);
    assert_eq!((executed.outcome, executed.applied), (Outcome::Partial, 1));
    assert_eq!(session.commit(&transaction, WAIT).unwrap().state, TransactionState::Committed);
    assert_eq!(place.number("SELECT count(*) FROM t"), 1);
}

#[test]
fn a_transaction_that_sqlite_rolled_back_is_told_as_that_and_never_as_open() {
    let place = Place::with("CREATE TABLE t (a UNIQUE ON CONFLICT ROLLBACK)");
    let mut session = writer(&place.path);
    let transaction = begin(&mut session, &[]);
    let units = ["INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (1)"];
    let executed = run(&mut session, Some(&transaction), &units);
    assert_eq!((executed.outcome, executed.applied), (Outcome::NotApplied, 0));
    assert_eq!(run(&mut session, Some(&transaction), &["SELECT 1"]).outcome, Outcome::NotStarted);
    let ended = session.commit(&transaction, WAIT).unwrap();
    assert_eq!(ended.state, TransactionState::RolledBack);
    assert_eq!(place.number("SELECT count(*) FROM t"), 0);
}

#[test]
fn a_unit_is_exactly_one_statement() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    for unit in ["INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)", "-- nothing", "INSERT INTO t VALUES (?1)"] {
        let executed = run(&mut session, None, &[unit]);
        assert_eq!(executed.outcome, Outcome::NotApplied, "{unit}");
    }
    assert_eq!(place.number("SELECT count(*) FROM t"), 0);
    applied(&mut session, None, &["INSERT INTO t VALUES (1); -- done"]);
}

#[test]
fn a_unit_can_not_touch_transactions_settings_other_databases_or_our_records() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    intended(&mut session, "op");
    let transaction = begin(&mut session, &[]);
    for unit in [
        "COMMIT",
        "SAVEPOINT s",
        "ATTACH ':memory:' AS x",
        "PRAGMA foreign_keys=ON",
        "PRAGMA writable_schema=ON",
        "DELETE FROM _ptah_runs",
        "DROP TABLE _PTAH_meta",
        "CREATE TABLE _ptah_more (a)",
    ] {
        let executed = run(&mut session, Some(&transaction), &[unit]);
        assert_eq!(executed.outcome, Outcome::NotApplied, "{unit}");
    }
    assert_eq!(session.commit(&transaction, WAIT).unwrap().state, TransactionState::Committed);
    assert_eq!(place.number("SELECT count(*) FROM _ptah_runs"), 1);
}

#[test]
fn a_unit_that_takes_too_long_is_stopped_and_nothing_of_it_is_there() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    let endless = "INSERT INTO t WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    let request = ExecuteRequest {
        key: key(),
        units: vec![Unit::Sql { text: endless.to_owned() }],
        transaction: None,
        statement_timeout_ms: Some(50),
    };
    let executed = session.execute(&request).unwrap();
    assert_eq!(executed.outcome, Outcome::NotApplied);
    assert_eq!(executed.engine_code.as_deref(), Some("SQLITE_INTERRUPT"));
    assert_eq!(place.number("SELECT count(*) FROM t"), 0);
    applied(&mut session, None, &["INSERT INTO t VALUES (1)"]);
}

#[test]
fn a_transaction_that_is_not_open_runs_nothing() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    let first = begin(&mut session, &[]);
    assert_eq!(run(&mut session, None, &["INSERT INTO t VALUES (1)"]).outcome, Outcome::NotStarted);
    session.rollback(&first).unwrap();
    assert_eq!(run(&mut session, Some(&first), &["INSERT INTO t VALUES (1)"]).outcome, Outcome::NotStarted);
    assert_eq!(session.commit(&first, WAIT).unwrap().state, TransactionState::RolledBack, "it answers how it ended");
    assert_eq!(place.number("SELECT count(*) FROM t"), 0);
}

#[test]
fn asking_the_rows_never_writes() {
    let place = Place::with("CREATE TABLE t (a); INSERT INTO t VALUES (1), (NULL)");
    let mut session = writer(&place.path);
    let ask =
        |query: &str| QueryRowsRequest { session: key().session, query: query.to_owned(), transaction: None, limit: 1 };
    let count = session.query_rows(&ask("SELECT count(*) FROM t WHERE a IS NULL")).unwrap();
    assert_eq!(count.count(), Ok(1));
    let rows = session.query_rows(&ask("SELECT a FROM t")).unwrap();
    assert_eq!((rows.rows.len(), rows.more), (1, true));
    assert!(session.query_rows(&ask("DELETE FROM t")).is_err());
    assert!(session.query_rows(&ask("INSERT INTO t VALUES (3) RETURNING a")).is_err());
    assert_eq!(place.number("SELECT count(*) FROM t"), 2);
}

#[test]
fn altering_a_table_with_rows_asks_sqlites_own_questions() {
    let place = Place::with("CREATE TABLE t (a); INSERT INTO t VALUES (1)");
    let mut session = writer(&place.path);
    let transaction = begin(&mut session, &[]);
    let units = [
        "ALTER TABLE t ADD COLUMN b INT NOT NULL DEFAULT 1 CHECK (b > 0)",
        "ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0)",
        "ALTER TABLE t ALTER COLUMN a SET NOT NULL",
        "ALTER TABLE t DROP CONSTRAINT c",
        "ALTER TABLE t DROP COLUMN b",
    ];
    applied(&mut session, Some(&transaction), &units);
    let executed = run(&mut session, Some(&transaction), &["ALTER TABLE t ADD CHECK (a > 1)"]);
    assert_eq!(executed.outcome, Outcome::NotApplied);
}
