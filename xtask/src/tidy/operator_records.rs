//! The page about the records of a mutation lists every field of both families' statuses, once, and no other.
//!
//! The definitions in `deploy/crds/` are the ones of the code (a test of that crate compares them), so the page is
//! compared with them: no Kubernetes crate has to be built for that.

use std::collections::BTreeMap;

use crate::markdown;
use crate::report::Problem;
use crate::tree::Tree;

/// The rule's name.
const RULE: &str = "operator_records";
/// The page.
const PAGE: &str = "docs/operator/mutation-lifecycle.md";
/// Each family: the column of the page, and the definition.
const FAMILIES: &[(&str, &str)] =
    &[("`PtahSchema`", "deploy/crds/ptahschemas.yaml"), ("`PtahMigration`", "deploy/crds/ptahmigrations.yaml")];
/// Where the fields of a status are in a definition.
const STATUS: &[&str] = &["openAPIV3Schema", "properties", "status", "properties"];

/// Compares the page with the definitions.
pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (column, definition) in FAMILIES {
        let Some(definition) = tree.get(definition) else { continue };
        let Some(page) = tree.get(PAGE) else {
            problems.push(Problem::whole(RULE, PAGE, "the page is missing"));
            continue;
        };
        let listed = listed(&page.text, column);
        let fields = fields(&definition.text);
        for field in &fields {
            let lines = listed.get(field).map_or(0, Vec::len);
            if lines != 1 {
                let text = format!("{column} keeps status.{field}, which stands in {lines} rows, not in one");
                problems.push(Problem::whole(RULE, PAGE, text));
            }
        }
        for (field, lines) in listed.iter().filter(|(field, _)| !fields.contains(field)) {
            let text = format!("no status of {column} has the field {field}");
            problems.push(Problem::at(RULE, PAGE, lines.first().copied().unwrap_or(1), text));
        }
    }
    problems
}

/// The fields in a column of the page's tables, each with the lines of its rows.
fn listed(page: &str, column: &str) -> BTreeMap<String, Vec<usize>> {
    let mut found: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut at = None;
    for (line, words) in markdown::prose(page) {
        let cells: Vec<&str> = words.trim_matches('|').split('|').map(str::trim).collect();
        if !words.starts_with('|') {
            at = None;
        } else if let Some(place) = cells.iter().position(|cell| *cell == column) {
            at = Some(place);
        } else if let Some(cell) = at.and_then(|place| cells.get(place)) {
            for field in cell.split('`').filter_map(|code| code.strip_prefix("status.")) {
                found.entry(field.to_owned()).or_default().push(line);
            }
        }
    }
    found
}

/// The fields of the status in a definition, as our own writer indents it.
fn fields(definition: &str) -> Vec<String> {
    let mut path: Vec<(usize, &str)> = Vec::new();
    let mut found = Vec::new();
    for line in definition.lines() {
        let words = line.trim_start_matches([' ', '-']);
        let indent = line.len() - words.len();
        let Some(key) = words.split(':').next().filter(|key| key.len() < words.len()) else { continue };
        path.retain(|(outer, _)| *outer < indent);
        let names: Vec<&str> = path.iter().map(|(_, name)| *name).collect();
        if names.ends_with(STATUS) {
            found.push(key.to_owned());
        }
        path.push((indent, key));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFINITION: &str = "\
spec:
  versions:
    - name: v1
      schema:
        openAPIV3Schema:
          properties:
            spec:
              properties:
                other:
                  type: string
            status:
              description: \"a: b\"
              properties:
                claim:
                  properties:
                    inner:
                      type: string
                phase:
                  type: string
              type: object
";

    fn tree(page: &str) -> Tree {
        Tree::of(vec![(PAGE.to_owned(), page.to_owned()), (FAMILIES[0].1.to_owned(), DEFINITION.to_owned())])
    }

    #[test]
    fn a_page_that_lists_each_field_once_passes() {
        let page = "| What | `PtahSchema` |\n|---|---|\n| a | `status.claim` |\n\nword\n\n| `PtahSchema` | b |\n|---|---|\n\
                    | `status.phase` | c |\n";
        assert_eq!(check(&tree(page)), []);
    }

    #[test]
    fn a_field_that_is_missing_listed_twice_or_not_there_is_told() {
        let page =
            "| What | `PtahSchema` |\n|---|---|\n| a | `status.claim` |\n| b | `status.claim`, `status.gone` |\n";
        let texts: Vec<String> = check(&tree(page)).into_iter().map(|problem| problem.text).collect();
        assert_eq!(
            texts,
            [
                "`PtahSchema` keeps status.claim, which stands in 2 rows, not in one",
                "`PtahSchema` keeps status.phase, which stands in 0 rows, not in one",
                "no status of `PtahSchema` has the field gone",
            ]
        );
    }

    #[test]
    fn a_definition_without_a_page_is_told() {
        let tree = Tree::of(vec![(FAMILIES[0].1.to_owned(), DEFINITION.to_owned())]);
        assert_eq!(check(&tree).len(), 1);
    }
}
