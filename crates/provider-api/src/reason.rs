//! Reasons: the one text of a provider that Ptah shows.
//!
//! The provider writes it; it is never the text of an error that it received. It names what failed and why, and quotes
//! no statement, value, address or credential. Only its shape can be checked here.

use std::fmt;

/// What is shown in place of a reason that breaks the rules of its shape.
pub const MALFORMED_REASON: &str = "the provider's reason is malformed and not shown";

/// The longest reason, in bytes.
pub const REASON_LIMIT: usize = 512;

/// One line of at most 512 bytes of UTF-8, with no control character and no white space around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reason(String);

/// Which rule of the shape a text breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReasonError {
    /// It is empty.
    #[error("a reason is not empty")]
    Empty,
    /// It is longer than 512 bytes.
    #[error("a reason has at most 512 bytes")]
    TooLong,
    /// It has a control character, or a line or paragraph separator.
    #[error("a reason has no control character and is one line")]
    Control,
    /// It has white space at its start or end.
    #[error("a reason has no white space around it")]
    Edge,
}

/// Checks the shape of a reason or diagnostic; nothing can check its content.
pub fn validate_diagnostic(text: &str) -> Result<(), ReasonError> {
    if text.is_empty() {
        return Err(ReasonError::Empty);
    }
    if text.len() > REASON_LIMIT {
        return Err(ReasonError::TooLong);
    }
    if text.chars().any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) {
        return Err(ReasonError::Control);
    }
    if text.trim() == text { Ok(()) } else { Err(ReasonError::Edge) }
}

impl Reason {
    /// Checks a text and wraps it.
    pub fn new(text: impl Into<String>) -> Result<Self, ReasonError> {
        let text = text.into();
        validate_diagnostic(&text)?;
        Ok(Self(text))
    }

    /// Wraps a text of our own making that may hold names from a database: what would break the shape is replaced by
    /// [`MALFORMED_REASON`], so that a hostile name cannot make a report fail.
    pub fn or_malformed(text: impl Into<String>) -> Self {
        Self::new(text).unwrap_or_else(|_| Self(MALFORMED_REASON.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_clean_line_of_at_most_512_bytes() {
        let check = |text: &str, expected| assert_eq!(validate_diagnostic(text), expected, "{text:?}");
        check("the table has rows", Ok(()));
        check(&"é".repeat(256), Ok(()));
        check(&"x".repeat(513), Err(ReasonError::TooLong));
        check("", Err(ReasonError::Empty));
        for control in ['\n', '\r', '\t', '\0', '\u{1b}', '\u{7f}', '\u{85}', '\u{2028}', '\u{2029}'] {
            check(&format!("a{control}b"), Err(ReasonError::Control));
        }
        for space in [' ', '\u{a0}', '\u{3000}'] {
            check(&format!("{space}a"), Err(ReasonError::Edge));
            check(&format!("a{space}"), Err(ReasonError::Edge));
        }
    }

    #[test]
    fn a_malformed_reason_is_replaced_and_never_shown() {
        assert_eq!(Reason::or_malformed("two\nlines").as_str(), MALFORMED_REASON);
    }

    #[test]
    fn a_reason_is_shown_as_it_is() {
        assert_eq!(Reason::new("the table has rows").unwrap().to_string(), "the table has rows");
    }
}
