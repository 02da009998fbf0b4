//! Who consents to a change, and how.

use ptah_model::Digest;

use super::Surroundings;
use crate::failure::Failure;

/// How consent is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approval {
    /// A person is asked, and types it.
    Ask,
    /// It was typed with the command, for whatever the plan turns out to be.
    Given,
    /// It was typed with the command, for the saved plan with this digest.
    ForDigest(Digest),
    /// Nothing is asked and nothing runs.
    DryRun,
}

/// What a person says of a database that was moved or copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adopted {
    /// The same database at another place.
    Moved,
    /// A copy.
    Copy,
}

impl Approval {
    /// Refuses a question that nobody could answer, before anything is opened.
    pub fn check(self, around: &Surroundings, stdin_is_source: bool) -> Result<Self, Failure> {
        if self != Self::Ask {
            return Ok(self);
        }
        let hint = "approve with --auto-approve, or save a plan and approve it with --plan and --plan-digest";
        if stdin_is_source {
            return Err(
                Failure::new("no-terminal", "approval cannot be asked for, because stdin is a source").hint(hint)
            );
        }
        if !around.can_ask() {
            return Err(
                Failure::new("no-terminal", "approval cannot be asked for, because this is not a terminal").hint(hint)
            );
        }
        Ok(self)
    }
}
