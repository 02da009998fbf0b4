//! Tests of the lexer: against a table, and against the parser crate's lexer.

use proptest::prelude::*;
use sqlite3_parser::lexer::Scanner;
use sqlite3_parser::lexer::sql::Tokenizer;

use super::*;

fn kinds(source: &str) -> Vec<(TokenKind, &str)> {
    let tokens = tokenize(source).unwrap();
    tokens.iter().map(|t| (t.kind, t.span.text(source))).collect()
}

fn error(source: &str) -> (TextErrorKind, u32, u32) {
    let error = tokenize(source).unwrap_err();
    (error.kind, error.position.line, error.position.column)
}

#[test]
fn every_kind_of_token_is_told_apart() {
    use TokenKind::{
        Blob, BlockComment, DoubleQuoted, Float, Integer, LineComment, Operator, Parameter, QuotedName, String, Word,
    };
    for (source, kind) in [
        ("été$1", Word),
        ("\"a\"\"b\"", DoubleQuoted),
        ("`a``b`", QuotedName),
        ("[a\"b]", QuotedName),
        ("'it''s; --'", String),
        ("X'00fF'", Blob),
        ("1_000", Integer),
        ("0xFf", Integer),
        (".5", Float),
        ("5.", Float),
        ("1e-3", Float),
        ("?", Parameter),
        ("?12", Parameter),
        (":a", Parameter),
        ("$a::b(c)", Parameter),
        ("->>", Operator),
        ("!=", Operator),
        ("-- a ; '", LineComment),
        ("/* a ' ; */", BlockComment),
    ] {
        assert_eq!(kinds(source), [(kind, source)], "{source}");
    }
}

#[test]
fn what_is_not_closed_is_reported_where_it_opens() {
    assert_eq!(error("a\n  'b"), (TextErrorKind::UnterminatedString, 2, 3));
    assert_eq!(error("\"b"), (TextErrorKind::UnterminatedName, 1, 1));
    assert_eq!(error("x `b"), (TextErrorKind::UnterminatedName, 1, 3));
    assert_eq!(error("[b"), (TextErrorKind::UnterminatedName, 1, 1));
    assert_eq!(error("a /* b"), (TextErrorKind::UnterminatedComment, 1, 3));
    assert_eq!(error("/*/"), (TextErrorKind::UnterminatedComment, 1, 1));
}

#[test]
fn what_sqlite_refuses_as_a_token_is_refused() {
    for source in ["1a", "0x", "1__0", "1_", "1e", "1.5e+", "5$"] {
        assert_eq!(error(source).0, TextErrorKind::MalformedNumber, "{source}");
    }
    assert_eq!(error("x'0'").0, TextErrorKind::MalformedBlob);
    assert_eq!(error(": ").0, TextErrorKind::MalformedParameter);
    for source in ["!", "\\", "a \0", "^", "\u{b}"] {
        assert_eq!(error(source).0, TextErrorKind::UnknownCharacter, "{source:?}");
    }
}

#[test]
fn a_byte_order_mark_and_carriage_returns_are_white_space() {
    assert_eq!(
        kinds("\u{feff}a -- b\r\n\u{feff}c\r\n"),
        [(TokenKind::Word, "a"), (TokenKind::LineComment, "-- b"), (TokenKind::Word, "c")]
    );
}

/// What the parser crate's lexer makes of a text: spans of its tokens, or nothing when it refuses.
fn spans_of_the_crate(source: &str) -> Option<Vec<(usize, usize)>> {
    let mut scanner = Scanner::new(Tokenizer::new());
    let mut spans = Vec::new();
    loop {
        let (start, token, end) = scanner.scan(source.as_bytes()).ok()?;
        token?;
        spans.push((start, end));
        if end == source.len() {
            return Some(spans);
        }
    }
}

fn is_space(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_whitespace() || c == '\u{feff}')
}

proptest! {
    #[test]
    fn tokens_do_not_overlap_and_only_white_space_lies_between(source in any::<String>()) {
        if let Ok(tokens) = tokenize(&source) {
            let mut at = 0;
            for token in tokens {
                let gap = &source[at..token.span.start];
                prop_assert!(is_space(gap), "{gap:?}");
                prop_assert!(token.span.end > token.span.start);
                at = token.span.end;
            }
            prop_assert!(is_space(&source[at..]), "{source:?}");
        }
    }

    #[test]
    fn the_parser_crate_cuts_the_same_tokens(source in "[a-zé0-9_ '\"`x.e+<>=|!*/;,()?\\[\\]-]{0,40}") {
        let ours = tokenize(&source).ok().map(|tokens| {
            let kept = tokens.iter().filter(|token| !token.is_comment());
            kept.map(|token| (token.span.start, token.span.end)).collect::<Vec<_>>()
        });
        // The crate ends without a token after a trailing comment or space, so only texts that end in a token count.
        if let (Some(ours), Some(theirs)) = (ours, spans_of_the_crate(&source)) {
            prop_assert_eq!(ours, theirs);
        }
    }
}
