//! Every crate takes the lints, the licence, the edition and the Rust version from the workspace.
//!
//! A crate that leaves one out is not covered by the lint table, or falls behind in silence.

use crate::manifest;
use crate::report::Problem;
use crate::workspace::Workspace;

/// The rule's name.
const RULE: &str = "inherit";

/// Section and key that must be `true` in every crate's manifest.
const KEYS: &[(&str, &str)] = &[
    ("lints", "workspace"),
    ("package", "license.workspace"),
    ("package", "rust-version.workspace"),
    ("package", "edition.workspace"),
    ("package", "publish.workspace"),
];

/// Checks every crate's manifest.
pub(super) fn check(workspace: &Workspace) -> Vec<Problem> {
    let mut problems = Vec::new();
    for member in workspace.members.values() {
        let manifest = manifest::read(&member.manifest);
        for (section, key) in KEYS {
            let value = manifest.get(*section).and_then(|keys| keys.get(*key));
            if value.map(String::as_str) != Some("true") {
                let place = format!("{}/Cargo.toml", member.folder);
                let text = format!("`{key} = true` is missing in [{section}]");
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

    const WHOLE: &str = "[package]\nlicense.workspace = true\nrust-version.workspace = true\nedition.workspace = true\npublish.workspace = true\n[lints]\nworkspace = true\n";

    fn problems_with(manifest: &str) -> Vec<Problem> {
        let mut workspace = workspace(&[("a", "crates/a", &[])]);
        for member in workspace.members.values_mut() {
            manifest.clone_into(&mut member.manifest);
        }
        check(&workspace)
    }

    #[test]
    fn a_manifest_that_inherits_everything_passes() {
        assert_eq!(problems_with(WHOLE), []);
    }

    #[test]
    fn each_missing_key_is_named() {
        let own =
            WHOLE.replace("license.workspace = true", "license = \"MIT\"").replace("[lints]\nworkspace = true\n", "");
        let problems = problems_with(&own);
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].text.contains("[lints]"));
        assert!(problems[1].text.contains("license.workspace"));
    }
}
