//! What a failed start means to a host of providers.

use go_plugin::host::StartError;
use ptah_model::ProviderId;
use ptah_provider_api::contract::REVISION;

use super::HostError;

impl HostError {
    /// The cause of a start that failed before the contract began.
    pub(crate) fn from_start(provider: &ProviderId, error: StartError) -> Self {
        let provider = provider.clone();
        match error {
            StartError::Timeout { reached, limit } => Self::StartTimeout { provider, reached, limit },
            StartError::DigestMismatch { expected, actual } => Self::DigestMismatch { provider, expected, actual },
            StartError::Executable(source) => Self::Unreadable { provider, source },
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
