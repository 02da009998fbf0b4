//! Triggers.

use super::header::qualified_name;
use super::{Header, SqlText};
use crate::sql::canonical::{Canonical, Scope};
use crate::sql::cursor::Cursor;
use crate::sql::error::TextError;
use crate::sql::name::{Name, quote_name};
use crate::sql::position::Span;
use crate::sql::references::References;
use crate::sql::token::TokenKind;

/// When a trigger runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Timing {
    /// BEFORE, also when nothing is said.
    Before,
    /// AFTER.
    After,
    /// INSTEAD OF, on views.
    InsteadOf,
}

/// What a trigger runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// DELETE.
    Delete,
    /// INSERT.
    Insert,
    /// UPDATE, of any column when the list is empty.
    Update(Vec<Name>),
}

/// A trigger.
#[derive(Clone, Debug)]
pub struct Trigger {
    /// What stands before the timing.
    pub header: Header,
    /// When it runs.
    pub timing: Timing,
    /// What it runs on.
    pub event: Event,
    /// The table or view that it belongs to.
    pub table: Name,
    /// The place of that name.
    pub table_span: Span,
    /// WHEN.
    pub when: Option<SqlText>,
    /// The statements between BEGIN and END, without `;`.
    pub body: Vec<SqlText>,
}

impl Trigger {
    pub(super) fn read(header: Header, mut cursor: Cursor<'_>) -> Result<Self, TextError> {
        let timing = if cursor.eat(&["AFTER"]) {
            Timing::After
        } else if cursor.eat(&["INSTEAD", "OF"]) {
            Timing::InsteadOf
        } else {
            cursor.eat(&["BEFORE"]);
            Timing::Before
        };
        let event = event(&mut cursor)?;
        cursor.expect(&["ON"], "ON")?;
        let (_, table, table_span) = qualified_name(&mut cursor)?;
        cursor.eat(&["FOR", "EACH", "ROW"]);
        let when = if cursor.eat(&["WHEN"]) { Some(when(&mut cursor)?) } else { None };
        cursor.expect(&["BEGIN"], "BEGIN")?;
        let body = body(&mut cursor)?;
        Ok(Self { header, timing, event, table, table_span, when, body })
    }

    /// Its canonical form and all that it mentions.
    pub fn canonical(&self) -> Canonical {
        let timing = match self.timing {
            Timing::Before => "BEFORE",
            Timing::After => "AFTER",
            Timing::InsteadOf => "INSTEAD OF",
        };
        let event = match &self.event {
            Event::Delete => "DELETE".to_owned(),
            Event::Insert => "INSERT".to_owned(),
            Event::Update(columns) if columns.is_empty() => "UPDATE".to_owned(),
            Event::Update(columns) => {
                let columns: Vec<_> = columns.iter().map(|name| quote_name(&name.folded)).collect();
                format!("UPDATE OF {}", columns.join(", "))
            }
        };
        let mut text = format!(
            "CREATE TRIGGER {} {timing} {event} ON {}",
            quote_name(&self.header.name.folded),
            quote_name(&self.table.folded)
        );
        if let Some(when) = &self.when {
            text.push_str(" WHEN ");
            text.push_str(&when.canonical.text);
        }
        text.push_str(" BEGIN");
        for statement in &self.body {
            text.push(' ');
            text.push_str(&statement.canonical.text);
            text.push(';');
        }
        text.push_str(" END");
        Canonical { text, exact: self.texts().all(|text| text.canonical.exact), references: self.references() }
    }

    /// All expressions and statements of it.
    pub(super) fn texts(&self) -> impl Iterator<Item = &SqlText> {
        self.when.iter().chain(&self.body)
    }

    /// What it mentions, its table included.
    pub fn references(&self) -> References {
        let mut found = References::default();
        for text in self.texts() {
            found.add(&text.canonical.references);
        }
        found.tables.insert(self.table.folded.clone());
        if let Event::Update(columns) = &self.event {
            found.columns.extend(columns.iter().map(|name| name.folded.clone()));
        }
        found
    }
}

fn event(cursor: &mut Cursor<'_>) -> Result<Event, TextError> {
    if cursor.eat(&["DELETE"]) {
        return Ok(Event::Delete);
    }
    if cursor.eat(&["INSERT"]) {
        return Ok(Event::Insert);
    }
    cursor.expect(&["UPDATE"], "DELETE, INSERT or UPDATE")?;
    let mut columns = Vec::new();
    if cursor.eat(&["OF"]) {
        loop {
            columns.push(cursor.name("a column name")?.0);
            if !cursor.eat_kind(TokenKind::Comma) {
                break;
            }
        }
    }
    Ok(Event::Update(columns))
}

/// The condition ends at the first BEGIN before which there is a whole expression: BEGIN can also be a column.
fn when(cursor: &mut Cursor<'_>) -> Result<SqlText, TextError> {
    let rest = cursor.rest();
    let mut depth = 0_i64;
    let mut first = None;
    for (index, token) in rest.iter().enumerate() {
        match token.kind {
            TokenKind::LeftParen => depth += 1,
            TokenKind::RightParen => depth -= 1,
            TokenKind::Semicolon => break,
            _ => {}
        }
        if depth == 0 && index > 0 && token.is_word(cursor.source, "BEGIN") {
            let condition = SqlText::expression(&cursor.clone().take(index), &Scope::unknown());
            if condition.canonical.exact {
                first = Some((index, condition));
                break;
            }
            // None may have a tree; then the first place is as good as any.
            first.get_or_insert((index, condition));
        }
    }
    let (count, condition) = first.ok_or_else(|| cursor.expected("a condition and BEGIN"))?;
    let _taken = cursor.take(count);
    Ok(condition)
}

/// The statements up to END, each of which ends with `;`.
fn body(cursor: &mut Cursor<'_>) -> Result<Vec<SqlText>, TextError> {
    let mut body = Vec::new();
    loop {
        if cursor.rest().len() == 1 && cursor.eat(&["END"]) {
            break;
        }
        let length = cursor.rest().iter().position(|token| token.kind == TokenKind::Semicolon);
        let Some(length) = length else {
            return Err(cursor.expected("`;` and END"));
        };
        let statement = cursor.take(length);
        if statement.is_done() {
            return Err(cursor.expected("a statement"));
        }
        body.push(SqlText::query(&statement));
        cursor.next_token();
    }
    if body.is_empty() {
        return Err(cursor.expected("a statement"));
    }
    Ok(body)
}
