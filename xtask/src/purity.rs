//! The pure crates, and the `clippy.toml` that keeps them so.
//!
//! Clippy reads the nearest `clippy.toml` only, so each pure crate's holds the root's entries and the purity list.
//! `write` makes those files; `tidy/purity.rs` compares them; the test below shows that clippy then refuses each effect.

use std::path::Path;

use anyhow::{Context, Result};

/// The folders of the pure crates. `deps` compares with the table in the architecture page what they may see.
pub(crate) const PURE: &[&str] = &[
    "crates/apply",
    "crates/diff",
    "crates/lifecycle",
    "crates/lint",
    "crates/model",
    "crates/plan",
    "crates/provider-api",
    "crates/reconcile",
    "crates/records",
];
/// The configuration of every other crate.
pub(crate) const ROOT: &str = "clippy.toml";
/// What a pure crate may not touch.
pub(crate) const LIST: &str = "xtask/purity/clippy.toml";

/// Writes the `clippy.toml` of every pure crate that is there, and says how many.
pub(crate) fn write(root: &Path) -> Result<usize> {
    let text = text(root)?;
    let mut written = 0;
    for folder in PURE {
        let folder = root.join(folder);
        if folder.is_dir() {
            let path = folder.join("clippy.toml");
            std::fs::write(&path, &text).with_context(|| format!("cannot write {}", path.display()))?;
            written += 1;
        }
    }
    Ok(written)
}

/// The configuration of a pure crate: the root's, then the list.
fn text(root: &Path) -> Result<String> {
    let read = |path: &str| std::fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"));
    Ok(format!("{}\n\n{}", read(ROOT)?.trim_end(), read(LIST)?))
}

#[cfg(test)]
mod tests;
