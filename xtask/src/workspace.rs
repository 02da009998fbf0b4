//! The crates of the workspace and what they depend on, as cargo itself says, plus what the lock file says of others.
//!
//! `cargo metadata --no-deps` needs no network and no resolved graph; the lock file has the rest, for every platform.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// Why a crate depends on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Linked into the crate.
    Normal,
    /// Linked into its build script.
    Build,
    /// Linked into its tests only.
    Dev,
}

/// One edge of one crate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The package's name, not a rename.
    pub(crate) to: String,
    /// What for.
    pub(crate) kind: Kind,
}

/// One crate of the workspace.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    /// The package's name.
    pub(crate) name: String,
    /// Folder from the root, with `/`.
    pub(crate) folder: String,
    /// The text of its `Cargo.toml`.
    pub(crate) manifest: String,
    /// Its dependencies, ours and others'.
    pub(crate) edges: Vec<Edge>,
}

/// All crates of the workspace, and the packages of the lock file.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    /// The crates, by name.
    pub(crate) members: BTreeMap<String, Member>,
    /// The lock file: a package's name to the names that it needs. Versions of one name are taken together.
    pub(crate) locked: BTreeMap<String, BTreeSet<String>>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    kind: Option<String>,
}

impl Workspace {
    /// Asks cargo, and reads the manifests and the lock file.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let answer = Command::new(cargo)
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .current_dir(root)
            .output()
            .context("cannot start cargo")?;
        ensure!(answer.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&answer.stderr));
        let metadata: Metadata = serde_json::from_slice(&answer.stdout).context("cannot read cargo's answer")?;
        let root = root.canonicalize()?;
        let mut members = BTreeMap::new();
        for package in metadata.packages {
            let member = member(&root, package)?;
            members.insert(member.name.clone(), member);
        }
        let lock = std::fs::read_to_string(root.join("Cargo.lock")).unwrap_or_default();
        Ok(Self { members, locked: locked(&lock) })
    }

    /// Everything that is linked when this crate is: its own normal and build edges, then theirs, and for crates of
    /// others all that the lock file names. Each name comes with the name that asked for it.
    pub(crate) fn linked(&self, name: &str) -> BTreeMap<String, String> {
        let mut found: BTreeMap<String, String> = BTreeMap::new();
        let mut open = vec![name.to_owned()];
        while let Some(from) = open.pop() {
            for to in self.needs(&from) {
                if to != name && !found.contains_key(&to) {
                    found.insert(to.clone(), from.clone());
                    open.push(to);
                }
            }
        }
        found
    }

    fn needs(&self, name: &str) -> Vec<String> {
        match self.members.get(name) {
            Some(member) => {
                member.edges.iter().filter(|edge| edge.kind != Kind::Dev).map(|edge| edge.to.clone()).collect()
            }
            None => self.locked.get(name).map(|names| names.iter().cloned().collect()).unwrap_or_default(),
        }
    }
}

fn member(root: &Path, package: Package) -> Result<Member> {
    let path = Path::new(&package.manifest_path);
    let folder = path
        .parent()
        .and_then(|folder| folder.strip_prefix(root).ok())
        .with_context(|| format!("{} lies outside of the workspace", package.name))?;
    let edges = package
        .dependencies
        .into_iter()
        .map(|dependency| Edge {
            to: dependency.name,
            kind: match dependency.kind.as_deref() {
                Some("dev") => Kind::Dev,
                Some("build") => Kind::Build,
                _ => Kind::Normal,
            },
        })
        .collect();
    Ok(Member {
        name: package.name,
        folder: folder.to_string_lossy().replace('\\', "/"),
        manifest: std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?,
        edges,
    })
}

/// The packages of a lock file and the names that each needs.
fn locked(lock: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut packages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut name = String::new();
    for line in lock.lines() {
        if let Some(value) = line.strip_prefix("name = ") {
            value.trim_matches('"').clone_into(&mut name);
            packages.entry(name.clone()).or_default();
        } else if let Some(entry) = line.strip_prefix(" \"") {
            // An entry is `name` or, where two versions are locked, `name version`.
            let to = entry.split(['"', ' ']).next().unwrap_or_default();
            packages.entry(name.clone()).or_default().insert(to.to_owned());
        }
    }
    packages
}

/// A crate for a test: name, folder, and edges as `(to, kind)`.
#[cfg(test)]
type NewMember<'a> = (&'a str, &'a str, &'a [(&'a str, Kind)]);

/// A workspace for a test of a rule.
#[cfg(test)]
pub(crate) fn workspace(members: &[NewMember<'_>]) -> Workspace {
    let members = members.iter().map(|(name, folder, edges)| {
        let member = Member {
            name: (*name).to_owned(),
            folder: (*folder).to_owned(),
            manifest: String::new(),
            edges: edges.iter().map(|(to, kind)| Edge { to: (*to).to_owned(), kind: *kind }).collect(),
        };
        (member.name.clone(), member)
    });
    Workspace { members: members.collect(), locked: BTreeMap::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "[[package]]\nname = \"a\"\nversion = \"1\"\ndependencies = [\n \"b\",\n \"c 0.2.0\",\n]\n\n[[package]]\nname = \"b\"\n";

    #[test]
    fn a_lock_file_says_who_needs_whom() {
        let packages = locked(LOCK);
        assert_eq!(packages["a"].iter().collect::<Vec<_>>(), ["b", "c"]);
        assert!(packages["b"].is_empty());
    }

    #[test]
    fn what_is_linked_follows_the_lock_file_and_leaves_tests_out() {
        let mut workspace = workspace(&[
            ("top", "bins/top", &[("a", Kind::Normal), ("t", Kind::Dev)]),
            ("t", "crates/t", &[("z", Kind::Normal)]),
        ]);
        workspace.locked = locked(LOCK);
        let linked = workspace.linked("top");
        assert_eq!(linked.keys().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(linked["b"], "a");
    }

    #[test]
    fn cargo_is_asked_about_this_workspace() -> Result<()> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("no parent")?;
        let workspace = Workspace::read(root)?;
        assert_eq!(workspace.members["xtask"].folder, "xtask");
        assert!(workspace.locked.contains_key("anyhow"));
        Ok(())
    }
}
