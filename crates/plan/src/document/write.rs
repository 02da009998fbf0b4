//! A plan → its record.

use ptah_diff::{Action, Change, ColumnOrder, FacetChange, RenameRecord};
use ptah_model::Facet;
use ptah_provider_api::step::{After, Check, LockTaken, TransactionRule, Unit};
use ptah_records::plan_file::v1::{
    ActionV1, AfterV1, ChangeV1, CheckV1, ColumnOrderV1, FacetChangeV1, FacetV1, LockV1, PhaseV1, PlanV1, PolicyV1,
    RenameV1, SegmentV1, ServedV1, StepV1, TargetV1, TransactionRuleV1, TxModeV1, UnitV1,
};

use super::parts;
use crate::draft::{Head, PhaseKind, PlannedStep, Served};
use crate::plan::{Plan, PlanSegment};
use crate::policy::{Policy, TxMode};

/// The record of a plan. Structs are taken apart whole, so that a new field cannot be left out.
pub fn plan_record(plan: &Plan) -> PlanV1 {
    let Head { plan_id, engine, target, from, sources, policy: permitted, renames } = plan.head();
    PlanV1 {
        plan_id: plan_id.as_str().to_owned(),
        engine: engine.as_str().to_owned(),
        target: TargetV1 { uuid: target.uuid.clone(), physical: target.physical.clone(), route: target.route.clone() },
        from: from.to_string(),
        to: plan.to().to_string(),
        sources: sources.to_string(),
        policy: policy(permitted),
        renames: renames.iter().map(rename).collect(),
        segments: plan.segments().iter().map(segment).collect(),
    }
}

fn policy(policy: &Policy) -> PolicyV1 {
    let Policy { column_order, allow_destructive, allow_empty, protected_tables, tx_mode } = policy;
    PolicyV1 {
        column_order: match column_order {
            ColumnOrder::Ignore => ColumnOrderV1::Ignore,
            ColumnOrder::Exact => ColumnOrderV1::Exact,
        },
        allow_destructive: *allow_destructive,
        allow_empty: *allow_empty,
        protected_tables: protected_tables.clone(),
        tx_mode: match tx_mode {
            TxMode::File => TxModeV1::File,
            TxMode::All => TxModeV1::All,
            TxMode::None => TxModeV1::None,
        },
    }
}

fn rename(record: &RenameRecord) -> RenameV1 {
    RenameV1 {
        kind: record.kind.as_str().to_owned(),
        owner: record.owner.clone(),
        from: record.from.clone(),
        to: record.to.clone(),
    }
}

fn segment(part: &PlanSegment) -> SegmentV1 {
    SegmentV1 {
        transaction: part.segment.transaction,
        settings: part.segment.settings.clone(),
        before: part.before.to_string(),
        after: part.after.to_string(),
        steps: part.segment.steps.iter().map(step).collect(),
    }
}

fn step(planned: &PlannedStep) -> StepV1 {
    let step = &planned.step;
    StepV1 {
        number: planned.number,
        step_id: step.id.0.clone(),
        phase: match planned.phase {
            PhaseKind::Renames => PhaseV1::Renames,
            PhaseKind::Changes => PhaseV1::Changes,
        },
        title: planned.title.clone(),
        risk: parts::risk(planned.risk),
        loss: planned.loss.map(parts::loss),
        unit: unit(&step.unit),
        why: planned.why.iter().map(served).collect(),
        rule: parts::rule(&step.rule),
        after: step.after.iter().map(after).collect(),
        after_commit: step.after_commit.iter().map(|id| id.0.clone()).collect(),
        atomic_group: step.atomic_group.clone(),
        needs: step.needs.clone(),
        transaction: match step.transaction {
            TransactionRule::Any => TransactionRuleV1::Any,
            TransactionRule::Inside => TransactionRuleV1::Inside,
            TransactionRule::Outside => TransactionRuleV1::Outside,
            TransactionRule::Alone => TransactionRuleV1::Alone,
        },
        provider_risk: parts::risk(step.risk),
        provider_loss: step.loss.map(parts::loss),
        hazards: step.hazards.iter().map(parts::hazard).collect(),
        locks: step.locks.iter().map(lock).collect(),
        checks: step.checks.iter().map(check).collect(),
    }
}

fn unit(unit: &Unit) -> UnitV1 {
    match unit {
        Unit::Sql { text } => UnitV1::Sql { text: text.clone() },
        Unit::Native(operation) => UnitV1::Native {
            kind: operation.kind.clone(),
            version: operation.version,
            payload: hex::encode(&operation.payload),
            statements: operation.statements.clone(),
            digest: operation.digest.to_string(),
        },
    }
}

fn after(after: &After) -> AfterV1 {
    AfterV1 { step_id: after.step.0.clone(), rule: after.rule.clone() }
}

fn lock(lock: &LockTaken) -> LockV1 {
    LockV1 { object: parts::object(&lock.object), mode: lock.mode.clone(), rewrites: lock.rewrites, scans: lock.scans }
}

fn check(check: &Check) -> CheckV1 {
    CheckV1 {
        code: check.code.clone(),
        count: check.count.clone(),
        rows: check.rows.clone(),
        sentence: check.sentence.clone(),
        lossy: check.lossy,
    }
}

fn served(served: &Served) -> ServedV1 {
    ServedV1 { change: change(&served.change), asked: served.asked.as_ref().map(parts::position) }
}

fn change(change: &Change) -> ChangeV1 {
    ChangeV1 {
        change_id: change.id.0,
        object: parts::object(&change.object),
        member: change.member.as_ref().map(parts::member),
        action: match &change.action {
            Action::Create => ActionV1::Create {},
            Action::Drop => ActionV1::Drop {},
            Action::Alter(facets) => ActionV1::Alter { facets: facets.iter().map(facet_change).collect() },
            Action::Rename { to } => ActionV1::Rename { to: parts::name(to) },
            Action::Reorder => ActionV1::Reorder {},
        },
        risk: parts::risk(change.risk),
        loss: change.loss.map(parts::loss),
    }
}

fn facet_change(change: &FacetChange) -> FacetChangeV1 {
    let facet = |f: &Facet| FacetV1 { text: f.text.clone(), canonical: f.canonical.clone() };
    FacetChangeV1 {
        name: change.name.clone(),
        from: change.from.as_ref().map(facet),
        to: change.to.as_ref().map(facet),
    }
}
