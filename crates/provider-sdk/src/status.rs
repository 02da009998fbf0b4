//! From a failure to a status: the message is always empty, and the reason goes along only when it was negotiated.

use ptah_provider_api::Violation;
use ptah_provider_wire::status_with_reason;
use tonic::{Code, Status};

use crate::failure::{Failure, FailureCode, error_with_reason};

/// The status of a failure. `reasons`: whether the host listed `errors.reasons`, and the provider too.
pub(crate) fn status(failure: Failure, reasons: bool) -> Status {
    let Failure { code, reason } = failure;
    let code = match code {
        FailureCode::InvalidArgument => Code::InvalidArgument,
        FailureCode::NotFound => Code::NotFound,
        FailureCode::AlreadyExists => Code::AlreadyExists,
        FailureCode::FailedPrecondition => Code::FailedPrecondition,
        FailureCode::PermissionDenied => Code::PermissionDenied,
        FailureCode::ResourceExhausted => Code::ResourceExhausted,
        FailureCode::Unavailable => Code::Unavailable,
        FailureCode::Unimplemented => Code::Unimplemented,
        FailureCode::Internal => Code::Internal,
        FailureCode::Unknown => Code::Unknown,
    };
    status_with_reason(code, reason.as_ref().filter(|_| reasons))
}

/// A request that breaks the contract.
pub(crate) fn invalid(violation: Violation) -> Failure {
    error_with_reason(FailureCode::InvalidArgument, format!("the request breaks the contract: {violation}"))
}

/// A reply of the engine that breaks the contract. It is not sent.
pub(crate) fn broken(violation: Violation) -> Failure {
    error_with_reason(FailureCode::Internal, format!("the provider's reply breaks the contract: {violation}"))
}

/// A message above the limit, with both numbers.
pub(crate) fn too_large(what: &str, size: usize, limit: usize) -> Failure {
    let reason = format!("{what} of {size} bytes is larger than the limit of {limit} bytes");
    error_with_reason(FailureCode::ResourceExhausted, reason)
}

/// The engine panicked.
pub(crate) fn panicked() -> Failure {
    error_with_reason(FailureCode::Internal, "the provider failed unexpectedly while it served the call")
}

pub(crate) fn precondition(reason: impl Into<String>) -> Failure {
    error_with_reason(FailureCode::FailedPrecondition, reason)
}

pub(crate) fn not_found(reason: impl Into<String>) -> Failure {
    error_with_reason(FailureCode::NotFound, reason)
}

pub(crate) fn unimplemented(reason: impl Into<String>) -> Failure {
    error_with_reason(FailureCode::Unimplemented, reason)
}

pub(crate) fn exhausted(reason: impl Into<String>) -> Failure {
    error_with_reason(FailureCode::ResourceExhausted, reason)
}
