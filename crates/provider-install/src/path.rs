//! Relative paths that others wrote: in a descriptor, an index or an archive. None of them can lead out of its folder.

use std::fmt;
use std::path::{Path, PathBuf};

/// The longest path, in bytes; and the longest part of one, as file systems have it.
const PATH_LIMIT: usize = 1024;
const PART_LIMIT: usize = 255;

/// How many folders a path may go down.
const DEPTH_LIMIT: usize = 16;

/// A path of plain names: not absolute, without `.` and `..`, without characters that act on a terminal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct InnerPath(String);

/// What is wrong with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathFault {
    /// It is empty, or one of its parts is.
    #[error("it has an empty part")]
    Empty,
    /// It starts at the root, or on a drive.
    #[error("it is absolute")]
    Absolute,
    /// It goes up or stays.
    #[error("it has a part `.` or `..`")]
    Dots,
    /// A character that no name of a release needs: a control character, a backslash, a colon, or one that is not ASCII
    /// and reorders text.
    #[error("it has a character that is not allowed")]
    Character,
    /// It, or a part of it, is too long, or it goes down too far.
    #[error("it is too long")]
    Long,
}

impl InnerPath {
    /// Checks a path.
    pub(crate) fn new(text: &str) -> Result<Self, PathFault> {
        if text.starts_with('/') {
            return Err(PathFault::Absolute);
        }
        let parts: Vec<&str> = text.split('/').collect();
        if text.len() > PATH_LIMIT || parts.len() > DEPTH_LIMIT || parts.iter().any(|part| part.len() > PART_LIMIT) {
            return Err(PathFault::Long);
        }
        if parts.iter().any(|part| part.is_empty()) {
            return Err(PathFault::Empty);
        }
        if parts.iter().any(|part| matches!(*part, "." | "..")) {
            return Err(PathFault::Dots);
        }
        // A backslash and a colon separate paths and drives elsewhere.
        if text.chars().any(|c| c.is_control() || matches!(c, '\\' | ':') || !is_visible(c)) {
            return Err(PathFault::Character);
        }
        Ok(Self(text.to_owned()))
    }

    /// The same as an entry of an archive writes it: perhaps with `./` before it and `/` behind it. Nothing for the
    /// archive's own folder.
    pub(crate) fn of_entry(text: &str) -> Result<Option<Self>, PathFault> {
        let mut inner = text;
        while let Some(rest) = inner.strip_prefix("./") {
            inner = rest;
        }
        if inner.starts_with('/') {
            return Err(PathFault::Absolute);
        }
        let inner = inner.strip_suffix('/').unwrap_or(inner);
        if inner == "." || (inner.is_empty() && !text.is_empty()) {
            return Ok(None);
        }
        Self::new(inner).map(Some)
    }

    /// The text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Below a folder.
    pub(crate) fn under(&self, folder: &Path) -> PathBuf {
        folder.join(&self.0)
    }

    /// The folders that it lies in, the outermost first.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &str> {
        self.0.match_indices('/').map(|(at, _)| &self.0[..at])
    }

    /// What file systems that do not tell cases apart take it for.
    pub(crate) fn folded(&self) -> String {
        self.0.to_lowercase()
    }
}

/// Whether a character shows itself and moves nothing else: no invisible ones, and no marks that reorder text.
fn is_visible(c: char) -> bool {
    let acts = matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    !acts
}

impl fmt::Display for InnerPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_could_lead_out_of_its_folder_is_refused() {
        let fault = |text: &str| InnerPath::new(text).unwrap_err();
        for up in ["..", "../a", "a/../b", "a/..", "./a", "a/./b"] {
            assert_eq!(fault(up), PathFault::Dots, "{up}");
        }
        assert_eq!(fault("/etc/passwd"), PathFault::Absolute);
        for odd in ["a\\..\\b", "c:a", "a\0b", "a\nb", "a\u{202e}b", "a\u{7f}"] {
            assert_eq!(fault(odd), PathFault::Character, "{odd:?}");
        }
        for empty in ["", "a//b", "a/"] {
            assert_eq!(fault(empty), PathFault::Empty, "{empty:?}");
        }
        assert_eq!(fault(&"a/".repeat(20)), PathFault::Long);
        assert_eq!(fault(&"a".repeat(300)), PathFault::Long);
    }

    #[test]
    fn an_entry_is_named_as_tar_names_it() {
        let entry = |text: &str| InnerPath::of_entry(text).map(|path| path.map(|p| p.as_str().to_owned()));
        assert_eq!(entry("./bin/zorp"), Ok(Some("bin/zorp".to_owned())));
        assert_eq!(entry("bin/"), Ok(Some("bin".to_owned())));
        assert_eq!(entry("./"), Ok(None));
        assert_eq!(entry("."), Ok(None));
        assert_eq!(entry("/"), Err(PathFault::Absolute));
        assert_eq!(entry(""), Err(PathFault::Empty));
        assert_eq!(entry(".././a"), Err(PathFault::Dots));
        assert_eq!(entry(".//etc"), Err(PathFault::Absolute));
    }
}
