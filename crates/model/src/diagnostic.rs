//! Findings about what a person gave us: a list, never only the first.

use std::fmt;

use crate::position::Position;

/// A stable code of a finding, for example `source.duplicate`. Never reused for another meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub &'static str);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; changes nothing.
    Note,
    /// Should be looked at; does not stop the command by itself.
    Warning,
    /// Stops the command.
    Error,
}

/// One finding: what was wrong, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable code, as text because a provider may add its own under its name.
    pub code: String,
    /// How much it weighs.
    pub severity: Severity,
    /// What was wrong: one line, lower case, no final period.
    pub summary: String,
    /// Where; absent when it is about no single place.
    pub position: Option<Position>,
    /// What to do; absent when there is nothing to do.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A finding that stops the command.
    pub fn error(code: Code, summary: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, summary)
    }

    /// A finding that should be looked at.
    pub fn warning(code: Code, summary: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, summary)
    }

    /// A finding that is only worth knowing.
    pub fn note(code: Code, summary: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, summary)
    }

    /// Says where.
    #[must_use]
    pub fn at(mut self, position: Position) -> Self {
        self.position = Some(position);
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    fn new(severity: Severity, code: Code, summary: impl Into<String>) -> Self {
        Self { code: code.0.to_owned(), severity, summary: summary.into(), position: None, hint: None }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(position) = &self.position {
            write!(f, "{position}: ")?;
        }
        f.write_str(&self.summary)
    }
}
