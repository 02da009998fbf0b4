//! The reference pages say what the program says: two are made from it and compared, two are written and checked for
//! every code that the sources hold.
//!
//! `make reference` writes the pages that are made.

mod codes;
mod commands;
mod environment;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The variable that asks for the pages to be written instead of compared.
const WRITE: &str = "PTAH_WRITE_REFERENCE";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn page(name: &str) -> PathBuf {
    root().join("docs/reference").join(name)
}

/// Compares a page with what it has to be, or writes it.
#[track_caller]
fn check(name: &str, wanted: &str) {
    let path = page(name);
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&path, wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = wanted.lines().zip(found.lines()).find(|(wanted, found)| wanted != found);
    assert!(found == wanted, "docs/reference/{name} is not current (make reference writes it): {differs:#?}");
}

/// Compares the first cells of a page's tables with what has to be there.
#[track_caller]
fn lists(name: &str, wanted: &BTreeSet<String>) {
    let found = codes::on_page(&std::fs::read_to_string(page(name)).unwrap());
    let missing: Vec<_> = wanted.difference(&found).collect();
    let unknown: Vec<_> = found.difference(wanted).collect();
    assert!(missing.is_empty(), "docs/reference/{name} has no row for {missing:?}");
    assert!(unknown.is_empty(), "docs/reference/{name} has rows for codes that nothing says: {unknown:?}");
}

#[test]
fn the_page_of_commands_is_what_the_program_takes() {
    check("commands.md", &commands::text());
}

#[test]
fn the_page_of_variables_is_what_the_program_reads() {
    check("environment.md", &environment::text());
}

#[test]
fn every_variable_that_the_sources_read_is_on_the_page() {
    let page = environment::text();
    for (file, name) in environment::read_in_sources(&root()) {
        assert!(page.contains(&format!("`{name}`")), "{file} reads {name}");
    }
}

#[test]
fn the_page_of_codes_has_every_code_of_the_sources_and_no_other() {
    lists("codes.md", &codes::in_sources(&root()));
}

#[test]
fn the_page_of_endings_has_every_word_that_a_document_can_say() {
    lists("exit-codes.md", &codes::of_endings(&root()));
}
