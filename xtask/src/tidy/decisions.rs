//! Every page of `docs/decisions/` is numbered and has a Question, an Answer, Reasons and a Price, in that order.
//!
//! The template and the index are no decisions.

use std::collections::BTreeMap;

use crate::markdown;
use crate::report::Problem;
use crate::tree::{File, Tree};

/// The rule's name.
const RULE: &str = "decisions";
/// The folder of decisions.
const FOLDER: &str = "docs/decisions/";
/// Pages that are no decisions.
const OTHERS: &[&str] = &["README.md", "template.md"];
/// The headings of a decision.
const PARTS: &[&str] = &["Question", "Answer", "Reasons", "Price"];

/// Checks names, numbers and headings.
pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut numbers: BTreeMap<&str, &str> = BTreeMap::new();
    for file in tree.ending(".md") {
        let Some(name) = file.path.strip_prefix(FOLDER) else {
            continue;
        };
        if OTHERS.contains(&name) {
            continue;
        }
        let Some(number) = number(name) else {
            let text = "is not named NNNN-some-words.md";
            problems.push(Problem::whole(RULE, &file.path, text));
            continue;
        };
        if let Some(other) = numbers.insert(number, name) {
            let text = format!("has the number of {other}");
            problems.push(Problem::whole(RULE, &file.path, text));
        }
        problems.extend(parts(file));
    }
    problems
}

fn number(name: &str) -> Option<&str> {
    let (number, title) = name.strip_suffix(".md")?.split_once('-')?;
    let is_number = number.len() == 4 && number.chars().all(|digit| digit.is_ascii_digit());
    (is_number && !title.is_empty()).then_some(number)
}

/// The parts that are missing, out of order or empty.
fn parts(file: &File) -> Vec<Problem> {
    let headings = markdown::headings(&file.text);
    let second: Vec<_> = headings.iter().filter(|head| head.level == 2).collect();
    let names: Vec<&str> = second.iter().map(|head| head.text.as_str()).collect();
    let mut problems = Vec::new();
    if headings.first().is_none_or(|head| head.level != 1) {
        problems.push(Problem::at(RULE, &file.path, 1, "has no title"));
    }
    if names != PARTS {
        let text = format!("has the parts {names:?}, not {PARTS:?}");
        problems.push(Problem::whole(RULE, &file.path, text));
    }
    for head in second {
        let has_text = file
            .text
            .lines()
            .skip(head.line)
            .take_while(|line| !line.starts_with('#'))
            .any(|line| !line.trim().is_empty());
        if !has_text {
            let text = format!("says nothing under {}", head.text);
            problems.push(Problem::at(RULE, &file.path, head.line, text));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tree;

    const PAGE: &str = "# T\n\n## Question\n\nq\n\n## Answer\n\na\n\n## Reasons\n\nr\n\n## Price\n\np\n";

    #[test]
    fn a_whole_page_passes() {
        let tree = tree(&[
            ("docs/decisions/0001-a.md", PAGE),
            ("docs/decisions/template.md", "x\n"),
            ("docs/other.md", "x\n"),
        ]);
        assert_eq!(check(&tree), []);
    }

    #[test]
    fn a_missing_an_empty_and_a_moved_part_are_refused() {
        let missing = PAGE.replace("## Price\n\np\n", "");
        let empty = PAGE.replace("\nq\n", "");
        let moved = PAGE.replace("Answer", "First").replace("Reasons", "Answer").replace("First", "Reasons");
        for page in [missing, empty, moved] {
            let problems = check(&tree(&[("docs/decisions/0001-a.md", &page)]));
            assert_eq!(problems.len(), 1, "{page}{problems:?}");
        }
    }

    #[test]
    fn a_page_without_a_number_and_a_number_used_twice_are_refused() {
        let tree = tree(&[
            ("docs/decisions/0001-a.md", PAGE),
            ("docs/decisions/0001-b.md", PAGE),
            ("docs/decisions/c.md", PAGE),
        ]);
        assert_eq!(check(&tree).len(), 2);
    }
}
