//! Directives: comments that tell what SQL cannot say.
//!
//! ```sql
//! -- ptah:renamed from=customer
//! CREATE TABLE client (
//!   -- ptah:renamed from="Full Name"
//!   name TEXT
//! );
//! ```
//!
//! A directive stands on a line of its own directly above a statement, a column or a constraint; other directives may
//! stand between. One that belongs to nothing, is misspelled or stands elsewhere is a fault and never ignored.

mod arguments;

use super::classify::{Class, Classified, Member};
use super::position::{Position, Span};
use super::split::Script;
use super::token::{Token, TokenKind};

/// What a directive says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DirectiveKind {
    /// `renamed from=<old>`: the object, column or constraint had another name.
    Renamed {
        /// The old name, without quotes.
        from: String,
    },
    /// `nolint CODE …`: these findings are meant.
    NoLint {
        /// At least one code.
        codes: Vec<String>,
    },
    /// `using <expression>`: how the values of a changed column are computed.
    Using {
        /// The rest of the line.
        expression: String,
    },
}

/// What a directive belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// The statement with that index in the script.
    Statement(usize),
    /// A member of that statement, by its index there.
    Member {
        /// Index of the statement.
        statement: usize,
        /// Index of the member.
        member: usize,
    },
}

/// A directive and what it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// What it says.
    pub kind: DirectiveKind,
    /// What it belongs to.
    pub target: Target,
    /// The place of the comment.
    pub span: Span,
    /// The same as line and column.
    pub position: Position,
}

/// A directive that cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectiveFault {
    /// Why.
    pub kind: DirectiveFaultKind,
    /// The place of the comment.
    pub span: Span,
    /// The same as line and column.
    pub position: Position,
}

/// Why a directive cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DirectiveFaultKind {
    /// There is no such directive.
    #[error("there is no directive `{name}`; known are renamed, nolint and using")]
    Unknown {
        /// As written.
        name: String,
    },
    /// Its arguments are wrong.
    #[error("a directive `{name}` needs {needs}")]
    Arguments {
        /// Its name.
        name: &'static str,
        /// What it needs.
        needs: &'static str,
    },
    /// A blank line lies between.
    #[error("the directive is not directly above what it belongs to")]
    NotDirectlyAbove,
    /// Code stands before it on its line.
    #[error("a directive stands on a line of its own")]
    NotAlone,
    /// It is in a block comment.
    #[error("a directive stands in a comment that starts with `--`")]
    BlockComment,
    /// What comes next is no statement, column or constraint.
    #[error("the directive is above nothing that it can belong to")]
    NoTarget,
    /// It does not fit what it is above.
    #[error("a directive `{name}` does not belong here")]
    WrongTarget {
        /// Its name.
        name: &'static str,
    },
}

/// Finds all directives of a script. `classified` are its statements, in order.
pub fn read(script: &Script<'_>, classified: &[Classified]) -> (Vec<Directive>, Vec<DirectiveFault>) {
    let mut directives = Vec::new();
    let mut faults = Vec::new();
    for (index, token) in script.tokens.iter().enumerate() {
        let Some(body) = body(script.text, *token) else {
            continue;
        };
        let position = script.lines.position(token.span.start);
        let found = if token.kind == TokenKind::BlockComment {
            Err(DirectiveFaultKind::BlockComment)
        } else {
            one(script, classified, index, body)
        };
        let span = token.span;
        match found {
            Ok((kind, target)) => directives.push(Directive { kind, target, span, position }),
            Err(kind) => faults.push(DirectiveFault { kind, span, position }),
        }
    }
    (directives, faults)
}

/// What follows `ptah:` when the comment is a directive.
fn body(text: &str, token: Token) -> Option<&str> {
    if !token.is_comment() {
        return None;
    }
    let written = token.span.text(text);
    let inside = written.get(2..)?;
    let inside =
        if token.kind == TokenKind::BlockComment { inside.strip_suffix("*/").unwrap_or(inside) } else { inside };
    let inside = inside.trim();
    let (head, rest) = (inside.get(..5)?, inside.get(5..)?);
    head.eq_ignore_ascii_case("ptah:").then_some(rest)
}

fn one(
    script: &Script<'_>,
    classified: &[Classified],
    index: usize,
    body: &str,
) -> Result<(DirectiveKind, Target), DirectiveFaultKind> {
    let kind = arguments::kind(body)?;
    if !is_alone(script, index) {
        return Err(DirectiveFaultKind::NotAlone);
    }
    let next = next_token(script, index)?;
    let target = target_at(script, classified, next.span.start).ok_or(DirectiveFaultKind::NoTarget)?;
    check_target(&kind, target, classified)?;
    Ok((kind, target))
}

fn is_alone(script: &Script<'_>, index: usize) -> bool {
    let Some(previous) = index.checked_sub(1).and_then(|index| script.tokens.get(index)) else {
        return true;
    };
    let gap = Span::new(previous.span.end, script.tokens[index].span.start);
    gap.text(script.text).contains('\n')
}

/// The next token that is no comment, when no blank line lies before it.
fn next_token(script: &Script<'_>, index: usize) -> Result<Token, DirectiveFaultKind> {
    let mut end = script.tokens[index].span.end;
    for token in &script.tokens[index + 1..] {
        let gap = Span::new(end, token.span.start).text(script.text);
        if gap.bytes().filter(|byte| *byte == b'\n').nth(1).is_some() {
            return Err(DirectiveFaultKind::NotDirectlyAbove);
        }
        if !token.is_comment() {
            return Ok(*token);
        }
        end = token.span.end;
    }
    Err(DirectiveFaultKind::NoTarget)
}

fn target_at(script: &Script<'_>, classified: &[Classified], start: usize) -> Option<Target> {
    let statement = script.statements.iter().rposition(|statement| statement.span.start <= start)?;
    if script.statements[statement].span.start == start {
        return Some(Target::Statement(statement));
    }
    let members = classified.get(statement).map(|classified| classified.members.as_slice())?;
    let at = |member: &Member| member.span.start == start;
    // A constraint that has no name may start where nothing else does; a column is found first.
    let member = members.iter().position(at)?;
    Some(Target::Member { statement, member })
}

fn check_target(kind: &DirectiveKind, target: Target, classified: &[Classified]) -> Result<(), DirectiveFaultKind> {
    use super::classify::MemberKind;
    let column = match target {
        Target::Statement(_) => false,
        Target::Member { statement, member } => classified
            .get(statement)
            .and_then(|classified| classified.members.get(member))
            .is_some_and(|member| member.kind == MemberKind::Column),
    };
    let creates = |statement: usize| {
        classified.get(statement).is_some_and(|classified| matches!(classified.class, Class::Create(_)))
    };
    match (kind, target) {
        (DirectiveKind::Renamed { .. }, Target::Statement(statement)) if !creates(statement) => {
            Err(DirectiveFaultKind::WrongTarget { name: "renamed" })
        }
        (DirectiveKind::Using { .. }, _) if !column => Err(DirectiveFaultKind::WrongTarget { name: "using" }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
