//! Spelling of operators, and what SQLite's grammar treats alike.

use sqlite3_parser::ast::{Expr, Literal, Operator, ResolveType};

/// The expression inside of parentheses that hold nothing else.
pub(super) fn peel<'a, 'b>(mut tree: &'a Expr<'b>) -> &'a Expr<'b> {
    while let Expr::Parenthesized(inside) = tree {
        match inside.as_slice() {
            [only] => tree = only,
            _ => break,
        }
    }
    tree
}

/// SQLite's grammar turns `a IS NULL` into the same node as `a ISNULL`.
pub(super) fn null_test(operator: Operator, rhs: &Expr<'_>) -> Option<&'static str> {
    let null = matches!(peel(rhs), Expr::Literal(Literal::Null));
    match operator {
        Operator::Is if null => Some(" IS NULL"),
        Operator::IsNot if null => Some(" IS NOT NULL"),
        _ => None,
    }
}

pub(super) fn is_truth(written: &str) -> bool {
    written.eq_ignore_ascii_case("true") || written.eq_ignore_ascii_case("false")
}

pub(super) fn resolution(action: ResolveType) -> &'static str {
    match action {
        ResolveType::Rollback => "ROLLBACK",
        ResolveType::Abort => "ABORT",
        ResolveType::Fail => "FAIL",
        ResolveType::Ignore => "IGNORE",
        ResolveType::Replace => "REPLACE",
    }
}

pub(super) fn spelling(operator: Operator) -> &'static str {
    match operator {
        Operator::Add => " + ",
        Operator::And => " AND ",
        Operator::ArrowRight => " -> ",
        Operator::ArrowRightShift => " ->> ",
        Operator::BitwiseAnd => " & ",
        Operator::BitwiseOr => " | ",
        Operator::Concat => " || ",
        Operator::Equals => " = ",
        Operator::Divide => " / ",
        Operator::Greater => " > ",
        Operator::GreaterEquals => " >= ",
        Operator::Is => " IS ",
        Operator::IsNot => " IS NOT ",
        Operator::LeftShift => " << ",
        Operator::Less => " < ",
        Operator::LessEquals => " <= ",
        Operator::Modulus => " % ",
        Operator::Multiply => " * ",
        Operator::NotEquals => " <> ",
        Operator::Or => " OR ",
        Operator::RightShift => " >> ",
        Operator::Subtract => " - ",
    }
}
