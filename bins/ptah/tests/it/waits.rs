//! Waiting for applications that hold the database: as long as was asked for, in calls that each wait a short while.

use crate::support::{Scratch, Told, go_on, interrupt, is_stopped, until};

const TABLE: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY);";
const WAITING: &str = "the database is not free yet; waiting for it";

/// A database that ptah has changed once, and a schema that asks for more.
fn changed_once() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("schema.sql", TABLE);
    scratch.apply("app.db", &[]).ended_with(0);
    scratch.write("schema.sql", &format!("{TABLE} CREATE TABLE u (id INTEGER PRIMARY KEY);"));
    scratch
}

/// What an application does that keeps others from reading, and from writing.
const HOLDS: [&str; 2] = ["BEGIN EXCLUSIVE", "BEGIN IMMEDIATE"];

#[test]
fn a_wait_that_is_longer_than_one_call_ends_when_the_application_does() {
    for hold in HOLDS {
        let scratch = changed_once();
        let application = scratch.open("app.db");
        application.execute_batch(hold).unwrap();
        let mut run = scratch.start("app.db", None, &["--lock-timeout", "5m"]);
        let mut told = Told::of(&mut run);
        // It is said when the first call gave up, so that a second one is certain.
        told.until(WAITING);
        application.execute_batch("ROLLBACK").unwrap();
        let told = told.rest();
        assert_eq!(run.wait().unwrap().code(), Some(0), "{hold}: {told}");
        assert!(told.contains("applied: ") && !told.contains("reason: "), "{hold}: {told}");
        assert_eq!(scratch.schema("app.db").len(), 2, "{hold}");
        let intents = scratch.one("app.db", "SELECT count(*) FROM _ptah_runs WHERE phase = 'intend'");
        assert_eq!(intents, "2", "{hold}: the intent was stored once");
    }
}

#[test]
fn a_transaction_that_cannot_begin_is_begun_again_while_there_is_time() {
    let scratch = changed_once();
    let mut run = scratch.start("app.db", Some("9:before:stop"), &["--lock-timeout", "5m"]);
    until("the runner holds still before it begins", || is_stopped(run.id()));
    let application = scratch.open("app.db");
    application.execute_batch("BEGIN IMMEDIATE").unwrap();
    go_on(run.id());
    let mut told = Told::of(&mut run);
    told.until(WAITING);
    application.execute_batch("ROLLBACK").unwrap();
    let told = told.rest();
    assert_eq!(run.wait().unwrap().code(), Some(0), "{told}");
    assert_eq!(scratch.schema("app.db").len(), 2);
}

#[test]
fn a_wait_that_is_over_says_that_others_were_in_the_way_and_nothing_ran() {
    let scratch = changed_once();
    let application = scratch.open("app.db");
    application.execute_batch("BEGIN IMMEDIATE").unwrap();
    let before = scratch.schema("app.db");
    let ran = scratch.apply("app.db", &["--lock-timeout", "2500ms", "--json"]).ended_with(2).says(WAITING);
    assert_eq!(ran.document()["refusal"], "busy", "{}", ran.told());
    assert_eq!(scratch.schema("app.db"), before);
    // Begun, so that the intent is stored: the plan is spent, and nothing of it is there.
    application.execute_batch("ROLLBACK").unwrap();
    let mut run = scratch.start("app.db", Some("9:before:stop"), &["--lock-timeout", "2500ms"]);
    until("the runner holds still before it begins", || is_stopped(run.id()));
    application.execute_batch("BEGIN IMMEDIATE").unwrap();
    go_on(run.id());
    let told = Told::of(&mut run).rest();
    assert_eq!(run.wait().unwrap().code(), Some(2), "{told}");
    assert!(told.contains("not applied: other writers"), "{told}");
    application.execute_batch("ROLLBACK").unwrap();
    scratch.apply("app.db", &[]).ended_with(0);
    assert_eq!(scratch.schema("app.db").len(), 2);
}

#[test]
fn an_interrupt_is_heard_while_others_are_waited_for() {
    for hold in HOLDS {
        let scratch = changed_once();
        let application = scratch.open("app.db");
        application.execute_batch(hold).unwrap();
        let mut run = scratch.start("app.db", None, &["--lock-timeout", "1h"]);
        let mut told = Told::of(&mut run);
        told.until(WAITING);
        interrupt(&run);
        let told = told.rest();
        let code = run.wait().unwrap().code();
        // Before the database was open there is no run that could end; 130 is the shell's word for that.
        assert!(matches!(code, Some(2 | 130)), "{hold}: {code:?} {told}");
        assert!(told.contains("interrupted"), "{hold}: {told}");
        application.execute_batch("ROLLBACK").unwrap();
        assert_eq!(scratch.schema("app.db").len(), 1, "{hold}");
        scratch.apply("app.db", &[]).ended_with(0);
    }
}

#[test]
fn what_only_reads_waits_as_long_as_it_is_told_to() {
    let scratch = changed_once();
    let application = scratch.open("app.db");
    application.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let arguments = ["db", "read", "--db-url", "sqlite://app.db", "--lock-timeout", "5m"];
    let mut run = scratch.command(&arguments).spawn().unwrap();
    let mut told = Told::of(&mut run);
    told.until(WAITING);
    application.execute_batch("ROLLBACK").unwrap();
    let told = told.rest();
    assert_eq!(run.wait().unwrap().code(), Some(0), "{told}");
}

#[test]
fn forgetting_waits_for_others_too() {
    let scratch = changed_once();
    let application = scratch.open("app.db");
    application.execute_batch("BEGIN IMMEDIATE").unwrap();
    let arguments = ["db", "forget", "--db-url", "sqlite://app.db", "--lock-timeout", "5m", "--auto-approve"];
    let mut run = scratch.command(&arguments).spawn().unwrap();
    let mut told = Told::of(&mut run);
    told.until(WAITING);
    application.execute_batch("ROLLBACK").unwrap();
    let told = told.rest();
    assert_eq!(run.wait().unwrap().code(), Some(0), "{told}");
}
