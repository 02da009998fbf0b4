//! The program: what it prints, what it writes, and its exit codes.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::process::{Command, Output};

const PEER: &str = env!("CARGO_BIN_EXE_conformance-wrong-provider");

fn run(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptah-provider-conformance"));
    command.args(words).env_remove("PTAH_CONFORMANCE_ADDRESS").output().unwrap()
}

fn told(output: &Output) -> (Option<i32>, String) {
    assert!(output.stderr.is_empty() || output.status.code() == Some(2), "progress is for terminals");
    (output.status.code(), String::from_utf8(output.stdout.clone()).unwrap())
}

#[test]
fn what_passes_and_what_is_not_applicable_ends_with_0() {
    let (code, text) = told(&run(&[PEER, "--only", "describe"]));
    assert_eq!(code, Some(0), "{text}");
    assert!(text.starts_with("describe\n  passed          describe_comes_first\n"), "{text}");
    assert!(text.contains(" passed, 0 failed, 0 not applicable, in "), "{text}");
    let (code, text) = told(&run(&[PEER, "--only", "a_free_lock_is_acquired"]));
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("  not applicable  a_free_lock_is_acquired: no address was given\n"), "{text}");
}

#[test]
fn what_fails_is_told_with_what_was_sent_what_came_and_the_sentence() {
    let (code, text) = told(&run(&[PEER, "--env", "FAULT=every-major", "--only", "a_host_of_another_major"]));
    assert_eq!(code, Some(1), "{text}");
    let expected = "describe
  FAILED          a_host_of_another_major_is_refused
                    sent      Describe from a host of contract 2.0
                    came      a reply, where the call has to fail
                    contract  A host and a provider of different majors never talk.
ptah.run/sqlite: 0 passed, 1 failed, 0 not applicable, in ";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn documents_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("junit.xml");
    let words = [PEER, "--env", "FAULT=every-major", "--only", "major", "--json", "--junit", file.to_str().unwrap()];
    let (code, text) = told(&run(&words));
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rules = json["rules"].as_array().unwrap();
    let verdict = |name: &str| rules.iter().find(|rule| rule["rule"] == name).unwrap()["verdict"].clone();
    assert_eq!(code, Some(1));
    assert_eq!((&json["failed"], rules.len()), (&serde_json::json!(1), 2));
    assert_eq!(verdict("a_host_of_another_major_is_refused"), "failed");
    assert_eq!(verdict("the_contract_is_of_this_major"), "passed");
    let xml = std::fs::read_to_string(file).unwrap();
    assert!(xml.contains("<testsuite name=\"describe\" tests=\"2\" failures=\"1\" skipped=\"0\">"), "{xml}");
    assert!(xml.contains("<failure message=\"a reply, where the call has to fail\">"), "{xml}");
}

#[test]
fn an_engine_that_is_not_described_fails_what_needs_one() {
    let (code, text) = told(&run(&[PEER, "--engine", "zorp", "--only", "sessions"]));
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("no engine of the name that was asked for"), "{text}");
}

#[test]
fn what_cannot_be_tried_ends_with_2() {
    for words in [&["/no/such/file"][..], &["/tmp"], &[PEER, "--only", "no such rule"], &[PEER, "--env", "x"], &[]] {
        assert_eq!(told(&run(words)).0, Some(2), "{words:?}");
    }
}

#[test]
fn the_rules_are_listed_without_an_executable() {
    let (code, text) = told(&run(&["--list", "--only", "describe_comes_first"]));
    assert_eq!(code, Some(0), "{text}");
    assert!(text.starts_with("describe       describe_comes_first\n"), "{text}");
}

#[test]
fn the_help_names_the_placeholder_of_an_address() {
    let (code, text) = told(&run(&["--help"]));
    assert_eq!(code, Some(0), "{text}");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("the letter `n` in braces in it becomes a fresh word for each rule"), "{text}");
    assert!(words.contains("`{name}` in it becomes a new name"), "{text}");
}
