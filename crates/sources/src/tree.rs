//! What a directory holds: its sources in the order of their names, and a note for everything else.

use std::path::{Path, PathBuf};

use ptah_model::Diagnostic;

use crate::{IGNORED, LEAVES_TREE, shown, unreadable};

/// The sources of a directory, and what is none.
pub(crate) struct Listed {
    pub(crate) sources: Vec<PathBuf>,
    pub(crate) notes: Vec<Diagnostic>,
}

/// Lists a directory, without what lies in directories below it.
pub(crate) fn list(directory: &Path) -> Result<Listed, Vec<Diagnostic>> {
    let root = directory.canonicalize().map_err(|e| vec![unreadable(directory, &e)])?;
    let entries = std::fs::read_dir(directory).map_err(|e| vec![unreadable(directory, &e)])?;
    let mut paths = entries
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|e| vec![unreadable(directory, &e)])?;
    paths.sort();
    let mut listed = Listed { sources: Vec::new(), notes: Vec::new() };
    let mut findings = Vec::new();
    for path in paths {
        match judge(&root, &path) {
            Ok(None) => listed.sources.push(path),
            Ok(Some(note)) => listed.notes.push(note),
            Err(finding) => findings.push(finding),
        }
    }
    if findings.is_empty() { Ok(listed) } else { Err(findings) }
}

/// A source, something else (with the note that says so), or something that must not be there.
fn judge(root: &Path, path: &Path) -> Result<Option<Diagnostic>, Diagnostic> {
    let real = path.canonicalize().map_err(|e| unreadable(path, &e))?;
    if !real.starts_with(root) {
        let summary = format!("{} is a link that leads out of {}", shown(path), shown(root));
        return Err(Diagnostic::error(LEAVES_TREE, summary).hint("put the file itself there, or name it on its own"));
    }
    if real.is_dir() {
        let summary = format!("{} is a directory and was not read", shown(path));
        return Ok(Some(Diagnostic::note(IGNORED, summary).hint("name it with its own --schema-file to read it")));
    }
    let sql = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("sql"));
    let ignored = || Diagnostic::note(IGNORED, format!("{} is not a .sql file and was not read", shown(path)));
    Ok((!sql).then(ignored))
}
