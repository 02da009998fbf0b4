//! Virtual tables. Their arguments belong to the module, so their text is kept byte for byte.

use super::Header;
use crate::sql::canonical::Canonical;
use crate::sql::cursor::Cursor;
use crate::sql::error::TextError;
use crate::sql::name::{Name, quote_name};
use crate::sql::position::Span;
use crate::sql::references::References;
use crate::sql::token::TokenKind;

/// A virtual table.
#[derive(Clone, Debug)]
pub struct VirtualTable {
    /// What stands before USING.
    pub header: Header,
    /// The module.
    pub module: Name,
    /// The place of its name.
    pub module_span: Span,
    /// The arguments as written, cut at commas, without white space around them. SQLite gives them to the module so.
    pub arguments: Vec<String>,
}

impl VirtualTable {
    pub(super) fn read(header: Header, mut cursor: Cursor<'_>) -> Result<Self, TextError> {
        cursor.expect(&["USING"], "USING")?;
        let (module, module_span) = cursor.name("the name of a module")?;
        let mut arguments = Vec::new();
        if cursor.kind() == Some(TokenKind::LeftParen) {
            let (inside, _) = cursor.group()?;
            arguments = inside.items().iter().map(|item| item.text().to_owned()).collect();
        }
        if !cursor.is_done() {
            return Err(cursor.expected("the end"));
        }
        Ok(Self { header, module, module_span, arguments })
    }

    /// Its canonical form: equal only when every byte of every argument is.
    pub fn canonical(&self) -> Canonical {
        Canonical {
            text: format!(
                "CREATE VIRTUAL TABLE {} USING {} ({})",
                quote_name(&self.header.name.folded),
                quote_name(&self.module.folded),
                self.arguments.join(", ")
            ),
            exact: true,
            references: References::default(),
        }
    }
}
