//! No engine's name stands in the sources above the boundary, not even in a comment.
//!
//! What the host knows of an engine it learns from its provider; a name above the boundary is a special case in waiting.
//! Tests may name engines. The command line names them in one file, where it lists what it carries.

use crate::report::Problem;
use crate::tree::Tree;

/// The rule's name.
const RULE: &str = "engines";

/// Folders above the boundary.
const ABOVE: &[&str] = &[
    "bins/ptah/",
    "crates/apply/",
    "crates/diff/",
    "crates/drive/",
    "crates/lint/",
    "crates/model/",
    "crates/plan/",
    "crates/provider-api/",
    "crates/provider-host/",
    "crates/provider-sdk/",
    "crates/provider-wire/",
    "crates/records/",
    "crates/sources/",
];

/// The one file that may name engines.
const BUNDLED: &str = "bins/ptah/src/bundled.rs";

/// Parts of words that are an engine's name; `postgres` covers PostgreSQL, `sqlite` the drivers as well.
const NAMES: &[&str] = &["cockroach", "mariadb", "mysql", "pgsql", "postgres", "sqlite"];

/// Reads every Rust file above the boundary.
pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (file, rust) in tree.rust() {
        let above = ABOVE.iter().any(|folder| file.path.starts_with(folder));
        if !above || file.is_test || file.path == BUNDLED {
            continue;
        }
        for (at, line) in file.text.lines().enumerate() {
            let lower = line.to_lowercase();
            let Some(name) = NAMES.iter().find(|name| lower.contains(*name)) else {
                continue;
            };
            if !rust.is_test_line(at + 1) {
                let text = format!("names the engine {name} above the boundary");
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

    #[test]
    fn a_name_in_code_or_in_a_comment_is_refused() {
        let tree = tree(&[
            ("crates/plan/src/a.rs", "//! x\nfn f() -> &str { \"SQLite\" }\n"),
            ("crates/drive/src/b.rs", "//! Not for PostgreSQL.\n"),
            ("bins/ptah/src/main.rs", "//! x\nuse ptah_provider_sqlite as p;\n"),
        ]);
        let places: Vec<(String, usize)> =
            check(&tree).into_iter().map(|problem| (problem.place, problem.line)).collect();
        assert_eq!(
            places,
            [
                ("bins/ptah/src/main.rs".to_owned(), 2),
                ("crates/drive/src/b.rs".to_owned(), 1),
                ("crates/plan/src/a.rs".to_owned(), 2),
            ]
        );
    }

    #[test]
    fn tests_the_list_of_bundled_engines_and_providers_may_name_them() {
        let tree = tree(&[
            ("crates/plan/src/tests.rs", "//! sqlite\n"),
            ("crates/plan/tests/a.rs", "//! sqlite\n"),
            ("crates/plan/src/a.rs", "//! x\n#[cfg(test)]\nmod tests {\n // sqlite\n}\n"),
            ("bins/ptah/src/bundled.rs", "//! sqlite\n"),
            ("providers/sqlite/src/lib.rs", "//! sqlite\n"),
        ]);
        assert_eq!(check(&tree), []);
    }
}
