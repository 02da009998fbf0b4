//! No file names a folder of one machine or the host of a package registry.
//!
//! Both are true on one machine only and say where the work was done. Where packages come from is a setting of the
//! machine; examples use `/srv/…` or a relative path.

use crate::report::Problem;
use crate::tree::Tree;

/// The rule's name.
const RULE: &str = "machine_paths";

/// What is looked for, in two parts, so that this file does not hold it.
const WORDS: &[(&str, &str)] = &[
    ("/wo", "rk/"),
    ("/ro", "ot/"),
    ("/ho", "me/"),
    ("/Us", "ers/"),
    ("index.cra", "tes.io"),
    ("static.cra", "tes.io"),
    ("registry.npm", "js.org"),
    ("pypi", ".org"),
    ("pythonhosted", ".org"),
    ("deb.debian", ".org"),
    ("proxy.gol", "ang.org"),
];

/// Reads every text file.
pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in &tree.files {
        for (at, line) in file.text.lines().enumerate() {
            for (start, end) in WORDS {
                let word = format!("{start}{end}");
                if names(line, &word) {
                    let text = format!("names {word}, which is of one machine only");
                    problems.push(Problem::at(RULE, &file.path, at + 1, text));
                }
            }
        }
    }
    problems
}

/// Whether the word stands in the line as a place of its own: `docs/work/x` names no folder of a machine.
fn names(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|letter| letter.is_alphanumeric() || "._-)}".contains(letter))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tree;

    #[test]
    fn relative_paths_pass() {
        let tree = tree(&[("a.md", "[a](docs/work/a.md) ../home/x $HOME/work\n")]);
        assert_eq!(check(&tree), []);
    }

    #[test]
    fn each_place_is_found_in_every_kind_of_file() {
        for (start, end) in WORDS {
            let text = format!("x\ny = \"{start}{end}z\"\n");
            let problems = check(&tree(&[("a.txt", &text)]));
            assert_eq!(problems.len(), 1, "{start}{end}");
            assert_eq!(problems[0].line, 2);
        }
    }
}
