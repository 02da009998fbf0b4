//! Every Rust file starts with `//!`: what it is for, why it is apart, what it does not do.

use crate::report::Problem;
use crate::tree::Tree;

/// The rule's name.
const RULE: &str = "module_doc";

/// Looks at the first line of every Rust file.
pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    tree.rust()
        .filter(|(file, _)| {
            let words = file.text.strip_prefix("//!").unwrap_or_default();
            words.lines().next().unwrap_or_default().trim().is_empty()
        })
        .map(|(file, _)| {
            let text = "does not start with a `//!` line that says what the file is for";
            Problem::at(RULE, &file.path, 1, text)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tree;

    #[test]
    fn a_file_with_a_doc_passes_and_other_files_are_not_asked() {
        let tree = tree(&[("a.rs", "//! Says it.\nfn f() {}\n"), ("b.txt", "x")]);
        assert_eq!(check(&tree), []);
    }

    #[test]
    fn a_file_without_a_doc_or_with_an_empty_one_is_refused() {
        let tree = tree(&[
            ("a.rs", "fn f() {}\n"),
            ("b.rs", "//!\nfn f() {}\n"),
            ("c.rs", "#![deny(x)]\n//! Late.\n"),
            ("d.rs", ""),
        ]);
        assert_eq!(check(&tree).len(), 4);
    }
}
