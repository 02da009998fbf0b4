//! A call that failed: a code, and perhaps a reason of the provider's own.

use ptah_provider_api::reason::Reason;

/// The codes that a provider may answer with. The transport has more; those are the SDK's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureCode {
    /// The request cannot be right, whatever the state of the database.
    InvalidArgument,
    /// What the request names is not there.
    NotFound,
    /// The request was seen before, or what it makes is there.
    AlreadyExists,
    /// The database or session is not in a state in which the request can be served.
    FailedPrecondition,
    /// The account may not do that.
    PermissionDenied,
    /// Something ran out, such as space or memory, or a message is too large.
    ResourceExhausted,
    /// The server cannot be reached now, or is busy.
    Unavailable,
    /// The provider does not offer the call.
    Unimplemented,
    /// The provider itself is at fault.
    Internal,
    /// Nobody knows whether what was asked for was done, and the call has no other way to say so.
    Unknown,
}

/// A failed call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The code.
    pub code: FailureCode,
    /// The reason, which is never the text of an error that was received.
    pub reason: Option<Reason>,
}

/// A failed call with a reason. A text that breaks the rules of a reason is replaced by the fixed sentence.
pub fn error_with_reason(code: FailureCode, reason: impl Into<String>) -> Failure {
    Failure { code, reason: Some(Reason::or_malformed(reason)) }
}

impl Failure {
    /// A call that the provider does not offer.
    pub fn unimplemented() -> Self {
        Self { code: FailureCode::Unimplemented, reason: None }
    }
}
