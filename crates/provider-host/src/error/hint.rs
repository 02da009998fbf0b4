//! What a person can do about an error.

use tonic::Code;

use super::{HostError, SaidBy};
use crate::call::Call;

impl HostError {
    /// What to do: one sentence, lower case, without a final period.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::StartTimeout { .. } => "try again when the machine is less busy; if it stays, the provider hangs",
            Self::NotFound { .. } | Self::NotNamed { .. } => {
                "name one of these engines, install the provider, or add it to the manifest"
            }
            Self::Ambiguous { .. } => "leave the engine out, or give an address of that engine",
            Self::ManifestInvalid { .. } => "correct the manifest",
            Self::DigestMismatch { said_by: SaidBy::Record, .. } => {
                "find out why the file changed, and install the provider again"
            }
            Self::DigestMismatch { .. } => {
                "find out why the file changed; if it is meant to be this one, put its digest into the manifest"
            }
            Self::Unreadable { said_by: SaidBy::Record, .. } => {
                "run the command again; if it stays, install the provider again"
            }
            Self::Unreadable { .. } => "check the path in the manifest and the permissions of the file",
            Self::NotExecutable { .. } => "install a build of the provider for this machine",
            Self::StartExited { .. } => "try again; if it ends again, tell the provider's author",
            Self::StartFailed { .. } => "look at the cause: it lies in this machine and not in the provider",
            Self::HandshakeInvalid { .. } => "check that the executable is a provider and not another program",
            Self::IdMismatch { .. } => "correct the ID or the executable where the provider is named",
            Self::EngineMismatch { said_by: SaidBy::Record, .. } => {
                "tell the provider's author: its release names other engines than the provider has"
            }
            Self::EngineMismatch { .. } => "correct the engines in the manifest, or install the provider that has them",
            Self::EngineConflict { .. } => {
                "remove one of the two from where it is named, a manifest or the installations; a bundled engine cannot be replaced"
            }
            Self::ContractMajor { .. } => "install versions of the two that speak the same contract",
            Self::ContractTooNew { .. } => "upgrade ptah, or install an older version of the provider",
            Self::FeatureMissing { .. } | Self::NotOffered { .. } => "install a version of the provider that offers it",
            Self::DescriptionInvalid { .. } | Self::IdentifierRule { .. } => {
                "tell the provider's author; nothing can be done here"
            }
            Self::MessageTooLarge { .. } => "make what is sent or read at once smaller",
            Self::CallTimeout { .. } => "look at the server: something there is stuck or very slow",
            Self::Exited { .. } | Self::AnswerLost { .. } => {
                "run the command again: it reads the database before it decides anything"
            }
            Self::Ended { .. } => "run the command again",
            Self::RequestInvalid { .. } => "report this as a bug of ptah",
            Self::ReplyInvalid { .. } | Self::ReceiptMismatch { .. } => {
                "tell the provider's author; the reply was not believed"
            }
            Self::Replaced => "run the command again with the new program",
            Self::CallFailed { call: Call::Open, code, .. } => not_opened(code.code()),
            Self::CallFailed { code, .. } => failed(code.code()),
        }
    }
}

/// What to do about a database that cannot be opened.
fn not_opened(code: Code) -> &'static str {
    match code {
        Code::InvalidArgument => "correct the address, or the words that are accepted with it, as the reason says",
        Code::NotFound => "check the names in the address: what it leads to is not there",
        Code::AlreadyExists => "run the command again: it reads what somebody else made in the meantime",
        Code::PermissionDenied => "give this user the rights that the reason names, or use another user",
        Code::Unauthenticated => "check the user and the password in the address",
        Code::FailedPrecondition => {
            "put right what the reason says of the database or its place, or name another database"
        }
        Code::ResourceExhausted => "make room on the server or on this machine, and run the command again",
        Code::Unavailable => {
            "look whether the server runs and who holds the database; a longer lock timeout waits for them"
        }
        Code::Unimplemented => "install a version of the provider that offers it",
        _ => "tell the provider's author: it does not say what is in the way",
    }
}

/// What to do about another call that failed.
fn failed(code: Code) -> &'static str {
    match code {
        Code::PermissionDenied => "give this user the rights that the reason names, or use another user",
        Code::ResourceExhausted => "make room on the server or on this machine, and run the command again",
        Code::Unavailable => "run the command again when the database is free; a longer lock timeout waits for that",
        Code::Unimplemented => "install a version of the provider that offers it",
        Code::InvalidArgument | Code::NotFound | Code::AlreadyExists | Code::FailedPrecondition => {
            "put right what the reason says; the provider's documentation explains it"
        }
        _ => "tell the provider's author: it does not say what is in the way",
    }
}
