//! A Rust file stays under 800 lines, and the aim is 300 without its tests.
//!
//! The limit can be lifted in `xtask/long-files.txt`, one `path: reason` a line. An entry that is no longer needed is a
//! problem too, so that the list can only shrink unseen. The aim fails nothing: the number of files above it is told.

use std::collections::BTreeMap;

use crate::report::Problem;
use crate::tree::{File, Tree};

/// The rule's name.
const RULE: &str = "file_length";
/// Lines of a whole file, tests included, that may not be passed. From the house style.
const LIMIT: usize = 800;
/// Lines without tests from which on a cut should be looked for.
const AIM: usize = 300;
/// The list of exceptions.
const EXCEPTIONS: &str = "xtask/long-files.txt";

/// Compares every Rust file with the limit, and the list of exceptions with the files.
pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let (exceptions, mut problems) = exceptions(tree);
    for (file, _) in tree.rust() {
        let lines = file.text.lines().count();
        if lines > LIMIT && !exceptions.contains_key(file.path.as_str()) {
            let text = format!("has {lines} lines, and {LIMIT} is the limit: cut it by step or by thing");
            problems.push(Problem::whole(RULE, &file.path, text));
        }
    }
    for (path, line) in exceptions {
        let is_long = tree.get(path).is_some_and(|file| file.text.lines().count() > LIMIT);
        if !is_long {
            let text = format!("{path} needs no exception");
            problems.push(Problem::at(RULE, EXCEPTIONS, line, text));
        }
    }
    problems
}

/// How many files are above the aim; nothing when none is.
pub(super) fn remark(tree: &Tree) -> Option<String> {
    let mut long: Vec<(usize, &str)> = tree
        .rust()
        .filter(|(file, _)| !file.is_test)
        .map(|(file, _)| (without_tests(file), file.path.as_str()))
        .filter(|(lines, _)| *lines > AIM)
        .collect();
    long.sort_unstable_by(|a, b| b.cmp(a));
    let (lines, path) = long.first()?;
    Some(format!("{} files have over {AIM} lines without tests; the longest is {path} with {lines}", long.len()))
}

fn without_tests(file: &File) -> usize {
    (1..=file.text.lines().count())
        .filter(|line| !file.rust.as_ref().is_some_and(|rust| rust.is_test_line(*line)))
        .count()
}

/// The listed paths with the lines of their entries, and the entries that give no reason.
fn exceptions(tree: &Tree) -> (BTreeMap<&str, usize>, Vec<Problem>) {
    let mut listed = BTreeMap::new();
    let mut problems = Vec::new();
    let text = tree.get(EXCEPTIONS).map_or("", |file| file.text.as_str());
    for (at, entry) in text.lines().enumerate() {
        if entry.is_empty() || entry.starts_with('#') {
            continue;
        }
        let (path, reason) = entry.split_once(':').unwrap_or((entry, ""));
        if reason.trim().is_empty() {
            let text = format!("{path} has no reason");
            problems.push(Problem::at(RULE, EXCEPTIONS, at + 1, text));
        }
        listed.insert(path.trim(), at + 1);
    }
    (listed, problems)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tree;

    fn long() -> String {
        "// x\n".repeat(LIMIT + 1)
    }

    #[test]
    fn a_file_at_the_limit_or_with_a_reason_passes() {
        let tree = tree(&[
            ("a.rs", &"// x\n".repeat(LIMIT)),
            ("b.rs", &long()),
            (EXCEPTIONS, "# why\n\nb.rs: one match over all pairs\n"),
        ]);
        assert_eq!(check(&tree), []);
    }

    #[test]
    fn a_file_over_the_limit_is_refused() {
        let problems = check(&tree(&[("a.rs", &long())]));
        assert_eq!(problems.len(), 1);
        assert!(problems[0].text.contains("801 lines"));
    }

    #[test]
    fn an_exception_without_a_reason_or_without_need_is_refused() {
        let tree = tree(&[("a.rs", &long()), (EXCEPTIONS, "a.rs:\ngone.rs: was long once\n")]);
        let texts: Vec<String> = check(&tree).into_iter().map(|found| found.text).collect();
        assert_eq!(texts, ["a.rs has no reason", "gone.rs needs no exception"]);
    }

    #[test]
    fn tests_do_not_count_towards_the_aim() {
        let code = "fn f() {}\n".repeat(AIM);
        let text = format!("{code}#[cfg(test)]\nmod tests {{\n{code}}}\n");
        assert_eq!(remark(&tree(&[("a.rs", &text)])), None);
        let text = format!("{code}{code}");
        let remark = remark(&tree(&[("a.rs", &text)])).unwrap_or_default();
        assert!(remark.starts_with("1 files"), "{remark}");
    }
}
