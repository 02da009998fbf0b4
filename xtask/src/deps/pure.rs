//! A pure crate depends on pure crates and on a short list of value crates, and on nothing else.
//!
//! This is the half of purity that manifests can show; `clippy.toml` (see `tidy/purity.rs`) is the other. Tests of a
//! pure crate stay pure too: they may add the property and snapshot libraries, not a runtime and not the test kit.

use super::table::{FILE, Layer, Table};
use crate::purity::PURE;
use crate::report::Problem;
use crate::workspace::{Edge, Kind, Member, Workspace};

/// The rule's name.
const RULE: &str = "pure";

/// Value crates that any pure crate may link: they compute, and hold no clock, file, network or environment.
const VALUES: &[&str] = &["hex", "sha2", "thiserror"];

/// What only one pure crate may link: `records` is where documents are written and read.
/// `schemars` computes schemas: docs/decisions/0021-records-carry-their-schema.md.
const VALUES_OF: &[(&str, &str)] =
    &[("ptah-records", "serde"), ("ptah-records", "serde_json"), ("ptah-records", "schemars")];

/// What the tests of a pure crate may link as well.
const TEST_LIBRARIES: &[&str] = &["insta", "proptest", "serde_json"];

/// Checks every crate that the table calls pure.
pub(super) fn check(workspace: &Workspace, table: &Table) -> Vec<Problem> {
    let is_pure = |name: &str| table.get(name).is_some_and(|row| matches!(row.layer, Layer::Pure(_)));
    let mut problems = Vec::new();
    for member in workspace.members.values() {
        if is_pure(&member.name) != PURE.contains(&member.folder.as_str()) {
            let text =
                format!("{} is pure either in the table of {FILE} or in xtask/src/purity.rs, not in both", member.name);
            problems.push(Problem::whole(RULE, &member.folder, text));
        }
        if !is_pure(&member.name) {
            continue;
        }
        for edge in &member.edges {
            if !is_pure(&edge.to) && !is_value(member, edge) {
                let place = format!("{}/Cargo.toml", member.folder);
                let what = match edge.kind {
                    Kind::Dev => "the tests of the pure crate",
                    Kind::Normal | Kind::Build => "the pure crate",
                };
                let text = format!("{what} {} may not depend on {}", member.name, edge.to);
                problems.push(Problem::whole(RULE, &place, text));
            }
        }
    }
    problems
}

fn is_value(member: &Member, edge: &Edge) -> bool {
    let to = edge.to.as_str();
    let linked = VALUES.contains(&to) || VALUES_OF.contains(&(member.name.as_str(), to));
    match edge.kind {
        Kind::Normal => linked,
        Kind::Dev => linked || TEST_LIBRARIES.contains(&to),
        // A build script reads files and the environment: no pure crate has one.
        Kind::Build => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::table;
    use super::*;
    use crate::workspace::workspace;

    const ROWS: &[(&str, &str, &str)] = &[
        ("1 pure", "ptah-model", "–"),
        ("2 pure", "ptah-records", "`ptah-model`"),
        ("3 edge", "ptah-sources", "`ptah-model`"),
        ("dev", "ptah-testkit", "anything"),
    ];

    #[test]
    fn values_pure_crates_and_test_libraries_pass() {
        let workspace = workspace(&[
            (
                "ptah-records",
                "crates/records",
                &[("ptah-model", Kind::Normal), ("serde_json", Kind::Normal), ("insta", Kind::Dev)],
            ),
            ("ptah-model", "crates/model", &[("sha2", Kind::Normal)]),
            ("ptah-sources", "crates/sources", &[("tokio", Kind::Normal)]),
        ]);
        assert_eq!(check(&workspace, &table(ROWS)), []);
    }

    #[test]
    fn anything_else_under_a_pure_crate_is_refused() {
        let workspace = workspace(&[(
            "ptah-model",
            "crates/model",
            &[
                ("tokio", Kind::Normal),
                ("serde", Kind::Normal),
                ("ptah-sources", Kind::Normal),
                ("ptah-testkit", Kind::Dev),
                ("sha2", Kind::Build),
            ],
        )]);
        let problems = check(&workspace, &table(ROWS));
        assert_eq!(problems.len(), 5, "{problems:?}");
    }

    #[test]
    fn the_table_and_the_list_of_configurations_must_agree() {
        let workspace = workspace(&[("ptah-model", "crates/elsewhere", &[]), ("ptah-sources", "crates/model", &[])]);
        assert_eq!(check(&workspace, &table(ROWS)).len(), 2);
    }
}
