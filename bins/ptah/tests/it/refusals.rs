//! What goes wrong before anything was sent: a sentence that says what, where and what to do, exit code 2, and a database
//! whose bytes did not change.

use crate::support::{Ran, Scratch, Told, interrupt, is_stopped, until};

const TABLE: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b INTEGER);";

/// A database made by an application, with rows.
fn with_rows(rows: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.sql("app.db", &format!("{TABLE} {rows}"));
    scratch
}

/// Applies a schema that has to be refused: the sentence is said, and no byte changes.
#[track_caller]
fn refused(scratch: &Scratch, schema: &str, says: &[&str]) {
    scratch.write("schema.sql", schema);
    let before = scratch.bytes("app.db");
    let ran = scratch.apply("app.db", &[]).ended_with(2);
    for piece in says {
        assert!(ran.err.contains(piece), "{piece:?} is not said\n{}", ran.told());
    }
    assert_eq!(scratch.bytes("app.db"), before, "no byte changed");
}

#[test]
fn a_source_that_cannot_be_read_is_named() {
    let scratch = with_rows("");
    let before = scratch.bytes("app.db");
    let arguments = ["schema", "apply", "--db-url", "sqlite://app.db", "--auto-approve"];
    let with = |file: &str| scratch.ptah(&[&arguments[..], &["--schema-file", file]].concat()).ended_with(2);
    with("missing.sql").says("missing.sql: there is no such file or directory");
    std::fs::create_dir(scratch.path("empty")).unwrap();
    with("empty").says("holds no .sql file");
    std::fs::write(scratch.path("bytes.sql"), b"CREATE TABLE t (\xff)").unwrap();
    with("bytes.sql").says("bytes.sql:1: not UTF-8 text");
    std::fs::create_dir(scratch.path("tree")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", scratch.path("tree/a.sql")).unwrap();
    with("tree").says("is a link that leads out of");
    assert_eq!(scratch.bytes("app.db"), before);
}

#[test]
fn a_refusal_says_whether_the_sources_or_the_plan_are_wrong() {
    let scratch = with_rows("INSERT INTO t VALUES (1, 'x', 1);");
    for (schema, refusal, hint) in [
        ("CREATE TABLE t (a, a);", "sources", "schema validate"),
        ("CREATE TABLE t (id INTEGER PRIMARY KEY);", "plan", "what would permit it"),
    ] {
        scratch.write("schema.sql", schema);
        let document = scratch.apply("app.db", &["--json"]).ended_with(2).document();
        assert_eq!(document["refusal"], refusal, "{document}");
        assert!(document["hint"].as_str().unwrap().contains(hint), "{document}");
    }
    scratch.write("schema.sql", "CREATE TABLE t (a, a);");
    let plan = ["schema", "plan", "--db-url", "sqlite://app.db", "--schema-file", "schema.sql", "--json"];
    assert_eq!(scratch.ptah(&plan).ended_with(2).document()["error"]["code"], "sources");
}

#[test]
fn two_sources_that_define_one_table_differently_are_both_named() {
    let scratch = with_rows("");
    scratch.write("a.sql", TABLE);
    scratch.write("b.sql", "\n  CREATE TABLE T (other TEXT);");
    let files = ["--schema-file", "a.sql", "--schema-file", "b.sql"];
    let ran = scratch.ptah(&[&["schema", "validate"], &files[..]].concat()).ended_with(1);
    assert!(ran.err.contains("a.sql:1:1") && ran.err.contains("b.sql:2:3"), "{}", ran.told());
}

#[test]
fn a_statement_that_the_engine_refuses_is_shown_with_line_and_column() {
    let scratch = with_rows("");
    refused(&scratch, "CREATE TABLE t (id);\nCREATE TABLE u (a, a);", &["schema.sql:2:1", "cannot be created"]);
    refused(&scratch, "CREATE TABLE t (id);\nCREATE TABLE u (a b c, d e f g,);", &["schema.sql:2:"]);
    refused(&scratch, "CREATE TABLE t (id);\nCREATE INDEX i ON missing (id);", &["schema.sql:2:1"]);
}

#[test]
fn what_is_no_part_of_a_schema_is_refused_by_name_and_never_skipped() {
    let scratch = with_rows("");
    for (statement, word) in [
        ("INSERT INTO t VALUES (1)", "INSERT"),
        ("PRAGMA foreign_keys = ON", "PRAGMA"),
        ("ATTACH 'x.db' AS x", "ATTACH"),
        ("CREATE TABLE u AS SELECT 1", "CREATE TABLE"),
        ("BEGIN", "BEGIN"),
        ("DROP TABLE t", "DROP"),
        ("VACUUM", "VACUUM"),
    ] {
        refused(&scratch, &format!("{TABLE}\n{statement};"), &["schema.sql:2:1", word]);
    }
    // As dumps have it: accepted, and told.
    scratch.write("schema.sql", &format!("DROP TABLE IF EXISTS t;\n{TABLE}"));
    scratch.ptah(&["schema", "validate", "--schema-file", "schema.sql"]).ended_with(0).says("DROP");
}

#[test]
fn nothing_declared_and_a_plan_that_drops_every_table_need_consent_of_their_own() {
    let scratch = with_rows("");
    refused(&scratch, "-- nothing\n", &["--allow-empty"]);
    refused(&scratch, "CREATE VIEW v AS SELECT 1 AS one;", &["--allow-empty"]);
}

#[test]
fn an_unknown_engine_or_address_is_refused_with_what_there_is() {
    let scratch = with_rows("");
    scratch.write("schema.sql", TABLE);
    let with = |url: &str| {
        let arguments = ["schema", "apply", "--db-url", url, "--schema-file", "schema.sql", "--auto-approve"];
        scratch.ptah(&arguments).ended_with(2)
    };
    with("zorp://host/db").says("zorp").says("sqlite");
    with("sqlite://app.db?cache=shared").says("cache");
    with("sqlite://:memory:").says("memory");
}

#[test]
fn a_file_that_is_no_database_or_cannot_be_used_has_a_reason_of_its_own() {
    let scratch = Scratch::new();
    scratch.write("schema.sql", TABLE);
    let check = |file: &str, says: &str| {
        let before = scratch.bytes(file);
        scratch.apply(file, &[]).ended_with(2).says(says);
        assert_eq!(scratch.bytes(file), before, "{file}");
    };
    scratch.write("text.db", &"this is no database, and long enough to be read as one\n".repeat(40));
    check("text.db", "not a SQLite database");
    check("text.db", "put right what the reason says of the database or its place, or name another database");
    scratch.sql(
        "whole.db",
        "CREATE TABLE a (x); INSERT INTO a SELECT hex(randomblob(4000)) FROM (SELECT 1 UNION SELECT 2);",
    );
    let whole = std::fs::read(scratch.path("whole.db")).unwrap();
    std::fs::write(scratch.path("cut.db"), &whole[..whole.len() / 2]).unwrap();
    check("cut.db", "damaged");
    std::fs::hard_link(scratch.path("whole.db"), scratch.path("second-name.db")).unwrap();
    check("whole.db", "hard link");
    std::fs::create_dir(scratch.path("folder.db")).unwrap();
    check("folder.db", "a folder");
}

#[test]
fn a_database_that_an_application_holds_is_told_as_busy() {
    let scratch = with_rows("");
    scratch.write("schema.sql", "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b INTEGER); CREATE TABLE u (id);");
    let application = scratch.open("app.db");
    application.execute_batch("BEGIN IMMEDIATE").unwrap();
    let ran = scratch.apply("app.db", &["--lock-timeout", "200ms"]).ended_with(2);
    assert!(ran.err.contains("another connection holds the database"), "{}", ran.told());
    assert!(ran.err.contains("wait longer with --lock-timeout"), "{}", ran.told());
    application.execute_batch("ROLLBACK").unwrap();
    scratch.apply("app.db", &[]).ended_with(0);
}

#[test]
fn rows_that_stand_against_a_change_are_counted_before_anything_is_recorded() {
    let rows = "INSERT INTO t VALUES (1, NULL, 5), (2, 'x', 5), (3, 'x', NULL);";
    let check = |schema: &str, count: &str| {
        let scratch = with_rows(rows);
        refused(&scratch, schema, &[count]);
        assert_eq!(scratch.one("app.db", "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%ptah%'"), "0");
    };
    check("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL, b INTEGER);", "1");
    check("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT UNIQUE, b INTEGER);", "rows");
    check("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b INTEGER CHECK (b < 5));", "2");
    check(
        "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b INTEGER REFERENCES p (id));",
        "2",
    );
    check("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b INTEGER, c TEXT NOT NULL);", "3");
}

#[test]
fn values_that_a_new_type_would_change_are_a_loss() {
    let scratch = with_rows("INSERT INTO t VALUES (1, '01234', 1);");
    refused(&scratch, "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER);", &["--allow-destructive"]);
    let harmless = with_rows("INSERT INTO t VALUES (1, 'word', 1);");
    harmless.write("schema.sql", "CREATE TABLE t (id INTEGER PRIMARY KEY, a VARCHAR(20), b INTEGER);");
    harmless.apply("app.db", &[]).ended_with(0);
}

#[test]
fn keys_of_rows_are_shown_only_when_asked_for_and_never_in_json() {
    let scratch = with_rows("INSERT INTO t VALUES (4711, NULL, 5);");
    scratch.write("schema.sql", "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL, b INTEGER);");
    let quiet = scratch.apply("app.db", &[]).ended_with(2);
    assert!(!quiet.told().contains("4711"), "{}", quiet.told());
    scratch.apply("app.db", &["--show-rows"]).ended_with(2).says("4711");
    let json = scratch.apply("app.db", &["--show-rows", "--json"]).ended_with(2);
    assert!(!json.out.contains("4711"), "{}", json.told());
}

#[test]
fn a_broken_view_and_an_unknown_module_are_not_described_and_never_dropped() {
    let scratch = with_rows("CREATE VIEW broken AS SELECT a FROM nowhere;");
    scratch.write("schema.sql", &format!("{TABLE} CREATE TABLE more (id INTEGER PRIMARY KEY);"));
    scratch.apply("app.db", &[]).ended_with(0);
    assert_eq!(scratch.one("app.db", "SELECT count(*) FROM sqlite_schema WHERE name = 'broken'"), "1");
}

#[test]
fn a_declared_view_that_cannot_be_read_is_refused_by_name_and_not_planned_around() {
    // Nothing changes that could make it readable.
    let scratch = with_rows("CREATE VIEW v AS SELECT missing FROM t;");
    refused(
        &scratch,
        &format!("{TABLE} CREATE VIEW v AS SELECT a FROM t;"),
        &["view v is declared, exists, and could not"],
    );
    // Something changes, and it still cannot be read, or reads as another one.
    let more = format!("{TABLE} CREATE TABLE u (id); CREATE VIEW v AS SELECT a FROM t;");
    refused(&scratch, &more, &["proof.diverges", "view v"]);
    let scratch = with_rows("CREATE VIEW v AS SELECT a FROM t WHERE b > 1; DROP TABLE t;");
    refused(&scratch, &format!("{TABLE} CREATE VIEW v AS SELECT a FROM t;"), &["proof.diverges", "view v"]);
    // Its table is in no source, so that nobody can say what it is.
    let scratch = with_rows("CREATE VIEW v AS SELECT a FROM t;");
    refused(
        &scratch,
        "CREATE TABLE u (id); CREATE VIEW v AS SELECT a FROM t;",
        &["view v was declared and could not be read back"],
    );
}

#[test]
fn a_declared_view_whose_table_was_dropped_comes_back_with_the_table() {
    let scratch = with_rows("CREATE VIEW v AS SELECT a FROM t; CREATE VIEW w AS SELECT * FROM v; DROP TABLE t;");
    scratch
        .write("schema.sql", &format!("{TABLE} CREATE VIEW v AS SELECT a FROM t; CREATE VIEW w AS SELECT * FROM v;"));
    let ran = scratch.apply("app.db", &["--json"]).ended_with(0);
    let titles: Vec<_> = ran.document()["steps"].as_array().unwrap().iter().map(|step| step["title"].clone()).collect();
    assert_eq!(titles, ["create table t"], "{}", ran.told());
    assert_eq!(scratch.one("app.db", "SELECT count(*) FROM w"), "0");
    assert_eq!(scratch.apply("app.db", &["--json", "--fresh"]).ended_with(0).document()["outcome"], "no-changes");
}

#[test]
fn a_view_over_a_table_that_was_dropped_and_one_that_is_there_comes_back() {
    let view = "CREATE TABLE u (b INTEGER); CREATE VIEW v AS SELECT t.a FROM t, u;";
    let scratch = with_rows(&format!("{view} DROP TABLE t;"));
    scratch.write("schema.sql", &format!("{TABLE} {view}"));
    scratch.apply("app.db", &["--json"]).ended_with(0);
    assert_eq!(scratch.one("app.db", "SELECT count(*) FROM v"), "0");
    assert_eq!(scratch.apply("app.db", &["--json", "--fresh"]).ended_with(0).document()["outcome"], "no-changes");
}

#[test]
fn a_prompt_without_a_terminal_is_refused_before_anything_is_opened() {
    let scratch = Scratch::new();
    scratch.write("schema.sql", TABLE);
    let arguments = ["schema", "apply", "--db-url", "sqlite://app.db", "--schema-file", "schema.sql"];
    scratch.ptah(&arguments).ended_with(2).says("--auto-approve");
    assert!(!scratch.path("app.db").exists());
}

#[test]
fn a_database_that_is_not_there_is_told_by_every_command_that_looks_for_one() {
    let scratch = Scratch::new();
    scratch.write("schema.sql", TABLE);
    let on = |command: &[&str]| scratch.ptah(&[command, &["--db-url", "sqlite://app.db"]].concat());
    on(&["db", "read"]).ended_with(0).says("app.db does not exist, and reads as empty");
    on(&["schema", "inspect"]).ended_with(0).says("does not exist");
    on(&["schema", "compare", "--schema-file", "schema.sql"]).ended_with(0).says("does not exist");
    on(&["schema", "plan", "--schema-file", "schema.sql"]).ended_with(0).says("does not exist; it will be created");
    on(&["db", "capabilities"]).ended_with(0).says("no");
    on(&["db", "forget", "--auto-approve"]).ended_with(2).says("there is no database at this address");
    assert!(!scratch.path("app.db").exists());
}

#[test]
fn a_dry_run_creates_nothing() {
    let scratch = Scratch::new();
    scratch.write("schema.sql", TABLE);
    scratch.apply("app.db", &["--dry-run"]).ended_with(0).says("does not exist; it will be created");
    assert!(!scratch.path("app.db").exists());
}

#[test]
fn an_interrupt_ends_cleanly_and_says_that_nothing_ran() {
    let scratch = with_rows("");
    scratch.write("schema.sql", &format!("{TABLE} CREATE TABLE u (id);"));
    let holder = scratch.start("app.db", Some("5:before:stop"), &[]);
    until("the holder holds still", || is_stopped(holder.id()));
    let mut waiting = scratch.start("app.db", None, &["--run-lock-timeout", "5m"]);
    let mut told = Told::of(&mut waiting);
    told.until("waiting for it to end");
    interrupt(&waiting);
    let rest = told.rest();
    assert_eq!(waiting.wait().unwrap().code(), Some(2), "{rest}");
    assert!(rest.contains("interrupted") && rest.contains("nothing was changed"), "{rest}");
    crate::support::go_on(holder.id());
    Ran::of(holder.wait_with_output().unwrap()).ended_with(0);
}

#[test]
fn a_provider_that_is_not_what_the_manifest_says_is_never_talked_to() {
    let scratch = Scratch::new();
    scratch.write("schema.sql", TABLE);
    let digest = |path: &str| ptah_model::Digest::of(&std::fs::read(path).unwrap()).to_string().replace("sha256:", "");
    let with = |executable: &str, sha256: &str| {
        let manifest = format!(
            "providers:\n  - id: example.org/zorp\n    executable: {executable}\n    sha256: {sha256}\n    engines: [{{name: zorp}}]\n"
        );
        scratch.write("ptah-providers.yaml", &manifest);
        let arguments = ["schema", "apply", "--db-url", "zorp://u:hunter2@h/db", "--schema-file", "schema.sql"];
        let ran = scratch.ptah(&[&arguments[..], &["--auto-approve"]].concat()).ended_with(2);
        assert!(!ran.told().contains("hunter2"), "{}", ran.told());
        ran
    };
    with("/bin/true", &"0".repeat(64)).says("/bin/true").says("digest");
    with("/bin/true", &digest("/bin/true")).says("ended");
    with("/bin/pwd", &digest("/bin/pwd")).says("handshake");
    with("/no/such/file", &"0".repeat(64)).says("/no/such/file");
}

#[test]
fn an_address_that_is_refused_before_open_is_not_shown() {
    let scratch = Scratch::new();
    scratch.write("schema.sql", TABLE);
    scratch.write("broken.sql", "CREATE TABL t;");
    let urls = ["sqlite://u:hunter2@nowhere/x.db", "sqlite://x.db?password=hunter2", "zorp://u:hunter2@h/db"];
    for url in urls {
        for verb in ["plan", "apply", "compare", "drift", "inspect"] {
            for more in [&["--json"][..], &[]] {
                let mut arguments = vec!["schema", verb, "--db-url", url];
                match verb {
                    "inspect" => {}
                    "apply" => arguments.extend(["--schema-file", "schema.sql", "--auto-approve"]),
                    "plan" => arguments.extend(["--schema-file", "broken.sql", "--dry-run"]),
                    _ => arguments.extend(["--schema-file", "schema.sql"]),
                }
                arguments.extend(more);
                let ran = scratch.ptah(&arguments);
                assert_ne!(ran.code, Some(0), "{}", ran.told());
                assert!(!ran.told().contains("hunter2"), "{arguments:?}\n{}", ran.told());
            }
        }
    }
    let left: Vec<_> = std::fs::read_dir(scratch.path("")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "nothing but the two sources: {left:?}");
}
