//! Constraints in place: checks come and go, and so do foreign keys that have a name; keys never do.

use ptah_model::{Loss, Risk};
use ptah_provider_api::step::ChangeId;

use super::case::{Altered, Case};
use super::draft::Add as _;
use super::in_place::{Alteration, Rank, alter};
use super::refusal::Because;
use super::rows::Rows;
use super::table::Stop;
use super::text::named;
use super::{add_column, check, needs};
use crate::sql::ast::{Constraint, ConstraintKind, SqlText};
use crate::sql::name::{Name, quote_name};

/// A constraint that goes; `None` when it goes with its column.
pub(super) fn dropped(case: &Case<'_>, at: usize, change: ChangeId) -> Result<Option<Alteration>, Stop> {
    let Some(constraint) = case.old.constraint(at) else { return Ok(None) };
    let goes_with_column = constraint.column.is_some_and(|column| case.dropped_columns.contains_key(&column));
    let (rule, what) = match &constraint.kind {
        ConstraintKind::PrimaryKey { .. } => return forced_key(case, "primary-key-dropped", "drop the primary key of"),
        ConstraintKind::Unique { .. } => return forced_key(case, "unique-dropped", "drop a UNIQUE constraint of"),
        _ if goes_with_column => return Ok(None),
        ConstraintKind::Check { .. } => ("check-dropped", "a check"),
        ConstraintKind::ForeignKey(_) => ("foreign-key-dropped", "a foreign key"),
    };
    let name = droppable_name(case, constraint);
    match name {
        Some(name) => Ok(Some(drop_by_name(case, name, change))),
        None => Stop::forced(rule, format!("SQLite can drop {what} of `{}` only by a name of its own", case.shown())),
    }
}

fn forced_key<T>(case: &Case<'_>, rule: &'static str, what: &str) -> Result<T, Stop> {
    Stop::forced(rule, format!("SQLite cannot {what} `{}`", case.shown()))
}

/// The name of a constraint, when nothing else in the table has it.
fn droppable_name<'a>(case: &'a Case<'_>, constraint: &'a Constraint) -> Option<&'a Name> {
    let name = constraint.name.as_ref()?;
    let table = case.old.table;
    let of_columns = table.columns.iter().flat_map(|column| {
        let not_null = column.not_null.as_ref().and_then(|clause| clause.name.as_ref());
        let default = column.default.as_ref().and_then(|clause| clause.name.as_ref());
        let generated = column.generated.as_ref().and_then(|clause| clause.name.as_ref());
        [not_null, default, generated]
    });
    let names = table.constraints.iter().map(|constraint| constraint.name.as_ref()).chain(of_columns).flatten();
    (names.filter(|other| *other == name).count() == 1).then_some(name)
}

fn drop_by_name(case: &Case<'_>, name: &Name, change: ChangeId) -> Alteration {
    let clause = format!("DROP CONSTRAINT {}", quote_name(&name.text));
    let step = alter(case, &format!("drop-constraint:{name}"), vec![change], &clause);
    let step = step.risk(Risk::Destructive).loses(Loss::Protection).lock(&case.old.stored.id, false, false);
    Alteration { rank: Rank::DropConstraint, step }
}

/// A constraint that changes.
pub(super) fn altered(case: &Case<'_>, altered: &Altered<'_>) -> Result<Vec<Alteration>, Stop> {
    let (Some(old), Some(new)) = (case.old.constraint(altered.old), case.new.constraint(altered.new)) else {
        return Ok(Vec::new());
    };
    let facet = altered.facets.first().map_or("", |facet| facet.name.as_str());
    let (rule, what) = match &new.kind {
        ConstraintKind::PrimaryKey { .. } => ("primary-key-changed", "the primary key"),
        ConstraintKind::Unique { .. } => ("unique-changed", "a UNIQUE constraint"),
        ConstraintKind::ForeignKey(_) => ("foreign-key-changed", "a foreign key"),
        ConstraintKind::Check { expression, .. } => {
            if let Some(name) = droppable_name(case, old) {
                let mut pair = vec![drop_by_name(case, name, altered.change)];
                // The rule changes and does not go.
                pair[0].step.loss = None;
                pair[0].step.risk = Risk::Warning;
                pair.push(add_check(case, new, expression, altered.change)?);
                let group = format!("change-check:{}.{name}", case.shown());
                for one in &mut pair {
                    one.step.atomic_group = Some(group.clone());
                }
                return Ok(pair);
            }
            ("check-changed", "a check without a name of its own")
        }
    };
    Stop::forced(rule, format!("SQLite cannot change the {facet} of {what} of `{}`", case.shown()))
}

/// A constraint that comes; `None` when it comes with a column.
pub(super) fn created(case: &Case<'_>, at: usize, change: ChangeId) -> Result<Option<Alteration>, Stop> {
    let Some(constraint) = case.new.constraint(at) else { return Ok(None) };
    let comes_with_column = add_column::carries(case, constraint).is_some();
    match &constraint.kind {
        ConstraintKind::PrimaryKey { .. } => forced_key(case, "primary-key-added", "add a primary key to"),
        ConstraintKind::Unique { .. } => forced_key(case, "unique-added", "add a UNIQUE constraint to"),
        _ if comes_with_column => Ok(None),
        ConstraintKind::Check { expression, .. } => Ok(Some(add_check(case, constraint, expression, change)?)),
        ConstraintKind::ForeignKey(_) => {
            forced_key(case, "foreign-key-added", "add a foreign key over columns that are there to")
        }
    }
}

fn add_check(
    case: &Case<'_>,
    constraint: &Constraint,
    expression: &SqlText,
    change: ChangeId,
) -> Result<Alteration, Because> {
    if let Some(missing) = case.scene.build.missing(&needs::of_constraint(constraint)) {
        return Err(Because::missing(&format!("a check of `{}`", case.shown()), &missing));
    }
    let clause = format!("ADD {}CHECK ({})", named(constraint.name.as_ref()), expression.text.trim());
    let shown = constraint.name.as_ref().map_or_else(|| format!("check-{}", change.0), |name| name.text.clone());
    let rows = Rows::new(case.old.table, case.new.table);
    let step = alter(case, &format!("add-check:{shown}"), vec![change], &clause)
        .risk(Risk::Warning)
        .lock(&case.old.stored.id, false, true)
        .checked([check::condition(&rows, constraint.name.as_ref(), expression)]);
    Ok(Alteration { rank: Rank::AddCheck, step })
}

/// SQLite refuses a second constraint of one name in ADD, though not in CREATE.
pub(super) fn names_are_free(case: &Case<'_>) -> Result<(), Stop> {
    let all = &case.new.table.constraints;
    for at in case.created_constraints.keys().copied().chain(case.altered_constraints.iter().map(|a| a.new)) {
        let Some(name) = all.get(at).and_then(|constraint| constraint.name.as_ref()) else { continue };
        if all.iter().filter(|other| other.name.as_ref() == Some(name)).count() > 1 {
            return Stop::forced("name-taken", format!("SQLite adds no second constraint with the name `{name}`"));
        }
    }
    Ok(())
}
