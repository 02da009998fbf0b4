//! Tables.

use std::collections::BTreeSet;

use super::column::{Column, read_column};
use super::constraint::{Constraint, ConstraintKind, read_table_constraint};
use super::{Affinity, Header, StrictType};
use crate::sql::canonical::{Canonical, Scope};
use crate::sql::cursor::Cursor;
use crate::sql::error::TextError;
use crate::sql::name::{Name, quote_name};
use crate::sql::references::References;
use crate::sql::token::TokenKind;

/// Words that no column name can be without quotes: they start a constraint of the table.
pub(super) const CONSTRAINT_WORDS: [&str; 5] = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"];

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// What stands before the columns.
    pub header: Header,
    /// The columns, in order.
    pub columns: Vec<Column>,
    /// All constraints, in the order of the text, those of columns among them.
    pub constraints: Vec<Constraint>,
    /// STRICT.
    pub strict: bool,
    /// WITHOUT ROWID.
    pub without_rowid: bool,
    /// Index of the column that is the rowid; nothing when there is none.
    pub rowid_alias: Option<usize>,
    /// AUTOINCREMENT.
    pub autoincrement: bool,
}

/// Columns and constraints while they are read.
#[derive(Debug)]
pub(crate) struct Members {
    /// The columns of the table, for telling names from strings.
    pub(crate) scope: Scope,
    /// The columns so far.
    pub(crate) columns: Vec<Column>,
    /// The constraints so far.
    pub(crate) constraints: Vec<Constraint>,
}

impl Members {
    /// No members yet, in a table with these columns.
    pub(crate) fn new(scope: Scope) -> Self {
        Self { scope, columns: Vec::new(), constraints: Vec::new() }
    }

    /// `DEFERRABLE` belongs to the foreign key before it, wherever that is; SQLite ignores it where there is none.
    pub(super) fn defer_last(&mut self, deferred: bool, end: usize) {
        let keys = self.constraints.iter_mut().rev();
        let column = self.columns.len();
        for constraint in keys {
            if let ConstraintKind::ForeignKey(key) = &mut constraint.kind {
                key.deferred = deferred;
                if constraint.column == Some(column) {
                    constraint.span.end = end;
                }
                return;
            }
        }
    }
}

impl Table {
    /// The definition after the name; `CREATE TABLE … AS SELECT` has none.
    pub(super) fn read(header: Header, mut cursor: Cursor<'_>) -> Result<Self, TextError> {
        let (inside, _) = cursor.group()?;
        let (strict, without_rowid) = options(&mut cursor)?;
        let items = inside.items();
        if items.is_empty() {
            return Err(inside.expected("a column"));
        }
        let mut members = Members::new(Scope::columns(column_names(&items)));
        for mut item in items {
            if item.at_any(&CONSTRAINT_WORDS) {
                // SQLite wants no comma between constraints.
                while !item.is_done() {
                    members.constraints.extend(read_table_constraint(&mut item, &members.scope)?);
                }
            } else if members.constraints.iter().any(|constraint| constraint.column.is_none()) {
                return Err(item.expected("a constraint; columns stand before all constraints"));
            } else {
                read_column(&mut item, &mut members)?;
            }
        }
        let mut table = Self {
            header,
            columns: members.columns,
            constraints: members.constraints,
            strict,
            without_rowid,
            rowid_alias: None,
            autoincrement: false,
        };
        table.settle();
        table.columns.shrink_to_fit();
        table.constraints.shrink_to_fit();
        Ok(table)
    }

    /// What can be said only when all is read.
    fn settle(&mut self) {
        for column in &mut self.columns {
            let name = column.type_canonical.as_deref();
            column.affinity = Affinity::of(name, self.strict);
            column.strict_type = name.filter(|_| self.strict).and_then(StrictType::of);
        }
        let columns = &self.columns;
        for constraint in &mut self.constraints {
            let at_column = constraint.column.is_some();
            if let ConstraintKind::PrimaryKey { columns: key, autoincrement, rowid_alias, .. } = &mut constraint.kind
                && let [only] = key.as_slice()
                && let Some(name) = &only.column
            {
                // https://sqlite.org/lang_createtable.html#rowid: exactly INTEGER, and a DESC at the column prevents it.
                let index = columns
                    .iter()
                    .position(|column| column.name == *name && column.type_canonical.as_deref() == Some("integer"));
                *rowid_alias = index.is_some() && !self.without_rowid && !(at_column && only.descending);
                if *rowid_alias {
                    self.rowid_alias = index;
                }
                self.autoincrement |= *autoincrement;
            }
        }
    }

    /// The column of that name.
    pub fn column(&self, name: &Name) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == *name)
    }

    /// The canonical form of the whole table, and all that it mentions.
    pub fn canonical(&self) -> Canonical {
        let mut parts: Vec<String> = self.columns.iter().map(column_form).collect();
        let mut constraints: Vec<String> = self.constraints.iter().map(constraint_form).collect();
        // Their order means nothing, and a constraint of a column equals one of the table.
        constraints.sort();
        parts.extend(constraints);
        let mut text = format!("CREATE TABLE {} ({})", quote_name(&self.header.name.folded), parts.join(", "));
        text.push_str(if self.strict { " STRICT" } else { "" });
        text.push_str(if self.without_rowid { " WITHOUT ROWID" } else { "" });
        Canonical { text, exact: self.texts().iter().all(|text| text.canonical.exact), references: self.references() }
    }

    /// All expressions of the table.
    pub fn texts(&self) -> Vec<&super::SqlText> {
        let of_columns = self.columns.iter().flat_map(|column| {
            let default = column.default.as_ref().map(|default| &default.value);
            default.into_iter().chain(column.generated.as_ref().map(|generated| &generated.expression))
        });
        of_columns.chain(self.constraints.iter().flat_map(Constraint::expressions)).collect()
    }

    /// The tables that it mentions: those that its foreign keys refer to.
    pub(crate) fn mentioned_tables(&self) -> BTreeSet<String> {
        let of_texts = self.texts().into_iter().flat_map(|text| text.canonical.references.tables.iter().cloned());
        of_texts.chain(self.parents()).collect()
    }

    /// The parents of its foreign keys, folded.
    pub(crate) fn parents(&self) -> BTreeSet<String> {
        let parent = |constraint: &Constraint| match &constraint.kind {
            ConstraintKind::ForeignKey(key) => Some(key.parent.folded.clone()),
            _ => None,
        };
        self.constraints.iter().filter_map(parent).collect()
    }

    /// What its expressions and foreign keys mention.
    pub fn references(&self) -> References {
        let mut found = References::default();
        for text in self.texts() {
            found.add(&text.canonical.references);
        }
        for column in &self.columns {
            found.collations.extend(column.collation.iter().map(|collation| collation.name.folded.clone()));
        }
        for constraint in &self.constraints {
            match &constraint.kind {
                ConstraintKind::ForeignKey(key) => {
                    found.tables.insert(key.parent.folded.clone());
                    let columns = key.columns.iter().chain(&key.parent_columns);
                    found.columns.extend(columns.map(|name| name.folded.clone()));
                }
                ConstraintKind::PrimaryKey { columns, .. } | ConstraintKind::Unique { columns, .. } => {
                    let named = columns.iter().filter_map(|column| column.collation.as_ref());
                    found.collations.extend(named.map(|name| name.folded.clone()));
                }
                ConstraintKind::Check { .. } => {}
            }
        }
        found
    }
}

/// The first name of every item that is no constraint.
fn column_names(items: &[Cursor<'_>]) -> Vec<String> {
    let columns = items.iter().filter(|item| !item.at_any(&CONSTRAINT_WORDS));
    columns.filter_map(|item| item.clone().name("").ok()).map(|(name, _)| name.folded).collect()
}

/// `[STRICT | WITHOUT ROWID], …`
fn options(cursor: &mut Cursor<'_>) -> Result<(bool, bool), TextError> {
    let (mut strict, mut without_rowid) = (false, false);
    while !cursor.is_done() {
        if cursor.eat(&["STRICT"]) {
            strict = true;
        } else if cursor.eat(&["WITHOUT", "ROWID"]) {
            without_rowid = true;
        } else {
            return Err(cursor.expected("STRICT or WITHOUT ROWID"));
        }
        if !cursor.is_done() && !cursor.eat_kind(TokenKind::Comma) {
            return Err(cursor.expected("`,` or the end"));
        }
    }
    Ok((strict, without_rowid))
}

fn column_form(column: &Column) -> String {
    let mut text = quote_name(&column.name.folded).into_owned();
    if let Some(name) = &column.type_canonical {
        text.push(' ');
        text.push_str(name);
    }
    if let Some(not_null) = &column.not_null {
        text.push_str(&named(not_null.name.as_ref()));
        text.push_str(" NOT NULL");
        text.push_str(&super::constraint::Conflict::clause(not_null.conflict));
    }
    if let Some(default) = &column.default {
        text.push_str(" DEFAULT ");
        text.push_str(&default.value.canonical.text);
    }
    if let Some(collation) = &column.collation {
        text.push_str(" COLLATE ");
        text.push_str(&quote_name(&collation.name.folded));
    }
    if let Some(generated) = &column.generated {
        text.push_str(" AS (");
        text.push_str(&generated.expression.canonical.text);
        text.push_str(if generated.stored { ") STORED" } else { ") VIRTUAL" });
    }
    text
}

fn constraint_form(constraint: &Constraint) -> String {
    format!("{} {}", named(constraint.name.as_ref()), constraint.canonical())
}

fn named(name: Option<&Name>) -> String {
    name.map_or_else(String::new, |name| format!(" CONSTRAINT {}", quote_name(&name.folded)))
}
