//! `xtask new-provider NAME [FOLDER]`: a crate that is a whole provider, to be made another one piece by piece.
//!
//! It lies anywhere and depends on this checkout by path. What it is made from is `xtask/template/`; a test builds it and
//! holds it against the conformance suite.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

/// Where each file goes, and what it is made from.
const FILES: &[(&str, &str)] = &[
    ("Cargo.toml", include_str!("../template/Cargo.toml.txt")),
    ("README.md", include_str!("../template/README.md")),
    ("src/main.rs", include_str!("../template/src/main.rs")),
    ("src/language.rs", include_str!("../template/src/language.rs")),
    ("src/plan.rs", include_str!("../template/src/plan.rs")),
    ("src/reading.rs", include_str!("../template/src/reading.rs")),
    ("src/records.rs", include_str!("../template/src/records.rs")),
    ("src/session.rs", include_str!("../template/src/session.rs")),
    ("src/store.rs", include_str!("../template/src/store.rs")),
];

/// Writes the crate, and answers where. Nothing that is there is written over.
pub(crate) fn write(root: &Path, name: &str, folder: Option<&str>) -> Result<PathBuf> {
    ensure!(is_name(name), "a provider's name has 1 to 32 of `a-z`, `0-9` and `-`, and begins with a letter");
    let folder = folder.map_or_else(|| PathBuf::from(format!("ptah-provider-{name}")), PathBuf::from);
    std::fs::create_dir_all(folder.join("src")).with_context(|| format!("cannot make {}", folder.display()))?;
    for (path, text) in FILES {
        let path = folder.join(path);
        ensure!(!path.exists(), "{} is there already", path.display());
        let text = text.replace("{{name}}", name).replace("{{root}}", &root.display().to_string());
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    // The same versions as here, so that nothing has to be fetched that was not fetched for Ptah.
    std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).context("cannot copy Cargo.lock")?;
    Ok(folder)
}

fn is_name(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    text.len() <= 32 && text.starts_with(|c: char| c.is_ascii_lowercase()) && text.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_could_be_no_engine_is_refused() {
        for wrong in ["", "Notes", "9p", "a b", "-a", "ä", "../x"] {
            assert!(write(Path::new("/nowhere"), wrong, None).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_scaffold_has_its_name_everywhere_and_writes_over_nothing() -> Result<()> {
        let (root, place) = (tempfile::tempdir()?, tempfile::tempdir()?);
        std::fs::write(root.path().join("Cargo.lock"), "")?;
        let folder = place.path().join("notes");
        let folder = folder.to_str().context("no text")?;
        write(root.path(), "notes", Some(folder))?;
        for (path, _) in FILES {
            let text = std::fs::read_to_string(Path::new(folder).join(path))?;
            assert!(!text.contains("{{"), "{path} has a place without a value");
        }
        let main = std::fs::read_to_string(Path::new(folder).join("src/main.rs"))?;
        assert!(main.contains("const ENGINE: &str = \"notes\";"));
        assert!(write(root.path(), "notes", Some(folder)).is_err(), "it is there already");
        Ok(())
    }
}
