//! Why work could not be done, before anything was sent to a target. None of it is to be tried again by itself.

use ptah_model::Diagnostic;
use ptah_plan::{PlanError, PlanFault};
use ptah_provider_host::HostError;

/// Why a desired state, a plan or a reading could not be had.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The provider could not be asked, or refused. Its sentence is printed as it is.
    #[error(transparent)]
    Provider(#[from] HostError),
    /// The sources make no schema; all findings at once.
    #[error("the desired schema is refused")]
    Sources(Vec<Diagnostic>),
    /// Renames that come first do not work on a copy of the current schema.
    #[error("the plan fails on a copy of the schema")]
    Proof(Vec<Diagnostic>),
    /// The provider's answer to a question about rows is no number.
    #[error("the provider's answer breaks the contract")]
    Answer(#[source] ptah_provider_api::Violation),
    /// The provider's steps make no plan.
    #[error("the provider's steps make no plan")]
    Steps(#[source] PlanError),
    /// The plan that was made breaks an invariant.
    #[error("the plan breaks a rule of its own")]
    Plan(#[source] PlanFault),
    /// The provider read an object of a kind that it did not declare.
    #[error("the provider read an object of the kind `{kind}`, which it did not declare")]
    UnknownKind {
        /// The kind.
        kind: String,
    },
    /// A person asked to stop before the target was open.
    #[error("it was interrupted")]
    Interrupted,
    /// The shell reported an event that the core cannot take; a fault of this program.
    #[error("the run met a state that it cannot be in; this is a fault of ptah itself")]
    Illegal,
}
