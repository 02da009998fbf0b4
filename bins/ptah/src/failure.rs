//! Why a command ended without doing what it was asked to: what is shown, and the exit code.
//!
//! Every reason here is a sentence of ours. The text of a driver, a provider or a system call never gets in.

use ptah_model::Diagnostic;

/// How a command ended, as a number for scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// It was done, or there was nothing to do.
    Done,
    /// The check worked, and its answer is no.
    Finding,
    /// It was refused or failed, and nothing of the change is in the database.
    Refused,
    /// Something is or may be in the database, and the run was not proven.
    MayHaveRun,
}

impl Exit {
    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Finding => 1,
            Self::Refused => 2,
            Self::MayHaveRun => 3,
        }
    }
}

/// Why a command ended early. Nothing of a change is in the database when a command ends with one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// A stable code, for machines.
    pub code: String,
    /// What happened: one line, lower case, no final period.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
    /// What was found, if the failure is about what a person gave us.
    pub findings: Vec<Diagnostic>,
}

impl Failure {
    /// A failure with a code.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), hint: None, findings: Vec::new() }
    }

    /// The call itself is wrong.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new("usage", message)
    }

    /// What a person gave us has errors.
    pub fn findings(findings: Vec<Diagnostic>) -> Self {
        let count = findings.len();
        let message = format!("{count} {} in what was given", if count == 1 { "finding" } else { "findings" });
        Self { findings, ..Self::new("findings", message) }
    }

    /// Says what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
