//! Printing of calls and windows.

use sqlite3_parser::ast::{
    Distinctness, Expr, FrameBound, FrameClause, FrameExclude, FrameMode, FunctionCallOrder, FunctionTail, Over, Window,
};

use super::printer::Printer;

impl Printer<'_> {
    pub(super) fn arguments(&mut self, arguments: &[Expr<'_>]) {
        self.push("(");
        self.list(arguments, |printer, item| printer.expression(item));
        self.push(")");
    }

    pub(super) fn call(&mut self, tree: &Expr<'_>) {
        match tree {
            Expr::FunctionCall { name, distinctness, args, order_by, filter_over } => {
                self.function_name(name.0);
                self.push("(");
                if *distinctness == Some(Distinctness::Distinct) {
                    self.push("DISTINCT ");
                }
                self.list(args.unwrap_or_default(), |printer, item| printer.expression(item));
                if let Some(FunctionCallOrder::SortList(columns)) = order_by {
                    self.order_by(Some(columns));
                }
                self.push(")");
                self.tail(filter_over.as_ref());
            }
            Expr::FunctionCallStar { name, filter_over } => {
                self.function_name(name.0);
                self.push("(*)");
                self.tail(filter_over.as_ref());
            }
            _ => self.fail(),
        }
    }

    fn tail(&mut self, tail: Option<&FunctionTail<'_>>) {
        let Some(FunctionTail { filter_clause, over_clause }) = tail else {
            return;
        };
        if let Some(filter) = filter_clause {
            self.push(" FILTER (WHERE ");
            self.expression(filter);
            self.push(")");
        }
        match over_clause {
            Some(Over::Window(window)) => {
                self.push(" OVER ");
                self.window(window);
            }
            Some(Over::Name(name)) => {
                self.push(" OVER ");
                self.other_name(name);
            }
            None => {}
        }
    }

    pub(super) fn window(&mut self, window: &Window<'_>) {
        let Window { base, partition_by, order_by, frame_clause } = window;
        self.push("(");
        if let Some(base) = base {
            self.other_name(base);
        }
        if let Some(partition) = partition_by {
            self.push(" PARTITION BY ");
            self.list(*partition, |printer, item| printer.expression(item));
        }
        self.order_by(*order_by);
        if let Some(frame) = frame_clause {
            self.frame(frame);
        }
        self.push(")");
    }

    fn frame(&mut self, frame: &FrameClause<'_>) {
        let FrameClause { mode, start, end, exclude } = frame;
        self.push(match mode {
            FrameMode::Groups => " GROUPS ",
            FrameMode::Range => " RANGE ",
            FrameMode::Rows => " ROWS ",
        });
        if let Some(end) = end {
            self.push("BETWEEN ");
            self.bound(start);
            self.push(" AND ");
            self.bound(end);
        } else {
            self.bound(start);
        }
        if let Some(exclude) = exclude {
            self.push(match exclude {
                FrameExclude::NoOthers => " EXCLUDE NO OTHERS",
                FrameExclude::CurrentRow => " EXCLUDE CURRENT ROW",
                FrameExclude::Group => " EXCLUDE GROUP",
                FrameExclude::Ties => " EXCLUDE TIES",
            });
        }
    }

    fn bound(&mut self, bound: &FrameBound<'_>) {
        match bound {
            FrameBound::CurrentRow => self.push("CURRENT ROW"),
            FrameBound::UnboundedFollowing => self.push("UNBOUNDED FOLLOWING"),
            FrameBound::UnboundedPreceding => self.push("UNBOUNDED PRECEDING"),
            FrameBound::Following(rows) => {
                self.expression(rows);
                self.push(" FOLLOWING");
            }
            FrameBound::Preceding(rows) => {
                self.expression(rows);
                self.push(" PRECEDING");
            }
        }
    }
}
