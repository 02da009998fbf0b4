//! Views.

use super::{Header, SqlText};
use crate::sql::canonical::Canonical;
use crate::sql::cursor::Cursor;
use crate::sql::error::TextError;
use crate::sql::name::{Name, quote_name};
use crate::sql::position::Span;
use crate::sql::token::TokenKind;

/// A view.
#[derive(Clone, Debug)]
pub struct View {
    /// What stands before the columns.
    pub header: Header,
    /// The column names, where the view gives some, with their places.
    pub columns: Vec<(Name, Span)>,
    /// The query.
    pub select: SqlText,
}

impl View {
    pub(super) fn read(header: Header, mut cursor: Cursor<'_>) -> Result<Self, TextError> {
        let mut columns = Vec::new();
        if cursor.kind() == Some(TokenKind::LeftParen) {
            let (inside, _) = cursor.group()?;
            for mut item in inside.items() {
                columns.push(item.name("a column name")?);
                if !item.is_done() {
                    return Err(item.expected("`,` or `)`"));
                }
            }
        }
        cursor.expect(&["AS"], "AS")?;
        if cursor.is_done() {
            return Err(cursor.expected("SELECT"));
        }
        Ok(Self { header, columns, select: SqlText::query(&cursor) })
    }

    /// Its canonical form and all that it mentions.
    pub fn canonical(&self) -> Canonical {
        let columns: Vec<_> = self.columns.iter().map(|(name, _)| quote_name(&name.folded)).collect();
        let columns = if columns.is_empty() { String::new() } else { format!(" ({})", columns.join(", ")) };
        Canonical {
            text: format!(
                "CREATE VIEW {}{columns} AS {}",
                quote_name(&self.header.name.folded),
                self.select.canonical.text
            ),
            exact: self.select.canonical.exact,
            references: self.select.canonical.references.clone(),
        }
    }
}
