//! Why a provider could not be chosen, started or called: one variant for each cause, each with a stable code.
//!
//! Nothing that a provider wrote is quoted, except a reason under the contract's rules. No address is in any of them.

mod code;
mod hint;
mod parts;
mod start;

use std::path::PathBuf;
use std::time::Duration;

use go_plugin::Exit;
use go_plugin::host::{NotExecutable, Phase, StartError};
use ptah_model::{Diagnostic, EngineName, ProviderId};
use ptah_provider_api::Violation;
use ptah_provider_api::contract::ContractVersion;
use ptah_provider_api::reason::Reason;

use crate::call::Call;
use crate::code::CallCode;
use crate::description::EngineDifference;

use self::parts::{Because, Findings, Known, Listed};

pub(crate) use self::code::lacks_identifier_rules;
pub use self::parts::{Asked, Direction, SaidBy};

/// What went wrong between host and provider. None of these is worth an automatic retry, and the host makes none; where
/// a person may try again, [`HostError::hint`] says so.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The start took longer than its limit.
    #[error("provider `{provider}` did not start within {limit:?} ({reached})")]
    StartTimeout {
        /// Which provider.
        provider: ProviderId,
        /// The last phase that was reached.
        reached: Phase,
        /// The limit, from the launch of the executable to the end of negotiation.
        limit: Duration,
    },
    /// Nothing serves what was asked for.
    #[error("no provider serves {asked}; {}", Known(.known))]
    NotFound {
        /// What was asked for.
        asked: Asked,
        /// The names of all engines in the catalogue.
        known: Vec<EngineName>,
    },
    /// The engine that was named and the address lead to different engines.
    #[error("engine `{engine}` was asked for, and scheme `{scheme}` of the address is of engine `{other}`")]
    Ambiguous {
        /// The engine that was named.
        engine: EngineName,
        /// The address's scheme.
        scheme: EngineName,
        /// The engine that the scheme selects.
        other: EngineName,
    },
    /// Neither an engine nor an address with a scheme says which engine is meant.
    #[error("nothing says which engine is meant; {}", Known(.known))]
    NotNamed {
        /// The names of all engines in the catalogue.
        known: Vec<EngineName>,
    },
    /// The manifest is not used. The findings say all that is wrong with it.
    #[error("the provider manifest `{}` is not used: {}", .path.display(), Findings(.findings))]
    ManifestInvalid {
        /// The file.
        path: PathBuf,
        /// What is wrong, at least one.
        findings: Vec<Diagnostic>,
    },
    /// The bytes of the executable are not those that the manifest or the install record names. They were not run.
    #[error(
        "{executable}, the executable of provider `{provider}`, has a SHA-256 that begins with {actual}, and {said_by} \
         says {expected}"
    )]
    DigestMismatch {
        /// Which provider.
        provider: ProviderId,
        /// The file.
        executable: String,
        /// What names the digest.
        said_by: SaidBy,
        /// The first 12 digits of what is expected.
        expected: String,
        /// The first 12 digits of what was read.
        actual: String,
    },
    /// The file cannot be read.
    #[error("{executable}, the executable of provider `{provider}`, cannot be read")]
    Unreadable {
        /// Which provider.
        provider: ProviderId,
        /// The file.
        executable: String,
        /// What names the file.
        said_by: SaidBy,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The file cannot be executed here.
    #[error("the executable of provider `{provider}` cannot be executed: {fault}")]
    NotExecutable {
        /// Which provider.
        provider: ProviderId,
        /// Why.
        fault: NotExecutable,
    },
    /// The process ended while it was starting.
    #[error("provider `{provider}` ended while it was starting ({exit}; {reached})")]
    StartExited {
        /// Which provider.
        provider: ProviderId,
        /// How it ended.
        exit: Exit,
        /// The last phase that was reached.
        reached: Phase,
    },
    /// The process could not be made, for a reason that lies in this machine.
    #[error("provider `{provider}` could not be started")]
    StartFailed {
        /// Which provider.
        provider: ProviderId,
        /// What failed.
        #[source]
        source: Box<StartError>,
    },
    /// What the process said before the contract begins is not acceptable, or the connection to it is not.
    #[error("the handshake with provider `{provider}` failed")]
    HandshakeInvalid {
        /// Which provider.
        provider: ProviderId,
        /// What failed.
        #[source]
        source: Box<StartError>,
    },
    /// The process says that it is another provider.
    #[error("provider `{expected}` was expected, and the process says that it is `{found}`")]
    IdMismatch {
        /// Who was expected.
        expected: ProviderId,
        /// Who answered.
        found: ProviderId,
    },
    /// The engines are not those that were expected.
    #[error("the engines of provider `{provider}` are not those of {said_by}: {}", Listed(.differences))]
    EngineMismatch {
        /// Which provider.
        provider: ProviderId,
        /// What names the engines.
        said_by: SaidBy,
        /// Each difference, at least one.
        differences: Vec<EngineDifference>,
    },
    /// Two providers claim one name. Neither is preferred.
    #[error("the name `{name}` is claimed by provider `{first}` and by provider `{second}`")]
    EngineConflict {
        /// The engine name, alias or scheme.
        name: EngineName,
        /// One of them.
        first: ProviderId,
        /// The other one.
        second: ProviderId,
    },
    /// The majors differ.
    #[error("provider `{provider}` speaks contract {theirs}, this host speaks contract {ours}")]
    ContractMajor {
        /// Which provider.
        provider: ProviderId,
        /// Its major.
        theirs: u32,
        /// Ours.
        ours: u32,
    },
    /// The provider cannot work with a host as old as this one.
    #[error("provider `{provider}` needs a host of contract {needs} or later, this host speaks {ours}")]
    ContractTooNew {
        /// Which provider.
        provider: ProviderId,
        /// The oldest contract that it works with.
        needs: ContractVersion,
        /// Ours.
        ours: ContractVersion,
    },
    /// The provider lacks features without which no host can use it.
    #[error("provider `{provider}` does not offer {}", Listed(.features))]
    FeatureMissing {
        /// Which provider.
        provider: ProviderId,
        /// What it lacks, at least one.
        features: Vec<&'static str>,
    },
    /// A call that is not offered. Nothing was sent.
    #[error("provider {call} is not available: engine `{engine}` does not offer {feature}")]
    NotOffered {
        /// The call.
        call: Call,
        /// The engine.
        engine: EngineName,
        /// The feature that it needs.
        feature: &'static str,
    },
    /// The description does not keep the contract.
    #[error("the description of provider `{provider}` is invalid")]
    DescriptionInvalid {
        /// Which provider.
        provider: ProviderId,
        /// The rule that it broke.
        #[source]
        source: Violation,
    },
    /// An engine or a session does not say how names compare, or says it in no known way.
    #[error("engine `{engine}` does not state how names compare")]
    IdentifierRule {
        /// The engine.
        engine: EngineName,
    },
    /// A message is larger than the limit.
    #[error("the {direction} of provider {call} has {size} bytes, and the limit is {limit}")]
    MessageTooLarge {
        /// The call.
        call: Call,
        /// Which way it went.
        direction: Direction,
        /// Its size, in bytes.
        size: u64,
        /// The most that is allowed, in bytes.
        limit: u64,
    },
    /// The answer did not come in time.
    #[error("provider {call} did not answer within {limit:?}")]
    CallTimeout {
        /// The call.
        call: Call,
        /// The limit.
        limit: Duration,
    },
    /// The process ended before or during a call.
    #[error("the provider ended during {call} ({exit})")]
    Exited {
        /// The call.
        call: Call,
        /// How it ended.
        exit: Exit,
    },
    /// The connection, or this call's stream on it, broke while the process lives. It is not made again.
    #[error("the answer of provider {call} was lost: the connection broke")]
    AnswerLost {
        /// The call.
        call: Call,
    },
    /// The provider was ended before the call.
    #[error("provider {call} is not available: the provider was ended")]
    Ended {
        /// The call.
        call: Call,
    },
    /// The request is not one that the contract allows. Nothing was sent.
    #[error("the request of provider {call} is invalid")]
    RequestInvalid {
        /// The call.
        call: Call,
        /// The rule that it broke.
        #[source]
        source: Violation,
    },
    /// A reply does not keep the contract, and is not believed.
    #[error("the reply of provider {call} is invalid")]
    ReplyInvalid {
        /// The call.
        call: Call,
        /// The rule that it broke.
        #[source]
        source: Violation,
    },
    /// A reply names another request than was made, and is not believed.
    #[error("the reply of provider {call} answers another request")]
    ReceiptMismatch {
        /// The call.
        call: Call,
        /// The rule that it broke.
        #[source]
        source: Violation,
    },
    /// The bundled provider is of another build than the host: the program was replaced while it was running.
    #[error("this program was replaced while it was running: its providers are of another build")]
    Replaced,
    /// The provider answered that the call failed.
    #[error("provider {call} failed ({code}){}", Because(.reason))]
    CallFailed {
        /// The call.
        call: Call,
        /// The code.
        code: CallCode,
        /// Why, in the provider's own words; absent when it gave none or did not negotiate them.
        reason: Option<Reason>,
    },
}

#[cfg(test)]
mod tests;
