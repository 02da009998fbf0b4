//! What a failed start means to a host of providers.

use go_plugin::host::StartError;
use ptah_provider_api::contract::REVISION;

use super::HostError;
use crate::catalogue::Entry;

impl HostError {
    /// The cause of a start that failed before the contract began.
    pub(crate) fn from_start(entry: &Entry, error: StartError) -> Self {
        let provider = entry.provider.clone();
        let executable = entry.origin.shown();
        let said_by = entry.origin.said_by();
        match error {
            StartError::Timeout { reached, limit } => Self::StartTimeout { provider, reached, limit },
            StartError::DigestMismatch { expected, actual } => {
                Self::DigestMismatch { provider, executable, said_by, expected, actual }
            }
            StartError::Executable(source) => Self::Unreadable { provider, executable, said_by, source },
            StartError::NotExecutable(fault) => Self::NotExecutable { provider, fault },
            StartError::Exited { reached, exit } => Self::StartExited { provider, exit, reached },
            StartError::ProtocolMismatch { answered, .. } => {
                Self::ContractMajor { provider, theirs: answered, ours: REVISION }
            }
            error @ (StartError::Handshake(_)
            | StartError::Connect(_)
            | StartError::Tls(_)
            | StartError::Transport(_)) => Self::HandshakeInvalid { provider, source: Box::new(error) },
            error => Self::StartFailed { provider, source: Box::new(error) },
        }
    }
}
