//! The files of the project, read once, as plain values for the rules.
//!
//! What git tracks or would track; without git, everything outside `target` and hidden folders. Files that are not
//! text are left out. No rule opens a file itself.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::rust::Rust;

/// One text file.
#[derive(Debug)]
pub(crate) struct File {
    /// Path from the root, with `/`.
    pub(crate) path: String,
    /// The whole text.
    pub(crate) text: String,
    /// The text seen as Rust; `None` for every other kind of file.
    pub(crate) rust: Option<Rust>,
    /// Whether the whole file is test code: under `tests/` or `benches/`, `tests.rs`, or a module that its parent
    /// declares under `#[cfg(test)]`.
    pub(crate) is_test: bool,
}

/// All text files, in the order of their paths.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The files.
    pub(crate) files: Vec<File>,
}

impl Tree {
    /// Reads the tree under `root`.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let paths = match tracked(root) {
            Some(paths) => paths,
            None => walked(root)?,
        };
        let mut texts = Vec::new();
        for path in paths {
            let full = root.join(&path);
            // A link is somebody else's file, and a file that git still lists may be gone.
            if full.is_symlink() || !full.is_file() {
                continue;
            }
            let bytes = std::fs::read(&full).with_context(|| format!("cannot read {}", full.display()))?;
            if let Ok(text) = String::from_utf8(bytes) {
                texts.push((path, text));
            }
        }
        Ok(Self::of(texts))
    }

    /// A tree of the given paths and texts.
    pub(crate) fn of(texts: Vec<(String, String)>) -> Self {
        let mut files: Vec<File> = texts
            .into_iter()
            .map(|(path, text)| {
                let rust = is_rust(&path).then(|| Rust::read(&text));
                let is_test = is_test_path(&path);
                File { path, text, rust, is_test }
            })
            .collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        mark_test_modules(&mut files);
        Self { files }
    }

    /// The Rust files, each with its reading.
    pub(crate) fn rust(&self) -> impl Iterator<Item = (&File, &Rust)> {
        self.files.iter().filter_map(|file| file.rust.as_ref().map(|rust| (file, rust)))
    }

    /// The file at exactly this path.
    pub(crate) fn get(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// The files whose name has this ending, dot included.
    pub(crate) fn ending<'a>(&'a self, ending: &'a str) -> impl Iterator<Item = &'a File> {
        self.files.iter().filter(move |file| file.path.ends_with(ending))
    }
}

fn is_rust(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|end| end == "rs")
}

fn is_test_path(path: &str) -> bool {
    let mut parts: Vec<&str> = path.split('/').collect();
    let name = parts.pop().unwrap_or_default();
    name == "tests.rs" || parts.iter().any(|part| matches!(*part, "tests" | "benches"))
}

/// Marks the files of modules that are declared as `#[cfg(test)] mod name;`.
fn mark_test_modules(files: &mut [File]) {
    let mut roots = BTreeSet::new();
    for file in &*files {
        let Some(rust) = &file.rust else { continue };
        for module in &rust.test_modules {
            roots.insert(format!("{}/{module}", module_folder(&file.path)));
        }
    }
    for file in files {
        let inside = |root: &String| file.path == format!("{root}.rs") || file.path.starts_with(&format!("{root}/"));
        if roots.iter().any(inside) {
            file.is_test = true;
        }
    }
}

/// The folder in which the modules that this file declares are looked for.
fn module_folder(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match name {
        "lib.rs" | "main.rs" | "mod.rs" => folder.to_owned(),
        _ => path.trim_end_matches(".rs").to_owned(),
    }
}

/// What git tracks or would track; `None` where git is missing or this is no repository.
fn tracked(root: &Path) -> Option<Vec<String>> {
    let answer = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .ok()
        .filter(|answer| answer.status.success())?;
    let text = String::from_utf8(answer.stdout).ok()?;
    let paths: BTreeSet<String> = text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    Some(paths.into_iter().collect())
}

/// Every file under `root` but those in `target` and in `.git`.
fn walked(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let full = root.join(&folder);
        let entries = std::fs::read_dir(&full).with_context(|| format!("cannot list {}", full.display()))?;
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = match folder.as_str() {
                "" => name.clone(),
                folder => format!("{folder}/{name}"),
            };
            let kind = entry.file_type()?;
            if kind.is_dir() && name != "target" && name != ".git" {
                folders.push(path);
            } else if kind.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A tree for a test of a rule: paths and texts.
#[cfg(test)]
pub(crate) fn tree(files: &[(&str, &str)]) -> Tree {
    Tree::of(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_declared_under_cfg_test_is_a_test_file() {
        let tree = tree(&[
            ("c/src/lib.rs", "//! x\n#[cfg(test)]\nmod support;\nmod real;\n"),
            ("c/src/support.rs", "//! x\n"),
            ("c/src/support/deep.rs", "//! x\n"),
            ("c/src/real.rs", "//! x\n#[cfg(test)]\nmod inner;\n"),
            ("c/src/real/inner.rs", "//! x\n"),
        ]);
        let tests: Vec<&str> = tree.files.iter().filter(|file| file.is_test).map(|file| file.path.as_str()).collect();
        assert_eq!(tests, ["c/src/real/inner.rs", "c/src/support.rs", "c/src/support/deep.rs"]);
    }

    #[test]
    fn a_folder_without_git_is_walked_and_target_is_left_out() -> Result<()> {
        let folder = tempfile::tempdir()?;
        std::fs::create_dir_all(folder.path().join("target/debug"))?;
        std::fs::create_dir_all(folder.path().join("src"))?;
        std::fs::write(folder.path().join("target/debug/x.rs"), "x")?;
        std::fs::write(folder.path().join("src/x.rs"), "//! x\n")?;
        std::fs::write(folder.path().join("picture"), [0xff, 0xfe])?;
        let tree = Tree::read(folder.path())?;
        let paths: Vec<&str> = tree.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["src/x.rs"]);
        Ok(())
    }
}
