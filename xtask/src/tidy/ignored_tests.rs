//! No test is ignored: a test that cannot pass asserts the wrong behaviour and says so.

use crate::report::Problem;
use crate::tree::Tree;

/// The rule's name.
const RULE: &str = "ignored_tests";

/// Reads the attributes of every Rust file.
pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (file, rust) in tree.rust() {
        for (line, attribute) in rust.attributes() {
            let inner = attribute.trim_start_matches(['#', '!', '[']);
            let is_ignored = inner.starts_with("ignore") && inner["ignore".len()..].starts_with([']', '=', '('])
                || inner.starts_with("cfg_attr(") && attribute.contains(",ignore");
            if is_ignored {
                let text = "an ignored test hides a failure: assert what happens and say that it is wrong";
                problems.push(Problem::at(RULE, &file.path, line, text));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tree;

    #[test]
    fn tests_that_run_pass() {
        let tree =
            tree(&[("a.rs", "//! x\n// #[ignore]\n#[test]\nfn ignored_rows_stay() {}\n#[ignored]\nfn f() {}\n")]);
        assert_eq!(check(&tree), []);
    }

    #[test]
    fn each_form_of_ignoring_is_refused() {
        let tree = tree(&[(
            "a.rs",
            "//! x\n#[ignore]\nfn a() {}\n#[ignore = \"slow\"]\nfn b() {}\n#[cfg_attr(x, ignore)]\nfn c() {}\n",
        )]);
        assert_eq!(check(&tree).len(), 3);
    }
}
