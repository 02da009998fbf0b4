//! Where releases are found: what a person wrote, and what files beside it are called.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::http::{Url, UrlFault};

/// What a person named: a folder, a file or an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A folder with a descriptor or an index, a descriptor, an index, or an archive beside its descriptor.
    Path(PathBuf),
    /// A descriptor or an index; an address that ends with `/` means the index there.
    Url(Url),
}

/// Where the relative files of a descriptor are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a folder.
    Folder(PathBuf),
    /// Beside an address: its last part is replaced.
    Beside(Url),
}

impl Source {
    /// What a text names: an address when it begins with a scheme and `://`, else a path.
    pub fn parse(text: &str) -> Result<Self, UrlFault> {
        let scheme = text.split_once("://").map(|(scheme, _)| scheme);
        let is_scheme = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
        if scheme.is_some_and(is_scheme) {
            Url::parse(text).map(Self::Url)
        } else {
            Ok(Self::Path(PathBuf::from(text)))
        }
    }
}

impl From<&Path> for Source {
    fn from(path: &Path) -> Self {
        Self::Path(path.to_owned())
    }
}

/// Without the query of an address, which can hold a credential.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => path.display().fmt(f),
            Self::Url(url) => url.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_scheme_and_everything_else_is_a_path() {
        assert!(matches!(Source::parse("https://example.org/i.json"), Ok(Source::Url(_))));
        assert!(matches!(Source::parse("./a://b"), Ok(Source::Path(_))));
        assert!(matches!(Source::parse("dist"), Ok(Source::Path(_))));
        for refused in ["file:///etc/passwd", "ftp://example.org/", "https://user:secret@example.org/", "https://"] {
            let fault = Source::parse(refused).unwrap_err();
            assert!(!fault.to_string().contains("secret"), "{fault}");
        }
    }

    #[test]
    fn a_query_is_never_shown() {
        let source = Source::parse("https://example.org/i.json?token=hunter2").unwrap();
        assert_eq!(source.to_string(), "https://example.org/i.json");
        assert!(!format!("{source:?}").contains("hunter2"));
    }
}
