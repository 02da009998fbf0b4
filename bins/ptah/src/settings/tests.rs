//! What flags, variables and defaults come to together.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anstream::ColorChoice::{Always, Auto, Never};
use clap::Parser as _;

use super::*;
use crate::arguments::{Arguments, Command, SchemaCommand, TxMode};
use crate::environment::{COLOR, DB_URL, DB_URL_FILE, NO_COLOR, PROTECTED_TABLE, SCHEMA_FILE, TX_MODE};

const URL: &[&str] = &["--db-url", "zorp://h/db"];

fn around(variables: &[(&str, &str)]) -> Surroundings {
    let environment = Environment::of(variables);
    Surroundings { environment, stdin_is_terminal: true, stderr_is_terminal: true, ..Surroundings::default() }
}

fn apply(flags: &[&str], around: &Surroundings) -> Result<ApplySettings, Failure> {
    let arguments = Arguments::parse_from(["ptah", "schema", "apply"].iter().chain(flags));
    let Command::Schema(SchemaCommand::Apply(apply)) = arguments.command else { panic!("another command") };
    ApplySettings::resolve(&apply, around)
}

fn plan(flags: &[&str], around: &Surroundings) -> Result<PlanSettings, Failure> {
    let arguments = Arguments::parse_from(["ptah", "schema", "plan"].iter().chain(flags));
    let Command::Schema(SchemaCommand::Plan(plan)) = arguments.command else { panic!("another command") };
    PlanSettings::resolve(&plan, around)
}

fn policy(of: &ApplySettings) -> &Policy {
    match &of.what {
        ApplyWhat::Sources { policy, .. } => policy,
        ApplyWhat::Plan(_) => panic!("a saved plan has its own"),
    }
}

#[test]
fn a_flag_goes_before_its_variable_and_a_variable_before_the_default() {
    let set = around(&[
        (DB_URL, "zorp://variable/db"),
        (SCHEMA_FILE, "a.sql:b"),
        (TX_MODE, "none"),
        ("PTAH_RUN_LOCK_TIMEOUT", "7s"),
    ]);
    let from_variables = apply(&[], &set).unwrap();
    assert_eq!(from_variables.connection.target.shown, "zorp://variable/db");
    assert_eq!(policy(&from_variables).tx_mode, TxMode::None);
    assert_eq!(from_variables.waits.run_lock, Duration::from_secs(7));
    assert!(
        matches!(&from_variables.what, ApplyWhat::Sources { sources, .. } if *sources == ["a.sql", "b"].map(PathBuf::from))
    );

    let typed = ["--db-url", "zorp://flag/db", "--schema-file", "c.sql", "--tx-mode", "all", "--run-lock-timeout", "0"];
    let from_flags = apply(&typed, &set).unwrap();
    assert_eq!(from_flags.connection.target.shown, "zorp://flag/db");
    assert_eq!(policy(&from_flags).tx_mode, TxMode::All);
    assert_eq!(from_flags.waits.run_lock, Duration::ZERO);
    assert!(matches!(&from_flags.what, ApplyWhat::Sources { sources, .. } if *sources == [PathBuf::from("c.sql")]));

    let defaults = apply(&[URL, &["--schema-file", "c.sql"]].concat(), &around(&[])).unwrap();
    assert_eq!(defaults.waits, Waits { run_lock: Duration::from_mins(1), statement: None });
    assert_eq!(defaults.connection.lock_timeout, Duration::from_secs(5));
    assert_eq!(policy(&defaults).tx_mode, TxMode::File);
    assert_eq!(defaults.approval, Approval::Ask);
}

#[test]
fn two_places_that_name_a_database_are_refused_and_so_is_none() {
    let two = around(&[(DB_URL, "zorp://h/db"), (DB_URL_FILE, "f")]);
    let source = ["--schema-file", "a.sql"];
    let message =
        |flags: &[&str], around: &Surroundings| apply(&[flags, &source].concat(), around).unwrap_err().message;
    assert_eq!(message(&[], &two), "both PTAH_DB_URL and PTAH_DB_URL_FILE name a database");
    assert_eq!(message(&[], &around(&[])), "no database is named");
    assert_eq!(message(&[], &around(&[(DB_URL, "")])), "PTAH_DB_URL is set and is not a value");
    assert!(apply(&[URL, &source].concat(), &two).is_ok());
    let both = Arguments::try_parse_from(["ptah", "db", "read", "--db-url", "a", "--db-url-file", "b"]);
    assert_eq!(both.unwrap_err().exit_code(), 2);
}

#[test]
fn a_relative_path_in_an_address_starts_where_the_command_runs() {
    let here = Surroundings { folder: Some("/srv/shop".to_owned()), ..around(&[]) };
    let settings = apply(&[URL, &["--schema-file", "a.sql"]].concat(), &here).unwrap();
    assert_eq!(settings.connection.target.address.folder(), Some("/srv/shop"));
}

#[test]
fn an_address_file_is_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("url");
    let read = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let flags = ["--schema-file", "a.sql", "--db-url-file", file.to_str().unwrap()];
        apply(&flags, &around(&[])).map(|a| a.connection)
    };
    let connection = read("zorp://u:hunter2@h/db\n").unwrap();
    assert_eq!(connection.target.address.expose(), "zorp://u:hunter2@h/db");
    assert!(!connection.password_was_typed);
    assert_eq!(read("zorp://h/db\r\n").unwrap().target.shown, "zorp://h/db");
    for wrong in ["", "\n", "a\nb\n", "a\0b"] {
        assert!(read(wrong).is_err(), "{wrong:?}");
    }
    let missing = ["--schema-file", "a.sql", "--db-url-file", "there/is/none"];
    assert!(apply(&missing, &around(&[])).unwrap_err().message.contains("there/is/none"));
}

#[test]
fn no_debug_form_and_no_failure_shows_a_password() {
    let flags = ["--schema-file", "a.sql", "--db-url", "zorp://u:hunter2@h/db?token=hunter2"];
    let arguments = Arguments::parse_from(["ptah", "schema", "apply"].iter().chain(&flags));
    let settings = apply(&flags, &around(&[(DB_URL, "zorp://u:hunter2@h/db")])).unwrap();
    assert!(settings.connection.password_was_typed);
    for shown in [format!("{arguments:?}"), format!("{settings:?}"), format!("{settings:#?}")] {
        assert!(!shown.contains("hunter2"), "{shown}");
    }
    let control = apply(&["--schema-file", "a.sql", "--db-url", "zorp://u:hunter2\n@h"], &around(&[])).unwrap_err();
    assert!(!format!("{control:?}").contains("hunter2"));
}

#[test]
fn a_consent_in_the_environment_is_refused_before_anything_else() {
    let flags = [URL, &["--schema-file", "a.sql"]].concat();
    for variable in ["PTAH_AUTO_APPROVE", "PTAH_ALLOW_DESTRUCTIVE", "PTAH_PLAN_DIGEST", "PTAH_AS_COPY"] {
        let set = around(&[(variable, "true")]);
        assert!(apply(&flags, &set).unwrap_err().message.starts_with(variable));
        assert!(plan(&flags, &set).unwrap_err().message.starts_with(variable));
    }
}

#[test]
fn a_question_that_nobody_could_answer_is_refused() {
    let flags = [URL, &["--schema-file", "a.sql"]].concat();
    let with = |more: &[&str], around: &Surroundings| apply(&[flags.as_slice(), more].concat(), around);
    let piped = Surroundings { stdin_is_terminal: false, ..around(&[]) };
    let failure = with(&[], &piped).unwrap_err();
    assert_eq!(failure.code, "no-terminal");
    assert!(failure.hint.unwrap().contains("--auto-approve"));
    assert_eq!(with(&["--dry-run"], &piped).unwrap().approval, Approval::DryRun);
    assert_eq!(with(&["--auto-approve"], &piped).unwrap().approval, Approval::Given);
    assert_eq!(with(&["--dry-run", "--auto-approve"], &piped).unwrap().approval, Approval::DryRun);
    assert_eq!(with(&["--schema-file", "-"], &around(&[])).unwrap_err().code, "no-terminal");
}

#[test]
fn flags_that_would_make_another_plan_of_a_saved_one_are_refused_by_name() {
    let saved = [URL, &["--plan", "p.plan.json", "--auto-approve"]].concat();
    for flag in [
        "--tx-mode=all",
        "--column-order=exact",
        "--allow-destructive",
        "--allow-empty",
        "--protected-table=t",
        "--fresh",
        "--schema-file=a.sql",
    ] {
        let failure = apply(&[saved.as_slice(), &[flag]].concat(), &around(&[])).unwrap_err();
        let name = flag.split('=').next().unwrap();
        assert!(failure.message.contains(name), "{}", failure.message);
    }
    // Variables shape plans that are made now, and a saved one has its own record.
    let set = around(&[(TX_MODE, "none"), (SCHEMA_FILE, "a.sql")]);
    assert_eq!(apply(&saved, &set).unwrap().what, ApplyWhat::Plan("p.plan.json".into()));
}

#[test]
fn protection_only_grows() {
    let flags = [URL, &["--schema-file", "a.sql", "--protected-table", "users"]].concat();
    let settings = apply(&flags, &around(&[(PROTECTED_TABLE, "orders, users")])).unwrap();
    assert_eq!(policy(&settings).protected_tables, ["orders", "users"]);
}

#[test]
fn no_color_counts_unless_something_says_otherwise() {
    let colour = |flags: &[&str], variables: &[(&str, &str)]| {
        let arguments = Arguments::parse_from(["ptah"].iter().chain(flags).chain(&["version"]));
        General::resolve(&arguments.general, &Environment::of(variables)).unwrap().colour
    };
    assert_eq!(colour(&[], &[]), Auto);
    assert_eq!(colour(&[], &[(NO_COLOR, "1")]), Never);
    assert_eq!(colour(&[], &[(NO_COLOR, "")]), Auto);
    assert_eq!(colour(&["--color=always"], &[(NO_COLOR, "1")]), Always);
    assert_eq!(colour(&["--color=never"], &[(COLOR, "always")]), Never);
    assert_eq!(colour(&[], &[(COLOR, "always"), (NO_COLOR, "1")]), Always);
}

#[test]
fn a_malformed_variable_is_refused_by_name() {
    let flags = [URL, &["--schema-file", "a.sql"]].concat();
    for (variable, value) in [(TX_MODE, "some"), ("PTAH_LOCK_TIMEOUT", "5"), ("PTAH_FRESH", "yes"), (TX_MODE, "")] {
        let failure = plan(&flags, &around(&[(variable, value)])).unwrap_err();
        assert!(failure.message.contains(variable), "{}", failure.message);
    }
}

#[test]
fn a_plan_goes_where_it_is_said_to_and_its_name_is_no_path() {
    let flags = [URL, &["--schema-file", "a.sql"]].concat();
    let with = |more: &[&str]| plan(&[flags.as_slice(), more].concat(), &around(&[]));
    assert_eq!(with(&[]).unwrap().save, SaveTo::Nowhere);
    assert_eq!(with(&["--dry-run"]).unwrap().save, SaveTo::Stdout);
    assert_eq!(with(&["--save", "--name", "add-users.1"]).unwrap().save, SaveTo::ByName);
    assert_eq!(with(&["--output", "x"]).unwrap().save, SaveTo::File(Path::new("x").into()));
    assert!(with(&["--output", "x", "--save"]).is_err());
    for name in ["../x", "a/b", "", ".hidden", "-x", "é"] {
        assert!(with(&["--save", &format!("--name={name}")]).is_err(), "{name:?}");
    }
}
