//! Links between the documents lead somewhere, and every page of the book can be reached from its index.
//!
//! Relative links and anchors only; what is outside of the tree is not asked.

use std::collections::BTreeSet;
use std::path::Path;

use crate::markdown;
use crate::report::Problem;
use crate::tree::{File, Tree};

/// The rule's name.
const RULE: &str = "links";
/// The index of the book.
const INDEX: &str = "docs/README.md";

/// Follows the links of every Markdown file.
pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.ending(".md") {
        for (line, link) in markdown::links(&file.text) {
            if let Some(text) = broken(tree, file, &link) {
                problems.push(Problem::at(RULE, &file.path, line, text));
            }
        }
    }
    problems.extend(unreachable(tree));
    problems
}

/// Why a link leads nowhere, if it does.
fn broken(tree: &Tree, file: &File, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = match path {
        "" => file.path.clone(),
        path => match resolve(&file.path, path) {
            Some(target) => target,
            None => return Some(format!("the link to {link} leaves the tree")),
        },
    };
    let folder = format!("{target}/");
    let Some(found) = tree.get(&target) else {
        let is_folder = tree.files.iter().any(|file| file.path.starts_with(&folder));
        return (!is_folder).then(|| format!("the link to {link} leads nowhere"));
    };
    let has_anchor = anchor.is_empty()
        || !is_markdown(&target)
        || markdown::headings(&found.text).iter().any(|heading| markdown::anchor(&heading.text) == anchor);
    (!has_anchor).then(|| format!("{target} has no heading #{anchor}"))
}

fn is_markdown(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|end| end == "md")
}

/// The path from the root that a relative link means; `None` when it leads out of the tree.
fn resolve(from: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    if link.starts_with('/') {
        parts.clear();
    }
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Pages under `docs/` to which no way leads from the index.
fn unreachable(tree: &Tree) -> Vec<Problem> {
    let mut seen = BTreeSet::from([INDEX.to_owned()]);
    let mut open = vec![INDEX.to_owned()];
    while let Some(path) = open.pop() {
        let text = tree.get(&path).map_or("", |file| file.text.as_str());
        for (_, link) in markdown::links(text) {
            let page = link.split('#').next().unwrap_or_default();
            if let Some(target) = resolve(&path, page)
                && seen.insert(target.clone())
            {
                open.push(target);
            }
        }
    }
    tree.ending(".md")
        .filter(|file| file.path.starts_with("docs/") && !seen.contains(&file.path))
        .map(|file| {
            let text = format!("cannot be reached from {INDEX}: add a link");
            Problem::whole(RULE, &file.path, text)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tree;

    #[test]
    fn links_that_lead_somewhere_pass() {
        let tree = tree(&[
            ("README.md", "[a](docs/a.md#one-two) [b](https://x.example/y) [c](docs) [d](#top)\n# Top\n"),
            ("docs/README.md", "[a](a.md)\n"),
            ("docs/a.md", "# One two\n[up](../README.md) [b](/docs/b/c.md)\n"),
            ("docs/b/c.md", "x\n"),
        ]);
        assert_eq!(check(&tree), []);
    }

    #[test]
    fn a_link_to_nothing_to_no_heading_or_out_of_the_tree_is_refused() {
        let tree = tree(&[("README.md", "[a](gone.md)\n[b](#gone)\n[c](../../x.md)\n")]);
        let lines: Vec<usize> = check(&tree).into_iter().map(|found| found.line).collect();
        assert_eq!(lines, [1, 2, 3]);
    }

    #[test]
    fn a_page_that_the_index_does_not_lead_to_is_refused() {
        let tree = tree(&[("docs/README.md", "x\n"), ("docs/lost.md", "x\n")]);
        let problems = check(&tree);
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].place, "docs/lost.md");
    }
}
