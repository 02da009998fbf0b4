//! A pure crate has the purity list in its own `clippy.toml`, denies what is on it, and is not async.
//!
//! The nearest `clippy.toml` replaces the root one, so it must hold the root's entries as well. `xtask purity` writes
//! the file. That clippy then refuses a clock, a file and so on is shown by a test in `purity.rs` of this crate.

use crate::manifest;
use crate::purity::{LIST, PURE, ROOT};
use crate::report::Problem;
use crate::tree::Tree;

/// The rule's name.
const RULE: &str = "purity";

/// Lints that every pure crate denies in its `lib.rs`, since the workspace's table cannot be added to.
const DENIED: &[&str] = &[
    "clippy::disallowed_macros",
    "clippy::disallowed_methods",
    "clippy::disallowed_types",
    "clippy::wildcard_enum_match_arm",
];

/// Checks the configuration, the header and the sources of every pure crate.
pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for folder in PURE {
        if tree.get(&format!("{folder}/Cargo.toml")).is_none() {
            let text = "is listed as a pure crate and is not there";
            problems.push(Problem::whole(RULE, folder, text));
            continue;
        }
        problems.extend(missing_entries(tree, folder));
        problems.extend(missing_lints(tree, folder));
        problems.extend(asynchronous(tree, folder));
    }
    problems
}

/// Entries of the root configuration and of the purity list that the crate's own lacks.
fn missing_entries(tree: &Tree, folder: &str) -> Vec<Problem> {
    let path = format!("{folder}/clippy.toml");
    let own = tree.get(&path).map_or("", |file| file.text.as_str());
    let own = manifest::read(own);
    let mut problems = Vec::new();
    for source in [ROOT, LIST] {
        let Some(file) = tree.get(source) else {
            problems.push(Problem::whole(RULE, source, "is missing"));
            continue;
        };
        for (key, value) in manifest::read(&file.text).remove("").unwrap_or_default() {
            let has = own.get("").and_then(|keys| keys.get(&key));
            let has = has.map(|value| manifest::entries(value)).unwrap_or_default();
            for entry in manifest::entries(&value) {
                if !has.contains(&entry) {
                    let text = format!("lacks {entry} of {key} in {source}: run `xtask purity`");
                    problems.push(Problem::whole(RULE, &path, text));
                }
            }
        }
    }
    problems
}

fn missing_lints(tree: &Tree, folder: &str) -> Vec<Problem> {
    let path = format!("{folder}/src/lib.rs");
    let denied: String = tree
        .get(&path)
        .and_then(|file| file.rust.as_ref())
        .map(|rust| {
            let attributes = rust.attributes().into_iter().map(|(_, text)| text);
            attributes.filter(|text| text.starts_with("#![deny(") || text.starts_with("#![forbid(")).collect()
        })
        .unwrap_or_default();
    DENIED
        .iter()
        .filter(|lint| !denied.contains(*lint))
        .map(|lint| Problem::whole(RULE, &path, format!("does not say #![deny({lint})]")))
        .collect()
}

fn asynchronous(tree: &Tree, folder: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    let start = format!("{folder}/src/");
    for (file, rust) in tree.rust() {
        if !file.path.starts_with(&start) {
            continue;
        }
        for (at, line) in rust.code.lines().enumerate() {
            let mut words = line.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
            if words.any(|word| word == "async") || line.contains(".await") {
                let text = "is async: the loop around the pure crate is, the crate is not";
                problems.push(Problem::at(RULE, &file.path, at + 1, text));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tree;

    const HEADER: &str = "//! x\n#![deny(\n  clippy::disallowed_macros,\n  clippy::disallowed_methods,\n  clippy::disallowed_types,\n  clippy::wildcard_enum_match_arm\n)]\n";
    const ROOT_TEXT: &str = "a = 1\nb = [\"x\"]\n";
    const LIST_TEXT: &str = "c = [\n  { path = \"p\", reason = \"q\" },\n  { path = \"r\", reason = \"s\" },\n]\n";

    /// A tree in which every pure crate has this configuration and this `lib.rs`.
    fn crates(own: &str, source: &str) -> Tree {
        let mut files = vec![(ROOT.to_owned(), ROOT_TEXT), (LIST.to_owned(), LIST_TEXT)];
        for folder in PURE {
            files.push((format!("{folder}/Cargo.toml"), ""));
            files.push((format!("{folder}/clippy.toml"), own));
            files.push((format!("{folder}/src/lib.rs"), source));
        }
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        tree(&files)
    }

    #[test]
    fn a_configuration_with_all_entries_passes_and_may_hold_more() {
        let own = "a = 1\nb = [\"x\", \"y\"]\nc = [ { path = \"r\", reason = \"s\" }, { path = \"p\", reason = \"q\" } ]\nd = 2\n";
        assert_eq!(check(&crates(own, HEADER)), []);
    }

    #[test]
    fn each_missing_entry_is_named() {
        let own = "a = 2\nb = [\"x\"]\nc = [{ path = \"p\", reason = \"q\" }]\n";
        let problems = check(&crates(own, HEADER));
        assert_eq!(problems.len(), 2 * PURE.len(), "{problems:?}");
        assert!(problems[0].text.starts_with("lacks 1 of a"));
        assert!(problems[1].text.starts_with("lacks { path = \"r\""));
    }

    #[test]
    fn a_crate_that_does_not_deny_the_lists_or_is_async_is_refused() {
        let own = format!("{ROOT_TEXT}{LIST_TEXT}");
        let source = "//! x\n#![deny(clippy::disallowed_macros)]\nasync fn f() { g().await }\n";
        let problems = check(&crates(&own, source));
        assert_eq!(problems.len(), 4 * PURE.len(), "{problems:?}");
    }

    #[test]
    fn a_pure_crate_that_is_gone_is_refused() {
        let tree = tree(&[(ROOT, ROOT_TEXT), (LIST, LIST_TEXT)]);
        assert_eq!(check(&tree).len(), PURE.len());
    }
}
