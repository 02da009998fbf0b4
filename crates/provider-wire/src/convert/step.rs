//! Steps and units.

use ptah_model::ObjectId;
use ptah_provider_api::step::{After, ChangeId, Check, Hazard, LockTaken, NativeOperation, Rule, Step, StepId};
use ptah_provider_api::step::{TransactionRule, Unit};

use super::common::{loss, risk};
use super::{Numbered, OnWire, WireError, digest, from_list, numbered, required, to_list};
use crate::pb;
use crate::pb::unit::Unit as Piece;

numbered!(ptah_provider_api::step::TransactionRule, TransactionRule, Any, Inside, Outside, Alone);

impl OnWire for Step {
    type Message = pb::Step;

    fn to_wire(self) -> pb::Step {
        let Self {
            id,
            changes,
            unit,
            after,
            after_commit,
            atomic_group,
            needs,
            transaction,
            risk,
            loss,
            hazards,
            locks,
            checks,
            rule,
        } = self;
        pb::Step {
            step_id: id.0,
            change_ids: changes.into_iter().map(|c| c.0).collect(),
            unit: Some(unit.to_wire()),
            after: to_list(after),
            after_commit: after_commit.into_iter().map(|s| s.0).collect(),
            atomic_group,
            needs,
            transaction: transaction.number(),
            risk: risk.number(),
            loss: loss.map(Numbered::number),
            hazards: to_list(hazards),
            locks: to_list(locks),
            checks: to_list(checks),
            rule: Some(rule.to_wire()),
        }
    }

    fn from_wire(message: pb::Step) -> Result<Self, WireError> {
        const M: &str = "Step";
        Ok(Self {
            id: StepId(message.step_id),
            changes: message.change_ids.into_iter().map(ChangeId).collect(),
            unit: Unit::from_wire(required(message.unit, M, "unit")?)?,
            after: from_list(message.after)?,
            after_commit: message.after_commit.into_iter().map(StepId).collect(),
            atomic_group: message.atomic_group,
            needs: message.needs,
            transaction: TransactionRule::numbered(message.transaction, M, "transaction")?,
            risk: risk(message.risk, M)?,
            loss: loss(message.loss, M)?,
            hazards: from_list(message.hazards)?,
            locks: from_list(message.locks)?,
            checks: from_list(message.checks)?,
            rule: Rule::from_wire(required(message.rule, M, "rule")?)?,
        })
    }
}

impl OnWire for Unit {
    type Message = pb::Unit;

    fn to_wire(self) -> pb::Unit {
        pb::Unit {
            unit: Some(match self {
                Self::Sql { text } => Piece::Sql(text),
                Self::Native(operation) => Piece::Native(operation.to_wire()),
            }),
        }
    }

    fn from_wire(message: pb::Unit) -> Result<Self, WireError> {
        Ok(match required(message.unit, "Unit", "unit")? {
            Piece::Sql(text) => Self::Sql { text },
            Piece::Native(operation) => Self::Native(NativeOperation::from_wire(operation)?),
        })
    }
}

impl OnWire for NativeOperation {
    type Message = pb::NativeOperation;

    fn to_wire(self) -> pb::NativeOperation {
        let Self { kind, version, payload, statements, digest } = self;
        pb::NativeOperation { kind, version, payload, statements, digest: digest.to_string() }
    }

    fn from_wire(message: pb::NativeOperation) -> Result<Self, WireError> {
        Ok(Self {
            digest: digest(&message.digest, "NativeOperation", "digest")?,
            kind: message.kind,
            version: message.version,
            payload: message.payload,
            statements: message.statements,
        })
    }
}

impl OnWire for LockTaken {
    type Message = pb::LockTaken;

    fn to_wire(self) -> pb::LockTaken {
        let Self { object, mode, rewrites, scans } = self;
        pb::LockTaken { object: Some(object.to_wire()), mode, rewrites, scans }
    }

    fn from_wire(message: pb::LockTaken) -> Result<Self, WireError> {
        Ok(Self {
            object: ObjectId::from_wire(required(message.object, "LockTaken", "object")?)?,
            mode: message.mode,
            rewrites: message.rewrites,
            scans: message.scans,
        })
    }
}

/// Messages whose fields are those of the value, some under another name.
macro_rules! plain {
    ($api:ident, $wire:ident, $($field:ident = $wire_field:ident $(($wrap:path, $unwrap:expr))?),+ $(,)?) => {
        impl OnWire for $api {
            type Message = pb::$wire;

            fn to_wire(self) -> pb::$wire {
                let Self { $($field),+ } = self;
                pb::$wire { $($wire_field: plain!(@out $field $($unwrap)?)),+ }
            }

            fn from_wire(message: pb::$wire) -> Result<Self, WireError> {
                let pb::$wire { $($wire_field),+ } = message;
                Ok(Self { $($field: plain!(@in $wire_field $($wrap)?)),+ })
            }
        }
    };
    (@out $value:ident) => { $value };
    (@out $value:ident $unwrap:expr) => { $unwrap($value) };
    (@in $value:ident) => { $value };
    (@in $value:ident $wrap:path) => { $wrap($value) };
}

plain!(After, After, step = step_id(StepId, |id: StepId| id.0), rule = rule);
plain!(Rule, Rule, name = name, sentence = sentence);
plain!(Hazard, Hazard, code = code, text = text);
plain!(Check, Check, code = code, count = count, rows = rows, sentence = sentence, lossy = lossy);
