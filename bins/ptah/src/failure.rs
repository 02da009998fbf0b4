//! Why a command ended without doing what it was asked to: what is shown, and the exit code.
//!
//! Every reason here is a sentence of ours. The text of a driver, a provider or a system call never gets in.

use std::error::Error;

use ptah_model::Diagnostic;
use ptah_provider_host::HostError;
use ptah_provider_install::{InstallError, Skipped};

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

    /// The sources make no schema.
    pub fn sources(findings: Vec<Diagnostic>) -> Self {
        Self { findings, ..Self::new("sources", "the desired schema is refused") }
            .hint("correct the sources where the findings say; `ptah schema validate` checks them without a database")
    }

    /// The plan does not do on a copy of the schema what it has to do.
    pub fn proof(findings: Vec<Diagnostic>) -> Self {
        Self { findings, ..Self::new("proof", "the plan fails on a copy of the schema; nothing was changed") }
            .hint(PROOF)
    }

    /// Says what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// What to do about a plan that does not lead where it should.
pub const PROOF: &str = "the findings name the step or the part that differs: write it as the server spells it, or make the change in \
                         smaller ones";

/// The code of a command that a person stopped.
pub const INTERRUPTED: &str = "interrupted";

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        let findings = match &error {
            HostError::ManifestInvalid { findings, .. } => findings.clone(),
            _ => Vec::new(),
        };
        Self { findings, ..Self::new(error.code(), chain(&error)).hint(error.hint()) }
    }
}

impl From<InstallError> for Failure {
    fn from(error: InstallError) -> Self {
        let findings = error.skipped().iter().map(Skipped::finding).collect();
        Self { findings, ..Self::new(error.code(), chain(&error)).hint(error.hint()) }
    }
}

impl From<ptah_drive::Failure> for Failure {
    fn from(failure: ptah_drive::Failure) -> Self {
        match failure {
            ptah_drive::Failure::Provider(error) => error.into(),
            ptah_drive::Failure::Sources(findings) => Self::sources(findings),
            ptah_drive::Failure::Proof(findings) => Self::proof(findings),
            ptah_drive::Failure::Interrupted => Self::new(INTERRUPTED, chain(&failure)),
            ptah_drive::Failure::Illegal => Self::new("internal", chain(&failure)),
            other => Self::new("provider_answer", chain(&other))
                .hint("tell the provider's author; its answer was not believed"),
        }
    }
}

/// What a layer failed to do, and why, from the outside in. Every sentence of the chain is ours: what a driver or a
/// provider writes never becomes an error's text, except a reason under the contract's rules.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let sentence = inner.to_string();
        // A transparent error repeats the sentence of what it wraps.
        if !text.ends_with(&sentence) {
            text.push_str(": ");
            text.push_str(&sentence);
        }
        source = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told_once_and_after_what_it_caused() {
        let inner = ptah_provider_api::Violation::new("Reading", "count", "is the number of objects that arrived");
        let failure = Failure::from(ptah_drive::Failure::Answer(inner));
        assert_eq!(failure.code, "provider_answer");
        assert!(failure.message.starts_with("the provider's answer breaks the contract: "), "{}", failure.message);
        let lost = Failure::from(ptah_drive::Failure::from(HostError::Replaced));
        assert_eq!(lost.code, "provider_replaced");
        assert_eq!(lost.message.matches("replaced").count(), 1);
        assert!(lost.hint.is_some());
    }
}
