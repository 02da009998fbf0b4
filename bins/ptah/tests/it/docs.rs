//! Every example in the documentation is run, and its output compared.
//!
//! In a page, a block ` ```sql file=NAME ` is a file, and a block ` ```console ` is a session: a line `$ command` is run in
//! a shell in a scratch folder of the page, lines `> more` after it belong to the command, and the lines below it are its output
//! (standard error after standard output).
//! `? 2` right after a command is its exit code when it is not 0. `[..]` stands for any text within a line, and a line
//! `...` for any lines.

mod scaffold;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A piece of a page that the test acts on.
enum Piece {
    File { name: String, text: String },
    Session(Vec<Step>),
}

struct Step {
    line: usize,
    command: String,
    code: i32,
    output: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// README.md and every page under docs/ but the decisions, which are history, and those of the operator, whose sessions
/// need a cluster.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("decisions") && !path.ends_with("operator") {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

fn pieces(page: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((_, line)) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let body: Vec<(usize, &str)> = lines.by_ref().take_while(|(_, l)| *l != "```").collect();
        if info == "console" {
            pieces.push(Piece::Session(steps(&body)));
        } else if let Some((_, name)) = info.split_once("file=") {
            let text = body.iter().fold(String::new(), |text, (_, l)| text + l + "\n");
            pieces.push(Piece::File { name: name.to_owned(), text });
        }
    }
    pieces
}

fn steps(body: &[(usize, &str)]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (line, text) in body {
        if let Some(command) = text.strip_prefix("$ ") {
            steps.push(Step { line: line + 1, command: command.to_owned(), code: 0, output: Vec::new() });
        } else if let Some(step) = steps.last_mut() {
            if let Some(more) = text.strip_prefix("> ").filter(|_| step.output.is_empty()) {
                step.command.push('\n');
                step.command.push_str(more);
                continue;
            }
            match text.strip_prefix("? ").and_then(|code| code.parse().ok()) {
                Some(code) if step.output.is_empty() => step.code = code,
                _ => step.output.push((*text).to_owned()),
            }
        }
    }
    steps
}

/// Whether a line is what the page says, where `[..]` is anything.
fn line_matches(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.split("[..]");
    let Some(mut left) = parts.next().and_then(|first| line.strip_prefix(first)) else { return false };
    let rest: Vec<&str> = parts.collect();
    let Some((last, middle)) = rest.split_last() else { return left.is_empty() };
    for part in middle {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(last)
}

/// Whether output is what the page says, where a line `...` is any lines.
fn matches(pattern: &[String], lines: &[&str]) -> bool {
    match pattern.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "..." => (0..=lines.len()).any(|skip| matches(rest, &lines[skip..])),
        Some((first, rest)) => {
            lines.split_first().is_some_and(|(l, left)| line_matches(first, l) && matches(rest, left))
        }
    }
}

/// The pages about releases show one of a real provider.
fn prepare(page: &Path, folder: &Path) {
    if page.ends_with("providers/which.md") || page.ends_with("providers/release.md") {
        for name in ["ptah-provider-zorp", "ptah-provider-zorp-1.2.0"] {
            std::fs::copy(crate::install::provider(), folder.join(name)).unwrap();
        }
    }
    if page.ends_with("providers/which.md") {
        crate::install::release_in(&folder.join("release"), "1.2.0", "ptah-provider-zorp-1.2.0");
    }
}

fn run(step: &Step, folder: &Path) -> (Option<i32>, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_ptah")).parent().unwrap().to_owned();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.args(["-c", &step.command]).current_dir(folder).env_clear();
    command.env("PATH", path).env("HOME", folder).env("NO_COLOR", "1");
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (output.status.code(), text)
}

#[test]
fn every_example_of_the_documentation_does_what_the_page_says() {
    let mut wrong = String::new();
    let mut ran = 0;
    for page in pages() {
        let folder = tempfile::tempdir().unwrap();
        prepare(&page, folder.path());
        for piece in pieces(&std::fs::read_to_string(&page).unwrap()) {
            match piece {
                Piece::File { name, text } => std::fs::write(folder.path().join(name), text).unwrap(),
                Piece::Session(steps) => {
                    for step in steps {
                        ran += 1;
                        let (code, text) = run(&step, folder.path());
                        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
                        if code != Some(step.code) || !matches(&step.output, &lines) {
                            let name = page.strip_prefix(root()).unwrap().display();
                            writeln!(wrong, "{name}:{}: $ {}\n{code:?}\n{text}", step.line, step.command).unwrap();
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(ran >= 10, "only {ran} examples were found");
}

#[test]
fn a_page_that_says_something_else_is_noticed() {
    let lines = ["one 17 thing", "two", "three", "four"];
    let says = |pattern: &[&str]| matches(&pattern.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>(), &lines);
    assert!(says(&["one [..] thing", "...", "four"]));
    assert!(says(&["[..]", "two", "three", "four"]));
    assert!(!says(&["one [..] thing", "...", "five"]));
    assert!(!says(&["one [..] things", "..."]));
    assert!(!says(&["one 17 thing", "two", "three"]));
}
