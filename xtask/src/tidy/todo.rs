//! A note about work to be done names the issue in which it is followed: `TODO(#12)`.
//!
//! Without a number nobody finds it again. The other words for the same thing are refused altogether: one word.

use crate::report::Problem;
use crate::tree::Tree;

/// The rule's name.
const RULE: &str = "todo";

/// The word that is allowed with a number.
const WORD: &str = "TODO";
/// Other words for it.
const OTHERS: &[&str] = &["FIXME", "XXX", "HACK"];

/// Reads the comments of Rust files, and the whole text of scripts and proto files.
pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in &tree.files {
        let text = match &file.rust {
            Some(rust) => rust.comments.as_str(),
            None if is_commented(&file.path) => file.text.as_str(),
            None => continue,
        };
        for (at, line) in text.lines().enumerate() {
            if let Some(found) = breach(line) {
                problems.push(Problem::at(RULE, &file.path, at + 1, found));
            }
        }
    }
    problems
}

/// Other files in which comments are written.
fn is_commented(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(ending, "proto" | "sh" | "toml") || name == "Makefile" || path == ".ci/run"
}

fn breach(line: &str) -> Option<String> {
    let words: Vec<&str> = line
        .split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '#' | '_' | '`')))
        .filter(|word| !word.is_empty())
        .collect();
    for (at, word) in words.iter().enumerate() {
        if OTHERS.contains(word) {
            return Some(format!("{word} is written {WORD}(#number)"));
        }
        let number = words.get(at + 1).and_then(|next| next.strip_prefix('#'));
        let has_number =
            number.is_some_and(|digits| !digits.is_empty() && digits.chars().all(|digit| digit.is_ascii_digit()));
        if *word == WORD && !has_number {
            return Some(format!("{WORD} has no issue number: {WORD}(#12)"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tree;

    #[test]
    fn a_note_with_a_number_passes() {
        let tree = tree(&[
            ("a.rs", "//! x\n// TODO(#12): later\nlet a = \"TODO\";\n// `TODO` in quotes\n"),
            ("Makefile", "# TODO(#3)\n"),
            ("notes.md", "TODO\n"),
        ]);
        assert_eq!(check(&tree), []);
    }

    #[test]
    fn a_note_without_a_number_or_with_another_word_is_refused() {
        let tree = tree(&[("a.rs", "//! x\n// TODO: later\n/* FIXME(#1) */\n"), ("b.proto", "// TODO(someone)\n")]);
        let lines: Vec<usize> = check(&tree).into_iter().map(|found| found.line).collect();
        assert_eq!(lines, [2, 3, 1]);
    }
}
