//! The table of crates in `ARCHITECTURE.md`, under `## Crates and edges`, as values.
//!
//! The document is the source: a person reads the same table as the machine. Columns: layer (`1 pure`, `3 edge`,
//! `6 bin`, `dev`), crate, purpose, and what it may depend on (names in backticks, `–`, or `anything`).

use std::collections::{BTreeMap, BTreeSet};

use crate::markdown;
use crate::report::Problem;
use crate::tree::Tree;

/// The rule's name.
const RULE: &str = "table";
/// Where the table stands.
pub(super) const FILE: &str = "ARCHITECTURE.md";
/// The heading above it.
const HEADING: &str = "Crates and edges";

/// Where a crate stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layer {
    /// Decides, and touches nothing; the number is the height.
    Pure(u8),
    /// Touches the world; the number is the height.
    Edge(u8),
    /// An executable; the number is the height.
    Bin(u8),
    /// Development only: may see anything, and nothing but tests may see it.
    Dev,
}

impl Layer {
    /// The height; `None` for development crates, which stand outside of the layers.
    pub(super) fn height(self) -> Option<u8> {
        match self {
            Self::Pure(height) | Self::Edge(height) | Self::Bin(height) => Some(height),
            Self::Dev => None,
        }
    }

    fn parse(cell: &str) -> Option<Self> {
        if cell == "dev" {
            return Some(Self::Dev);
        }
        let (height, word) = cell.split_once(' ')?;
        let height = height.parse().ok()?;
        match word {
            "pure" => Some(Self::Pure(height)),
            "edge" => Some(Self::Edge(height)),
            "bin" => Some(Self::Bin(height)),
            _ => None,
        }
    }
}

/// One row.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// Line in the document.
    pub(super) line: usize,
    /// Where the crate stands.
    pub(super) layer: Layer,
    /// The crates of the workspace that it may depend on; `None` means anything.
    pub(super) may: Option<BTreeSet<String>>,
}

/// The rows by crate.
pub(super) type Table = BTreeMap<String, Row>;

/// The table of the document, and what is wrong with it.
pub(super) fn read(tree: &Tree) -> (Table, Vec<Problem>) {
    let mut table = Table::new();
    let rows = tree.get(FILE).and_then(|file| markdown::table_under(&file.text, HEADING));
    let Some(rows) = rows else {
        let text = format!("has no table under `## {HEADING}`");
        return (table, vec![Problem::whole(RULE, FILE, text)]);
    };
    let mut problems = Vec::new();
    for (line, cells) in rows {
        match row(line, &cells) {
            Some((name, row)) => {
                if table.insert(name.clone(), row).is_some() {
                    let text = format!("{name} has two rows");
                    problems.push(Problem::at(RULE, FILE, line, text));
                }
            }
            None => problems.push(Problem::at(
                RULE,
                FILE,
                line,
                "is no row of: layer, `crate`, purpose, what it may depend on",
            )),
        }
    }
    (table, problems)
}

fn row(line: usize, cells: &[String]) -> Option<(String, Row)> {
    let [layer, name, _purpose, may] = cells else {
        return None;
    };
    let name = name.strip_prefix('`')?.strip_suffix('`')?.to_owned();
    let may = match may.as_str() {
        "anything" => None,
        "–" => Some(BTreeSet::new()),
        names => Some(
            names
                .split(',')
                .map(|name| {
                    let name = name.trim().strip_prefix('`')?.strip_suffix('`')?;
                    Some(name.to_owned())
                })
                .collect::<Option<BTreeSet<String>>>()?,
        ),
    };
    let layer = Layer::parse(layer)?;
    Some((name, Row { line, layer, may }))
}

/// A table for a test of a rule: layer, crate, what it may depend on.
#[cfg(test)]
pub(super) fn table(rows: &[(&str, &str, &str)]) -> Table {
    rows.iter()
        .filter_map(|(layer, name, may)| {
            let cells = [layer, &format!("`{name}`")[..], "x", may].map(str::to_owned);
            row(1, &cells)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tree;

    const TABLE: &str = "## Crates and edges\n\n| Layer | Crate | Purpose | May depend on |\n|---|---|---|---|\n| 1 pure | `a` | x | – |\n| 2 edge | `b` | x | `a` |\n| dev | `t` | x | anything |\n";

    #[test]
    fn rows_are_read_with_their_layers_and_edges() {
        let (table, problems) = read(&tree(&[(FILE, TABLE)]));
        assert_eq!(problems, []);
        assert_eq!(table["a"].layer, Layer::Pure(1));
        assert_eq!(table["b"].may, Some(BTreeSet::from(["a".to_owned()])));
        assert_eq!(table["t"].may, None);
    }

    #[test]
    fn a_document_without_the_table_is_a_problem() {
        let (_, problems) = read(&tree(&[(FILE, "# Architecture\n")]));
        assert_eq!(problems.len(), 1);
    }

    #[test]
    fn a_row_that_cannot_be_read_and_a_second_row_are_problems() {
        let text = format!("{TABLE}| 1 odd | `c` | x | – |\n| 1 pure | `a` | x | – |\n");
        let (_, problems) = read(&tree(&[(FILE, &text)]));
        let lines: Vec<usize> = problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [8, 9]);
    }
}
