//! What a person can do about an error.

use super::HostError;

impl HostError {
    /// What to do: one sentence, lower case, without a final period.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::StartTimeout { .. } => "try again when the machine is less busy; if it stays, the provider hangs",
            Self::NotFound { .. } | Self::NotNamed { .. } => {
                "name one of these engines, or add the provider to the manifest"
            }
            Self::Ambiguous { .. } => "leave the engine out, or give an address of that engine",
            Self::ManifestInvalid { .. } => "correct the manifest",
            Self::DigestMismatch { .. } => {
                "find out why the file changed; if it is meant to be this one, put its digest into the manifest"
            }
            Self::Unreadable { .. } => "check the path in the manifest and the permissions of the file",
            Self::NotExecutable { .. } => "install a build of the provider for this machine",
            Self::StartExited { .. } => "try again; if it ends again, tell the provider's author",
            Self::StartFailed { .. } => "look at the cause: it lies in this machine and not in the provider",
            Self::HandshakeInvalid { .. } => "check that the executable is a provider and not another program",
            Self::IdMismatch { .. } => "correct the ID or the executable in the manifest",
            Self::EngineMismatch { .. } => "correct the engines in the manifest, or install the provider that has them",
            Self::EngineConflict { .. } => {
                "remove one of the two from the manifest; a bundled engine cannot be replaced"
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
            Self::CallFailed { .. } => "look at the code and the reason; the provider's documentation explains both",
        }
    }
}
