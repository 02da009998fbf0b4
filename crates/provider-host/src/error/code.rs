//! The stable codes, and the one distinction that is made among replies that are not believed.

use ptah_provider_api::Violation;
use ptah_provider_api::contract::PROVIDER_START_TIMEOUT;

use crate::call::Call;

use super::HostError;

/// The rule of every field that has to come back as it was sent.
const ECHO_RULE: &str = "echoes the request";

impl HostError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::StartTimeout { .. } => PROVIDER_START_TIMEOUT,
            Self::NotFound { .. } => "provider_not_found",
            Self::Ambiguous { .. } | Self::NotNamed { .. } => "provider_ambiguous",
            Self::ManifestInvalid { .. } => "provider_manifest_invalid",
            Self::DigestMismatch { .. } => "provider_digest_mismatch",
            Self::Unreadable { .. } | Self::NotExecutable { .. } => "provider_not_executable",
            Self::StartExited { .. } | Self::StartFailed { .. } => "provider_start_failed",
            Self::HandshakeInvalid { .. } => "provider_handshake_invalid",
            Self::IdMismatch { .. } => "provider_id_mismatch",
            Self::EngineMismatch { .. } => "provider_engine_mismatch",
            Self::EngineConflict { .. } => "provider_engine_conflict",
            Self::ContractMajor { .. } => "provider_contract_major",
            Self::ContractTooNew { .. } => "provider_contract_too_new",
            Self::FeatureMissing { .. } | Self::NotOffered { .. } => "provider_feature_missing",
            Self::DescriptionInvalid { .. } => "provider_description_invalid",
            Self::IdentifierRule { .. } => "provider_identifier_rule",
            Self::MessageTooLarge { .. } => "provider_message_too_large",
            Self::CallTimeout { .. } => "provider_call_timeout",
            Self::Exited { .. } => "provider_exited",
            Self::AnswerLost { .. } => "provider_answer_lost",
            Self::Ended { .. } => "provider_ended",
            Self::RequestInvalid { .. } => "provider_request_invalid",
            Self::ReplyInvalid { .. } => "provider_reply_invalid",
            Self::ReceiptMismatch { .. } => "provider_receipt_mismatch",
            Self::Replaced => "provider_replaced",
            Self::CallFailed { .. } => "provider_call_failed",
        }
    }

    /// A reply that broke a rule: one that answers another request is told apart.
    pub(crate) fn broken_reply(call: Call, source: Violation) -> Self {
        if source.rule == ECHO_RULE {
            return Self::ReceiptMismatch { call, source };
        }
        Self::ReplyInvalid { call, source }
    }
}

/// Whether a message says nothing, or nothing known, about how names compare.
pub(crate) fn lacks_identifier_rules(broken: &Violation) -> bool {
    broken.message == "IdentifierRules" || broken.field.starts_with("identifier_rules")
}
