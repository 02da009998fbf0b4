//! Columns and constraints of a table as members, in SQLite's order.

use std::collections::BTreeMap;

use ptah_model::{Facets, Kind, Member, MemberId, Name};

use super::described::{flag, put, put_columns, put_sql, quoted};
use crate::kinds;
use crate::sql::ast::{Action, Affinity, Column, Conflict, Constraint, ConstraintKind, ForeignKey, Table};
use crate::sql::name::Name as SqlName;

/// Columns first, then constraints in the order of the text.
pub(crate) fn members(table: &Table) -> Vec<Member> {
    let columns = table.columns.iter().map(|column| Member { id: column_id(column), facets: column_facets(column) });
    let mut members: Vec<Member> = columns.collect();
    let mut seen = BTreeMap::new();
    for constraint in &table.constraints {
        members.push(constraint_member(constraint, &mut seen));
    }
    members
}

/// The identities of the members, without what they say.
pub(crate) fn member_ids(table: &Table) -> Vec<MemberId> {
    let columns = table.columns.iter().map(column_id);
    let mut seen = BTreeMap::new();
    let constraints = table.constraints.iter().map(|constraint| identity(constraint, kind_of(constraint), &mut seen));
    columns.chain(constraints).collect()
}

fn column_id(column: &Column) -> MemberId {
    MemberId { kind: Kind::column(), name: kinds::name(&column.name.text) }
}

fn column_facets(column: &Column) -> Facets {
    let mut facets = Facets::new();
    if let (Some(text), Some(canonical)) = (&column.type_text, &column.type_canonical) {
        put(&mut facets, "type", text.as_str(), canonical.as_str());
    }
    put(&mut facets, "affinity", affinity(column.affinity), affinity(column.affinity));
    if let Some(not_null) = &column.not_null {
        let conflict = conflict(not_null.conflict);
        let text = format!("NOT NULL{conflict}");
        put(&mut facets, "not-null", text, format!("not null{conflict}"));
    }
    if let Some(default) = &column.default {
        put_sql(&mut facets, "default", &default.value);
    }
    // `BINARY` is what a column has that says nothing.
    if let Some(collation) = column.collation.as_ref().filter(|c| c.name.folded != "binary") {
        put(&mut facets, "collation", collation.name.text.as_str(), collation.name.folded.as_str());
    }
    if let Some(generated) = &column.generated {
        let kind = if generated.stored { "STORED" } else { "VIRTUAL" };
        let text = format!("({}) {kind}", generated.expression.text.trim());
        put(&mut facets, "generated", text, format!("({}) {kind}", generated.expression.canonical.text));
    }
    facets
}

fn affinity(affinity: Affinity) -> &'static str {
    match affinity {
        Affinity::Blob => "blob",
        Affinity::Text => "text",
        Affinity::Numeric => "numeric",
        Affinity::Integer => "integer",
        Affinity::Real => "real",
    }
}

/// ` ON CONFLICT …`; empty for what SQLite does anyway.
fn conflict(conflict: Option<Conflict>) -> &'static str {
    match conflict {
        None | Some(Conflict::Abort) => "",
        Some(Conflict::Rollback) => " ON CONFLICT ROLLBACK",
        Some(Conflict::Fail) => " ON CONFLICT FAIL",
        Some(Conflict::Ignore) => " ON CONFLICT IGNORE",
        Some(Conflict::Replace) => " ON CONFLICT REPLACE",
    }
}

/// The identity of a constraint that is the only one of its kind with its name or content.
pub(crate) fn constraint_id(constraint: &Constraint) -> MemberId {
    identity(constraint, kind_of(constraint), &mut BTreeMap::new())
}

fn constraint_member(constraint: &Constraint, seen: &mut BTreeMap<(Kind, String), u32>) -> Member {
    Member { id: identity(constraint, kind_of(constraint), seen), facets: constraint_facets(constraint) }
}

/// `seen` counts identities: SQLite allows the same constraint, and the same name, more than once.
fn identity(constraint: &Constraint, kind: Kind, seen: &mut BTreeMap<(Kind, String), u32>) -> MemberId {
    let mut name = match &constraint.name {
        Some(name) => kinds::name(&name.text),
        None => Name::unnamed(constraint.subject()),
    };
    let count = seen.entry((kind.clone(), name.normalized.to_string())).or_insert(0);
    *count += 1;
    if *count > 1 {
        name.normalized = format!("{}#{count}", name.normalized).into();
    }
    MemberId { kind, name }
}

fn kind_of(constraint: &Constraint) -> Kind {
    match &constraint.kind {
        ConstraintKind::PrimaryKey { .. } => Kind::primary_key(),
        ConstraintKind::Unique { .. } => Kind::unique(),
        ConstraintKind::Check { .. } => Kind::check(),
        ConstraintKind::ForeignKey(_) => Kind::foreign_key(),
    }
}

fn constraint_facets(constraint: &Constraint) -> Facets {
    let mut facets = Facets::new();
    let put_conflict = |facets: &mut Facets, action: Option<Conflict>| {
        let clause = conflict(action).trim_start();
        if !clause.is_empty() {
            put(facets, "conflict", clause, clause);
        }
    };
    match &constraint.kind {
        ConstraintKind::PrimaryKey { columns, conflict, autoincrement, rowid_alias } => {
            put_columns(&mut facets, columns);
            put_conflict(&mut facets, *conflict);
            flag(&mut facets, "autoincrement", *autoincrement);
            flag(&mut facets, "rowid", *rowid_alias);
        }
        ConstraintKind::Unique { columns, conflict } => {
            put_columns(&mut facets, columns);
            put_conflict(&mut facets, *conflict);
        }
        ConstraintKind::Check { expression, .. } => put_sql(&mut facets, "expression", expression),
        ConstraintKind::ForeignKey(key) => foreign_key_facets(&mut facets, key),
    }
    facets
}

fn foreign_key_facets(facets: &mut Facets, key: &ForeignKey) {
    let list = |names: &[SqlName], show: fn(&SqlName) -> String| names.iter().map(show).collect::<Vec<_>>().join(", ");
    let written: fn(&SqlName) -> String = |name| name.written.clone();
    let folded: fn(&SqlName) -> String = |name| quoted(&name.folded);
    put(facets, "columns", list(&key.columns, written), list(&key.columns, folded));
    let target = |table: &str, columns: String| {
        if columns.is_empty() { table.to_owned() } else { format!("{table} ({columns})") }
    };
    put(
        facets,
        "target",
        target(&key.parent.written, list(&key.parent_columns, written)),
        target(&quoted(&key.parent.folded), list(&key.parent_columns, folded)),
    );
    for (name, action) in [("on-delete", key.on_delete), ("on-update", key.on_update)] {
        if action != Action::NoAction {
            put(facets, name, action_word(action), action_word(action));
        }
    }
    if let Some(matching) = &key.matching {
        put(facets, "match", matching.written.clone(), quoted(&matching.folded));
    }
    flag(facets, "initially-deferred", key.deferred);
}

fn action_word(action: Action) -> &'static str {
    match action {
        Action::NoAction => "NO ACTION",
        Action::Restrict => "RESTRICT",
        Action::SetNull => "SET NULL",
        Action::SetDefault => "SET DEFAULT",
        Action::Cascade => "CASCADE",
    }
}
