//! The help of every command, and that each flag says where else it can be set.

use clap::Parser as _;

use super::*;
use crate::environment::{BOUND, OF_ONE_CALL, TYPED};

/// Every command with its path, the hidden ones too.
fn every(command: &clap::Command, path: &str) -> Vec<(String, clap::Command)> {
    let mut all = vec![(path.to_owned(), command.clone())];
    for sub in command.get_subcommands().filter(|c| c.get_name() != "help") {
        all.extend(every(sub, &format!("{path}-{}", sub.get_name())));
    }
    all
}

fn built() -> clap::Command {
    let mut command = command_line().term_width(100);
    command.build();
    command
}

#[test]
fn the_command_line_is_consistent() {
    command_line().debug_assert();
}

#[test]
fn the_help_of_each_command_is_as_it_was_reviewed() {
    for (path, mut command) in every(&built(), "ptah") {
        insta::assert_snapshot!(path, command.render_long_help().to_string());
    }
}

#[test]
fn each_flag_is_bound_typed_or_of_one_call_and_no_other() {
    for (path, command) in every(&built(), "ptah") {
        for flag in command.get_arguments().filter_map(clap::Arg::get_long) {
            let bound = BOUND.iter().filter(|b| b.flag == flag).count();
            let typed = TYPED.iter().filter(|f| **f == flag).count();
            let once = OF_ONE_CALL.iter().filter(|f| **f == flag).count();
            assert_eq!(bound + typed + once, 1, "{path} --{flag}");
        }
    }
}

#[test]
fn each_bound_flag_names_its_variable_in_the_help() {
    let mut apply = built().find_subcommand("schema").unwrap().find_subcommand("apply").unwrap().clone();
    let help: String = apply.render_long_help().to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    for bound in BOUND {
        assert!(help.contains(&format!("[env: {}]", bound.variable)), "{}", bound.flag);
    }
}

#[test]
fn a_wrong_call_is_refused_with_two() {
    for wrong in [
        &["ptah", "schema", "plan", "--lock-timeout", "5"][..],
        &["ptah", "schema", "apply", "--plan-digest", "md5:1"],
        &["ptah", "schema", "apply", "--accept-moved", "--as-copy"],
        &["ptah", "schema", "plan", "--dry-run", "--save"],
        // Flags that would have no effect.
        &["ptah", "schema", "plan", "--schema-file", "s.sql", "--run-lock-timeout", "5s"],
        &["ptah", "schema", "plan", "--schema-file", "s.sql", "--statement-timeout", "5s"],
        &["ptah", "schema", "diff", "--from", "a.sql", "--to", "b.sql", "--allow-destructive"],
        &["ptah", "schema", "diff", "--from", "a.sql", "--to", "b.sql", "--fresh"],
        &["ptah", "db", "forget", "--statement-timeout", "5s"],
        &["ptah", "nothing"],
    ] {
        assert_eq!(Arguments::try_parse_from(wrong).unwrap_err().exit_code(), 2, "{wrong:?}");
    }
}
