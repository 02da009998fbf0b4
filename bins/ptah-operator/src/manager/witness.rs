//! Who is told what the manager did. It never keeps anybody waiting, and nothing is decided on it.

use ptah_intake::{Note, Permitted, Pod};
use ptah_reconcile::Reply;
use ptah_records::operator::latest::PermitAnswer;
use ptah_records::operator::text::OperationId;

use crate::manager::account::Account;
use crate::manager::fault::Fault;
use crate::manager::key::{Key, word};

/// Who is told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Witness;

impl Witness {
    /// A write was sent, and this came of it.
    #[expect(clippy::unused_self, reason = "who counts needs it")]
    pub(crate) fn wrote(&self, key: &Key, account: &Account, reply: &Reply) {
        let Account { why, operation } = account;
        let operation = operation.as_ref().map(OperationId::as_str);
        let result = result(reply);
        let (resource, namespace, family) = (key.name.as_str(), key.namespace.as_str(), word(key.family));
        match reply {
            Reply::Refused | Reply::Lost => {
                tracing::warn!(resource, namespace, family, why, operation, result, "a write was not done");
            }
            _ => tracing::info!(resource, namespace, family, why, operation, result, "written"),
        }
    }

    /// A pass ended before anything was decided, or before it was written.
    #[expect(clippy::unused_self, reason = "who counts needs it")]
    pub(crate) fn ended_early(&self, key: &Key, fault: &Fault) {
        let why = crate::failure::causes(fault);
        let (resource, namespace, family) = (key.name.as_str(), key.namespace.as_str(), word(key.family));
        tracing::warn!(resource, namespace, family, why, "a pass ended early; nothing was changed");
    }

    /// A Pod asked whether it may start.
    #[expect(clippy::unused_self, reason = "who counts needs it")]
    pub(crate) fn permitted(&self, pod: &Pod, operation: &OperationId, permitted: &Permitted) {
        let (namespace, pod, operation) = (pod.namespace.as_str(), pod.uid.as_str(), operation.as_str());
        match permitted {
            Permitted::Answer(PermitAnswer::Granted { .. }) => {
                tracing::info!(namespace, pod, operation, result = "granted", "a permit was asked for");
            }
            Permitted::Answer(PermitAnswer::Refused { code, .. }) => {
                let why = code.as_str();
                tracing::info!(namespace, pod, operation, why, result = "refused", "a permit was asked for");
            }
            Permitted::Answer(PermitAnswer::NotYet {}) | Permitted::NotLeader => {
                tracing::debug!(namespace, pod, operation, result = "not_yet", "a permit was asked for");
            }
        }
    }

    /// The server for permits and results answered a request.
    #[expect(clippy::unused_self, reason = "who counts needs it")]
    pub(crate) fn asked(&self, note: Note) {
        let Note { asked, status, why } = note;
        match (asked, status) {
            ("complete", 200..300) => tracing::info!(asked, status, why, "a result is whole"),
            (_, 200..300) => tracing::debug!(asked, status, why, "answered"),
            _ => tracing::info!(asked, status, why, "answered"),
        }
    }
}

/// What came of a write, in one word.
pub(crate) fn result(reply: &Reply) -> &'static str {
    match reply {
        Reply::Done => "done",
        Reply::Conflict => "conflict",
        Reply::Refused => "refused",
        _ => "lost",
    }
}
