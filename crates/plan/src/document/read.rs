//! A record → the plan, or the field that holds what it cannot hold.

mod step;

use ptah_diff::{ColumnOrder, RenameRecord};
use ptah_model::{Digest, DigestError, EngineName, Fingerprint, IdError, Kind, OperationId};
use ptah_records::plan_file::v1::{ColumnOrderV1, PlanV1, PolicyV1, RenameV1, SegmentV1, TargetV1, TxModeV1};

use crate::draft::{Head, Segment, Target};
use crate::plan::{Plan, PlanFault, PlanSegment};
use crate::policy::{Policy, TxMode};

/// Which field of the record it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// `plan_id`.
    PlanId,
    /// `engine`.
    Engine,
    /// `from`.
    From,
    /// `to`.
    To,
    /// `sources`.
    Sources,
    /// `segments.before`.
    Before,
    /// `segments.after`.
    After,
    /// The digest of a native operation.
    OperationDigest,
    /// The payload of a native operation.
    Payload,
    /// The kind of an object, a member or a rename.
    Kind,
    /// The offset of a position.
    Offset,
}

/// Why a record is no plan. Not to be tried again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// A field holds no digest.
    #[error("the field {field} holds no digest")]
    Digest {
        /// Which.
        field: Field,
        /// Why.
        #[source]
        source: DigestError,
    },
    /// A field holds no identifier.
    #[error("the field {field} holds no identifier")]
    Id {
        /// Which.
        field: Field,
        /// Why.
        #[source]
        source: IdError,
    },
    /// A field holds a text that does not belong there.
    #[error("the field {field} holds what does not belong there")]
    Text {
        /// Which.
        field: Field,
    },
    /// The plan breaks an invariant.
    #[error("the plan contradicts itself")]
    Fault(#[source] PlanFault),
}

/// The plan of a record, checked.
pub fn plan(record: PlanV1) -> Result<Plan, DocumentError> {
    let PlanV1 {
        plan_id,
        engine,
        target: TargetV1 { uuid, physical, route },
        from,
        to,
        sources,
        policy: permitted,
        renames,
        segments,
    } = record;
    let id = |field: Field| move |source: IdError| DocumentError::Id { field, source };
    let head = Head {
        plan_id: OperationId::new(plan_id).map_err(id(Field::PlanId))?,
        engine: EngineName::new(engine).map_err(id(Field::Engine))?,
        target: Target { uuid, physical, route },
        from: fingerprint(Field::From, &from)?,
        sources: digest(Field::Sources, &sources)?,
        policy: policy(permitted),
        renames: renames.into_iter().map(rename).collect::<Result<_, _>>()?,
    };
    let to = fingerprint(Field::To, &to)?;
    let segments = segments.into_iter().map(segment).collect::<Result<_, _>>()?;
    Ok(Plan::new(head, to, segments)?)
}

fn policy(record: PolicyV1) -> Policy {
    Policy {
        column_order: match record.column_order {
            ColumnOrderV1::Ignore => ColumnOrder::Ignore,
            ColumnOrderV1::Exact => ColumnOrder::Exact,
        },
        allow_destructive: record.allow_destructive,
        allow_empty: record.allow_empty,
        protected_tables: record.protected_tables,
        tx_mode: match record.tx_mode {
            TxModeV1::File => TxMode::File,
            TxModeV1::All => TxMode::All,
            TxModeV1::None => TxMode::None,
        },
    }
}

fn rename(record: RenameV1) -> Result<RenameRecord, DocumentError> {
    Ok(RenameRecord { kind: kind(record.kind)?, owner: record.owner, from: record.from, to: record.to })
}

fn segment(record: SegmentV1) -> Result<PlanSegment, DocumentError> {
    Ok(PlanSegment {
        before: fingerprint(Field::Before, &record.before)?,
        after: fingerprint(Field::After, &record.after)?,
        segment: Segment {
            transaction: record.transaction,
            settings: record.settings,
            steps: record.steps.into_iter().map(step::step).collect::<Result<_, _>>()?,
        },
    })
}

fn digest(field: Field, text: &str) -> Result<Digest, DocumentError> {
    text.parse().map_err(|source| DocumentError::Digest { field, source })
}

fn fingerprint(field: Field, text: &str) -> Result<Fingerprint, DocumentError> {
    text.parse().map_err(|source| DocumentError::Digest { field, source })
}

fn kind(word: String) -> Result<Kind, DocumentError> {
    Kind::new(word).ok_or(DocumentError::Text { field: Field::Kind })
}

impl std::fmt::Display for Field {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::PlanId => "`plan_id`",
            Self::Engine => "`engine`",
            Self::From => "`from`",
            Self::To => "`to`",
            Self::Sources => "`sources`",
            Self::Before => "`segments.before`",
            Self::After => "`segments.after`",
            Self::OperationDigest => "`unit.digest`",
            Self::Payload => "`unit.payload`",
            Self::Kind => "`kind`",
            Self::Offset => "`offset`",
        })
    }
}
