//! The steps of a record → planned steps.

use ptah_diff::{Action, Change, ChangeId, FacetChange};
use ptah_model::{Facet, Loss, MemberId, Name, ObjectId, Position, Risk, SourceName};
use ptah_provider_api::step::{
    self, After, Check, Hazard, LockTaken, NativeOperation, Rule, Step, StepId, TransactionRule, Unit,
};
use ptah_records::plan_file::v1::{
    ActionV1, AfterV1, ChangeV1, CheckV1, FacetChangeV1, FacetV1, LockV1, PhaseV1, ServedV1, StepV1, TransactionRuleV1,
    UnitV1,
};
use ptah_records::shared::{HazardV1, LossV1, MemberIdV1, NameV1, ObjectIdV1, PositionV1, RiskV1, RuleV1};

use super::{DocumentError, Field, digest, kind};
use crate::draft::{PhaseKind, PlannedStep, Served};

/// One step.
pub(super) fn step(record: StepV1) -> Result<PlannedStep, DocumentError> {
    let why: Vec<Served> = record.why.into_iter().map(served).collect::<Result<_, _>>()?;
    Ok(PlannedStep {
        number: record.number,
        phase: match record.phase {
            PhaseV1::Renames => PhaseKind::Renames,
            PhaseV1::Changes => PhaseKind::Changes,
        },
        title: record.title,
        risk: risk(record.risk),
        loss: record.loss.map(loss),
        step: Step {
            id: StepId(record.step_id),
            changes: why.iter().map(|s| step::ChangeId(s.change.id.0)).collect(),
            unit: unit(record.unit)?,
            after: record.after.into_iter().map(after).collect(),
            after_commit: record.after_commit.into_iter().map(StepId).collect(),
            atomic_group: record.atomic_group,
            needs: record.needs,
            transaction: transaction(record.transaction),
            risk: risk(record.provider_risk),
            loss: record.provider_loss.map(loss),
            hazards: record.hazards.into_iter().map(hazard).collect(),
            locks: record.locks.into_iter().map(lock).collect::<Result<_, _>>()?,
            checks: record.checks.into_iter().map(check).collect(),
            rule: rule(record.rule),
        },
        why,
    })
}

fn unit(record: UnitV1) -> Result<Unit, DocumentError> {
    Ok(match record {
        UnitV1::Sql { text } => Unit::Sql { text },
        UnitV1::Native { kind, version, payload, statements, digest: text } => Unit::Native(NativeOperation {
            kind,
            version,
            payload: hex::decode(payload).map_err(|_| DocumentError::Text { field: Field::Payload })?,
            statements,
            digest: digest(Field::OperationDigest, &text)?,
        }),
    })
}

fn transaction(record: TransactionRuleV1) -> TransactionRule {
    match record {
        TransactionRuleV1::Any => TransactionRule::Any,
        TransactionRuleV1::Inside => TransactionRule::Inside,
        TransactionRuleV1::Outside => TransactionRule::Outside,
        TransactionRuleV1::Alone => TransactionRule::Alone,
    }
}

fn risk(record: RiskV1) -> Risk {
    match record {
        RiskV1::Safe => Risk::Safe,
        RiskV1::Warning => Risk::Warning,
        RiskV1::Destructive => Risk::Destructive,
    }
}

fn loss(record: LossV1) -> Loss {
    match record {
        LossV1::Rows => Loss::Rows,
        LossV1::Values => Loss::Values,
        LossV1::Protection => Loss::Protection,
        LossV1::Definition => Loss::Definition,
    }
}

fn after(record: AfterV1) -> After {
    After { step: StepId(record.step_id), rule: record.rule }
}

fn hazard(record: HazardV1) -> Hazard {
    Hazard { code: record.code, text: record.text }
}

fn rule(record: RuleV1) -> Rule {
    Rule { name: record.name, sentence: record.sentence }
}

fn lock(record: LockV1) -> Result<LockTaken, DocumentError> {
    Ok(LockTaken { object: object(record.object)?, mode: record.mode, rewrites: record.rewrites, scans: record.scans })
}

fn check(record: CheckV1) -> Check {
    Check { code: record.code, count: record.count, rows: record.rows, sentence: record.sentence, lossy: record.lossy }
}

fn served(record: ServedV1) -> Result<Served, DocumentError> {
    Ok(Served { change: change(record.change)?, asked: record.asked.map(position).transpose()? })
}

fn change(record: ChangeV1) -> Result<Change, DocumentError> {
    Ok(Change {
        id: ChangeId(record.change_id),
        object: object(record.object)?,
        member: record.member.map(member).transpose()?,
        action: match record.action {
            ActionV1::Create {} => Action::Create,
            ActionV1::Drop {} => Action::Drop,
            ActionV1::Alter { facets } => Action::Alter(facets.into_iter().map(facet_change).collect()),
            ActionV1::Rename { to } => Action::Rename { to: name(to) },
            ActionV1::Reorder {} => Action::Reorder,
        },
        risk: risk(record.risk),
        loss: record.loss.map(loss),
    })
}

fn facet_change(record: FacetChangeV1) -> FacetChange {
    let facet = |f: FacetV1| Facet { text: f.text, canonical: f.canonical };
    FacetChange { name: record.name, from: record.from.map(facet), to: record.to.map(facet) }
}

fn name(record: NameV1) -> Name {
    Name { source: record.source.into(), normalized: record.normalized.into() }
}

fn object(record: ObjectIdV1) -> Result<ObjectId, DocumentError> {
    Ok(ObjectId {
        kind: kind(record.kind)?,
        schema: record.schema.map(name),
        owner: record.owner.map(name),
        name: name(record.name),
    })
}

fn member(record: MemberIdV1) -> Result<MemberId, DocumentError> {
    Ok(MemberId { kind: kind(record.kind)?, name: name(record.name) })
}

fn position(record: PositionV1) -> Result<Position, DocumentError> {
    let offset = record.offset.parse();
    Ok(Position {
        source: SourceName::new(&record.source),
        offset: offset.map_err(|_| DocumentError::Text { field: Field::Offset })?,
        length: record.length,
        line: record.line,
        column: record.column,
    })
}
