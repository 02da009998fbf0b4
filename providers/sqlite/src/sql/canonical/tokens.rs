//! Canonical text by tokens alone, for what has no syntax tree, and for type names.

use super::number;
use crate::sql::cursor::significant;
use crate::sql::name::{fold, is_keyword, unquote};
use crate::sql::references::References;
use crate::sql::token::{Token, TokenKind};

/// The tokens with one space between them, and every name among them.
///
/// Bare words keep being bare, since nothing here tells a name from a keyword. A text with something that is no token
/// stays as it is.
pub(super) fn print(text: &str) -> (String, References) {
    let mut references = References::default();
    let Ok(tokens) = significant(text) else {
        return (text.to_owned(), references);
    };
    let mut out = String::with_capacity(text.len());
    for (index, token) in tokens.iter().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        let called = tokens.get(index + 1).is_some_and(|next| next.kind == TokenKind::LeftParen);
        note(text, *token, called, &mut references);
        out.push_str(&spelling(text, *token));
    }
    (out, references)
}

fn spelling(text: &str, token: Token) -> String {
    let written = token.span.text(text);
    match token.kind {
        TokenKind::Word | TokenKind::Blob => written.to_ascii_lowercase(),
        TokenKind::QuotedName => format!("`{}`", fold(&unquote(written)).replace('`', "``")),
        TokenKind::Integer | TokenKind::Float => number::canonical(written),
        TokenKind::Operator if written == "==" => "=".to_owned(),
        TokenKind::Operator if written == "!=" => "<>".to_owned(),
        // A name in double quotes is perhaps a string, so its case counts.
        _ => written.to_owned(),
    }
}

fn note(text: &str, token: Token, called: bool, references: &mut References) {
    let written = token.span.text(text);
    let folded = fold(&unquote(written));
    match token.kind {
        TokenKind::Word | TokenKind::DoubleQuoted | TokenKind::QuotedName | TokenKind::String => {
            let word = token.kind == TokenKind::Word;
            if called && token.kind != TokenKind::String && !(word && is_keyword(written)) {
                references.functions.insert(folded.clone());
            }
            references.tables.insert(folded.clone());
            references.collations.insert(folded.clone());
            references.columns.insert(folded);
        }
        _ => {}
    }
}

/// A type name in canonical form: lower case, one space between words, none around parentheses.
///
/// SQLite removes quotes from a type that starts with one and drops all that follows the closing quote.
pub fn canonical_type(text: &str) -> String {
    let text = text.trim();
    let Ok(tokens) = significant(text) else {
        return text.to_ascii_lowercase();
    };
    if let Some(first) = tokens.first()
        && first.kind != TokenKind::Word
    {
        return collapsed(&unquote(first.span.text(text)));
    }
    let mut out = String::new();
    let mut glued = true;
    for token in tokens {
        let glues =
            matches!(token.kind, TokenKind::LeftParen | TokenKind::RightParen | TokenKind::Comma | TokenKind::Operator);
        if !glued && !glues {
            out.push(' ');
        }
        out.push_str(&token.span.text(text).to_ascii_lowercase());
        glued = glues;
    }
    out
}

fn collapsed(text: &str) -> String {
    let words: Vec<_> = text.split_ascii_whitespace().collect();
    words.join(" ").to_ascii_lowercase()
}
