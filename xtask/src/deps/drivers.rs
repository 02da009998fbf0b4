//! A database driver is linked by the provider of its engine and by nothing else.
//!
//! With the table of edges this proves that nothing above the boundary can open a database by itself. Tests may: they
//! look at what a provider has done.

use crate::report::Problem;
use crate::workspace::{Kind, Workspace};

/// The rule's name.
const RULE: &str = "drivers";

/// Drivers, and parsers of one engine's language.
const DRIVERS: &[&str] = &[
    "diesel",
    "libsqlite3-sys",
    "mysql",
    "mysql_async",
    "mysql_common",
    "pg_query",
    "postgres",
    "postgres-protocol",
    "rusqlite",
    "sqlite3-parser",
    "sqlparser",
    "sqlx",
    "squawk-parser",
    "squawk-syntax",
    "tokio-postgres",
    "tokio-postgres-rustls",
];

/// Checks the direct dependencies of every crate outside `providers/`.
pub(super) fn check(workspace: &Workspace) -> Vec<Problem> {
    let mut problems = Vec::new();
    for member in workspace.members.values() {
        if member.folder.starts_with("providers/") {
            continue;
        }
        for edge in &member.edges {
            if edge.kind != Kind::Dev && DRIVERS.contains(&edge.to.as_str()) {
                let place = format!("{}/Cargo.toml", member.folder);
                let text = format!("{} links the driver {}", member.name, edge.to);
                problems.push(Problem::whole(RULE, &place, text));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::workspace;

    #[test]
    fn a_provider_and_a_test_may_open_a_database() {
        let workspace = workspace(&[
            ("p", "providers/p", &[("rusqlite", Kind::Normal)]),
            ("c", "crates/c", &[("rusqlite", Kind::Dev)]),
        ]);
        assert_eq!(check(&workspace), []);
    }

    #[test]
    fn a_driver_above_the_boundary_is_refused() {
        let workspace = workspace(&[("c", "crates/c", &[("rusqlite", Kind::Normal)])]);
        assert_eq!(check(&workspace).len(), 1);
    }
}
