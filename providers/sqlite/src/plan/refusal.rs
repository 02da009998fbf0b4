//! Refusals: what cannot be made, by name, before anything starts.

use ptah_provider_api::plan::Refusal;
use ptah_provider_api::reason::Reason;
use ptah_provider_api::step::ChangeId;

use super::build::Missing;

/// Text of ours that may hold names of a database, in the shape of a reason.
pub(super) fn said(text: impl Into<String>) -> String {
    Reason::or_malformed(text).as_str().to_owned()
}

/// Why something cannot be made; for whichever change asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Because {
    code: &'static str,
    reason: String,
    hint: Option<String>,
}

impl Because {
    pub(super) fn new(code: &'static str, reason: impl Into<String>) -> Self {
        Self { code, reason: reason.into(), hint: None }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Something needs what this build of SQLite does not have.
    pub(super) fn missing(what: &str, missing: &Missing) -> Self {
        let told = missing.told();
        Self::new(missing.code(), format!("{what} needs {told}, which the SQLite of this provider does not have"))
            .hint("change it with the program that brings it, or take it out of the definition")
    }

    /// The refusal of one change.
    pub(super) fn of(&self, change: ChangeId) -> Refusal {
        Refusal {
            change,
            code: self.code.to_owned(),
            reason: said(self.reason.clone()),
            hint: self.hint.clone().map(said),
        }
    }
}
