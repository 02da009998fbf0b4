//! A place in a list of tokens without comments, with the few moves that reading a declaration needs.
//!
//! Errors name the place where something else was needed; nothing is skipped silently.

use super::error::{TextError, TextErrorKind};
use super::name::{Name, is_reserved};
use super::position::Span;
use super::token::{Token, TokenKind, tokenize};

/// The tokens of a text without its comments.
pub fn significant(source: &str) -> Result<Vec<Token>, TextError> {
    Ok(without_comments(&tokenize(source)?))
}

/// The same tokens without comments.
pub fn without_comments(tokens: &[Token]) -> Vec<Token> {
    tokens.iter().copied().filter(|token| !token.is_comment()).collect()
}

/// Reads tokens from left to right.
#[derive(Clone, Debug)]
pub struct Cursor<'t> {
    /// The text that the spans belong to.
    pub source: &'t str,
    tokens: &'t [Token],
    at: usize,
    /// Where an error at the end is reported.
    end: usize,
}

impl<'t> Cursor<'t> {
    /// A cursor before the first of `tokens`, which must hold no comments.
    pub fn new(source: &'t str, tokens: &'t [Token]) -> Self {
        let end = tokens.last().map_or(source.len(), |token| token.span.end);
        Self { source, tokens, at: 0, end }
    }

    /// The token `ahead` of the next one (0 is the next one).
    pub fn peek(&self, ahead: usize) -> Option<Token> {
        self.tokens.get(self.at + ahead).copied()
    }

    /// The kind of the next token.
    pub fn kind(&self) -> Option<TokenKind> {
        self.peek(0).map(|token| token.kind)
    }

    /// Whether nothing is left.
    pub fn is_done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// The byte offset of the next token, or of the end.
    pub fn offset(&self) -> usize {
        self.peek(0).map_or(self.end, |token| token.span.start)
    }

    /// One past the last byte that was read; the offset of the next token when nothing was.
    pub fn last_end(&self) -> usize {
        let last = self.at.checked_sub(1).and_then(|last| self.tokens.get(last));
        last.map_or_else(|| self.offset(), |token| token.span.end)
    }

    /// Takes the next token.
    pub fn next_token(&mut self) -> Option<Token> {
        let token = self.peek(0)?;
        self.at += 1;
        Some(token)
    }

    /// The tokens from here on.
    pub fn rest(&self) -> &'t [Token] {
        &self.tokens[self.at.min(self.tokens.len())..]
    }

    /// Whether the tokens from `ahead` on are these words.
    pub fn at_words(&self, ahead: usize, words: &[&str]) -> bool {
        words
            .iter()
            .enumerate()
            .all(|(index, word)| self.peek(ahead + index).is_some_and(|token| token.is_word(self.source, word)))
    }

    /// Whether the next token is this word.
    pub fn at_word(&self, word: &str) -> bool {
        self.at_words(0, &[word])
    }

    /// Whether the next token is one of these words.
    pub fn at_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.at_word(word))
    }

    /// Takes these words if all of them come next.
    pub fn eat(&mut self, words: &[&str]) -> bool {
        let found = self.at_words(0, words);
        if found {
            self.at += words.len();
        }
        found
    }

    /// Takes the next token if it is of this kind.
    pub fn eat_kind(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == Some(kind);
        if found {
            self.at += 1;
        }
        found
    }

    /// Takes these words, or says what was needed.
    pub fn expect(&mut self, words: &[&str], what: &'static str) -> Result<(), TextError> {
        if self.eat(words) { Ok(()) } else { Err(self.expected(what)) }
    }

    /// An error that something else was needed here.
    pub fn expected(&self, what: &'static str) -> TextError {
        TextError::at(self.source, self.offset(), TextErrorKind::Expected { what })
    }

    /// Takes a name: a bare word, a quoted name, or a string.
    pub fn name(&mut self, what: &'static str) -> Result<(Name, Span), TextError> {
        match self.peek(0) {
            Some(token) if self.at_name() => {
                self.at += 1;
                Ok((Name::from_written(token.span.text(self.source)), token.span))
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Whether a name comes next: a reserved word is none.
    pub fn at_name(&self) -> bool {
        self.peek(0).is_some_and(|token| is_name(token.kind) && !self.is_reserved(token))
    }

    fn is_reserved(&self, token: Token) -> bool {
        token.kind == TokenKind::Word && is_reserved(token.span.text(self.source))
    }

    /// Takes a group in parentheses: what is inside, and the span with the parentheses.
    pub fn group(&mut self) -> Result<(Cursor<'t>, Span), TextError> {
        if self.kind() != Some(TokenKind::LeftParen) {
            return Err(self.expected("`(`"));
        }
        let open = self.at;
        let mut depth = 0_usize;
        while let Some(token) = self.next_token() {
            match token.kind {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let inside = Cursor {
                    source: self.source,
                    tokens: &self.tokens[open + 1..self.at - 1],
                    at: 0,
                    end: token.span.start,
                };
                return Ok((inside, Span::new(self.tokens[open].span.start, token.span.end)));
            }
        }
        Err(self.expected("`)`"))
    }

    /// What is left, cut at the commas that stand in no parentheses. Empty when nothing is left.
    pub fn items(&self) -> Vec<Cursor<'t>> {
        let rest = self.rest();
        let mut items = Vec::new();
        let mut start = 0;
        let mut depth = 0_i64;
        for (index, token) in rest.iter().enumerate() {
            match token.kind {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen => depth -= 1,
                TokenKind::Comma if depth == 0 => {
                    items.push(self.slice(&rest[start..index], token.span.start));
                    start = index + 1;
                }
                _ => {}
            }
        }
        if !rest.is_empty() {
            items.push(self.slice(&rest[start..], self.end));
        }
        items
    }

    fn slice(&self, tokens: &'t [Token], end: usize) -> Cursor<'t> {
        Cursor { source: self.source, tokens, at: 0, end }
    }

    /// A cursor over the next `count` tokens, which are taken.
    #[must_use]
    pub fn take(&mut self, count: usize) -> Cursor<'t> {
        let rest = self.rest();
        let tokens = &rest[..count.min(rest.len())];
        let taken = self.slice(tokens, tokens.last().map_or(self.end, |token| token.span.end));
        self.at += tokens.len();
        taken
    }

    /// The span of all that is left.
    pub fn span(&self) -> Span {
        Span::new(self.offset(), self.rest().last().map_or(self.end, |token| token.span.end))
    }

    /// The text of all that is left, comments inside included.
    pub fn text(&self) -> &'t str {
        self.source.get(self.offset()..self.span().end).unwrap_or_default()
    }
}

/// Whether SQLite can take a token of this kind as a name.
pub fn is_name(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Word | TokenKind::DoubleQuoted | TokenKind::QuotedName | TokenKind::String)
}
