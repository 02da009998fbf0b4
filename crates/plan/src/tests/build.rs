//! Small changes, steps and heads for the tests.

use ptah_diff::{Action, Change, ChangeId, FacetChange};
use ptah_model::{
    Comparison, Digest, EngineName, Facet, Fingerprint, Holds, IdentifierRules, Kind, KindCatalog, KindModel, Loss,
    Member, MemberId, Name, Object, ObjectId, OperationId, Position, Risk, SchemaModel, SourceName,
};
use ptah_provider_api::step::{self, After, Check, Rule, Step, StepId, TransactionRule, Unit};

use crate::{Head, Phase, PhaseKind, Policy, Target, TxMode};

pub(crate) fn name(text: &str) -> Name {
    Name::new(text, Comparison::AsciiFold)
}

pub(crate) fn object(kind: Kind, owner: Option<&str>, text: &str) -> ObjectId {
    ObjectId { kind, schema: None, owner: owner.map(name), name: name(text) }
}

pub(crate) fn table(text: &str) -> ObjectId {
    object(Kind::table(), None, text)
}

pub(crate) fn index(text: &str, owner: &str) -> ObjectId {
    object(Kind::index(), Some(owner), text)
}

pub(crate) fn column(text: &str) -> MemberId {
    MemberId { kind: Kind::column(), name: name(text) }
}

pub(crate) fn rules() -> IdentifierRules {
    IdentifierRules {
        table: Comparison::AsciiFold,
        column: Comparison::AsciiFold,
        index: Comparison::Exact,
        default_schema: None,
        max_bytes: None,
    }
}

pub(crate) fn kinds() -> KindCatalog {
    let kind = |kind: Kind, member: bool, holds: Holds| KindModel {
        kind,
        parent: None,
        member,
        holds,
        ordered: false,
        renamable: true,
    };
    KindCatalog::new([
        kind(Kind::table(), false, Holds::Rows),
        kind(Kind::column(), true, Holds::Values),
        kind(Kind::check(), true, Holds::Protection),
        kind(Kind::index(), false, Holds::Nothing),
        kind(Kind::view(), false, Holds::Definition),
    ])
}

pub(crate) fn at(line: u32) -> Position {
    Position { source: SourceName::new("schema.sql"), offset: u64::from(line) * 10, length: 4, line, column: 1 }
}

pub(crate) fn change(id: u32, object: &ObjectId, member: Option<&MemberId>, action: Action) -> Change {
    let kinds = kinds();
    let kind = member.map_or(&object.kind, |m| &m.kind);
    let holds = kinds.get(kind).unwrap().holds;
    let (risk, loss) = match &action {
        Action::Create => (Risk::Safe, None),
        Action::Drop => (holds.drop_risk(), holds.drop_loss()),
        Action::Alter(_) | Action::Rename { .. } | Action::Reorder => (Risk::Warning, None),
    };
    Change { id: ChangeId(id), object: object.clone(), member: member.cloned(), action, risk, loss }
}

pub(crate) fn new_type(from: &str, to: &str) -> Action {
    Action::Alter(vec![FacetChange {
        name: "type".to_owned(),
        from: Some(Facet::plain(from)),
        to: Some(Facet::plain(to)),
    }])
}

/// A harmless step of plain SQL that serves these changes.
pub(crate) fn step(id: &str, changes: &[u32]) -> Step {
    Step {
        id: StepId(id.to_owned()),
        changes: changes.iter().map(|c| step::ChangeId(*c)).collect(),
        unit: Unit::Sql { text: format!("do {id}") },
        after: Vec::new(),
        after_commit: Vec::new(),
        atomic_group: None,
        needs: Vec::new(),
        transaction: TransactionRule::Any,
        risk: Risk::Safe,
        loss: None,
        hazards: Vec::new(),
        locks: Vec::new(),
        checks: Vec::new(),
        rule: Rule { name: "plain".to_owned(), sentence: "it is done as it is said".to_owned() },
    }
}

/// What tests say of a step beyond [`step`].
pub(crate) trait With: Sized {
    fn after(self, steps: &[&str]) -> Self;
    fn after_commit(self, step: &str) -> Self;
    fn in_group(self, group: &str) -> Self;
    fn needs(self, setting: &str) -> Self;
    fn runs(self, rule: TransactionRule) -> Self;
    fn loses(self, loss: Loss) -> Self;
    fn checks(self, code: &str, lossy: bool) -> Self;
}

impl With for Step {
    fn after(mut self, steps: &[&str]) -> Self {
        self.after.extend(
            steps.iter().map(|s| After { step: StepId((*s).to_owned()), rule: "it reads what that makes".to_owned() }),
        );
        self
    }

    fn after_commit(mut self, step: &str) -> Self {
        self.after_commit.push(StepId(step.to_owned()));
        self
    }

    fn in_group(mut self, group: &str) -> Self {
        self.atomic_group = Some(group.to_owned());
        self
    }

    fn needs(mut self, setting: &str) -> Self {
        self.needs.push(setting.to_owned());
        self
    }

    fn runs(mut self, rule: TransactionRule) -> Self {
        self.transaction = rule;
        self
    }

    fn loses(mut self, loss: Loss) -> Self {
        self.risk = Risk::Destructive;
        self.loss = Some(loss);
        self
    }

    fn checks(mut self, code: &str, lossy: bool) -> Self {
        self.checks.push(Check {
            code: code.to_owned(),
            count: format!("count {code}"),
            rows: None,
            sentence: format!("rows offend {code}"),
            lossy,
        });
        self
    }
}

/// A phase in which step `n` of the list serves change `n`, each the creation of a table.
pub(crate) fn creations(steps: Vec<Step>) -> Phase {
    let changes = (0..steps.len())
        .map(|n| change(u32::try_from(n).unwrap(), &table(&format!("t{n}")), None, Action::Create))
        .collect();
    Phase { kind: PhaseKind::Changes, changes, steps }
}

pub(crate) fn head(tx_mode: TxMode) -> Head {
    Head {
        plan_id: OperationId::new("0190-plan").unwrap(),
        engine: EngineName::new("zorp").unwrap(),
        target: Target {
            uuid: Some("u-1".to_owned()),
            physical: "inode 7".to_owned(),
            route: "/srv/a.zorp".to_owned(),
        },
        from: point(0),
        sources: Digest::of(b"sources"),
        policy: Policy { tx_mode, ..Policy::default() },
        renames: Vec::new(),
    }
}

/// A fingerprint; a different one for each number.
pub(crate) fn point(number: usize) -> Fingerprint {
    Digest::of(number.to_string().as_bytes()).to_string().parse().unwrap()
}

/// Tables with one column each.
pub(crate) fn tables(names: &[&str]) -> SchemaModel {
    let mut model = SchemaModel::default();
    for text in names {
        model.insert(Object {
            id: table(text),
            facets: ptah_model::Facets::new(),
            members: vec![Member { id: column("id"), facets: ptah_model::Facets::new() }],
        });
    }
    model
}
