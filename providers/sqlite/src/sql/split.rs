//! Cuts a script into statements that tile it in order.
//!
//! A statement ends at its `;` or at the end of the text. A trigger ends at the `;` after an `END` that itself follows
//! a `;`: inside a trigger every statement ends with `;`, and no expression can hold one, so neither `CASE … END` nor
//! a name that contains `end` is taken for it. The `sqlite3` shell uses the same rule.

use super::cursor::without_comments;
use super::error::{TextError, TextErrorKind};
use super::position::{LineIndex, Position, Span};
use super::token::{Lexer, Token, TokenKind};

/// A script and its statements.
#[derive(Clone, Debug)]
pub struct Script<'s> {
    /// The whole text.
    pub text: &'s str,
    /// All tokens in order, comments included.
    pub tokens: Vec<Token>,
    /// The statements in order. Between them lie white space, comments and `;` of empty statements only.
    pub statements: Vec<Statement>,
    /// For turning offsets into positions.
    pub lines: LineIndex,
}

/// One statement of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// From the first token to the last, without the `;`.
    pub span: Span,
    /// The same with the `;` that ends it, where there is one.
    pub with_end: Span,
    /// Where it starts.
    pub position: Position,
    /// Its tokens without comments and without the `;` that ends it; never empty.
    pub tokens: Vec<Token>,
}

impl Statement {
    /// Its text, without the `;`.
    pub fn text<'s>(&self, script: &'s str) -> &'s str {
        self.span.text(script)
    }
}

/// Cuts a script into statements. The first thing that is no SQL is the error.
pub fn split(text: &str) -> Result<Script<'_>, TextError> {
    let lines = LineIndex::new(text);
    let mut all = Vec::new();
    let mut statements = Vec::new();
    let mut open = Open::default();
    for token in Lexer::new(text) {
        let token = token?;
        all.push(token);
        if token.is_comment() {
            continue;
        }
        if open.tokens.is_empty() && token.kind == TokenKind::Dot {
            return Err(shell_command(text, token.span.start));
        }
        if token.kind == TokenKind::Semicolon && open.ends_here(text) {
            statements.extend(open.close(&lines, Some(token)));
        } else {
            open.push(text, token);
        }
    }
    statements.extend(open.close(&lines, None));
    Ok(Script { text, tokens: all, statements, lines })
}

/// The statement that is being read.
#[derive(Default)]
struct Open {
    tokens: Vec<Token>,
    /// `BEGIN` of a trigger was read, so a `;` need not end the statement.
    in_trigger_body: bool,
}

impl Open {
    fn push(&mut self, text: &str, token: Token) {
        if !self.in_trigger_body && token.is_word(text, "BEGIN") {
            self.in_trigger_body = starts_trigger(text, &self.tokens);
        }
        self.tokens.push(token);
    }

    fn ends_here(&self, text: &str) -> bool {
        if !self.in_trigger_body {
            return true;
        }
        match self.tokens.as_slice() {
            [.., before, last] => before.kind == TokenKind::Semicolon && last.is_word(text, "END"),
            _ => false,
        }
    }

    fn close(&mut self, lines: &LineIndex, end: Option<Token>) -> Option<Statement> {
        let tokens = std::mem::take(&mut self.tokens);
        self.in_trigger_body = false;
        let (first, last) = (tokens.first()?, tokens.last()?);
        let span = first.span.to(last.span);
        Some(Statement {
            span,
            with_end: end.map_or(span, |end| span.to(end.span)),
            position: lines.position(span.start),
            tokens,
        })
    }
}

/// `[EXPLAIN [QUERY PLAN]] CREATE [TEMP | TEMPORARY] TRIGGER …`
fn starts_trigger(text: &str, tokens: &[Token]) -> bool {
    let mut words = tokens.iter();
    let mut is = |word: &str| {
        let found = words.as_slice().first().is_some_and(|token| token.is_word(text, word));
        if found {
            words.next();
        }
        found
    };
    if is("EXPLAIN") && is("QUERY") {
        is("PLAN");
    }
    is("CREATE") && {
        let _temporary = is("TEMP") || is("TEMPORARY");
        is("TRIGGER")
    }
}

fn shell_command(text: &str, dot: usize) -> TextError {
    let rest = &text[dot + 1..];
    let length = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
    TextError::at(text, dot, TextErrorKind::ShellCommand { command: format!(".{}", &rest[..length]) })
}

/// The tokens of one text that holds a single statement, such as one from `sqlite_schema`, without its last `;`.
pub fn single(text: &str) -> Result<Vec<Token>, TextError> {
    let mut tokens = without_comments(&super::token::tokenize(text)?);
    while tokens.last().is_some_and(|token| token.kind == TokenKind::Semicolon) {
        tokens.pop();
    }
    Ok(tokens)
}

#[cfg(test)]
mod tests;
