//! The tokens of a text, as SQLite cuts them, with comments kept.
//!
//! Own code and not the parser crate's lexer: that one drops comments, takes a byte order mark as part of a name, and
//! knows no Tcl parameters. The tests hold both against each other. Words are not told apart into names and keywords,
//! because SQLite decides that in its grammar.

use super::error::{TextError, TextErrorKind};
use super::position::Span;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A bare name or a keyword.
    Word,
    /// A name in `"…"`; where it names no column, SQLite takes it as a string.
    DoubleQuoted,
    /// A name in `` `…` `` or `[…]`.
    QuotedName,
    /// A string in `'…'`; a name where the grammar wants one.
    String,
    /// `x'…'`.
    Blob,
    /// Digits, also `0x…`, also with `_` between digits.
    Integer,
    /// Digits with a point or an exponent.
    Float,
    /// `?`, `?1`, `:a`, `@a`, `#a`, `$a`, `$a::b(c)`.
    Parameter,
    /// `;`
    Semicolon,
    /// `,`
    Comma,
    /// `.`
    Dot,
    /// `(`
    LeftParen,
    /// `)`
    RightParen,
    /// Every other sign.
    Operator,
    /// `-- …` without its line end.
    LineComment,
    /// `/* … */`.
    BlockComment,
}

/// One token and its place. White space lies between tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is.
    pub span: Span,
}

impl Token {
    /// Whether it is a comment.
    pub fn is_comment(self) -> bool {
        matches!(self.kind, TokenKind::LineComment | TokenKind::BlockComment)
    }

    /// Whether it is this bare word, in any ASCII case.
    pub fn is_word(self, source: &str, word: &str) -> bool {
        self.kind == TokenKind::Word && self.span.text(source).eq_ignore_ascii_case(word)
    }
}

/// All tokens of a text, or the first thing that is none.
pub fn tokenize(source: &str) -> Result<Vec<Token>, TextError> {
    Lexer::new(source).collect()
}

/// Cuts a text into tokens, one at a time. After an error it ends.
#[derive(Clone, Debug)]
pub struct Lexer<'s> {
    source: &'s str,
    at: usize,
}

impl<'s> Lexer<'s> {
    /// A lexer at the start of `source`.
    pub fn new(source: &'s str) -> Self {
        Self { source, at: 0 }
    }

    fn byte(&self, offset: usize) -> u8 {
        // SQLite ends its text with a zero byte; one inside the text starts no token and is refused.
        self.source.as_bytes().get(offset).copied().unwrap_or(0)
    }

    fn skip_space(&mut self) {
        loop {
            if matches!(self.byte(self.at), b' ' | b'\t' | b'\n' | b'\r' | b'\x0c') {
                self.at += 1;
            } else if self.source.as_bytes()[self.at..].starts_with("\u{feff}".as_bytes()) {
                self.at += '\u{feff}'.len_utf8();
            } else {
                return;
            }
        }
    }

    /// The end of the run of bytes from `from` that `accept` takes.
    fn run(&self, from: usize, accept: impl Fn(u8) -> bool) -> usize {
        let rest = self.source.as_bytes().get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| accept(**byte)).count()
    }

    fn token(&self) -> Result<(TokenKind, usize), TextErrorKind> {
        let at = self.at;
        let (first, second) = (self.byte(at), self.byte(at + 1));
        let sign = |kind| Ok((kind, at + 1));
        match first {
            b';' => sign(TokenKind::Semicolon),
            b',' => sign(TokenKind::Comma),
            b'(' => sign(TokenKind::LeftParen),
            b')' => sign(TokenKind::RightParen),
            b'-' if second == b'-' => Ok((TokenKind::LineComment, self.line_comment_end())),
            b'/' if second == b'*' => self.block_comment(),
            b'\'' => self.quoted(TokenKind::String, b'\'', TextErrorKind::UnterminatedString),
            b'"' => self.quoted(TokenKind::DoubleQuoted, b'"', TextErrorKind::UnterminatedName),
            b'`' => self.quoted(TokenKind::QuotedName, b'`', TextErrorKind::UnterminatedName),
            b'[' => match self.source[at..].find(']') {
                Some(length) => Ok((TokenKind::QuotedName, at + length + 1)),
                None => Err(TextErrorKind::UnterminatedName),
            },
            b'x' | b'X' if second == b'\'' => self.blob(),
            b'0'..=b'9' => self.number(),
            b'.' if second.is_ascii_digit() => self.number(),
            b'.' => sign(TokenKind::Dot),
            b'?' => Ok((TokenKind::Parameter, self.run(at + 1, |byte| byte.is_ascii_digit()))),
            b'$' | b'@' | b'#' | b':' => self.parameter(),
            _ if starts_name(first) => Ok((TokenKind::Word, self.run(at, continues_name))),
            _ => self.operator(first, second),
        }
    }

    fn operator(&self, first: u8, second: u8) -> Result<(TokenKind, usize), TextErrorKind> {
        let length = match (first, second) {
            (b'-', b'>') if self.byte(self.at + 2) == b'>' => 3,
            (b'-' | b'<' | b'>', b'>') | (b'=' | b'<' | b'>' | b'!', b'=') | (b'<', b'<') | (b'|', b'|') => 2,
            (b'-' | b'+' | b'*' | b'/' | b'%' | b'=' | b'<' | b'>' | b'|' | b'&' | b'~', _) => 1,
            _ => return Err(TextErrorKind::UnknownCharacter),
        };
        Ok((TokenKind::Operator, self.at + length))
    }

    /// Without the line end, and without the carriage return before it.
    fn line_comment_end(&self) -> usize {
        let end = self.run(self.at, |byte| byte != b'\n');
        if self.byte(end) == b'\n' && self.byte(end - 1) == b'\r' { end - 1 } else { end }
    }

    fn block_comment(&self) -> Result<(TokenKind, usize), TextErrorKind> {
        match self.source[self.at + 2..].find("*/") {
            Some(length) => Ok((TokenKind::BlockComment, self.at + 2 + length + 2)),
            None => Err(TextErrorKind::UnterminatedComment),
        }
    }

    /// A doubled quote stands for one.
    fn quoted(&self, kind: TokenKind, quote: u8, error: TextErrorKind) -> Result<(TokenKind, usize), TextErrorKind> {
        let mut at = self.at + 1;
        loop {
            at = self.run(at, |byte| byte != quote);
            if at >= self.source.len() {
                return Err(error);
            }
            if self.byte(at + 1) != quote {
                return Ok((kind, at + 1));
            }
            at += 2;
        }
    }

    fn blob(&self) -> Result<(TokenKind, usize), TextErrorKind> {
        let start = self.at + 2;
        let end = self.run(start, |byte| byte.is_ascii_hexdigit());
        if self.byte(end) == b'\'' && (end - start).is_multiple_of(2) {
            Ok((TokenKind::Blob, end + 1))
        } else {
            Err(TextErrorKind::MalformedBlob)
        }
    }

    fn number(&self) -> Result<(TokenKind, usize), TextErrorKind> {
        let mut kind = TokenKind::Integer;
        let mut end;
        if self.byte(self.at) == b'0' && matches!(self.byte(self.at + 1), b'x' | b'X') {
            end = self.digits(self.at + 2, u8::is_ascii_hexdigit)?;
            if end == self.at + 2 {
                return Err(TextErrorKind::MalformedNumber);
            }
        } else {
            end = self.digits(self.at, u8::is_ascii_digit)?;
            if self.byte(end) == b'.' {
                kind = TokenKind::Float;
                end = self.digits(end + 1, u8::is_ascii_digit)?;
            }
            if matches!(self.byte(end), b'e' | b'E') {
                kind = TokenKind::Float;
                let signed = usize::from(matches!(self.byte(end + 1), b'+' | b'-'));
                let exponent = end + 1 + signed;
                end = self.digits(exponent, u8::is_ascii_digit)?;
                if end == exponent {
                    return Err(TextErrorKind::MalformedNumber);
                }
            }
        }
        if continues_name(self.byte(end)) {
            return Err(TextErrorKind::MalformedNumber);
        }
        Ok((kind, end))
    }

    /// Digits with single `_` between them.
    fn digits(&self, from: usize, accept: fn(&u8) -> bool) -> Result<usize, TextErrorKind> {
        let end = self.run(from, |byte| accept(&byte) || byte == b'_');
        let digits = &self.source.as_bytes()[from..end];
        if digits.first() == Some(&b'_') || digits.last() == Some(&b'_') || digits.windows(2).any(|two| two == b"__") {
            return Err(TextErrorKind::MalformedNumber);
        }
        Ok(end)
    }

    fn parameter(&self) -> Result<(TokenKind, usize), TextErrorKind> {
        let mut at = self.at + 1;
        let mut named = false;
        loop {
            let byte = self.byte(at);
            if continues_name(byte) {
                named = true;
                at += 1;
            } else if byte == b':' && self.byte(at + 1) == b':' {
                at += 2;
            } else if byte == b'(' && named {
                let end = self.run(at, |byte| byte != b')' && !byte.is_ascii_whitespace());
                if self.byte(end) != b')' {
                    return Err(TextErrorKind::MalformedParameter);
                }
                return Ok((TokenKind::Parameter, end + 1));
            } else if named {
                return Ok((TokenKind::Parameter, at));
            } else {
                return Err(TextErrorKind::MalformedParameter);
            }
        }
    }
}

impl Iterator for Lexer<'_> {
    type Item = Result<Token, TextError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.skip_space();
        if self.at >= self.source.len() {
            return None;
        }
        let start = self.at;
        match self.token() {
            Ok((kind, end)) => {
                self.at = end;
                Some(Ok(Token { kind, span: Span::new(start, end) }))
            }
            Err(kind) => {
                self.at = self.source.len();
                Some(Err(TextError::at(self.source, start, kind)))
            }
        }
    }
}

fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

fn continues_name(byte: u8) -> bool {
    starts_name(byte) || byte.is_ascii_digit() || byte == b'$'
}

#[cfg(test)]
mod tests;
