//! The page of commands, from the parser's own description.

use std::fmt::Write as _;

use clap::{Arg, Command};
use ptah::arguments::command_line;

const HEAD: &str = "\
# Commands

Made from the program by `make reference`. `ptah help <command>` says the same, and `ptah completion <shell>` writes a
script that completes it. A flag that names a variable can be set there; a flag that was typed goes before it. See the
[variables](environment.md), the [exit codes](exit-codes.md) and the [codes](codes.md) of findings.
";

pub(super) fn text() -> String {
    let mut line = command_line();
    line.build();
    let mut page = HEAD.to_owned();
    page.push_str("\n## Every command\n\n");
    for flag in flags(&line).filter(|flag| flag.is_global_set()) {
        describe(&mut page, flag);
    }
    for command in visible(&line) {
        section(&mut page, command, "ptah");
    }
    page
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help")
}

fn flags(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|argument| !matches!(argument.get_id().as_str(), "help" | "version"))
}

/// A command that has others is only the place of them.
fn section(page: &mut String, command: &Command, before: &str) {
    let path = format!("{before} {}", command.get_name());
    if command.has_subcommands() {
        for sub in visible(command) {
            section(page, sub, &path);
        }
        return;
    }
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let _ = write!(page, "\n## `{path}`\n\n{about}.\n");
    let mut heading = None;
    let mut first = true;
    for argument in flags(command).filter(|flag| !flag.is_global_set()) {
        if first || argument.get_help_heading() != heading {
            heading = argument.get_help_heading();
            let _ = write!(page, "\n{}:\n\n", heading.unwrap_or("Arguments"));
            first = false;
        }
        describe(page, argument);
    }
}

fn describe(page: &mut String, argument: &Arg) {
    let value = argument.get_value_names().and_then(|names| names.first());
    let name = match (argument.get_long(), value) {
        (Some(long), Some(value)) if argument.get_action().takes_values() => format!("--{long} <{value}>"),
        (Some(long), _) => format!("--{long}"),
        (None, Some(value)) => format!("<{value}>"),
        (None, None) => argument.get_id().to_string(),
    };
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let needed = if argument.is_required_set() { " Required" } else { "" };
    let default = argument.get_default_values().iter().filter_map(|value| value.to_str()).collect::<Vec<_>>();
    let default = match default.as_slice() {
        [one] if argument.get_action().takes_values() => format!(" [default: {one}]"),
        _ => String::new(),
    };
    let _ = writeln!(page, "- `{name}`: {}{default}{needed}", in_code(&help));
    if argument.get_action().takes_values() {
        for value in argument.get_possible_values() {
            let what = value.get_help().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(page, "  - `{}`: {}", value.get_name(), in_code(&what));
        }
    }
}

/// What Markdown would take for a tag is none.
fn in_code(text: &str) -> String {
    if text.contains('`') { text.to_owned() } else { text.replace('<', "\\<") }
}
