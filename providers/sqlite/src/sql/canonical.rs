//! Canonical text: two texts with the same canonical form mean the same to SQLite.
//!
//! Printed from the syntax tree with every operation in its own parentheses, so that comments, white space, the case
//! of keywords and names, the kind of quotes and redundant parentheses vanish. Only what is certain is made equal:
//! what the grammar itself treats alike (`==` and `=`, `a ISNULL` and `a IS NULL`, `LEFT JOIN` and
//! `LEFT OUTER JOIN`) and numbers of the same kind and value (`1.0` and `1.`). `0x10` and `16`, or `a BETWEEN 1 AND 2`
//! and its comparisons, stay apart. The form is for comparing and can be read again; it is not for showing to people.
//!
//! Where there is no syntax tree, the tokens are printed instead and [`Canonical::exact`] is false: still no false
//! equality, but parentheses and quotes count.

mod call;
mod change;
mod expression;
mod number;
mod operator;
mod printer;
mod select;
mod tokens;

use std::borrow::Cow;
use std::collections::BTreeSet;

use self::printer::Printer;
use super::cursor::significant;
use super::name::{fold, quote_name};
use super::parse::{Unparsed, with_expression, with_statement};
use super::references::References;
use super::token::TokenKind;

pub use self::tokens::canonical_type;

/// What `"x"` can stand for: SQLite takes it as a string when no column has that name.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    columns: Option<BTreeSet<String>>,
    rowid: bool,
}

impl Scope {
    /// Nothing is known, as in a view or a trigger: `"x"` is taken as a name.
    ///
    /// Still sound for two texts that SQLite accepts against the same tables: at the same place of the same tree, bare
    /// `x` was found, and so `"x"` finds the same.
    pub fn unknown() -> Self {
        Self::default()
    }

    /// Exactly these columns, as in an index, a generated column or a default (which has none).
    pub fn columns<I: IntoIterator<Item = S>, S: AsRef<str>>(names: I) -> Self {
        Self { columns: Some(names.into_iter().map(|name| fold(name.as_ref())).collect()), rowid: false }
    }

    /// The same with `rowid`, `oid` and `_rowid_`, which a CHECK constraint can name.
    #[must_use]
    pub fn with_rowid(mut self) -> Self {
        self.rowid = true;
        self
    }

    /// Whether a name in double quotes stands for a column. `folded` is in ASCII lower case.
    pub(crate) fn holds(&self, folded: &str) -> bool {
        let rowid = self.rowid && ["rowid", "oid", "_rowid_"].contains(&folded);
        rowid || self.columns.as_ref().is_none_or(|columns| columns.contains(folded))
    }

    /// Whether it is certain that a column has this name.
    fn surely_holds(&self, folded: &str) -> bool {
        self.columns.as_ref().is_some_and(|columns| columns.contains(folded))
    }
}

/// A canonical text and what came to light on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonical {
    /// The form that decides equality.
    pub text: String,
    /// Printed from a syntax tree. When false, a difference need not be one: the object is *not fully described*.
    pub exact: bool,
    /// What the text mentions.
    pub references: References,
}

/// The canonical form of an expression.
pub fn expression(text: &str, scope: &Scope) -> Canonical {
    let mut printer = Printer::new(scope);
    let parsed = with_expression(text, |tree| printer.expression(tree));
    finished(text, printer, parsed)
}

/// The canonical form of a column by itself: what [`expression`] makes of its quoted name where every name is a column.
///
/// Most columns of keys and indexes are that, and a parser for each would be most of the work of reading a schema.
pub(crate) fn column(folded: &str) -> Canonical {
    let quoted = quote_name(folded);
    if let Cow::Owned(quoted) = &quoted {
        return expression(quoted, &Scope::unknown());
    }
    let references = References { columns: BTreeSet::from([folded.to_owned()]), ..References::default() };
    Canonical { text: quoted.into_owned(), exact: true, references }
}

/// The canonical form of the value of a DEFAULT clause, with or without parentheses.
///
/// A default sees no columns, and a bare word is a string: `DEFAULT abc` and `DEFAULT 'abc'` are the same.
pub fn default_value(text: &str) -> Canonical {
    // A number needs no parser, and most defaults are numbers.
    if let Some([token]) = significant(text).ok().as_deref()
        && matches!(token.kind, TokenKind::Integer | TokenKind::Float)
    {
        let text = number::canonical(token.span.text(text));
        return Canonical { text, exact: true, references: References::default() };
    }
    parsed_default(text)
}

fn parsed_default(text: &str) -> Canonical {
    let scope = Scope::columns::<[&str; 0], &str>([]);
    let mut printer = Printer::new(&scope);
    let parsed = with_expression(text, |tree| printer.default_value(tree));
    finished(text, printer, parsed)
}

/// The canonical form of one SELECT, VALUES, INSERT, UPDATE or DELETE, as in a view or a trigger body.
pub fn query(text: &str, scope: &Scope) -> Canonical {
    let mut printer = Printer::new(scope);
    let parsed = with_statement(text, |tree| printer.statement(tree));
    finished(text, printer, parsed)
}

/// The canonical form of any text by its tokens alone.
pub fn by_tokens(text: &str) -> Canonical {
    let (text, references) = tokens::print(text);
    Canonical { text, exact: false, references }
}

fn finished(text: &str, printer: Printer<'_>, parsed: Result<(), Unparsed>) -> Canonical {
    match (parsed, printer.finish()) {
        (Ok(()), Some((text, references))) => Canonical { text, exact: true, references },
        _ => by_tokens(text),
    }
}

#[cfg(test)]
mod tests;
