//! What an engine declares is what is gone by: without a session where `--offline` says so, and in every other command.

use std::collections::BTreeSet;

use super::{APPLY, Stage};
use crate::support::{Ran, Scratch};

const RENDER: &[&str] = &["schema", "render", "--offline", "--schema-file", "schema.sql"];
const DIFF: &[&str] = &["schema", "diff", "--offline", "--from", "old.sql", "--to", "schema.sql"];

impl Stage {
    fn offline(&self, words: &[&str], more: &[&str]) -> Ran {
        self.run(&[words, &["--dialect", "zorp"], more].concat())
    }
}

#[test]
fn an_offline_command_opens_nothing_and_says_that_it_is_weaker() {
    let stage = Stage::new("");
    stage.scratch.write("old.sql", "");
    let rendered = stage.offline(RENDER, &[]).ended_with(0).says("no session was opened");
    assert_eq!(rendered.out, "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);\n");
    let differs = stage.offline(DIFF, &[]).ended_with(0).says("no session was opened");
    assert_eq!(differs.out, rendered.out);
    assert!(stage.count("call analyze_sql") >= 3, "{:#?}", stage.seen());
    for call in ["call open", "call provision_dev", "call inspect", "call plan", "call execute"] {
        assert_eq!(stage.count(call), 0, "{call}: {:#?}", stage.seen());
    }
    let told = stage.offline(RENDER, &["--json"]).ended_with(0).document();
    assert_eq!(told["offline"]["engine"], "zorp");
    assert!(told["offline"]["weaker"].as_str().unwrap().contains("no session"), "{told}");
    // Without the flag the same commands open dev databases.
    stage.run(&["schema", "render", "--schema-file", "schema.sql", "--dialect", "zorp"]).ended_with(0);
    assert!(stage.count("call open") > 0);
}

/// The engine says of itself that its schema statements can be in a transaction, and the session says that they cannot;
/// and the other way round.
#[test]
fn what_a_session_states_goes_before_what_its_engine_states() {
    for (fault, declared, begins) in [("ddl-outside", true, false), ("defaults-deny", false, true)] {
        let stage = Stage::new(fault);
        let told = stage.offline(RENDER, &["--json"]).ended_with(0).document();
        assert_eq!(told["offline"]["ddl_inside_transaction"], declared, "{fault}");
        let words = if declared { "can run in one transaction" } else { "run outside of transactions" };
        stage.offline(RENDER, &[]).ended_with(0).says(words);
        stage.scratch.sql("app.db", "CREATE TABLE t (id INTEGER PRIMARY KEY)");
        stage.run(APPLY).ended_with(0);
        assert_eq!(stage.count("call begin_transaction") > 0, begins, "{fault}: {:#?}", stage.seen());
    }
    let stage = Stage::new("defaults-unsaid");
    let told = stage.offline(RENDER, &["--json"]).ended_with(0).document();
    assert!(told["offline"]["ddl_inside_transaction"].is_null(), "an absent fact is not a false one: {told}");
}

#[test]
fn a_kind_that_the_engine_does_not_declare_is_never_planned_around() {
    let stage = Stage::new("declares-no-views");
    stage.run(APPLY).ended_with(0);
    stage.scratch.write("old.sql", "");
    stage
        .scratch
        .write("schema.sql", "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);\nCREATE VIEW v AS SELECT id FROM t;");
    stage.run(APPLY).ended_with(2).says("of the kind `view`, which it did not declare");
    stage.offline(DIFF, &[]).ended_with(2).says("of the kind `view`, which it did not declare");
    let declared = Stage::new("");
    declared
        .scratch
        .write("schema.sql", "CREATE TABLE t (id INTEGER PRIMARY KEY);\nCREATE VIEW v AS SELECT id FROM t;");
    declared.run(APPLY).ended_with(0);
}

#[test]
fn an_engine_without_a_source_language_takes_no_sources() {
    let stage = Stage::new("analyses-nothing");
    stage.run(APPLY).ended_with(2).says("does not offer sql.analyze");
    stage.offline(RENDER, &[]).ended_with(2).says("does not offer sql.analyze");
    assert_eq!(stage.count("call analyze_sql"), 0, "{:#?}", stage.seen());
}

#[test]
fn an_engine_that_takes_no_questions_is_asked_none() {
    let stage = Stage::new("lists-less-than-it-serves");
    stage.scratch.sql("app.db", "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)");
    stage.scratch.write("schema.sql", "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL);");
    stage.run(&[APPLY, &["--allow-destructive"]].concat()).ended_with(2);
    assert_eq!(stage.count("call query_rows"), 0, "{:#?}", stage.seen());
    assert_eq!(stage.scratch.one("app.db", "SELECT count(*) FROM pragma_table_info('t')"), "1");
}

fn sqlite(from: &str, to: &str) -> (Scratch, Ran) {
    let scratch = Scratch::new();
    scratch.write("old.sql", from);
    scratch.write("schema.sql", to);
    let ran = scratch.ptah(DIFF);
    (scratch, ran)
}

#[test]
fn what_is_only_created_is_written_offline_as_it_is_online() {
    let to = "CREATE INDEX i ON a (x);\nCREATE TABLE a (x INTEGER, y TEXT);\nCREATE VIEW v AS SELECT x FROM a;\n";
    let (scratch, offline) = sqlite("", to);
    let online = scratch.ptah(&["schema", "diff", "--from", "old.sql", "--to", "schema.sql"]).ended_with(0);
    // An index and a view may come in either order.
    let statements = |ran: &Ran| ran.out.split("\n\n").map(|text| text.trim().to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(statements(&offline.ended_with(0)), statements(&online));
    sqlite(to, "CREATE TABLE A (x integer, y text);CREATE INDEX i ON a(x);CREATE VIEW v AS SELECT x FROM a;")
        .1
        .ended_with(0)
        .says("both say the same");
}

#[test]
fn what_only_a_plan_can_tell_is_not_spelled_offline() {
    let (scratch, changed) = sqlite(
        "CREATE TABLE a (x INTEGER);\nCREATE TABLE b (y);",
        "CREATE TABLE a (x INTEGER, z TEXT);\nCREATE TABLE c (y);",
    );
    let changed = changed.ended_with(2).says("only a plan can tell").says("leave out --offline");
    assert_eq!(changed.out, "", "half of a change is no script");
    let changed = changed.says("!! table a is defined in another way").says("!! drop table b").says("create table c");
    assert!(changed.err.contains("3 differences"), "{}", changed.told());
    let document = scratch.ptah(&[DIFF, &["--json"]].concat()).ended_with(2).document();
    assert!(document["statements"].is_null(), "{document}");
    assert_eq!(document["changes"].as_array().unwrap().len(), 3);
    scratch.ptah(&["schema", "diff", "--from", "old.sql", "--to", "schema.sql"]).ended_with(0);
}
