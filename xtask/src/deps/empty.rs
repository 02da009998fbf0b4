//! No crate is empty: a crate that does nothing is a promise that nobody keeps.
//!
//! Empty means no code in any file under `src/` besides attributes and an empty `main`.

use crate::report::Problem;
use crate::tree::Tree;
use crate::workspace::Workspace;

/// The rule's name.
const RULE: &str = "empty";

/// Looks into the sources of every crate.
pub(super) fn check(workspace: &Workspace, tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for member in workspace.members.values() {
        let start = format!("{}/src/", member.folder);
        let has_code =
            tree.rust().filter(|(file, _)| file.path.starts_with(&start)).any(|(_, rust)| says_something(&rust.code));
        if !has_code {
            let text = format!("{} holds no code", member.name);
            problems.push(Problem::whole(RULE, &member.folder, text));
        }
    }
    problems
}

fn says_something(code: &str) -> bool {
    let mut bare = code.to_owned();
    while let Some(start) = bare.find("#![") {
        let end = bare[start..].find(']').map_or(bare.len(), |at| start + at + 1);
        bare.replace_range(start..end, "");
    }
    let bare: String = bare.split_whitespace().collect();
    !bare.replace("fnmain(){}", "").is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tree;
    use crate::workspace::workspace;

    #[test]
    fn a_crate_of_comments_and_attributes_is_empty() {
        let workspace = workspace(&[("a", "crates/a", &[]), ("b", "crates/b", &[])]);
        let tree = tree(&[
            ("crates/a/src/lib.rs", "//! Says much.\n#![deny(x)]\n"),
            ("crates/b/src/main.rs", "//! Says much.\nfn main() {}\n"),
        ]);
        assert_eq!(check(&workspace, &tree).len(), 2);
    }

    #[test]
    fn a_crate_with_one_item_is_not_empty() {
        let workspace = workspace(&[("a", "crates/a", &[])]);
        let tree = tree(&[("crates/a/src/deep/x.rs", "//! x\npub fn f() {}\n")]);
        assert_eq!(check(&workspace, &tree), []);
    }
}
