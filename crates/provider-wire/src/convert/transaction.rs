//! Transactions.

use ptah_provider_api::execute::TransactionId;
use ptah_provider_api::key::Key;
use ptah_provider_api::transaction::{BeginRequest, EndRequest, TransactionReceipt, TransactionState};

use super::{Numbered, OnWire, WireError, digest, numbered, required};
use crate::pb;

numbered!(
    ptah_provider_api::transaction::TransactionState,
    TransactionState,
    Begun,
    Busy,
    StateChanged,
    ClaimChanged,
    NotStarted,
    Committed,
    RolledBack,
    Unknown
);

impl OnWire for BeginRequest {
    type Message = pb::BeginRequest;

    fn to_wire(self) -> pb::BeginRequest {
        let Self { key, settings, expect_state, expect_claim, lock_timeout_ms } = self;
        pb::BeginRequest {
            key: Some(key.to_wire()),
            settings,
            expect_state: expect_state.map(|f| f.to_string()),
            expect_claim,
            lock_timeout_ms,
        }
    }

    fn from_wire(message: pb::BeginRequest) -> Result<Self, WireError> {
        const M: &str = "BeginRequest";
        let state = message.expect_state.map(|text| digest(&text, M, "expect_state"));
        Ok(Self {
            key: Key::from_wire(required(message.key, M, "key")?)?,
            settings: message.settings,
            expect_state: state.transpose()?,
            expect_claim: message.expect_claim,
            lock_timeout_ms: message.lock_timeout_ms,
        })
    }
}

impl OnWire for EndRequest {
    type Message = pb::EndRequest;

    fn to_wire(self) -> pb::EndRequest {
        let Self { key, transaction, lock_timeout_ms } = self;
        pb::EndRequest { key: Some(key.to_wire()), transaction_id: transaction.0, lock_timeout_ms }
    }

    fn from_wire(message: pb::EndRequest) -> Result<Self, WireError> {
        const M: &str = "EndRequest";
        WireError::unless(!message.transaction_id.is_empty(), M, "transaction_id", "is required")?;
        Ok(Self {
            key: Key::from_wire(required(message.key, M, "key")?)?,
            transaction: TransactionId(message.transaction_id),
            lock_timeout_ms: message.lock_timeout_ms,
        })
    }
}

impl OnWire for TransactionReceipt {
    type Message = pb::TransactionReceipt;

    fn to_wire(self) -> pb::TransactionReceipt {
        let Self { key, transaction, state, found_state, diagnostic } = self;
        pb::TransactionReceipt {
            key: Some(key.to_wire()),
            transaction_id: transaction.0,
            state: state.number(),
            found_state: found_state.map(|f| f.to_string()),
            diagnostic,
        }
    }

    fn from_wire(message: pb::TransactionReceipt) -> Result<Self, WireError> {
        const M: &str = "TransactionReceipt";
        let found = message.found_state.map(|text| digest(&text, M, "found_state"));
        Ok(Self {
            key: Key::from_wire(required(message.key, M, "key")?)?,
            transaction: TransactionId(message.transaction_id),
            state: TransactionState::numbered(message.state, M, "state")?,
            found_state: found.transpose()?,
            diagnostic: message.diagnostic,
        })
    }
}
