//! Printing of expressions.

use sqlite3_parser::ast::{Expr, LikeOperator, Literal, ResolveType, Type, TypeSize, UnaryOperator};

use super::number;
use super::operator::{is_truth, null_test, peel, resolution, spelling};
use super::printer::Printer;
use super::tokens::canonical_type;
use crate::sql::name::{fold, quote_string, unquote};

impl Printer<'_> {
    pub(super) fn expression(&mut self, tree: &Expr<'_>) {
        self.deeper(|printer| printer.shallow(peel(tree)));
    }

    fn shallow(&mut self, tree: &Expr<'_>) {
        match tree {
            Expr::Between { lhs, not, start, end } => {
                self.open(lhs, *not);
                self.push("BETWEEN ");
                self.expression(start);
                self.postfix_end(" AND ", end);
            }
            Expr::Binary(..) => self.binary(tree),
            Expr::Case { base, when_then_pairs, else_expr } => self.case(*base, when_then_pairs, *else_expr),
            Expr::Cast { expr, type_name } => {
                self.push("CAST(");
                self.expression(expr);
                self.push(" AS ");
                self.type_name(type_name.as_ref());
                self.push(")");
            }
            Expr::Collate(expr, collation) => {
                self.push("(");
                self.expression(expr);
                self.push(" COLLATE ");
                self.collation_name(collation);
                self.push(")");
            }
            Expr::Exists(select) => {
                self.push("EXISTS ");
                self.subquery(select);
            }
            Expr::FunctionCall { .. } | Expr::FunctionCallStar { .. } => self.call(tree),
            Expr::Id(id) => self.identifier(id.0),
            Expr::Name(name) => self.column_name(name),
            Expr::Qualified(..) | Expr::DoublyQualified(..) => self.qualified(tree),
            Expr::InList { .. } | Expr::InSelect { .. } | Expr::InTable { .. } => self.within(tree),
            Expr::IsNull(operand) => self.postfix(operand, " IS NULL"),
            Expr::NotNull(operand) => self.postfix(operand, " IS NOT NULL"),
            Expr::Like { .. } => self.like(tree),
            Expr::Literal(literal) => self.literal(literal),
            Expr::Parenthesized(row) => {
                self.push("(");
                self.list(row.iter(), |printer, item| printer.expression(item));
                self.push(")");
            }
            Expr::Raise(action, message) => self.raise(*action, *message),
            Expr::Subquery(select) => self.subquery(select),
            Expr::Unary(operator, operand) => self.unary(*operator, operand),
            Expr::Variable(name) => self.parameter(name),
        }
    }

    /// The value of a DEFAULT clause: SQLite drops a plus sign, and takes a bare word as a string.
    pub(super) fn default_value(&mut self, tree: &Expr<'_>) {
        match peel(tree) {
            Expr::Unary(UnaryOperator::Positive, operand) if matches!(operand, Expr::Literal(_)) => {
                self.expression(operand);
            }
            Expr::Id(id) if !is_truth(id.0) => self.push(&quote_string(&unquote(id.0))),
            other => self.expression(other),
        }
    }

    /// `(operand [NOT ]`
    fn open(&mut self, operand: &Expr<'_>, not: bool) {
        self.push("(");
        self.expression(operand);
        self.push(if not { " NOT " } else { " " });
    }

    fn postfix(&mut self, operand: &Expr<'_>, operator: &str) {
        self.push("(");
        self.expression(operand);
        self.push(operator);
        self.push(")");
    }

    /// `word expression)`
    fn postfix_end(&mut self, word: &str, operand: &Expr<'_>) {
        self.push(word);
        self.expression(operand);
        self.push(")");
    }

    fn qualified(&mut self, tree: &Expr<'_>) {
        let (database, table, column) = match tree {
            Expr::Qualified(table, column) => (None, table, column),
            Expr::DoublyQualified(database, table, column) => (Some(database), table, column),
            _ => return self.fail(),
        };
        if let Some(database) = database {
            let folded = self.name(database.0);
            self.references.databases.insert(folded);
            self.push(".");
        }
        let folded = self.name(table.0);
        // An alias, or a table: a superset does no harm.
        self.references.tables.insert(folded);
        self.push(".");
        self.column_name(column);
    }

    /// The tree keeps the sign of `:a` but not of `?1`.
    fn parameter(&mut self, name: &str) {
        if !name.starts_with(['$', '@', '#', ':']) {
            self.push("?");
        }
        self.push(name);
    }

    /// A bare or quoted name that stands alone.
    fn identifier(&mut self, written: &str) {
        let folded = fold(&unquote(written));
        if written.starts_with('"') && !self.scope.holds(&folded) {
            let string = quote_string(&unquote(written));
            self.push(&string);
        } else if is_truth(written) && !self.scope.surely_holds(&folded) {
            // A value unless some column has that name; the bare word means the same in both readings.
            self.references.columns.insert(folded);
            self.push(&written.to_ascii_uppercase());
        } else {
            self.name(written);
            self.references.columns.insert(folded);
        }
    }

    /// A chain such as `a AND b AND c` leans to the left and may be hundreds long, so it is printed in a loop.
    fn binary(&mut self, tree: &Expr<'_>) {
        let mut chain = Vec::new();
        let mut left = tree;
        while let Expr::Binary(lhs, operator, rhs) = left {
            if null_test(*operator, rhs).is_some() {
                break;
            }
            chain.push((*operator, *rhs));
            left = peel(lhs);
        }
        if let (true, Expr::Binary(operand, operator, rhs)) = (chain.is_empty(), left) {
            if let Some(test) = null_test(*operator, rhs) {
                self.postfix(operand, test);
            }
            return;
        }
        self.push(&"(".repeat(chain.len()));
        self.expression(left);
        for (operator, rhs) in chain.into_iter().rev() {
            self.push(spelling(operator));
            self.expression(rhs);
            self.push(")");
        }
    }

    fn unary(&mut self, operator: UnaryOperator, operand: &Expr<'_>) {
        // The space keeps `- -1` from becoming a comment.
        self.push(match operator {
            UnaryOperator::BitwiseNot => "(~ ",
            UnaryOperator::Negative => "(- ",
            UnaryOperator::Not => "(NOT ",
            UnaryOperator::Positive => "(+ ",
        });
        self.expression(operand);
        self.push(")");
    }

    fn case(&mut self, base: Option<&Expr<'_>>, pairs: &[(Expr<'_>, Expr<'_>)], otherwise: Option<&Expr<'_>>) {
        self.push("CASE");
        if let Some(base) = base {
            self.push(" ");
            self.expression(base);
        }
        for (when, then) in pairs {
            self.push(" WHEN ");
            self.expression(when);
            self.push(" THEN ");
            self.expression(then);
        }
        if let Some(otherwise) = otherwise {
            self.push(" ELSE ");
            self.expression(otherwise);
        }
        self.push(" END");
    }

    fn within(&mut self, tree: &Expr<'_>) {
        match tree {
            Expr::InList { lhs, not, rhs } => {
                self.open(lhs, *not);
                self.push("IN (");
                self.list(rhs.unwrap_or_default(), |printer, item| printer.expression(item));
                self.push(")");
            }
            Expr::InSelect { lhs, not, rhs } => {
                self.open(lhs, *not);
                self.push("IN ");
                self.subquery(rhs);
            }
            Expr::InTable { lhs, not, rhs, args } => {
                self.open(lhs, *not);
                self.push("IN ");
                self.table_name(rhs);
                if let Some(args) = args {
                    self.arguments(args);
                }
            }
            _ => self.fail(),
        }
        self.push(")");
    }

    fn like(&mut self, tree: &Expr<'_>) {
        let Expr::Like { lhs, not, op, rhs, escape } = tree else {
            return self.fail();
        };
        let (operator, function) = match op {
            LikeOperator::Glob => ("GLOB ", "glob"),
            LikeOperator::Like => ("LIKE ", "like"),
            LikeOperator::Match => ("MATCH ", "match"),
            LikeOperator::Regexp => ("REGEXP ", "regexp"),
        };
        self.references.functions.insert(function.to_owned());
        self.open(lhs, *not);
        self.push(operator);
        self.expression(rhs);
        if let Some(escape) = escape {
            self.push(" ESCAPE ");
            self.expression(escape);
        }
        self.push(")");
    }

    fn literal(&mut self, literal: &Literal<'_>) {
        match literal {
            Literal::Numeric(text) => self.push(&number::canonical(text)),
            // The token with its quotes: every byte of a string counts.
            Literal::String(text) => self.push(text),
            Literal::Blob(digits) => {
                self.push("x'");
                self.push(&digits.to_ascii_lowercase());
                self.push("'");
            }
            Literal::Keyword(word) => self.push(&word.to_ascii_uppercase()),
            Literal::Null => self.push("NULL"),
            Literal::CurrentDate => self.push("CURRENT_DATE"),
            Literal::CurrentTime => self.push("CURRENT_TIME"),
            Literal::CurrentTimestamp => self.push("CURRENT_TIMESTAMP"),
        }
    }

    fn raise(&mut self, action: ResolveType, message: Option<&Expr<'_>>) {
        self.push("RAISE(");
        self.push(resolution(action));
        if let Some(message) = message {
            self.push(", ");
            self.expression(message);
        }
        self.push(")");
    }

    fn type_name(&mut self, type_name: Option<&Type<'_>>) {
        let Some(Type { name, size }) = type_name else {
            return;
        };
        self.push(&canonical_type(name));
        match size {
            None => {}
            Some(TypeSize::MaxSize(size)) => {
                self.push("(");
                self.expression(size);
                self.push(")");
            }
            Some(TypeSize::TypeSize(size, scale)) => {
                self.push("(");
                self.expression(size);
                self.push(",");
                self.expression(scale);
                self.push(")");
            }
        }
    }
}
