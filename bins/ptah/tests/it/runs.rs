//! Runs beside each other, beside applications, and on other files than they were meant for.

use crate::support::{Ran, Scratch, go_on, is_stopped, until};

const ONE: &str = "CREATE TABLE one (id INTEGER PRIMARY KEY);";
const TWO: &str = "CREATE TABLE one (id INTEGER PRIMARY KEY); CREATE TABLE two (id INTEGER PRIMARY KEY);";

/// A database that ptah has changed once, and a schema that asks for more.
fn changed_once() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("schema.sql", ONE);
    scratch.apply("app.db", &[]).ended_with(0);
    scratch.write("schema.sql", TWO);
    scratch
}

#[test]
fn ten_runners_one_execution() {
    let scratch = changed_once();
    let children: Vec<_> = (0..10).map(|_| scratch.start("app.db", None, &["--json"])).collect();
    let outcomes: Vec<String> = children
        .into_iter()
        .map(|child| {
            let ran = Ran::of(child.wait_with_output().unwrap()).ended_with(0);
            ran.document()["outcome"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(outcomes.iter().filter(|o| *o == "applied").count(), 1, "{outcomes:?}");
    assert_eq!(outcomes.iter().filter(|o| *o == "no-changes").count(), 9, "{outcomes:?}");
    let intents = scratch.one("app.db", "SELECT count(*) FROM _ptah_runs WHERE phase = 'intend'");
    assert_eq!(intents, "2", "one for each of the two changes");
}

#[test]
fn a_spent_operation_is_refused_by_the_database() {
    let scratch = changed_once();
    let plan =
        ["schema", "plan", "--db-url", "sqlite://app.db", "--schema-file", "schema.sql", "--output", "p.plan.json"];
    scratch.ptah(&plan).ended_with(0);
    let apply = ["schema", "apply", "--db-url", "sqlite://app.db", "--plan", "p.plan.json", "--auto-approve"];
    scratch.ptah(&apply).ended_with(0);
    scratch.sql("app.db", "DROP TABLE two");
    // The state is the planned one again, and the plan still is spent.
    scratch.ptah(&apply).ended_with(2).says("begun before");
    assert_eq!(scratch.schema("app.db").len(), 1);
    // So many runs since that no command reads this one any more: now only the database itself can refuse it.
    for run in 0..70 {
        let operation = format!("01939f6e-0000-7000-8000-{run:012}");
        let row = |phase: &str| {
            format!(
                "INSERT INTO _ptah_runs (uuid, operation, plan, phase, segment, segments, transactional, state_before,
                   state_after, outcome, applied, at_us)
                 SELECT uuid, '{operation}', plan, phase, segment, segments, transactional, state_before, state_after,
                   outcome, applied, at_us FROM _ptah_runs WHERE phase = '{phase}' AND sequence < 5 LIMIT 1;"
            )
        };
        scratch.sql("app.db", &["intend", "outcome", "settle"].map(row).concat());
    }
    scratch.ptah(&apply).ended_with(2).says("begun before");
    assert_eq!(scratch.schema("app.db").len(), 1);
}

#[test]
fn a_plan_changed_by_one_byte_is_refused_before_anything_is_opened() {
    let scratch = changed_once();
    let plan =
        ["schema", "plan", "--db-url", "sqlite://app.db", "--schema-file", "schema.sql", "--output", "p.plan.json"];
    scratch.ptah(&plan).ended_with(0);
    let good = std::fs::read_to_string(scratch.path("p.plan.json")).unwrap();
    let bytes = scratch.bytes("app.db");
    let apply = ["schema", "apply", "--db-url", "sqlite://app.db", "--plan", "p.plan.json", "--auto-approve"];
    for (from, to, why) in [
        ("two", "toe", "was changed after it was written"),
        ("\"format_version\": 1", "\"format_version\": 2", "has format version 2; this program reads version 1"),
        ("{\n", "{\n  \"extra\": 1,\n", "the field `extra` at line 2, column 9 is not known"),
    ] {
        assert!(good.contains(from), "{from}");
        scratch.write("p.plan.json", &good.replacen(from, to, 1));
        scratch.ptah(&apply).ended_with(2).says(why);
        assert_eq!(scratch.bytes("app.db"), bytes, "{from}");
    }
}

#[test]
fn a_plan_for_another_state_or_another_database_is_refused() {
    let scratch = changed_once();
    let plan =
        ["schema", "plan", "--db-url", "sqlite://app.db", "--schema-file", "schema.sql", "--output", "p.plan.json"];
    scratch.ptah(&plan).ended_with(0);
    scratch.write("other.sql", ONE);
    let other = ["schema", "apply", "--db-url", "sqlite://other.db", "--schema-file", "other.sql", "--auto-approve"];
    scratch.ptah(&other).ended_with(0);
    let on = |url| ["schema", "apply", "--db-url", url, "--plan", "p.plan.json", "--auto-approve"];
    scratch.ptah(&on("sqlite://other.db")).ended_with(2).says("another database");
    scratch.sql("app.db", "CREATE TABLE surprise (id)");
    scratch.ptah(&on("sqlite://app.db")).ended_with(2).says("plan again");
    assert_eq!(scratch.schema("app.db").len(), 2);
}

#[test]
fn a_second_runner_is_kept_out_while_the_first_holds_the_lock() {
    let scratch = changed_once();
    let first = scratch.start("app.db", Some("5:before:stop"), &["--json"]);
    until("the first runner holds still", || is_stopped(first.id()));
    scratch.apply("app.db", &["--run-lock-timeout", "200ms"]).ended_with(2).says("lock");
    go_on(first.id());
    Ran::of(first.wait_with_output().unwrap()).ended_with(0);
    assert_eq!(scratch.schema("app.db").len(), 2);
}

#[test]
fn an_application_that_writes_between_plan_and_begin_is_noticed() {
    for effect in 5..=9 {
        let scratch = changed_once();
        let run = scratch.start("app.db", Some(&format!("{effect}:before:stop")), &["--json"]);
        until("the runner holds still", || is_stopped(run.id()));
        let application = scratch.open("app.db");
        let wrote = application.execute_batch("CREATE TABLE surprise (id)").is_ok();
        drop(application);
        go_on(run.id());
        let ran = Ran::of(run.wait_with_output().unwrap());
        let has = |name: &str| scratch.schema("app.db").iter().any(|d| d.contains(&format!("table {name} ")));
        assert!(wrote == has("surprise"), "{effect}");
        if wrote {
            // Before the begin it is noticed, and nothing of the change is there.
            assert_eq!((ran.code, has("two")), (Some(2), false), "{effect}: {}", ran.told());
            let document = ran.document();
            let words = [&document["refusal"], &document["trouble"]].map(|word| word.as_str().unwrap_or_default());
            assert!(words.contains(&"stale-plan") || words.contains(&"state-changed"), "{effect}: {}", ran.told());
        } else {
            // From the begin on the application is kept out.
            assert_eq!((ran.code, has("two")), (Some(0), true), "{effect}: {}", ran.told());
        }
    }
}

#[test]
fn a_lost_lock_stops_everything() {
    // The file is replaced by another one while the runner holds still: its lock is on a file that is not there.
    for effect in 5..=12 {
        let scratch = changed_once();
        let run = scratch.start("app.db", Some(&format!("{effect}:before:stop")), &["--json"]);
        until("the runner holds still", || is_stopped(run.id()));
        std::fs::rename(scratch.path("app.db"), scratch.path("moved.db")).unwrap();
        scratch.sql("app.db", ONE);
        let innocent = scratch.bytes("app.db");
        go_on(run.id());
        let ran = Ran::of(run.wait_with_output().unwrap());
        assert_ne!(ran.code, Some(0), "{effect}: {}", ran.told());
        assert_eq!(scratch.bytes("app.db"), innocent, "{effect}: the other file was not touched");
        if ran.code == Some(2) {
            assert_eq!(scratch.schema("moved.db").len(), 1, "{effect}: {}", ran.told());
        }
    }
}

#[test]
fn a_copy_is_not_the_original() {
    let scratch = changed_once();
    scratch.copy("app.db", "copy.db");
    let bytes = scratch.bytes("copy.db");
    scratch.apply("copy.db", &[]).ended_with(2).says("--as-copy");
    assert_eq!(scratch.bytes("copy.db"), bytes);
    let uuid = |file: &str| scratch.one(file, "SELECT uuid FROM _ptah_meta");
    scratch.apply("copy.db", &["--as-copy"]).ended_with(0);
    assert_ne!(uuid("copy.db"), uuid("app.db"));
    std::fs::rename(scratch.path("app.db"), scratch.path("elsewhere.db")).unwrap();
    scratch.apply("elsewhere.db", &[]).ended_with(0);
}

#[test]
fn an_unknown_end_is_settled_by_the_next_command_and_never_repeated() {
    let scratch = changed_once();
    // Killed after its units were sent and before the commit.
    let killed = scratch.apply_with_fault("app.db", "10:after:host", &[]);
    assert_eq!(killed.code, None);
    let next = scratch.apply("app.db", &["--json"]).ended_with(0);
    let settled = next.document()["settled"].as_array().unwrap().clone();
    assert_eq!(settled.len(), 1, "{}", next.told());
    assert_eq!(settled[0]["verdict"], "not-applied");
    scratch.apply("app.db", &["--json"]).ended_with(0).says("no-changes");
}

#[test]
fn a_remembered_proof_needs_no_dev_database_and_an_application_that_writes_ends_it() {
    let scratch = changed_once();
    scratch.apply("app.db", &[]).ended_with(0);
    let again = scratch.apply("app.db", &["--json"]).ended_with(0);
    assert_eq!(again.document()["remembered"], true, "{}", again.told());
    let fresh = scratch.apply("app.db", &["--json", "--fresh"]).ended_with(0);
    assert_eq!(fresh.document()["remembered"], false);
    scratch.sql("app.db", "DROP TABLE two");
    let ran = scratch.apply("app.db", &["--json"]).ended_with(0);
    assert_eq!(ran.document()["outcome"], "applied");
}

#[test]
fn a_plan_from_before_ptah_knew_a_database_never_runs_twice_although_it_forgets_it() {
    let scratch = Scratch::new();
    scratch.sql("app.db", ONE);
    scratch.write("schema.sql", TWO);
    let plan =
        ["schema", "plan", "--db-url", "sqlite://app.db", "--schema-file", "schema.sql", "--output", "p.plan.json"];
    scratch.ptah(&plan).ended_with(0);
    let apply = ["schema", "apply", "--db-url", "sqlite://app.db", "--plan", "p.plan.json", "--auto-approve"];
    scratch.ptah(&apply).ended_with(0);
    scratch.sql("app.db", "DROP TABLE two");
    scratch.ptah(&["db", "forget", "--db-url", "sqlite://app.db", "--auto-approve"]).ended_with(0);
    assert_eq!(scratch.one("app.db", "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%ptah%'"), "0");
    // The database reads as it did when the plan was made, and keeps nothing of it.
    scratch.ptah(&apply).ended_with(2).says("or for this one before it was changed");
    assert_eq!(scratch.schema("app.db").len(), 1);
}

#[test]
fn an_edited_comment_takes_the_full_road_once() {
    let scratch = changed_once();
    scratch.apply("app.db", &[]).ended_with(0);
    for comment in ["-- one\n", "-- another\n"] {
        scratch.write("schema.sql", &format!("{comment}{TWO}"));
        let remembered =
            || scratch.apply("app.db", &["--json"]).ended_with(0).says("no-changes").document()["remembered"].clone();
        let dry = scratch.apply("app.db", &["--json", "--dry-run"]).ended_with(0);
        assert_eq!(dry.document()["remembered"], false, "{}", dry.told());
        assert_eq!(remembered(), false, "{comment}: a dry run remembers nothing");
        assert_eq!(remembered(), true, "{comment}");
    }
    scratch.sql("app.db", "DROP TABLE two");
    scratch.apply("app.db", &["--json"]).ended_with(0).says("\"applied\"");
}

#[test]
fn a_run_that_changes_nothing_makes_no_tables() {
    let scratch = Scratch::new();
    scratch.sql("app.db", ONE);
    scratch.write("schema.sql", ONE);
    let before = scratch.bytes("app.db");
    scratch.apply("app.db", &["--json"]).ended_with(0).says("no-changes");
    assert_eq!(scratch.bytes("app.db"), before);
}

#[test]
fn consent_to_nothing_is_not_remembered_for_a_run_without_it() {
    let scratch = changed_once();
    scratch.write("schema.sql", "-- nothing\n");
    let consent = ["--allow-empty", "--allow-destructive"];
    scratch.apply("app.db", &consent).ended_with(0);
    scratch.apply("app.db", &consent).ended_with(0).says("proven earlier");
    scratch.apply("app.db", &[]).ended_with(2).says("--allow-empty");
}

#[test]
fn a_rebuild_loses_no_row_no_rowid_no_sequence() {
    let scratch = Scratch::new();
    scratch.sql(
        "app.db",
        "PRAGMA foreign_keys = ON;
         CREATE TABLE parent (id INTEGER PRIMARY KEY AUTOINCREMENT, code TEXT UNIQUE ON CONFLICT REPLACE, n INT DEFAULT 1);
         CREATE TABLE child (parent INTEGER REFERENCES parent (id) ON DELETE CASCADE, note TEXT);
         CREATE TABLE plain (value TEXT);
         CREATE TRIGGER parent_check BEFORE INSERT ON parent WHEN new.code = 'no' BEGIN SELECT raise(ABORT, 'no'); END;
         INSERT INTO parent VALUES (5, 'a', 1), (8, 'b', 2), (41, 'c', 3);
         DELETE FROM parent WHERE id = 41;
         INSERT INTO child VALUES (5, 'x'), (5, 'y'), (8, 'z');
         INSERT INTO plain (rowid, value) VALUES (3, 'three'), (70, 'seventy');",
    );
    scratch.write(
        "schema.sql",
        "CREATE TABLE parent (id INTEGER PRIMARY KEY AUTOINCREMENT, code TEXT UNIQUE ON CONFLICT REPLACE, n INT DEFAULT 2);
         CREATE TABLE child (parent INTEGER REFERENCES parent (id) ON DELETE CASCADE, note TEXT);
         CREATE TABLE plain (value TEXT DEFAULT 'none');
         CREATE TRIGGER parent_check BEFORE INSERT ON parent WHEN new.code = 'no' BEGIN SELECT raise(ABORT, 'no'); END;",
    );
    scratch.apply("app.db", &[]).ended_with(0);
    let one = |query| scratch.one("app.db", query);
    assert_eq!(one("SELECT group_concat(id || code || n) FROM parent"), "5a1,8b2");
    assert_eq!(one("SELECT group_concat(parent || note) FROM child"), "5x,5y,8z");
    assert_eq!(one("SELECT group_concat(rowid || value) FROM plain"), "3three,70seventy");
    assert_eq!(one("SELECT seq FROM sqlite_sequence WHERE name = 'parent'"), "41");
    assert_eq!(one("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'"), "1");
    scratch.apply("app.db", &["--json", "--fresh"]).ended_with(0).says("no-changes");
}

#[test]
fn a_row_that_an_application_writes_after_approval_is_asked_about_again() {
    let mut noticed = 0;
    for effect in 4..=10 {
        let scratch = Scratch::new();
        scratch.sql("app.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, a INT); INSERT INTO t VALUES (1, 1)");
        scratch.write("schema.sql", "CREATE TABLE t (id INTEGER PRIMARY KEY, a INT, CHECK (a > 0));");
        let run = scratch.start("app.db", Some(&format!("{effect}:before:stop")), &["--json"]);
        until("the runner holds still", || is_stopped(run.id()));
        let wrote = scratch.open("app.db").execute("INSERT INTO t VALUES (2, -1)", []).is_ok();
        go_on(run.id());
        let ran = Ran::of(run.wait_with_output().unwrap());
        let has_check = scratch.schema("app.db")[0].contains("CHECK");
        let rows = scratch.one("app.db", "SELECT count(*) FROM t");
        // The row came first and the change was not made, or the application was kept out.
        assert_eq!(
            (has_check, rows.as_str()),
            if wrote { (false, "2") } else { (true, "1") },
            "{effect}: {}",
            ran.told()
        );
        assert_eq!(ran.code == Some(0), !wrote, "{effect}: {}", ran.told());
        noticed += u32::from(wrote && ran.document()["operation_id"].is_string());
    }
    assert!(noticed > 0, "never between the approval and the begin");
}

#[test]
fn a_plan_that_was_saved_before_forget_is_refused() {
    let scratch = changed_once();
    let plan =
        ["schema", "plan", "--db-url", "sqlite://app.db", "--schema-file", "schema.sql", "--output", "p.plan.json"];
    scratch.ptah(&plan).ended_with(0);
    scratch.ptah(&["db", "forget", "--db-url", "sqlite://app.db", "--auto-approve"]).ended_with(0);
    let left = scratch.one("app.db", "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%ptah%'");
    assert_eq!(left, "0");
    let apply = ["schema", "apply", "--db-url", "sqlite://app.db", "--plan", "p.plan.json", "--auto-approve"];
    scratch.ptah(&apply).ended_with(2).says("another database");
    assert_eq!(scratch.schema("app.db").len(), 1);
}

#[test]
fn edited_comments_in_the_sources_are_no_change_and_stop_nothing() {
    let scratch = changed_once();
    scratch.write("schema.sql", &format!("-- a note\n{}", ONE.replace('(', "( /* the key */\n")));
    let ran = scratch.apply("app.db", &["--json"]).ended_with(0);
    assert_eq!(ran.document()["outcome"], "no-changes");
}
