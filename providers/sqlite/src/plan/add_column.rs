//! ADD COLUMN: what it takes, and what it refuses.
//!
//! It refuses a key, a stored computed column, and, where there are rows, a default that is no constant and NOT NULL
//! without a default. Whether there are rows is not known here, so the first three are rebuilds, and the last is a
//! question about rows: with rows there is no way at all. A foreign key with a default is taken only while foreign keys
//! are off.

use ptah_model::Risk;
use ptah_provider_api::step::{ChangeId, Check, Step};

use super::case::Case;
use super::draft::Add as _;
use super::in_place::{Alteration, Rank, alter};
use super::refusal::Because;
use super::rows::Rows;
use super::table::Stop;
use super::text::{is_constant, is_null, named, references, without};
use super::{check, needs, parents};
use crate::settings::FOREIGN_KEYS_OFF;
use crate::sql::ast::{Column, Constraint, ConstraintKind};
use crate::sql::position::Span;

/// The new column, by its place, that brings a new constraint along: the one at which it stands, or the only one of a
/// foreign key.
pub(super) fn carries(case: &Case<'_>, constraint: &Constraint) -> Option<usize> {
    let at = match (&constraint.kind, constraint.column) {
        (_, Some(column)) => Some(column),
        (ConstraintKind::ForeignKey(key), None) => match key.columns.as_slice() {
            [only] => case.new.column_at(&only.folded),
            _ => None,
        },
        _ => None,
    };
    at.filter(|column| case.created_columns.contains_key(column))
}

pub(super) fn plan(case: &Case<'_>, at: usize, change: ChangeId) -> Result<Alteration, Stop> {
    let Some(column) = case.new.table.columns.get(at) else {
        return Stop::forced("column-added", format!("SQLite cannot add a column to `{}`", case.shown()));
    };
    possible(case, column)?;
    let mut changes = vec![change];
    let mut brought = Vec::new();
    for (place, change) in &case.created_constraints {
        let constraint = case.new.constraint(*place).filter(|c| carries(case, c) == Some(at));
        if let Some(constraint) = constraint {
            changes.push(*change);
            brought.push(constraint);
        }
    }
    has_all_of(case, column, &brought)?;
    let clause = format!("ADD COLUMN {}", definition(case, at, column, &brought));
    let checks = checks(case, column, &brought);
    let scans = brought.iter().any(|c| matches!(c.kind, ConstraintKind::Check { .. })) || column.not_null.is_some();
    let mut step = alter(case, &format!("add-column:{}", column.name), changes, &clause)
        .lock(&case.old.stored.id, false, scans)
        .checked(checks);
    if column.generated.is_some() && column.not_null.is_some() {
        step = step.risk(Risk::Warning);
    }
    let keys = brought.iter().filter_map(|constraint| match &constraint.kind {
        ConstraintKind::ForeignKey(key) => Some(key),
        _ => None,
    });
    if let Some(key) = parents::misfit(&case.scene.desired, keys) {
        step = step.risk(Risk::Warning).hazard("foreign-key.mismatch", misfit(&key.parent.text));
    }
    Ok(Alteration { rank: Rank::AddColumn, step: with_foreign_keys_off(step, column, &brought) })
}

/// What SQLite says only once foreign keys are on and a row is written.
pub(super) fn misfit(parent: &str) -> String {
    format!("a foreign key does not fit `{parent}`, so that programs with foreign keys on can write no row")
}

/// What forces a rebuild.
fn possible(case: &Case<'_>, column: &Column) -> Result<(), Stop> {
    let of = format!("`{}` to `{}`", column.name, case.shown());
    if column.generated.as_ref().is_some_and(|generated| generated.stored) {
        return Stop::forced("stored-column-added", format!("SQLite cannot add the stored computed column {of}"));
    }
    let default = column.default.as_ref().map(|default| default.value.text.as_str());
    if default.is_some_and(|default| !is_constant(default)) {
        let cannot =
            format!("SQLite cannot add the column {of} where there are rows, because its default is no constant");
        return Stop::forced("default-not-constant", cannot);
    }
    Ok(())
}

fn has_all_of(case: &Case<'_>, column: &Column, brought: &[&Constraint]) -> Result<(), Because> {
    let mut needed = needs::of_column(column);
    for constraint in brought {
        needed.add(&needs::of_constraint(constraint));
    }
    match case.scene.build.missing(&needed) {
        Some(missing) => {
            Err(Because::missing(&format!("the column `{}` of `{}`", column.name, case.shown()), &missing))
        }
        None => Ok(()),
    }
}

/// The declared text of the column, without constraints that the table has already and with foreign keys that stand
/// elsewhere.
fn definition(case: &Case<'_>, at: usize, column: &Column, brought: &[&Constraint]) -> String {
    let is_brought = |constraint: &Constraint| brought.iter().any(|b| std::ptr::eq(*b, constraint));
    let there = case.new.table.constraints.iter().filter(|c| c.column == Some(at) && !is_brought(c));
    let cuts: Vec<Span> = there.map(|constraint| constraint.span).collect();
    let mut text = without(&case.new.stored.sql, column.span, &cuts);
    for constraint in brought.iter().filter(|constraint| constraint.column.is_none()) {
        if let ConstraintKind::ForeignKey(key) = &constraint.kind {
            text.push(' ');
            text.push_str(&named(constraint.name.as_ref()));
            text.push_str(&references(key));
        }
    }
    text
}

fn has_value(column: &Column) -> bool {
    column.default.as_ref().is_some_and(|default| !is_null(&default.value.text))
}

fn checks(case: &Case<'_>, column: &Column, brought: &[&Constraint]) -> Vec<Check> {
    let rows = Rows::new(case.old.table, case.new.table);
    let mut checks = Vec::new();
    if column.not_null.is_some() && column.generated.is_some() {
        checks.push(check::null(&rows, &column.name));
    } else if column.not_null.is_some() && !has_value(column) {
        checks.push(check::null_in_new(&rows, &column.name));
    }
    checks.extend(check::refused_default(&rows, column));
    checks.extend(check::refused_computation(&rows, column));
    for constraint in brought {
        match &constraint.kind {
            ConstraintKind::Check { expression, .. } => {
                checks.push(check::condition(&rows, constraint.name.as_ref(), expression));
            }
            ConstraintKind::ForeignKey(key) if has_value(column) => {
                checks.extend(parents::orphans(case.scene, &rows, key));
            }
            _ => {}
        }
    }
    checks
}

fn with_foreign_keys_off(step: Step, column: &Column, brought: &[&Constraint]) -> Step {
    let refers = brought.iter().any(|constraint| matches!(constraint.kind, ConstraintKind::ForeignKey(_)));
    if refers && has_value(column) { step.needing(FOREIGN_KEYS_OFF) } else { step }
}
