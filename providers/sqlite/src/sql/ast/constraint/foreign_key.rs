//! Foreign keys.

use crate::sql::cursor::Cursor;
use crate::sql::error::TextError;
use crate::sql::name::{Name, quote_name};
use crate::sql::position::Span;

/// What happens to the child rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Action {
    /// Checked at the end of the statement; the default.
    #[default]
    NoAction,
    /// Refused at once.
    Restrict,
    /// The column becomes NULL.
    SetNull,
    /// The column gets its default.
    SetDefault,
    /// The row is changed or deleted too.
    Cascade,
}

impl Action {
    fn words(self) -> &'static [&'static str] {
        match self {
            Self::NoAction => &["NO", "ACTION"],
            Self::Restrict => &["RESTRICT"],
            Self::SetNull => &["SET", "NULL"],
            Self::SetDefault => &["SET", "DEFAULT"],
            Self::Cascade => &["CASCADE"],
        }
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, TextError> {
        for action in [Self::NoAction, Self::Restrict, Self::SetNull, Self::SetDefault, Self::Cascade] {
            if cursor.eat(action.words()) {
                return Ok(action);
            }
        }
        Err(cursor.expected("NO ACTION, RESTRICT, SET NULL, SET DEFAULT or CASCADE"))
    }
}

/// A foreign key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignKey {
    /// The columns of this table.
    pub columns: Vec<Name>,
    /// The table that is referred to.
    pub parent: Name,
    /// The place of its name.
    pub parent_span: Span,
    /// Its columns; empty means its primary key.
    pub parent_columns: Vec<Name>,
    /// ON DELETE.
    pub on_delete: Action,
    /// ON UPDATE.
    pub on_update: Action,
    /// MATCH. SQLite keeps it and acts as for SIMPLE, which is the same as none and never here.
    pub matching: Option<Name>,
    /// DEFERRABLE INITIALLY DEFERRED; everything else is checked at the end of the statement.
    pub deferred: bool,
}

impl ForeignKey {
    /// Which columns refer to what: what a key without a name is recognised by.
    pub fn subject(&self) -> String {
        let list = |names: &[Name]| {
            let names: Vec<_> = names.iter().map(|name| quote_name(&name.folded)).collect();
            names.join(", ")
        };
        let mut text = format!("FOREIGN KEY ({}) REFERENCES {}", list(&self.columns), quote_name(&self.parent.folded));
        if !self.parent_columns.is_empty() {
            text.push_str(" (");
            text.push_str(&list(&self.parent_columns));
            text.push(')');
        }
        text
    }

    /// Its canonical form.
    pub fn canonical(&self) -> String {
        let mut text = self.subject();
        for (event, action) in [(" ON DELETE ", self.on_delete), (" ON UPDATE ", self.on_update)] {
            if action != Action::NoAction {
                text.push_str(event);
                text.push_str(&action.words().join(" "));
            }
        }
        if let Some(matching) = &self.matching {
            text.push_str(" MATCH ");
            text.push_str(&quote_name(&matching.folded));
        }
        if self.deferred {
            text.push_str(" DEFERRABLE INITIALLY DEFERRED");
        }
        text
    }
}

/// `(a, b) REFERENCES … [deferral]`, after `FOREIGN KEY`.
pub(super) fn of_table(cursor: &mut Cursor<'_>) -> Result<ForeignKey, TextError> {
    let columns = names(cursor)?;
    cursor.expect(&["REFERENCES"], "REFERENCES")?;
    let mut key = references(cursor, columns)?;
    if is_defer(cursor) {
        key.deferred = defer(cursor)?;
    }
    Ok(key)
}

/// `parent [(a, b)] [ON … | MATCH …]*`, after `REFERENCES`.
pub(crate) fn references(cursor: &mut Cursor<'_>, columns: Vec<Name>) -> Result<ForeignKey, TextError> {
    let (parent, parent_span) = cursor.name("the name of the table that is referred to")?;
    let parent_columns =
        if cursor.kind() == Some(crate::sql::token::TokenKind::LeftParen) { names(cursor)? } else { Vec::new() };
    let mut key = ForeignKey {
        columns,
        parent,
        parent_span,
        parent_columns,
        on_delete: Action::NoAction,
        on_update: Action::NoAction,
        matching: None,
        deferred: false,
    };
    loop {
        if cursor.eat(&["MATCH"]) {
            let (matching, _) = cursor.name("a name after MATCH")?;
            key.matching = Some(matching).filter(|name| name.folded != "simple");
        } else if cursor.eat(&["ON", "DELETE"]) {
            key.on_delete = Action::read(cursor)?;
        } else if cursor.eat(&["ON", "UPDATE"]) {
            key.on_update = Action::read(cursor)?;
        } else if cursor.eat(&["ON", "INSERT"]) {
            Action::read(cursor)?;
        } else {
            return Ok(key);
        }
    }
}

/// Whether `[NOT] DEFERRABLE` comes next.
pub(crate) fn is_defer(cursor: &Cursor<'_>) -> bool {
    cursor.at_word("DEFERRABLE") || cursor.at_words(0, &["NOT", "DEFERRABLE"])
}

/// `[NOT] DEFERRABLE [INITIALLY …]`: whether the check waits for the end of the transaction.
pub(crate) fn defer(cursor: &mut Cursor<'_>) -> Result<bool, TextError> {
    let not = cursor.eat(&["NOT"]);
    cursor.expect(&["DEFERRABLE"], "DEFERRABLE")?;
    if cursor.eat(&["INITIALLY", "DEFERRED"]) {
        return Ok(!not);
    }
    if cursor.at_word("INITIALLY") && !cursor.eat(&["INITIALLY", "IMMEDIATE"]) {
        return Err(cursor.expected("INITIALLY DEFERRED or INITIALLY IMMEDIATE"));
    }
    Ok(false)
}

/// `(a, b)`; a collation and an order, which old files may hold, are read and dropped as SQLite does.
fn names(cursor: &mut Cursor<'_>) -> Result<Vec<Name>, TextError> {
    let (inside, _) = cursor.group()?;
    let mut names = Vec::new();
    for mut item in inside.items() {
        names.push(item.name("a column name")?.0);
        if item.eat(&["COLLATE"]) {
            item.name("a collation")?;
        }
        let _ordered = item.eat(&["ASC"]) || item.eat(&["DESC"]);
        if !item.is_done() {
            return Err(item.expected("`,` or `)`"));
        }
    }
    if names.is_empty() {
        return Err(inside.expected("a column name"));
    }
    Ok(names)
}
