//! Small parts that both directions and the report share.

use ptah_model::{Loss, MemberId, Name, ObjectId, Position, Risk, Severity};
use ptah_provider_api::step::{Hazard, Rule};
use ptah_records::shared::{HazardV1, LossV1, MemberIdV1, NameV1, ObjectIdV1, PositionV1, RiskV1, RuleV1, SeverityV1};

pub(super) fn name(name: &Name) -> NameV1 {
    NameV1 { source: name.source.to_string(), normalized: name.normalized.to_string() }
}

pub(super) fn object(id: &ObjectId) -> ObjectIdV1 {
    ObjectIdV1 {
        kind: id.kind.as_str().to_owned(),
        schema: id.schema.as_ref().map(name),
        owner: id.owner.as_ref().map(name),
        name: name(&id.name),
    }
}

pub(super) fn member(id: &MemberId) -> MemberIdV1 {
    MemberIdV1 { kind: id.kind.as_str().to_owned(), name: name(&id.name) }
}

pub(super) fn position(at: &Position) -> PositionV1 {
    PositionV1 {
        source: at.source.as_str().to_owned(),
        offset: at.offset.to_string(),
        length: at.length,
        line: at.line,
        column: at.column,
    }
}

pub(super) fn risk(risk: Risk) -> RiskV1 {
    match risk {
        Risk::Safe => RiskV1::Safe,
        Risk::Warning => RiskV1::Warning,
        Risk::Destructive => RiskV1::Destructive,
    }
}

pub(super) fn loss(loss: Loss) -> LossV1 {
    match loss {
        Loss::Rows => LossV1::Rows,
        Loss::Values => LossV1::Values,
        Loss::Protection => LossV1::Protection,
        Loss::Definition => LossV1::Definition,
    }
}

pub(super) fn severity(severity: Severity) -> SeverityV1 {
    match severity {
        Severity::Note => SeverityV1::Note,
        Severity::Warning => SeverityV1::Warning,
        Severity::Error => SeverityV1::Error,
    }
}

pub(super) fn rule(rule: &Rule) -> RuleV1 {
    RuleV1 { name: rule.name.clone(), sentence: rule.sentence.clone() }
}

pub(super) fn hazard(hazard: &Hazard) -> HazardV1 {
    HazardV1 { code: hazard.code.clone(), text: hazard.text.clone() }
}
