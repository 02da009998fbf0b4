//! The changes that this SQLite makes in place.
//!
//! ```text
//! DROP CONSTRAINT name · ALTER COLUMN … DROP NOT NULL · DROP COLUMN · ADD COLUMN · ALTER COLUMN … SET NOT NULL ·
//! ADD [CONSTRAINT name] CHECK
//! ```
//!
//! In that order, which no change of a table stands against: what restricts goes first and comes last. The first change
//! without such a way forces a rebuild, which then serves all of them.

use std::collections::BTreeSet;

use ptah_model::Risk;
use ptah_provider_api::plan::FacetChange;
use ptah_provider_api::step::{ChangeId, Step};

use super::case::{Altered, Case};
use super::draft::{Add as _, Does, Draft, Part, Slot, rule, step};
use super::rows::Rows;
use super::table::Stop;
use super::text::conflict;
use super::{add_column, check, constraint, drop_column};
use crate::sql::name::quote_name;

/// One statement and its place in the order of the module.
pub(super) struct Alteration {
    pub(super) rank: Rank,
    pub(super) step: Step,
}

/// The order of statements on one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    DropConstraint,
    DropNotNull,
    DropColumn,
    AddColumn,
    SetNotNull,
    AddCheck,
}

/// All steps of a table, or why there are none.
pub(super) fn plan(case: &Case<'_>) -> Result<Vec<Draft>, Stop> {
    if let Some(facets) = case.altered_table {
        return table_facets(case, facets);
    }
    if case.reordered {
        return Stop::forced("column-order", "SQLite cannot move columns");
    }
    let mut found = Vec::new();
    for (at, change) in &case.dropped_constraints {
        found.extend(constraint::dropped(case, *at, *change)?);
    }
    for altered in &case.altered_constraints {
        found.extend(constraint::altered(case, altered)?);
    }
    for (at, change) in &case.created_constraints {
        found.extend(constraint::created(case, *at, *change)?);
    }
    for altered in &case.altered_columns {
        found.push(altered_column(case, altered)?);
    }
    found.extend(drop_column::plan(case)?);
    for (at, change) in &case.created_columns {
        found.push(add_column::plan(case, *at, *change)?);
    }
    constraint::names_are_free(case)?;
    found.sort_by_key(|alteration| alteration.rank);
    Ok(found.into_iter().map(|alteration| draft(case, alteration)).collect())
}

fn table_facets<T>(case: &Case<'_>, facets: &[FacetChange]) -> Result<T, Stop> {
    let name = facets.first().map_or("", |facet| facet.name.as_str());
    let (rule, word) = match name {
        "strict" => ("strict-changed", "STRICT"),
        "without-rowid" => ("without-rowid-changed", "WITHOUT ROWID"),
        _ => ("table-changed", "an option"),
    };
    Stop::forced(rule, format!("SQLite cannot change {word} of `{}`", case.shown()))
}

fn draft(case: &Case<'_>, alteration: Alteration) -> Draft {
    let moves = alteration.rank == Rank::DropColumn;
    Draft {
        step: alteration.step,
        part: Part::ChangeTables,
        position: 0,
        slot: Slot::of(&case.old.stored.id),
        does: Does::ChangeTable {
            table: case.name.normalized.to_string(),
            moves,
            parents: BTreeSet::new(),
            waits_for: if moves { case.scene.blockers.leaving() } else { Vec::new() },
        },
    }
}

/// `ALTER TABLE …` as a step.
pub(super) fn alter(case: &Case<'_>, what: &str, changes: Vec<ChangeId>, clause: &str) -> Step {
    let (kind, member) = what.split_once(':').unwrap_or((what, ""));
    let sentence = format!("SQLite has a way to do this in place: {}", how(kind));
    let id = format!("{kind}:{}.{member}", case.shown());
    step(id, changes, format!("ALTER TABLE {} {clause}", case.quoted()), rule(format!("{kind}.in-place"), sentence))
}

fn how(kind: &str) -> &'static str {
    match kind {
        "add-column" => "ADD COLUMN, which appends the column and leaves rows as they are",
        "drop-column" => "DROP COLUMN, which writes every row again without the column",
        "drop-constraint" => "DROP CONSTRAINT takes a check or a foreign key by its name",
        "add-check" => "ADD CHECK, which reads the rows once",
        "set-not-null" => "SET NOT NULL, which reads the rows once",
        _ => "DROP NOT NULL, which leaves rows as they are",
    }
}

fn altered_column(case: &Case<'_>, altered: &Altered<'_>) -> Result<Alteration, Stop> {
    let (Some(old), Some(new)) = (case.old.table.columns.get(altered.old), case.new.table.columns.get(altered.new))
    else {
        return Stop::forced("column-changed", format!("SQLite cannot change a column of `{}`", case.shown()));
    };
    if let Some(facet) = altered.facets.iter().find(|facet| facet.name != "not-null") {
        // A type that changes brings its affinity along; the type is what people wrote.
        let has = |name: &str| altered.facets.iter().any(|facet| facet.name == name);
        let facet = if has("type") { "type" } else { facet.name.as_str() };
        let rule = match facet {
            "type" | "affinity" => "type-changed",
            "default" => "default-changed",
            "collation" => "collation-changed",
            "generated" => "generated-changed",
            _ => "column-changed",
        };
        return Stop::forced(rule, format!("SQLite cannot change the {facet} of `{}` in `{}`", new.name, case.shown()));
    }
    let column = quote_name(&old.name.text);
    let Some(wanted) = &new.not_null else {
        let clause = format!("ALTER COLUMN {column} DROP NOT NULL");
        let step = alter(case, &format!("drop-not-null:{}", old.name), vec![altered.change], &clause)
            .risk(Risk::Warning)
            .lock(&case.old.stored.id, false, false);
        return Ok(Alteration { rank: Rank::DropNotNull, step });
    };
    let clause = format!("ALTER COLUMN {column} SET NOT NULL{}", conflict(wanted.conflict));
    let rows = Rows::new(case.old.table, case.new.table);
    let step = alter(case, &format!("set-not-null:{}", old.name), vec![altered.change], &clause)
        .risk(Risk::Warning)
        .lock(&case.old.stored.id, false, true)
        .checked(old.not_null.is_none().then(|| check::null(&rows, &new.name)));
    Ok(Alteration { rank: Rank::SetNotNull, step })
}
