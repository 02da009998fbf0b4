//! Reading a desired state from files, directories and standard input.
//!
//! Reads bytes and nothing more: what a text means is the provider's to say. A directory stands for its `.sql` files in
//! the order of their names (by bytes); whatever else lies in it is reported, never skipped in silence. A link that
//! leaves the tree it was named in is refused, because what it leads to was never reviewed with the tree.

mod tree;

use std::io::Read;
use std::path::{Path, PathBuf};

use ptah_model::{Code, Diagnostic, SourceName};

/// The largest source, in bytes: what one message to a provider can hold, less a margin for its other fields.
pub const SOURCE_LIMIT: u64 = 63 * 1024 * 1024;

/// A source that cannot be read.
pub const UNREADABLE: Code = Code("source.unreadable");
/// A source that is not UTF-8 text.
pub const NOT_TEXT: Code = Code("source.not-text");
/// A source above [`SOURCE_LIMIT`].
pub const TOO_LARGE: Code = Code("source.too-large");
/// A link that leads out of the tree.
pub const LEAVES_TREE: Code = Code("source.leaves-tree");
/// A file in a directory that is no source.
pub const IGNORED: Code = Code("source.ignored");
/// No source was named, or none was found.
pub const NONE: Code = Code("source.none");

/// One text, with the name that people know it by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The path as it was given (within a directory: below it), or `<stdin>`.
    pub name: SourceName,
    /// The text, without a byte order mark.
    pub text: String,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// The texts in their order.
    pub sources: Vec<Source>,
    /// What was found and is no source.
    pub notes: Vec<Diagnostic>,
}

/// Reads every source, in the order given. `-` is standard input, which is taken from `stdin`. All findings at once.
pub fn read(paths: &[PathBuf], stdin: &mut dyn Read) -> Result<Sources, Vec<Diagnostic>> {
    let mut read = Sources::default();
    let mut findings = Vec::new();
    if paths.is_empty() {
        findings.push(Diagnostic::error(NONE, "no schema source is named").hint("name one with --schema-file"));
    }
    for path in paths {
        let outcome = if path.as_os_str() == "-" { read_stdin(stdin, &mut read) } else { read_path(path, &mut read) };
        if let Err(mut found) = outcome {
            findings.append(&mut found);
        }
    }
    if findings.is_empty() { Ok(read) } else { Err(findings) }
}

fn read_path(path: &Path, into: &mut Sources) -> Result<(), Vec<Diagnostic>> {
    let metadata = std::fs::metadata(path).map_err(|e| vec![unreadable(path, &e)])?;
    if !metadata.is_dir() {
        into.sources.push(read_file(path, &shown(path)).map_err(|d| vec![d])?);
        return Ok(());
    }
    let found = tree::list(path)?;
    if found.sources.is_empty() {
        let finding = Diagnostic::error(NONE, format!("the directory {} holds no .sql file", shown(path)));
        return Err(vec![finding.hint("name a directory with .sql files in it, or a file")]);
    }
    let mut findings = Vec::new();
    for file in &found.sources {
        match read_file(file, &shown(file)) {
            Ok(source) => into.sources.push(source),
            Err(finding) => findings.push(finding),
        }
    }
    into.notes.extend(found.notes);
    if findings.is_empty() { Ok(()) } else { Err(findings) }
}

fn read_file(path: &Path, name: &str) -> Result<Source, Diagnostic> {
    let file = std::fs::File::open(path).map_err(|e| unreadable(path, &e))?;
    read_text(file, name)
}

fn read_stdin(stdin: &mut dyn Read, into: &mut Sources) -> Result<(), Vec<Diagnostic>> {
    into.sources.push(read_text(stdin, "<stdin>").map_err(|d| vec![d])?);
    Ok(())
}

/// Reads at most one byte more than the limit, so that an endless input ends.
fn read_text(from: impl Read, name: &str) -> Result<Source, Diagnostic> {
    let mut bytes = Vec::new();
    from.take(SOURCE_LIMIT + 1).read_to_end(&mut bytes).map_err(|e| unreadable(Path::new(name), &e))?;
    if bytes.len() as u64 > SOURCE_LIMIT {
        let summary = format!("{name} has more than {SOURCE_LIMIT} bytes");
        return Err(Diagnostic::error(TOO_LARGE, summary).hint("split it into several files in one directory"));
    }
    let text = String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let line = e.as_bytes()[..at].split(|b| *b == b'\n').count();
        let summary = format!("{name}:{line}: not UTF-8 text (at byte {at})");
        Diagnostic::error(NOT_TEXT, summary).hint("save it as UTF-8")
    })?;
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    Ok(Source { name: SourceName::new(name), text })
}

fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    let why = match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file or directory",
        std::io::ErrorKind::PermissionDenied => "permission denied",
        std::io::ErrorKind::IsADirectory => "it is a directory",
        _ => "it cannot be read",
    };
    Diagnostic::error(UNREADABLE, format!("{}: {why}", shown(path))).hint("check the path and its permissions")
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests;
