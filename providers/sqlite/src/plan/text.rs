//! Pieces of stored texts, put together again.

use crate::sql::ast::{Action, Conflict, ForeignKey, Table};
use crate::sql::cursor::significant;
use crate::sql::name::{Name, quote_name};
use crate::sql::position::Span;
use crate::sql::token::{Token, TokenKind};

/// The text of a span without some spans in it.
pub(super) fn without(source: &str, within: Span, cuts: &[Span]) -> String {
    let mut cuts: Vec<Span> = cuts.to_vec();
    cuts.sort();
    let mut text = String::new();
    let mut at = within.start;
    for cut in cuts.iter().filter(|cut| cut.start >= within.start && cut.end <= within.end) {
        text.push_str(Span::new(at, cut.start.max(at)).text(source).trim_end());
        at = at.max(cut.end);
    }
    text.push_str(Span::new(at, within.end).text(source));
    text.trim_end().to_owned()
}

/// The text of a table under another name, without some of its constraints.
pub(super) fn table_named(source: &str, table: &Table, name: &str, constraints: &[Span]) -> String {
    let header = table.header.name_span;
    let cuts: Vec<Span> = constraints.iter().map(|span| with_comma(source, *span)).collect();
    let whole = Span::new(header.end, source.len());
    format!("{}{}{}", &source[..header.start], quote_name(name), without(source, whole, &cuts))
}

/// A constraint with the comma before it, where there is one.
fn with_comma(source: &str, span: Span) -> Span {
    let tokens = significant(source).unwrap_or_default();
    let before = tokens.iter().rev().find(|token| token.span.end <= span.start);
    match before {
        Some(token) if token.kind == TokenKind::Comma => Span::new(token.span.start, span.end),
        _ => span,
    }
}

/// Whether an expression names a column with the name of its own table before it.
pub(super) fn is_qualified(expression: &str, table: &str) -> bool {
    let tokens = significant(expression).unwrap_or_default();
    tokens.windows(2).any(|pair| {
        let [first, second] = pair else { return false };
        second.kind == TokenKind::Dot && Name::from_written(first.span.text(expression)).folded == table
    })
}

/// Whether a DEFAULT is one that ADD COLUMN takes for rows that exist: one literal, with a sign or parentheses.
pub(super) fn is_constant(default: &str) -> bool {
    let tokens = significant(default).unwrap_or_default();
    let (inner, in_parentheses) = unwrapped(&tokens);
    match inner {
        [only] => is_literal(default, only, in_parentheses),
        [sign, number] => {
            matches!(sign.span.text(default), "+" | "-") && matches!(number.kind, TokenKind::Integer | TokenKind::Float)
        }
        _ => false,
    }
}

/// Whether a constant DEFAULT is NULL.
pub(super) fn is_null(default: &str) -> bool {
    let tokens = significant(default).unwrap_or_default();
    matches!(unwrapped(&tokens).0, [only] if only.is_word(default, "NULL"))
}

fn unwrapped(mut tokens: &[Token]) -> (&[Token], bool) {
    let mut wrapped = false;
    while let [first, inside @ .., last] = tokens
        && first.kind == TokenKind::LeftParen
        && last.kind == TokenKind::RightParen
    {
        tokens = inside;
        wrapped = true;
    }
    (tokens, wrapped)
}

fn is_literal(source: &str, token: &Token, in_parentheses: bool) -> bool {
    let is = |word: &str| token.is_word(source, word);
    match token.kind {
        TokenKind::Integer | TokenKind::Float | TokenKind::String | TokenKind::Blob => true,
        TokenKind::Word if is("NULL") || is("TRUE") || is("FALSE") => true,
        TokenKind::Word if is("CURRENT_TIMESTAMP") || is("CURRENT_DATE") || is("CURRENT_TIME") => false,
        // `DEFAULT abc` is a string; `DEFAULT (abc)` would be a column.
        TokenKind::Word | TokenKind::DoubleQuoted => !in_parentheses,
        _ => false,
    }
}

/// ` ON CONFLICT …`, empty for what SQLite does anyway.
pub(super) fn conflict(conflict: Option<Conflict>) -> &'static str {
    match conflict {
        None | Some(Conflict::Abort) => "",
        Some(Conflict::Rollback) => " ON CONFLICT ROLLBACK",
        Some(Conflict::Fail) => " ON CONFLICT FAIL",
        Some(Conflict::Ignore) => " ON CONFLICT IGNORE",
        Some(Conflict::Replace) => " ON CONFLICT REPLACE",
    }
}

/// `REFERENCES …` as it stands at a column.
pub(super) fn references(key: &ForeignKey) -> String {
    let mut text = format!("REFERENCES {}", quote_name(&key.parent.text));
    if !key.parent_columns.is_empty() {
        let columns: Vec<_> = key.parent_columns.iter().map(|name| quote_name(&name.text)).collect();
        text = format!("{text} ({})", columns.join(", "));
    }
    for (event, action) in [("DELETE", key.on_delete), ("UPDATE", key.on_update)] {
        let words = match action {
            Action::NoAction => continue,
            Action::Restrict => "RESTRICT",
            Action::SetNull => "SET NULL",
            Action::SetDefault => "SET DEFAULT",
            Action::Cascade => "CASCADE",
        };
        text = format!("{text} ON {event} {words}");
    }
    if let Some(matching) = &key.matching {
        text = format!("{text} MATCH {}", quote_name(&matching.text));
    }
    if key.deferred {
        text.push_str(" DEFERRABLE INITIALLY DEFERRED");
    }
    text
}

/// `CONSTRAINT name `, empty where there is none.
pub(super) fn named(name: Option<&Name>) -> String {
    name.map_or_else(String::new, |name| format!("CONSTRAINT {} ", quote_name(&name.text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_add_column_takes_is_a_constant() {
        for text in
            ["5", "-5", "(-1)", "'x'", "('x')", "TRUE", "(true)", "NULL", "(NULL)", "x'00'", "abc", "2.5", "((2))"]
        {
            assert!(is_constant(text), "{text}");
        }
        for text in ["CURRENT_TIMESTAMP", "(random())", "(1+1)", "('a' || 'b')", "(\"a\")", "(abs(1))", "(1) + (2)"] {
            assert!(!is_constant(text), "{text}");
        }
        assert!(is_null("(NULL)") && is_null("null") && !is_null("'NULL'"));
    }

    #[test]
    fn the_name_of_the_table_counts_only_before_a_dot() {
        assert!(is_qualified("T . a > 0", "t") && is_qualified("\"t\".a > 0", "t"));
        assert!(!is_qualified("t > 0 AND 't.a' = a AND u.t > 1", "t"));
    }
}
