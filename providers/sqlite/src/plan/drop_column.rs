//! DROP COLUMN: what it refuses, and in which order columns go.
//!
//! It refuses a column of a key, the last column, and one that an index, check, foreign key, computed column, view or
//! trigger still names; it reads the whole schema again, so that one broken view anywhere stops it.

use std::collections::{BTreeMap, BTreeSet};

use ptah_model::{Loss, Risk};
use ptah_provider_api::step::{ChangeId, Step};

use super::case::Case;
use super::draft::Add as _;
use super::in_place::{Alteration, Rank, alter};
use super::places::Places;
use super::table::Stop;
use crate::sql::ast::{Column, ConstraintKind, Declaration};
use crate::sql::name::quote_name;

pub(super) fn plan(case: &Case<'_>) -> Result<Vec<Alteration>, Stop> {
    if case.dropped_columns.is_empty() {
        return Ok(Vec::new());
    }
    something_is_left(case)?;
    for at in case.dropped_columns.keys() {
        no_key_has(case, *at)?;
        takes_only_what_goes(case, *at)?;
    }
    if case.scene.is_broken_meanwhile {
        let cannot =
            "SQLite drops no column while a view or trigger that stays mentions something that is made again later";
        return Stop::forced("view-in-between", cannot);
    }
    if let Some(because) = case.scene.blockers.of_drop_column() {
        return Err(because.into());
    }
    Ok(in_order(case)?.into_iter().map(|(at, change)| dropped(case, at, change)).collect())
}

/// SQLite keeps at least one column that is stored, and new ones come after old ones went.
fn something_is_left(case: &Case<'_>) -> Result<(), Stop> {
    let columns = case.old.table.columns.iter().enumerate();
    let mut left = columns.filter(|(at, c)| c.generated.is_none() && !case.dropped_columns.contains_key(at));
    match left.next() {
        Some(_) => Ok(()),
        None => Stop::forced("no-column-left", format!("SQLite cannot drop all columns of `{}`", case.shown())),
    }
}

fn no_key_has(case: &Case<'_>, at: usize) -> Result<(), Stop> {
    let Some(column) = case.old.table.columns.get(at) else { return Ok(()) };
    let has = |constraint: &crate::sql::ast::Constraint| match &constraint.kind {
        ConstraintKind::PrimaryKey { columns, .. } | ConstraintKind::Unique { columns, .. } => {
            columns.iter().any(|c| c.column.as_ref() == Some(&column.name))
        }
        _ => false,
    };
    if case.old.table.constraints.iter().any(has) {
        let cannot = format!("SQLite cannot drop `{}` of `{}`, which is part of a key", column.name, case.shown());
        return Stop::forced("column-in-key", cannot);
    }
    Ok(())
}

/// A constraint that was written at the column goes with it; one that is wanted, and now stands elsewhere, may not.
fn takes_only_what_goes(case: &Case<'_>, at: usize) -> Result<(), Stop> {
    let constraints = case.old.table.constraints.iter().enumerate();
    let mut staying =
        constraints.filter(|(place, c)| c.column == Some(at) && !case.dropped_constraints.contains_key(place));
    if staying.next().is_some() {
        let cannot = format!("SQLite would drop a constraint of `{}` that stays with a column", case.shown());
        return Stop::forced("constraint-stays", cannot);
    }
    Ok(())
}

/// Columns in an order in which each goes before those that it, or a constraint at it, names.
fn in_order(case: &Case<'_>) -> Result<Vec<(usize, ChangeId)>, Stop> {
    let table = case.old.table;
    let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for at in case.dropped_columns.keys() {
        let Some(column) = table.columns.get(*at) else { continue };
        let mut used = BTreeSet::new();
        if let Some(generated) = &column.generated {
            used.extend(generated.expression.canonical.references.columns.iter().cloned());
        }
        for constraint in table.constraints.iter().filter(|constraint| constraint.column == Some(*at)) {
            for text in constraint.expressions() {
                used.extend(text.canonical.references.columns.iter().cloned());
            }
        }
        names.insert(column.name.folded.clone(), used);
    }
    let places = Places::sorted(names.clone());
    let mut ordered: Vec<(usize, ChangeId)> = case.dropped_columns.iter().map(|(at, change)| (*at, *change)).collect();
    let name = |at: usize| table.columns.get(at).map_or("", |column| column.name.folded.as_str());
    ordered.sort_by_key(|(at, _)| places.readers_first(name(*at)));
    // Two that name each other have no order.
    let mut gone: BTreeSet<&str> = BTreeSet::new();
    for (at, _) in &ordered {
        let own = name(*at);
        if names.get(own).is_some_and(|used| used.iter().any(|other| gone.contains(other.as_str()))) {
            let cannot = format!("SQLite cannot drop columns of `{}` that name each other", case.shown());
            return Stop::forced("columns-name-each-other", cannot);
        }
        gone.insert(own);
    }
    Ok(ordered)
}

fn dropped(case: &Case<'_>, at: usize, change: ChangeId) -> Alteration {
    let Some(column) = case.old.table.columns.get(at) else {
        return Alteration { rank: Rank::DropColumn, step: alter(case, "drop-column:", vec![change], "") };
    };
    let mut changes = vec![change];
    let constraints = case.dropped_constraints.iter();
    changes.extend(
        constraints
            .filter(|(place, _)| case.old.constraint(**place).is_some_and(|c| c.column == Some(at)))
            .map(|(_, change)| *change),
    );
    let clause = format!("DROP COLUMN {}", quote_name(&column.name.text));
    let step = alter(case, &format!("drop-column:{}", column.name), changes, &clause);
    let is_stored = column.generated.as_ref().is_none_or(|generated| generated.stored);
    let step = step.lock(&case.old.stored.id, is_stored, is_stored);
    let step = if column.generated.is_none() {
        step.risk(Risk::Destructive).loses(Loss::Values)
    } else {
        step.risk(Risk::Warning)
    };
    Alteration { rank: Rank::DropColumn, step: mentions(case, column, step) }
}

/// Triggers are not read when they are made, so that a declared schema can hold one that will not work.
fn mentions(case: &Case<'_>, column: &Column, mut step: Step) -> Step {
    let triggers = case.scene.current.triggers_on(&case.name.normalized).iter();
    for stored in triggers.filter(|stored| case.scene.stays(stored)) {
        let Some(Declaration::Trigger(trigger)) = stored.declaration() else { continue };
        if trigger.references().columns.contains(&column.name.folded) {
            let text = format!(
                "the trigger `{}` mentions the table and a column of that name, and may not work afterwards",
                stored.id.name.shown()
            );
            step = step.hazard("trigger.mentions-column", text);
        }
    }
    step
}
