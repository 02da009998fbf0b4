//! Execute, locks, and questions about rows.

use ptah_provider_api::execute::{ExecuteReply, ExecuteRequest, Outcome, TransactionId};
use ptah_provider_api::key::{Key, SessionId};
use ptah_provider_api::lock::{LockReceipt, LockRequest, LockState};
use ptah_provider_api::query::{QueryRowsReply, QueryRowsRequest};

use super::{Numbered, OnWire, WireError, from_list, numbered, required, to_list};
use crate::pb;

numbered!(ptah_provider_api::lock::LockState, LockState, Acquired, Busy, Lost, Released);

impl OnWire for ExecuteRequest {
    type Message = pb::ExecuteRequest;

    fn to_wire(self) -> pb::ExecuteRequest {
        let Self { key, units, transaction, statement_timeout_ms } = self;
        pb::ExecuteRequest {
            key: Some(key.to_wire()),
            units: to_list(units),
            transaction_id: transaction.map(|t| t.0),
            statement_timeout_ms,
        }
    }

    fn from_wire(message: pb::ExecuteRequest) -> Result<Self, WireError> {
        Ok(Self {
            key: Key::from_wire(required(message.key, "ExecuteRequest", "key")?)?,
            units: from_list(message.units)?,
            transaction: message.transaction_id.map(TransactionId),
            statement_timeout_ms: message.statement_timeout_ms,
        })
    }
}

impl OnWire for ExecuteReply {
    type Message = pb::ExecuteReply;

    fn to_wire(self) -> pb::ExecuteReply {
        let Self { key, outcome, applied_count, diagnostic, engine_code } = self;
        pb::ExecuteReply { key: Some(key.to_wire()), outcome: outcome.number(), applied_count, diagnostic, engine_code }
    }

    fn from_wire(message: pb::ExecuteReply) -> Result<Self, WireError> {
        const M: &str = "ExecuteReply";
        let engine_code = message.engine_code;
        let allowed = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
        let formed = |code: &String| (1..=32).contains(&code.len()) && code.bytes().all(allowed);
        WireError::unless(engine_code.as_ref().is_none_or(formed), M, "engine_code", "has 1 to 32 of `[A-Z0-9_]`")?;
        Ok(Self {
            key: Key::from_wire(required(message.key, M, "key")?)?,
            outcome: Outcome::numbered(message.outcome, M, "outcome")?,
            applied_count: message.applied_count,
            diagnostic: message.diagnostic,
            engine_code,
        })
    }
}

impl OnWire for LockRequest {
    type Message = pb::LockRequest;

    fn to_wire(self) -> pb::LockRequest {
        let Self { key } = self;
        pb::LockRequest { key: Some(key.to_wire()) }
    }

    fn from_wire(message: pb::LockRequest) -> Result<Self, WireError> {
        let key = required(message.key, "LockRequest", "key")?;
        Ok(Self { key: Key::from_wire(key)? })
    }
}

impl OnWire for LockReceipt {
    type Message = pb::LockReceipt;

    fn to_wire(self) -> pb::LockReceipt {
        let Self { key, state, diagnostic } = self;
        pb::LockReceipt { key: Some(key.to_wire()), state: state.number(), diagnostic }
    }

    fn from_wire(message: pb::LockReceipt) -> Result<Self, WireError> {
        const M: &str = "LockReceipt";
        Ok(Self {
            key: Key::from_wire(required(message.key, M, "key")?)?,
            state: LockState::numbered(message.state, M, "state")?,
            diagnostic: message.diagnostic,
        })
    }
}

impl OnWire for QueryRowsRequest {
    type Message = pb::QueryRowsRequest;

    fn to_wire(self) -> pb::QueryRowsRequest {
        let Self { session, query, transaction, limit } = self;
        pb::QueryRowsRequest {
            session_id: session.as_str().to_owned(),
            query,
            transaction_id: transaction.map(|t| t.0),
            limit,
        }
    }

    fn from_wire(message: pb::QueryRowsRequest) -> Result<Self, WireError> {
        Ok(Self {
            session: SessionId::new(message.session_id)?,
            query: message.query,
            transaction: message.transaction_id.map(TransactionId),
            limit: message.limit,
        })
    }
}

impl OnWire for QueryRowsReply {
    type Message = pb::QueryRowsReply;

    fn to_wire(self) -> pb::QueryRowsReply {
        let Self { columns, rows, more } = self;
        let row =
            |cells: Vec<Option<String>>| pb::Row { cells: cells.into_iter().map(|value| pb::Cell { value }).collect() };
        pb::QueryRowsReply { columns, rows: rows.into_iter().map(row).collect(), more }
    }

    fn from_wire(message: pb::QueryRowsReply) -> Result<Self, WireError> {
        let row = |row: pb::Row| row.cells.into_iter().map(|cell| cell.value).collect();
        Ok(Self { columns: message.columns, rows: message.rows.into_iter().map(row).collect(), more: message.more })
    }
}
