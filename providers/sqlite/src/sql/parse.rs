//! The one door to the parser crate: one expression or one statement in, its syntax tree to a closure.
//!
//! The door is narrow on purpose. It refuses what the crate reads differently from SQLite (see [`Unparsed`]), and what
//! would overflow a stack, before the crate sees it. A refusal means "use the tokens", never "the text is wrong".

use sqlite3_parser::ast::{Cmd, Expr, OneSelect, ResultColumn, Select, Stmt};
use sqlite3_parser::lexer::sql::Parser;
use sqlite3_parser::{Bump, FallibleIterator as _};

use super::cursor::significant;
use super::token::{Token, TokenKind};

/// SQLite itself stops at 1,000 levels of an expression, and dropping the crate's tree needs stack for each level.
const MAX_PARENTHESES: usize = 400;

/// Why there is no syntax tree. None of these says that SQLite would refuse the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unparsed {
    /// The text has a token that SQLite does not know.
    #[error("the text has something that is no token")]
    Token,
    /// More parentheses inside each other than we follow.
    #[error("the text is nested too deeply")]
    TooDeep,
    /// `LIMIT a, b`, which the crate turns round: it gives the offset as the limit.
    #[error("`LIMIT` with a comma is not read")]
    LimitWithComma,
    /// The crate's grammar does not have it.
    #[error("the grammar does not have it")]
    Grammar,
}

/// Gives the tree of one statement to `read`.
pub fn with_statement<R>(text: &str, read: impl FnOnce(&Stmt<'_>) -> R) -> Result<R, Unparsed> {
    let text = prepared(text)?;
    let bump = Bump::new();
    let mut parser = Parser::new(&bump, text.as_bytes());
    let first = parser.next().map_err(|_| Unparsed::Grammar)?;
    let Some(Cmd::Stmt(statement)) = first else {
        return Err(Unparsed::Grammar);
    };
    match parser.next() {
        Ok(None) => Ok(read(&statement)),
        _ => Err(Unparsed::Grammar),
    }
}

/// Gives the tree of one expression to `read`.
pub fn with_expression<R>(text: &str, read: impl FnOnce(&Expr<'_>) -> R) -> Result<R, Unparsed> {
    // The line end closes a comment at the end of the text.
    let query = format!("SELECT {text}\n");
    with_statement(&query, |statement| only_expression(statement).map(read))?.ok_or(Unparsed::Grammar)
}

/// The expression of `SELECT <expression>`, when the statement is nothing else.
fn only_expression<'a, 'b>(statement: &'a Stmt<'b>) -> Option<&'a Expr<'b>> {
    let Stmt::Select(Select { with: None, body, order_by: None, limit: None }) = statement else {
        return None;
    };
    let OneSelect::Select {
        distinctness: None,
        columns: [ResultColumn::Expr(expression, None)],
        from: None,
        where_clause: None,
        group_by: None,
        having: None,
        window_clause: None,
    } = &body.select
    else {
        return None;
    };
    body.compounds.is_none().then_some(expression)
}

/// The text as the crate can take it: byte order marks outside of tokens become spaces.
fn prepared(text: &str) -> Result<String, Unparsed> {
    let tokens = significant(text).map_err(|_| Unparsed::Token)?;
    let mut depth = 0_usize;
    let mut deepest = 0_usize;
    for token in &tokens {
        match token.kind {
            TokenKind::LeftParen => depth += 1,
            TokenKind::RightParen => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    if deepest > MAX_PARENTHESES {
        return Err(Unparsed::TooDeep);
    }
    if has_limit_with_comma(text, &tokens) {
        return Err(Unparsed::LimitWithComma);
    }
    Ok(joined(text, &tokens))
}

/// The tokens with one space between them: no comments and no marks are left.
fn joined(text: &str, tokens: &[Token]) -> String {
    let mut joined = String::with_capacity(text.len());
    for token in tokens {
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(token.span.text(text));
    }
    joined
}

fn has_limit_with_comma(text: &str, tokens: &[Token]) -> bool {
    let limits = tokens.iter().enumerate().filter(|(_, token)| token.is_word(text, "LIMIT"));
    limits.into_iter().any(|(index, _)| {
        let mut depth = 0_i64;
        for token in &tokens[index + 1..] {
            match token.kind {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen => depth -= 1,
                TokenKind::Comma if depth == 0 => return true,
                TokenKind::Semicolon => return false,
                // `ON CONFLICT … SET a = 1, b = 2` and `RETURNING a, b` follow a limit with commas of their own.
                TokenKind::Word if depth == 0 && (token.is_word(text, "ON") || token.is_word(text, "RETURNING")) => {
                    return false;
                }
                _ => {}
            }
            if depth < 0 {
                return false;
            }
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What SQLite takes and the crate may not: a line moves when the crate learns it.
    #[test]
    fn the_grammar_has_what_sqlite_has() {
        for text in [
            "CREATE TABLE t(a INT PRIMARY KEY, b ANY GENERATED ALWAYS AS (a) STORED) STRICT, WITHOUT ROWID",
            "INSERT INTO t(a) VALUES (1) ON CONFLICT(a) DO UPDATE SET a = excluded.a WHERE 1 RETURNING a, *",
            "SELECT sum(a) FILTER (WHERE b) OVER w FROM t WINDOW w AS (PARTITION BY b ORDER BY c NULLS LAST \
             ROWS BETWEEN 1 PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES)",
            "SELECT a IS DISTINCT FROM b, a IS NOT DISTINCT FROM b, c -> '$.a' ->> 1 FROM t",
            "SELECT * FROM a FULL OUTER JOIN b USING (c) RIGHT JOIN d ON true",
            "WITH RECURSIVE c(x) AS NOT MATERIALIZED (VALUES (1) UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
            "ALTER TABLE t ADD CONSTRAINT c CHECK (a > 1)",
            "ALTER TABLE t ADD CHECK (a > 1)",
            "ALTER TABLE t DROP CONSTRAINT c",
            "ALTER TABLE t ALTER COLUMN a SET NOT NULL",
            "ALTER TABLE t ALTER a DROP NOT NULL",
            "UPDATE t SET (a, b) = (SELECT 1, 2) FROM u WHERE t.a = u.a",
            "SELECT group_concat(DISTINCT a ORDER BY b DESC) FROM t",
            "SELECT 1_000, 0xFF, 1.5e3, x'00'",
            "DELETE FROM t WHERE a IN generate_series(1, 3)",
        ] {
            assert_eq!(with_statement(text, |_| ()), Ok(()), "{text}");
        }
    }

    #[test]
    fn a_limit_that_the_crate_turns_round_is_refused() {
        let read = |text| with_statement(text, |_| ());
        assert_eq!(read("SELECT 1 LIMIT 5, 10"), Err(Unparsed::LimitWithComma));
        assert_eq!(read("SELECT (SELECT 1 LIMIT 5), 2 LIMIT max(1, 2) OFFSET 3"), Ok(()));
        assert_eq!(
            read("INSERT INTO t SELECT 1 LIMIT 5 ON CONFLICT DO UPDATE SET a = 1, b = 2 RETURNING a, b"),
            Ok(())
        );
    }

    #[test]
    fn an_expression_is_one_expression() {
        for text in ["1, 2", "1 AS a", "1 FROM t", "1; SELECT 2", "1 LIMIT 1", "* ", "1 UNION SELECT 2", ""] {
            assert_eq!(with_expression(text, |_| ()), Err(Unparsed::Grammar), "{text}");
        }
        assert_eq!(with_expression("1 -- a", |_| ()), Ok(()));
    }

    #[test]
    fn deep_nesting_is_refused_before_it_can_overflow_a_stack() {
        let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
        assert_eq!(with_expression(&deep, |_| ()), Err(Unparsed::TooDeep));
    }
}
