//! `xtask contract`: what was released of the provider contract keeps its shape.
//!
//! `proto/frozen/1.N.txt` is the shape of minor N, a line for each field, enum value and call. A line that is in it has
//! to be in the protos for ever; a line that is not, belongs to a later minor. A minor that is not released yet is
//! written anew with `xtask contract write`, so that every change of shape is seen where it is made.

mod shape;

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::report::{Problem, Report};
use crate::tree::Tree;

/// The rule's name in reports.
const RULE: &str = "contract";
/// Where the shapes are kept.
const FOLDER: &str = "proto/frozen/";
/// Where the minor is said.
const SOURCE: &str = "crates/provider-api/src/contract.rs";
/// The first line of a shape that may still change.
const OPEN: &str = "# not released";
/// The first line of a shape that may not.
const CLOSED: &str = "# released";

/// Compares every shape that is kept with the protos.
pub(crate) fn run(root: &Path) -> Result<Report> {
    let tree = Tree::read(root)?;
    let now = shape::of(&root.join("proto"))?;
    let minor = minor(&tree)?;
    let mut report = Report::default();
    report.rule(kept(&tree, minor));
    report.rule(frozen(&tree).flat_map(|(path, of, text)| compare(path, text, of, minor, &now)).collect());
    Ok(report)
}

/// Writes the shape of the current minor, which must not be released.
pub(crate) fn write(root: &Path) -> Result<()> {
    let tree = Tree::read(root)?;
    let path = format!("{FOLDER}1.{}.txt", minor(&tree)?);
    let released = tree.get(&path).is_some_and(|file| file.text.starts_with(CLOSED));
    ensure!(!released, "{path} is released: raise CONTRACT_MINOR in {SOURCE} for what is new");
    let mut text = format!("{OPEN}\n");
    for line in shape::of(&root.join("proto"))? {
        text.push_str(&line);
        text.push('\n');
    }
    std::fs::write(root.join(&path), text).with_context(|| format!("cannot write {path}"))
}

/// The minor that the sources speak.
fn minor(tree: &Tree) -> Result<u32> {
    let text = tree.get(SOURCE).map(|file| file.text.as_str()).unwrap_or_default();
    let after = text.split_once("pub const CONTRACT_MINOR: u32 = ").map(|(_, after)| after);
    let number = after.and_then(|after| after.split_once(';')).and_then(|(number, _)| number.parse().ok());
    number.with_context(|| format!("{SOURCE} does not say CONTRACT_MINOR"))
}

/// The shapes that are kept: path, minor, text.
fn frozen(tree: &Tree) -> impl Iterator<Item = (&str, u32, &str)> {
    tree.files.iter().filter_map(|file| {
        let name = file.path.strip_prefix(FOLDER)?.strip_prefix("1.")?.strip_suffix(".txt")?;
        Some((file.path.as_str(), name.parse().ok()?, file.text.as_str()))
    })
}

/// Every minor up to the current one has its shape, and only the current one may still change.
fn kept(tree: &Tree, minor: u32) -> Vec<Problem> {
    let mut problems = Vec::new();
    for wanted in 0..=minor {
        let path = format!("{FOLDER}1.{wanted}.txt");
        let Some(file) = tree.get(&path) else {
            problems.push(Problem::whole(RULE, &path, "is missing: run `cargo run -p xtask -- contract write`"));
            continue;
        };
        let first = file.text.lines().next().unwrap_or_default();
        if first != CLOSED && (first != OPEN || wanted < minor) {
            let text = format!("begins with `{first}`, and minor {wanted} has to be `{CLOSED}`");
            problems.push(Problem::at(RULE, &path, 1, text));
        }
    }
    problems
}

/// What of a shape is gone or changed, and, for the current minor, what is new.
fn compare(path: &str, text: &str, of: u32, minor: u32, now: &BTreeSet<String>) -> Vec<Problem> {
    let then: BTreeSet<&str> = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    let open = text.starts_with(OPEN);
    let mut problems = Vec::new();
    for gone in then.iter().filter(|line| !now.contains(**line)) {
        let what = if open { "is no more" } else { "was released and is no more" };
        problems.push(Problem::whole(RULE, path, format!("`{gone}` {what}{}", remedy(open))));
    }
    for new in now.iter().filter(|line| of == minor && !then.contains(line.as_str())) {
        let what = if open { "is new" } else { "is new, and a released minor does not grow" };
        problems.push(Problem::whole(RULE, path, format!("`{new}` {what}{}", remedy(open))));
    }
    problems
}

fn remedy(open: bool) -> &'static str {
    if open { ": run `cargo run -p xtask -- contract write`" } else { ": it belongs to the next minor" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tree;

    fn found(text: &str, of: u32, minor: u32, now: &[&str]) -> Vec<String> {
        let now = now.iter().map(|line| (*line).to_owned()).collect();
        compare("x", text, of, minor, &now).into_iter().map(|problem| problem.text).collect()
    }

    const SHAPE: &str = "# released\nKey.scope 2 string\nKey.session_id 1 string\n";

    #[test]
    fn a_released_message_that_changes_shape_is_found() {
        assert_eq!(found(SHAPE, 0, 0, &["Key.scope 2 string", "Key.session_id 1 string"]), Vec::<String>::new());
        for changed in ["Key.scope 3 string", "Key.scope 2 bytes", "Key.place 2 string"] {
            let texts = found(SHAPE, 0, 1, &[changed, "Key.session_id 1 string"]);
            assert_eq!(texts, ["`Key.scope 2 string` was released and is no more: it belongs to the next minor"]);
        }
        let texts = found(SHAPE, 0, 0, &["Key.more 3 string", "Key.scope 2 string", "Key.session_id 1 string"]);
        assert_eq!(texts.len(), 1, "a released minor does not grow");
        let later = found(SHAPE, 0, 1, &["Key.more 3 string", "Key.scope 2 string", "Key.session_id 1 string"]);
        assert_eq!(later, Vec::<String>::new(), "a later minor does");
    }

    #[test]
    fn a_minor_without_its_shape_and_an_old_one_that_is_open_are_found() {
        let texts = |files: &[(&str, &str)], minor| kept(&tree(files), minor).len();
        let (open, closed) = (("proto/frozen/1.0.txt", OPEN), ("proto/frozen/1.0.txt", CLOSED));
        assert_eq!((texts(&[open], 0), texts(&[closed], 0)), (0, 0));
        assert_eq!(texts(&[], 0), 1);
        assert_eq!(texts(&[closed], 1), 1, "the shape of minor 1 is missing");
        assert_eq!(texts(&[open, ("proto/frozen/1.1.txt", OPEN)], 1), 1, "minor 0 is still open");
        assert_eq!(texts(&[closed, ("proto/frozen/1.1.txt", OPEN)], 1), 0);
    }
}
