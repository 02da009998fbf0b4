//! A test's name states its promise: no `test_` in front, and more than one word.

use crate::report::Problem;
use crate::rust::line_of;
use crate::tree::Tree;

/// The rule's name.
const RULE: &str = "test_names";

/// Looks at the function after every attribute that makes a test.
pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (file, rust) in tree.rust() {
        for (at, name) in tests(&rust.code) {
            let text = if name.starts_with("test_") {
                format!("{name} has `test_` in front: the name says what is promised")
            } else if !name.contains('_') {
                format!("{name} promises nothing: `a_changed_byte_is_refused`")
            } else {
                continue;
            };
            problems.push(Problem::at(RULE, &file.path, line_of(&rust.code, at), text));
        }
    }
    problems
}

/// The names of the test functions, each with its offset.
pub(super) fn tests(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = code[from..].find("#[").map(|at| at + from) {
        from = at + 2;
        let path = code[from..].split([']', '(']).next().unwrap_or_default();
        if path.trim() != "test" && !path.trim().ends_with("::test") {
            continue;
        }
        let Some(function) = code[from..].find("fn ").map(|at| at + from + 3) else {
            break;
        };
        let name = code[function..]
            .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
            .next()
            .unwrap_or_default();
        found.push((function, name));
        from = function;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tree;

    #[test]
    fn a_name_that_promises_something_passes() {
        let tree = tree(&[(
            "a.rs",
            "//! x\n#[test]\n#[x]\nfn a_row_is_kept() {}\nfn test_bed() {}\n#[tokio::test(a)]\nasync fn b_is_kept() {}\n",
        )]);
        assert_eq!(check(&tree), []);
    }

    #[test]
    fn a_prefix_or_a_single_word_is_refused() {
        let tree = tree(&[("a.rs", "//! x\n#[test]\nfn test_row() {}\n#[tokio::test]\nasync fn works() {}\n")]);
        let lines: Vec<usize> = check(&tree).into_iter().map(|found| found.line).collect();
        assert_eq!(lines, [3, 5]);
    }
}
