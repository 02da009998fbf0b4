//! Every edge between two crates of the workspace is one that the table lists, and goes to a lower layer.
//!
//! Normal and build dependencies only: a test may see what it needs (`pure` is stricter). A crate without a row, a row
//! without a crate, and a development crate under anything but tests are refused too.

use super::table::{FILE, Layer, Row, Table};
use crate::report::Problem;
use crate::workspace::{Kind, Member, Workspace};

/// The rule's name.
const RULE: &str = "edges";

/// Compares the workspace with the table.
pub(super) fn check(workspace: &Workspace, table: &Table) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (name, row) in table {
        if !workspace.members.contains_key(name) {
            let text = format!("lists {name}, which is no crate of the workspace");
            problems.push(Problem::at(RULE, FILE, row.line, text));
        }
        for to in row.may.iter().flatten() {
            if let Some(text) = upward(name, row, to, table) {
                problems.push(Problem::at(RULE, FILE, row.line, text));
            }
        }
    }
    for member in workspace.members.values() {
        let place = format!("{}/Cargo.toml", member.folder);
        let Some(row) = table.get(&member.name) else {
            let text = format!("{} has no row in the table of {FILE}", member.name);
            problems.push(Problem::whole(RULE, &place, text));
            continue;
        };
        problems.extend(unlisted(member, row, workspace, table, &place));
    }
    problems
}

/// Why a row must not list `to`, if it must not.
fn upward(name: &str, row: &Row, to: &str, table: &Table) -> Option<String> {
    let Some(other) = table.get(to) else {
        return Some(format!("lets {name} depend on {to}, which has no row"));
    };
    match (row.layer.height(), other.layer.height()) {
        (Some(from), Some(below)) if below >= from => {
            Some(format!("lets {name} (layer {from}) depend on {to} (layer {below}): an edge goes to a lower layer"))
        }
        (Some(_), None) => Some(format!("lets {name} depend on {to}, which is for development only")),
        _ => None,
    }
}

/// The edges of one crate that its row does not list.
fn unlisted(member: &Member, row: &Row, workspace: &Workspace, table: &Table, place: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    let ours = member.edges.iter().filter(|edge| edge.kind != Kind::Dev && workspace.members.contains_key(&edge.to));
    for edge in ours {
        let name = &member.name;
        let to = &edge.to;
        let is_dev = table.get(to).is_some_and(|row| row.layer == Layer::Dev);
        if is_dev && row.layer != Layer::Dev {
            let text = format!("{name} links {to}, which is for tests only");
            problems.push(Problem::whole(RULE, place, text));
        } else if row.may.as_ref().is_some_and(|may| !may.contains(to)) {
            let text = format!("{name} depends on {to}: the table of {FILE} has no such edge");
            problems.push(Problem::whole(RULE, place, text));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::table::table;
    use super::*;
    use crate::workspace::workspace;

    const ROWS: &[(&str, &str, &str)] = &[("1 pure", "a", "–"), ("2 edge", "b", "`a`"), ("dev", "t", "anything")];

    fn texts(workspace: &Workspace, rows: &[(&str, &str, &str)]) -> Vec<String> {
        check(workspace, &table(rows)).into_iter().map(|problem| problem.text).collect()
    }

    #[test]
    fn edges_of_the_table_and_of_tests_pass() {
        let workspace = workspace(&[
            ("a", "crates/a", &[("t", Kind::Dev), ("serde", Kind::Normal)]),
            ("b", "crates/b", &[("a", Kind::Normal)]),
            ("t", "crates/t", &[("b", Kind::Normal)]),
        ]);
        assert_eq!(texts(&workspace, ROWS), Vec::<String>::new());
    }

    #[test]
    fn an_edge_that_is_not_listed_is_refused() {
        let workspace = workspace(&[
            ("a", "crates/a", &[("b", Kind::Build)]),
            ("b", "crates/b", &[("t", Kind::Normal)]),
            ("t", "crates/t", &[]),
        ]);
        let texts = texts(&workspace, ROWS);
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert!(texts[0].starts_with("a depends on b"));
        assert!(texts[1].starts_with("b links t"));
    }

    #[test]
    fn a_crate_without_a_row_and_a_row_without_a_crate_are_refused() {
        let workspace = workspace(&[("a", "crates/a", &[]), ("b", "crates/b", &[]), ("new", "crates/new", &[])]);
        let texts = texts(&workspace, ROWS);
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert!(texts[0].contains("lists t"));
        assert!(texts[1].contains("new has no row"));
    }

    #[test]
    fn the_table_itself_may_not_point_upward() {
        let workspace = workspace(&[("a", "crates/a", &[]), ("b", "crates/b", &[])]);
        let texts = texts(&workspace, &[("2 pure", "a", "`b`"), ("2 edge", "b", "–")]);
        assert_eq!(texts.len(), 1);
        assert!(texts[0].contains("lower layer"));
    }
}
