//! The codes of failed calls, in the names that the contract shows.

use std::fmt;

use tonic::Code;

/// The gRPC code of a failed call. Displays as `InvalidArgument`, `Canceled`, …
///
/// It is what the provider or the transport said, and nothing is decided by it: a cancellation, a deadline, a size and
/// a death are told from the host's own state.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallCode(Code);

impl CallCode {
    /// Wraps a code.
    pub fn new(code: Code) -> Self {
        Self(code)
    }

    /// Whether the provider says that the server is busy, or cannot be reached now.
    pub fn is_unavailable(self) -> bool {
        self.0 == Code::Unavailable
    }

    /// Whether the provider says that what was to be made is there already.
    pub fn is_already_there(self) -> bool {
        self.0 == Code::AlreadyExists
    }

    /// Whether the provider says that nobody knows whether it was done.
    pub fn is_unknown(self) -> bool {
        self.0 == Code::Unknown
    }

    /// The code itself, to choose words by.
    pub(crate) fn code(self) -> Code {
        self.0
    }

    /// The name.
    pub fn name(self) -> &'static str {
        match self.0 {
            Code::Ok => "OK",
            Code::Cancelled => "Canceled",
            Code::Unknown => "Unknown",
            Code::InvalidArgument => "InvalidArgument",
            Code::DeadlineExceeded => "DeadlineExceeded",
            Code::NotFound => "NotFound",
            Code::AlreadyExists => "AlreadyExists",
            Code::PermissionDenied => "PermissionDenied",
            Code::ResourceExhausted => "ResourceExhausted",
            Code::FailedPrecondition => "FailedPrecondition",
            Code::Aborted => "Aborted",
            Code::OutOfRange => "OutOfRange",
            Code::Unimplemented => "Unimplemented",
            Code::Internal => "Internal",
            Code::Unavailable => "Unavailable",
            Code::DataLoss => "DataLoss",
            Code::Unauthenticated => "Unauthenticated",
        }
    }
}

impl fmt::Display for CallCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for CallCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
