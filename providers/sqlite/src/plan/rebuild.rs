//! A rebuild: the table is made anew under a free name, its rows are copied, the old one goes, the new one gets its
//! name, and what belonged to it is made again.
//!
//! One operation, in one transaction, for all changes of the table. Its inner DROP loses nothing: what is lost is what
//! the changes themselves lose.

use ptah_model::{Kind, Loss, Risk};
use ptah_provider_api::step::{Step, TransactionRule, Unit};

use super::case::Case;
use super::copy::Copy;
use super::draft::{Add as _, Does, Draft, Part, Slot, rule, step};
use super::needs;
use super::parents::{children, new_keys, stand_against_rebuild};
use super::rebuild_checks;
use super::refusal::Because;
use super::statistics::Statistics;
use super::table::Forced;
use super::text::{is_qualified, named, table_named};
use crate::catalogue::StoredObject;
use crate::rebuild::{NEEDS, RebuildTable};
use crate::sql::ast::{Constraint, ConstraintKind, Declaration};
use crate::sql::name::{quote_name, quote_string};

/// The step of one table.
pub(super) fn plan(case: &Case<'_>, forced: &Forced) -> Result<Draft, Because> {
    possible(case)?;
    let copy = Copy::of(case);
    let new_table = free_name(case);
    let (statements, payload) = operation(case, &copy, &new_table);
    let sentence = format!("{}, so the table is made anew and its rows are copied", forced.cannot);
    let mut made = step(
        format!("rebuild:{}", case.shown()),
        case.changes.clone(),
        String::new(),
        rule(format!("rebuild.{}", forced.rule), sentence),
    );
    made.unit = Unit::Native(payload.operation(statements));
    made.needs = NEEDS.iter().map(|need| (*need).to_owned()).collect();
    made.transaction = TransactionRule::Inside;
    let made =
        made.risk(Risk::Warning).lock(&case.old.stored.id, true, true).in_group(format!("rebuild:{}", case.shown()));
    let made = hazards(case, &copy, losses(case, made)).checked(rebuild_checks::all(case));
    Ok(Draft {
        step: made,
        part: Part::ChangeTables,
        position: 0,
        slot: Slot::of(&case.old.stored.id),
        does: Does::ChangeTable {
            table: case.name.normalized.to_string(),
            moves: true,
            parents: new_keys(case).iter().map(|key| key.parent.folded.clone()).collect(),
            waits_for: case.scene.blockers.leaving(),
        },
    })
}

/// What belongs to the table, stays, and goes with the old one.
fn staying<'a>(case: &'a Case<'_>) -> impl Iterator<Item = &'a StoredObject> {
    let owned = case.scene.current.owned(&case.name.normalized).iter().copied();
    owned.filter(|stored| !case.scene.asked.objects.contains_key(&stored.id))
}

fn possible(case: &Case<'_>) -> Result<(), Because> {
    let build = case.scene.build;
    if let Some(missing) = build.missing(&needs::of_table(case.new.table)) {
        return Err(Because::missing(&format!("the table `{}`, which would be made anew,", case.shown()), &missing));
    }
    for stored in staying(case) {
        let Some(Declaration::Index(index)) = stored.declaration() else { continue };
        if let Some(missing) = build.missing(&needs::of_index(index, Some(case.new.table))) {
            let what = format!("the index `{}` of a table that would be made anew", stored.id.name.shown());
            return Err(Because::missing(&what, &missing));
        }
    }
    let stands_against = case.scene.blockers.of_rebuild().or_else(|| stand_against_rebuild(case));
    stands_against.map_or(Ok(()), Err)
}

/// A name that nothing has, now or afterwards. Not one of Ptah's own, which no unit may touch.
fn free_name(case: &Case<'_>) -> String {
    let wanted = format!("ptah_rebuild_{}", case.shown());
    let numbered = (2..).map(|n: u32| format!("{wanted}_{n}"));
    let is_free = |name: &String| {
        let folded = crate::sql::name::fold(name);
        !case.scene.current.is_used(&folded) && !case.scene.desired.is_used(&folded)
    };
    std::iter::once(wanted.clone()).chain(numbered).find(is_free).unwrap_or(wanted)
}

fn operation(case: &Case<'_>, copy: &Copy, new_table: &str) -> (Vec<String>, RebuildTable) {
    let (old, new) = (case.old.table, case.new.table);
    let later = checks_for_later(case);
    let spans: Vec<_> = later.iter().map(|constraint| constraint.span).collect();
    let mut statements = vec![table_named(case.new.stored.sql.trim_end(), new, new_table, &spans)];
    let copies = statements.len();
    statements.push(copy.statement(case, new_table));
    let keeps_sequence = old.autoincrement && new.autoincrement;
    if keeps_sequence {
        statements.extend(sequence(&old.header.name.text, new_table));
    }
    let statistics = Statistics::of(case);
    statements.extend(statistics.moved(&old.header.name.text, new_table));
    let drops = statements.len();
    statements.push(format!("DROP TABLE {}", case.quoted()));
    statements.push(format!("ALTER TABLE {} RENAME TO {}", quote_name(new_table), case.quoted()));
    statements.extend(later.iter().map(|constraint| added(case, constraint)));
    // Indexes first: a body of a trigger may name one.
    let (indexes, others): (Vec<_>, Vec<_>) = staying(case).partition(|stored| stored.id.kind == Kind::index());
    statements.extend(indexes.iter().chain(&others).map(|stored| stored.sql.trim().to_owned()));
    statements.extend(statistics.moved(new_table, &old.header.name.text));
    statements.extend(statistics.renewed(case));
    let payload = RebuildTable {
        table: old.header.name.text.clone(),
        new_table: new_table.to_owned(),
        columns: copy.columns.clone(),
        copies,
        drops,
        needs: NEEDS.iter().map(|need| (*need).to_owned()).collect(),
        keeps_row_ids: copy.keeps_row_ids,
        keeps_sequence,
        keeps_statistics: matches!(statistics, Statistics::Kept(_)),
        children: children(case),
    };
    (statements, payload)
}

/// Checks that put the name of their table before a column. They name a table that the new one is not yet, and the
/// rename of a rebuild changes no text, so they are added once the table has its name.
fn checks_for_later<'a>(case: &Case<'a>) -> Vec<&'a Constraint> {
    let is_qualified = |constraint: &&Constraint| match &constraint.kind {
        ConstraintKind::Check { expression, .. } => is_qualified(&expression.text, &case.name.normalized),
        _ => false,
    };
    case.new.table.constraints.iter().filter(is_qualified).collect()
}

fn added(case: &Case<'_>, constraint: &Constraint) -> String {
    let expression = constraint.expressions().first().map_or("", |text| text.text.as_str()).trim().to_owned();
    format!("ALTER TABLE {} ADD {}CHECK ({expression})", case.quoted(), named(constraint.name.as_ref()))
}

/// The highest key ever given, which SQLite would otherwise take from the rows that there are.
fn sequence(old: &str, new: &str) -> [String; 2] {
    let (old, new) = (quote_string(old), quote_string(new));
    [
        format!("DELETE FROM sqlite_sequence WHERE name = {new}"),
        format!("INSERT INTO sqlite_sequence (name, seq) SELECT {new}, seq FROM sqlite_sequence WHERE name = {old}"),
    ]
}

/// What the changes lose.
fn losses(case: &Case<'_>, mut made: Step) -> Step {
    let columns = &case.old.table.columns;
    if case.dropped_columns.keys().any(|at| columns.get(*at).is_some_and(|column| column.generated.is_none())) {
        made = made.risk(Risk::Destructive).loses(Loss::Values);
    }
    let goes_alone = |at: &usize| {
        let at_column = case.old.constraint(*at).and_then(|constraint| constraint.column);
        !at_column.is_some_and(|column| case.dropped_columns.contains_key(&column))
    };
    if case.dropped_constraints.keys().any(goes_alone) {
        made = made.risk(Risk::Destructive).loses(Loss::Protection);
    }
    made
}

fn hazards(case: &Case<'_>, copy: &Copy, made: Step) -> Step {
    let (old, new) = (case.old.table, case.new.table);
    let mut made = made.hazard("rebuild.space", "the database holds the rows twice until the old table is gone");
    if !case.scene.current.referring(&case.name.normalized).is_empty() {
        let text = "foreign keys are off meanwhile, so that no row of another table is deleted; they are checked before and after";
        made = made.hazard("foreign-keys.off", text);
    }
    if copy.loses_row_ids {
        made = made.hazard("row-ids.change", "rows do not keep the row IDs that no column shows");
    }
    if old.autoincrement && !new.autoincrement {
        made = made.hazard("sequence.dropped", "keys of deleted rows can be given again, because AUTOINCREMENT goes");
    }
    match Statistics::of(case).told() {
        Some(text) => made.hazard("statistics", text),
        None => made,
    }
}
