//! Claims: what is recorded, and what the database remembers.

use ptah_model::OperationId;
use ptah_provider_api::claim::{
    AdoptReply, AdoptRequest, Adoption, ClaimPhase, ClaimReceipt, ClaimRequest, ClaimState,
};
use ptah_provider_api::claim::{ClaimsReading, ForgetReply, ForgetRequest, OperationRecord, Proof, ReadClaimsRequest};
use ptah_provider_api::claim::{RenameRecord, SegmentRecord, Verdict};
use ptah_provider_api::execute::{Outcome, TransactionId};
use ptah_provider_api::key::{Key, SessionId};
use ptah_provider_api::session::DatabaseIdentity;

use super::{Numbered, OnWire, WireError, digest, from_list, numbered, parsed, required, to_list};
use crate::pb;
use crate::pb::claim_request::Phase;

numbered!(ptah_provider_api::claim::Verdict, Verdict, Applied, NotApplied, Partial, Diverged);
numbered!(ptah_provider_api::claim::Adoption, Adoption, Moved, Copy);

impl OnWire for ClaimRequest {
    type Message = pb::ClaimRequest;

    fn to_wire(self) -> pb::ClaimRequest {
        let Self { key, operation, plan, phase, transaction, at_us } = self;
        pb::ClaimRequest {
            key: Some(key.to_wire()),
            operation_id: operation.as_str().to_owned(),
            plan_digest: plan.to_string(),
            phase: Some(phase_to_wire(phase)),
            transaction_id: transaction.map(|t| t.0),
            at_us,
        }
    }

    fn from_wire(message: pb::ClaimRequest) -> Result<Self, WireError> {
        const M: &str = "ClaimRequest";
        Ok(Self {
            key: Key::from_wire(required(message.key, M, "key")?)?,
            operation: parsed(OperationId::new(message.operation_id), M, "operation_id")?,
            plan: digest(&message.plan_digest, M, "plan_digest")?,
            phase: phase_from_wire(required(message.phase, M, "phase")?)?,
            transaction: message.transaction_id.map(TransactionId),
            at_us: message.at_us,
        })
    }
}

fn phase_to_wire(phase: ClaimPhase) -> Phase {
    match phase {
        ClaimPhase::Intend { segment, segments, transactional, before, after } => Phase::Intend(pb::IntendPhase {
            segment,
            segments,
            transactional,
            before: before.to_string(),
            after: after.to_string(),
        }),
        ClaimPhase::Outcome { segment, outcome, applied } => {
            Phase::Outcome(pb::OutcomePhase { segment, outcome: outcome.number(), applied })
        }
        ClaimPhase::Settle { verdict, found, proof, renames } => Phase::Settle(pb::SettlePhase {
            verdict: verdict.number(),
            found: found.to_string(),
            proof: proof.map(OnWire::to_wire),
            renames: to_list(renames),
        }),
        ClaimPhase::Prove { proof } => Phase::Prove(pb::ProvePhase { proof: Some(proof.to_wire()) }),
    }
}

fn phase_from_wire(phase: Phase) -> Result<ClaimPhase, WireError> {
    Ok(match phase {
        Phase::Intend(intend) => ClaimPhase::Intend {
            segment: intend.segment,
            segments: intend.segments,
            transactional: intend.transactional,
            before: digest(&intend.before, "IntendPhase", "before")?,
            after: digest(&intend.after, "IntendPhase", "after")?,
        },
        Phase::Outcome(outcome) => ClaimPhase::Outcome {
            segment: outcome.segment,
            outcome: Outcome::numbered(outcome.outcome, "OutcomePhase", "outcome")?,
            applied: outcome.applied,
        },
        Phase::Settle(settle) => ClaimPhase::Settle {
            verdict: Verdict::numbered(settle.verdict, "SettlePhase", "verdict")?,
            found: digest(&settle.found, "SettlePhase", "found")?,
            proof: settle.proof.map(Proof::from_wire).transpose()?,
            renames: from_list(settle.renames)?,
        },
        Phase::Prove(prove) => {
            ClaimPhase::Prove { proof: Proof::from_wire(required(prove.proof, "ProvePhase", "proof")?)? }
        }
    })
}

impl OnWire for Proof {
    type Message = pb::Proof;

    fn to_wire(self) -> pb::Proof {
        let Self { sources, settings, state } = self;
        pb::Proof { sources: sources.to_string(), settings: settings.to_string(), state: state.to_string() }
    }

    fn from_wire(message: pb::Proof) -> Result<Self, WireError> {
        const M: &str = "Proof";
        Ok(Self {
            sources: digest(&message.sources, M, "sources")?,
            settings: digest(&message.settings, M, "settings")?,
            state: digest(&message.state, M, "state")?,
        })
    }
}

impl OnWire for RenameRecord {
    type Message = pb::RenameRecord;

    fn to_wire(self) -> pb::RenameRecord {
        let Self { kind, owner, from, to } = self;
        pb::RenameRecord { kind, owner, from, to }
    }

    fn from_wire(message: pb::RenameRecord) -> Result<Self, WireError> {
        let pb::RenameRecord { kind, owner, from, to } = message;
        Ok(Self { kind, owner, from, to })
    }
}

impl OnWire for ClaimReceipt {
    type Message = pb::ClaimReceipt;

    fn to_wire(self) -> pb::ClaimReceipt {
        let Self { key, state, sequence, diagnostic } = self;
        let (state, other) = match state {
            ClaimState::Intended => (pb::ClaimState::Intended, None),
            ClaimState::Recorded => (pb::ClaimState::Recorded, None),
            ClaimState::Already => (pb::ClaimState::Already, None),
            ClaimState::OtherUnfinished(other) => (pb::ClaimState::OtherUnfinished, Some(other)),
            ClaimState::NotWritten => (pb::ClaimState::NotWritten, None),
            ClaimState::Unknown => (pb::ClaimState::Unknown, None),
        };
        pb::ClaimReceipt {
            key: Some(key.to_wire()),
            state: state.into(),
            sequence,
            other_operation_id: other.map(|o| o.as_str().to_owned()),
            diagnostic,
        }
    }

    fn from_wire(message: pb::ClaimReceipt) -> Result<Self, WireError> {
        const M: &str = "ClaimReceipt";
        let state = match (pb::ClaimState::try_from(message.state), message.other_operation_id) {
            (Ok(pb::ClaimState::Intended), None) => ClaimState::Intended,
            (Ok(pb::ClaimState::Recorded), None) => ClaimState::Recorded,
            (Ok(pb::ClaimState::Already), None) => ClaimState::Already,
            (Ok(pb::ClaimState::OtherUnfinished), Some(other)) => {
                ClaimState::OtherUnfinished(parsed(OperationId::new(other), M, "other_operation_id")?)
            }
            (Ok(pb::ClaimState::NotWritten), None) => ClaimState::NotWritten,
            (Ok(pb::ClaimState::Unknown), None) => ClaimState::Unknown,
            _ => return Err(WireError::new(M, "state", "is known, and names another operation if that is it")),
        };
        Ok(Self {
            key: Key::from_wire(required(message.key, M, "key")?)?,
            state,
            sequence: message.sequence,
            diagnostic: message.diagnostic,
        })
    }
}

impl OnWire for ReadClaimsRequest {
    type Message = pb::ReadClaimsRequest;

    fn to_wire(self) -> pb::ReadClaimsRequest {
        let Self { session, limit } = self;
        pb::ReadClaimsRequest { session_id: session.as_str().to_owned(), limit }
    }

    fn from_wire(message: pb::ReadClaimsRequest) -> Result<Self, WireError> {
        Ok(Self { session: SessionId::new(message.session_id)?, limit: message.limit })
    }
}

impl OnWire for ClaimsReading {
    type Message = pb::ClaimsReading;

    fn to_wire(self) -> pb::ClaimsReading {
        let Self { identity, latest, operations, proofs, renames } = self;
        pb::ClaimsReading {
            identity: Some(identity.to_wire()),
            latest,
            operations: to_list(operations),
            proofs: to_list(proofs),
            renames: to_list(renames),
        }
    }

    fn from_wire(message: pb::ClaimsReading) -> Result<Self, WireError> {
        Ok(Self {
            identity: DatabaseIdentity::from_wire(required(message.identity, "ClaimsReading", "identity")?)?,
            latest: message.latest,
            operations: from_list(message.operations)?,
            proofs: from_list(message.proofs)?,
            renames: from_list(message.renames)?,
        })
    }
}

impl OnWire for OperationRecord {
    type Message = pb::OperationRecord;

    fn to_wire(self) -> pb::OperationRecord {
        let Self { operation, plan, segments, intents, settled, at_us } = self;
        pb::OperationRecord {
            operation_id: operation.as_str().to_owned(),
            plan_digest: plan.to_string(),
            segments,
            intents: to_list(intents),
            settled: settled.map(Numbered::number),
            at_us,
        }
    }

    fn from_wire(message: pb::OperationRecord) -> Result<Self, WireError> {
        const M: &str = "OperationRecord";
        let settled = message.settled.map(|n| Verdict::numbered(n, M, "settled"));
        Ok(Self {
            operation: parsed(OperationId::new(message.operation_id), M, "operation_id")?,
            plan: digest(&message.plan_digest, M, "plan_digest")?,
            segments: message.segments,
            intents: from_list(message.intents)?,
            settled: settled.transpose()?,
            at_us: message.at_us,
        })
    }
}

impl OnWire for SegmentRecord {
    type Message = pb::SegmentRecord;

    fn to_wire(self) -> pb::SegmentRecord {
        let Self { transactional, before, after, outcome } = self;
        pb::SegmentRecord {
            transactional,
            before: before.to_string(),
            after: after.to_string(),
            outcome: outcome.map(|(outcome, _)| outcome.number()),
            applied: outcome.map_or(0, |(_, applied)| applied),
        }
    }

    fn from_wire(message: pb::SegmentRecord) -> Result<Self, WireError> {
        const M: &str = "SegmentRecord";
        let stated = message.outcome.is_some() || message.applied == 0;
        WireError::unless(stated, M, "applied", "is 0 without an outcome")?;
        let outcome = message.outcome.map(|n| Outcome::numbered(n, M, "outcome"));
        Ok(Self {
            transactional: message.transactional,
            before: digest(&message.before, M, "before")?,
            after: digest(&message.after, M, "after")?,
            outcome: outcome.transpose()?.map(|outcome| (outcome, message.applied)),
        })
    }
}

impl OnWire for AdoptRequest {
    type Message = pb::AdoptRequest;

    fn to_wire(self) -> pb::AdoptRequest {
        let Self { key, adoption, at_us } = self;
        pb::AdoptRequest { key: Some(key.to_wire()), adoption: adoption.number(), at_us }
    }

    fn from_wire(message: pb::AdoptRequest) -> Result<Self, WireError> {
        const M: &str = "AdoptRequest";
        Ok(Self {
            key: Key::from_wire(required(message.key, M, "key")?)?,
            adoption: Adoption::numbered(message.adoption, M, "adoption")?,
            at_us: message.at_us,
        })
    }
}

impl OnWire for AdoptReply {
    type Message = pb::AdoptReply;

    fn to_wire(self) -> pb::AdoptReply {
        let Self { key, identity } = self;
        pb::AdoptReply { key: Some(key.to_wire()), identity: Some(identity.to_wire()) }
    }

    fn from_wire(message: pb::AdoptReply) -> Result<Self, WireError> {
        const M: &str = "AdoptReply";
        Ok(Self {
            key: Key::from_wire(required(message.key, M, "key")?)?,
            identity: DatabaseIdentity::from_wire(required(message.identity, M, "identity")?)?,
        })
    }
}

impl OnWire for ForgetRequest {
    type Message = pb::ForgetRequest;

    fn to_wire(self) -> pb::ForgetRequest {
        let Self { key } = self;
        pb::ForgetRequest { key: Some(key.to_wire()) }
    }

    fn from_wire(message: pb::ForgetRequest) -> Result<Self, WireError> {
        let key = required(message.key, "ForgetRequest", "key")?;
        Ok(Self { key: Key::from_wire(key)? })
    }
}

impl OnWire for ForgetReply {
    type Message = pb::ForgetReply;

    fn to_wire(self) -> pb::ForgetReply {
        let Self { key } = self;
        pb::ForgetReply { key: Some(key.to_wire()) }
    }

    fn from_wire(message: pb::ForgetReply) -> Result<Self, WireError> {
        let key = required(message.key, "ForgetReply", "key")?;
        Ok(Self { key: Key::from_wire(key)? })
    }
}
