//! An exception to a lint is `#[expect(…, reason = "…")]`, never `#[allow]`.
//!
//! `expect` is refused by the compiler once it is no longer needed. `allow` is for generated code alone, whose lints
//! change with the generator: a file that includes such code may use it, with a reason.

use crate::report::Problem;
use crate::tree::Tree;

/// The rule's name.
const RULE: &str = "allow";

/// How a file takes in generated code.
const INCLUDES: &[&str] = &["include!(", "include_proto!(", "include_file_descriptor_set!("];

/// Reads the attributes of every Rust file.
pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (file, rust) in tree.rust() {
        let is_generated = INCLUDES.iter().any(|word| rust.code.contains(word));
        for (line, attribute) in rust.attributes() {
            let is_allow = attribute.contains("[allow(") || attribute.contains(",allow(");
            let is_expect = attribute.contains("[expect(") || attribute.contains(",expect(");
            let has_reason = attribute.contains("reason=");
            let text = if is_allow && !is_generated {
                "`allow` is written `#[expect(…, reason = \"…\")]`"
            } else if (is_allow || is_expect) && !has_reason {
                "the exception gives no reason"
            } else {
                continue;
            };
            problems.push(Problem::at(RULE, &file.path, line, text));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tree;

    #[test]
    fn an_expectation_with_a_reason_passes_and_so_does_allow_over_generated_code() {
        let tree = tree(&[
            ("a.rs", "//! #[allow(x)]\n#[expect(a, reason = \"b\")]\nfn f() { g(\"#[allow(x)]\") }\n"),
            ("b.rs", "//! x\n#[allow(a, reason = \"generated\")]\nmod m { include!(\"x\"); }\n"),
        ]);
        assert_eq!(check(&tree), []);
    }

    #[test]
    fn a_bare_allow_is_refused_wherever_it_hides() {
        let tree = tree(&[(
            "a.rs",
            "#![allow(a)]\n#[allow(b, reason = \"c\")]\n#[cfg_attr(\n  x,\n  allow(d)\n)]\n#[expect(e)]\nfn f() {}\n",
        )]);
        let lines: Vec<usize> = check(&tree).into_iter().map(|found| found.line).collect();
        assert_eq!(lines, [1, 2, 3, 7]);
    }
}
