//! Steps while they are made: what they do to names and tables, from which their order follows.

use std::collections::BTreeSet;

use ptah_model::{Kind, Loss, ObjectId, Risk};
use ptah_provider_api::step::{ChangeId, Check, Hazard, LockTaken, Rule, Step, StepId, TransactionRule, Unit};

use super::refusal::said;

/// SQLite's word for the lock that a writer holds on the whole database until it commits.
const LOCK: &str = "EXCLUSIVE";

/// The parts of a plan in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    DropTriggers,
    DropViews,
    DropIndexes,
    DropTables,
    CreateTables,
    ChangeTables,
    CreateViews,
    CreateTriggers,
}

/// What a step does, as far as others have to wait for it or it for others. Names are folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// Removes a trigger, view or index, which mentions these tables and views (an index: its table), with what it owns.
    Remove { mentions: BTreeSet<String>, owned: Vec<Slot> },
    /// Removes a table, with what it owns.
    DropTable { owned: Vec<Slot> },
    /// Makes a table or virtual table.
    CreateTable,
    /// Changes the table of that name; `moves` when views, triggers and indexes that mention it have to be away.
    ChangeTable { table: String, moves: bool, parents: BTreeSet<String>, waits_for: Vec<Slot> },
    /// Makes an index on a table.
    CreateIndex { table: String, unique: bool },
    /// Makes a view or trigger that mentions these tables and views.
    Create { mentions: BTreeSet<String> },
}

/// A name and its name space: triggers have one of their own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot {
    pub(super) trigger: bool,
    pub(super) name: String,
}

impl Slot {
    pub(super) fn of(id: &ObjectId) -> Self {
        Self { trigger: id.kind == Kind::trigger(), name: id.name.normalized.to_string() }
    }
}

/// A step with its place in the order.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) step: Step,
    pub(super) part: Part,
    /// The place within the part; then the place in which it was drafted decides.
    pub(super) position: usize,
    /// The name that it makes or frees.
    pub(super) slot: Slot,
    pub(super) does: Does,
}

/// A rule: its name and its sentence.
pub(super) fn rule(name: impl Into<String>, sentence: impl Into<String>) -> Rule {
    Rule { name: name.into(), sentence: said(sentence) }
}

/// A step with one statement, safe until something is added.
pub(super) fn step(id: String, changes: Vec<ChangeId>, text: String, rule: Rule) -> Step {
    Step {
        id: StepId(id),
        changes,
        unit: Unit::Sql { text },
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
        rule,
    }
}

/// What is added to a step.
pub(super) trait Add: Sized {
    /// At least this risk.
    fn risk(self, risk: Risk) -> Self;
    /// A loss; the worse of two stays.
    fn loses(self, loss: Loss) -> Self;
    /// Something that can go wrong.
    fn hazard(self, code: &str, text: impl Into<String>) -> Self;
    /// A lock on an object.
    fn lock(self, object: &ObjectId, rewrites: bool, scans: bool) -> Self;
    /// Questions about rows, which raise the risk to a warning.
    fn checked(self, checks: impl IntoIterator<Item = Check>) -> Self;
    /// A setting, which holds only in a transaction.
    fn needing(self, setting: &str) -> Self;
    /// Steps from which it may not be parted.
    fn in_group(self, group: impl Into<String>) -> Self;
}

impl Add for Step {
    fn risk(mut self, risk: Risk) -> Self {
        self.risk = self.risk.max(risk);
        self
    }

    fn loses(mut self, loss: Loss) -> Self {
        self.loss = Some(self.loss.map_or(loss, |known| known.min(loss)));
        self
    }

    fn hazard(mut self, code: &str, text: impl Into<String>) -> Self {
        self.hazards.push(Hazard { code: code.to_owned(), text: said(text) });
        self
    }

    fn lock(mut self, object: &ObjectId, rewrites: bool, scans: bool) -> Self {
        self.locks.push(LockTaken { object: object.clone(), mode: LOCK.to_owned(), rewrites, scans });
        self
    }

    fn checked(mut self, checks: impl IntoIterator<Item = Check>) -> Self {
        self.checks.extend(checks);
        if !self.checks.is_empty() {
            self.risk = self.risk.max(Risk::Warning);
        }
        self
    }

    fn needing(mut self, setting: &str) -> Self {
        self.needs.push(setting.to_owned());
        self.transaction = TransactionRule::Inside;
        self
    }

    fn in_group(mut self, group: impl Into<String>) -> Self {
        self.atomic_group = Some(group.into());
        self
    }
}
