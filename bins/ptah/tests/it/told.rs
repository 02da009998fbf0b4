//! What a person is told is so: nothing is said to be in sync, unchanged, refused or lost that is not.

use crate::support::Scratch;

const TABLE: &str = "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT);";

/// A database with this in it, and this wanted.
fn scratch(there: &str, wanted: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.sql("app.db", there);
    scratch.write("schema.sql", wanted);
    scratch
}

fn look<'a>(command: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let base = ["schema", command, "--db-url", "sqlite://app.db", "--schema-file", "schema.sql"];
    base.iter().chain(more).copied().collect()
}

/// A run that was killed after its intent, and a schema that asks for more.
fn with_an_open_run() -> Scratch {
    let scratch = scratch("", TABLE);
    scratch.apply("app.db", &[]).ended_with(0);
    scratch.write("schema.sql", &format!("{TABLE} CREATE TABLE u (id INTEGER PRIMARY KEY);"));
    let effects = scratch.apply_with_fault("app.db", "count", &["--dry-run"]).err;
    let all = effects.lines().find_map(|line| line.strip_prefix("effects: ")).unwrap().parse::<u32>().unwrap();
    for effect in all..40 {
        let ran = scratch.apply_with_fault("app.db", &format!("{effect}:after:host"), &[]);
        let open = "SELECT count(*) FROM (SELECT 1 FROM _ptah_runs WHERE phase <> 'prove' GROUP BY operation
                    HAVING sum(phase = 'settle') = 0)";
        assert!(ran.code.is_none(), "it went through before it was left open: {}", ran.told());
        if scratch.one("app.db", open) == "1" {
            return scratch;
        }
    }
    panic!("no run was left open");
}

#[test]
fn a_rename_beside_them_does_not_keep_rows_from_being_asked() {
    let there = "CREATE TABLE a (id INTEGER PRIMARY KEY, old TEXT);
                 CREATE TABLE b (id INTEGER PRIMARY KEY, n TEXT); INSERT INTO b VALUES (1, NULL);";
    let wanted = "CREATE TABLE a (id INTEGER PRIMARY KEY,
                    -- ptah:renamed from=old
                    new TEXT);
                  CREATE TABLE b (id INTEGER PRIMARY KEY, n TEXT NOT NULL);";
    let scratch = scratch(there, wanted);
    let renamed = scratch.ptah(&look("plan", &["--dry-run"]));
    assert!(renamed.err.contains("old") && renamed.err.contains("new"), "the hint is read: {}", renamed.told());
    renamed.ended_with(2).says("1 row");
    let runs = "SELECT count(*) FROM sqlite_schema WHERE name = '_ptah_runs'";
    scratch.apply("app.db", &[]).ended_with(2);
    assert_eq!(scratch.one("app.db", runs), "0", "nothing was begun");
}

#[test]
fn a_question_that_has_to_wait_for_a_rename_is_told() {
    let there = "CREATE TABLE a (id INTEGER PRIMARY KEY, old TEXT); INSERT INTO a VALUES (1, NULL);";
    let wanted = "CREATE TABLE a (id INTEGER PRIMARY KEY,
                    -- ptah:renamed from=old
                    new TEXT NOT NULL);";
    let scratch = scratch(there, wanted);
    scratch.ptah(&look("plan", &["--dry-run"])).says("rows.asked-later");
}

#[test]
fn what_is_not_described_is_told_by_every_command_that_says_in_sync() {
    let scratch = scratch(&format!("{TABLE} CREATE VIEW broken AS SELECT x FROM nowhere;"), TABLE);
    for command in ["compare", "drift", "plan"] {
        let more: &[&str] = if command == "plan" { &["--dry-run"] } else { &[] };
        scratch.ptah(&look(command, more)).ended_with(0).says("schema.not-described").says("broken");
    }
    // Twice: it is not remembered as nothing to do.
    for _ in 0..2 {
        let ran = scratch.apply("app.db", &["--json"]).ended_with(0);
        assert_eq!(ran.document()["diagnostics"][0]["code"], "schema.not-described", "{}", ran.told());
    }
}

#[test]
fn a_damaged_record_is_a_refusal_of_a_provider_that_lives() {
    let scratch = scratch("", TABLE);
    scratch.apply("app.db", &[]).ended_with(0);
    scratch.sql("app.db", "UPDATE _ptah_runs SET plan = 'damaged'");
    let ran = scratch.apply("app.db", &["--json"]).ended_with(2).says("`_ptah_runs`");
    assert_eq!(ran.document()["refusal"], "provider-refused", "{}", ran.told());
}

#[test]
fn a_database_that_cannot_be_created_is_no_stale_plan() {
    let scratch = scratch("", TABLE);
    scratch.write("folder", "a file, so that nothing can be made in it");
    let ran = scratch.apply("/proc/self/app.db", &["--json"]).ended_with(2);
    assert_eq!(ran.document()["refusal"], "not-created", "{}", ran.told());
}

#[test]
fn what_was_recorded_of_a_copy_is_told_also_when_the_plan_is_refused() {
    let scratch = scratch("", &format!("{TABLE} CREATE TABLE rows (id INTEGER PRIMARY KEY);"));
    scratch.apply("app.db", &[]).ended_with(0);
    scratch.copy("app.db", "copy.db");
    scratch.write("schema.sql", TABLE);
    let ran = scratch.apply("copy.db", &["--as-copy", "--json"]).ended_with(2);
    assert_eq!(ran.document()["adopted"], "copy", "{}", ran.told());
    assert!(ran.err.contains("nothing else was changed") && ran.err.contains("recorded as a copy"), "{}", ran.told());
    let again = scratch.apply("copy.db", &["--as-copy", "--allow-destructive"]).ended_with(0);
    assert!(again.err.contains("nothing says that this database was moved or copied"), "{}", again.told());
}

#[test]
fn what_became_of_an_earlier_run_is_told_before_anybody_is_asked() {
    let scratch = with_an_open_run();
    let ran = scratch.apply("app.db", &[]).ended_with(0);
    let place = |piece: &str| ran.err.find(piece).unwrap_or_else(|| panic!("{piece}\n{}", ran.told()));
    assert!(place("an earlier run") < place("approved with"), "{}", ran.told());
    assert_eq!(ran.err.matches("an earlier run").count(), 1, "{}", ran.told());
}

#[test]
fn a_command_that_only_looks_says_that_a_run_is_not_settled() {
    let scratch = with_an_open_run();
    for command in ["compare", "drift", "plan"] {
        let more: &[&str] = if command == "plan" { &["--dry-run"] } else { &[] };
        scratch.ptah(&look(command, more)).says("is not settled");
    }
    scratch.ptah(&["schema", "inspect", "--db-url", "sqlite://app.db"]).says("is not settled");
    scratch.apply("app.db", &["--dry-run"]).says("is not settled");
}

#[test]
fn a_log_that_a_writer_left_is_told() {
    let scratch = scratch("", TABLE);
    let writer = scratch.open("live.db");
    writer.execute_batch(&format!("PRAGMA journal_mode = WAL; {TABLE} INSERT INTO t VALUES (1, 'kept');")).unwrap();
    for beside in ["", "-wal"] {
        scratch.copy(&format!("live.db{beside}"), &format!("app.db{beside}"));
    }
    scratch.apply("app.db", &["--dry-run"]).ended_with(0).says("-wal");
    assert_eq!(scratch.one("app.db", "SELECT b FROM t"), "kept");
}
