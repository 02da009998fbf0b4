//! Printing of queries.

use sqlite3_parser::ast::{
    As, CompoundOperator, Distinctness, FromClause, Indexed, JoinConstraint, JoinOperator, JoinType, Limit,
    Materialized, OneSelect, ResultColumn, Select, SelectTable, With,
};

use super::printer::Printer;

impl Printer<'_> {
    /// `(SELECT …)`
    pub(super) fn subquery(&mut self, select: &Select<'_>) {
        self.push("(");
        self.select(select);
        self.push(")");
    }

    pub(super) fn select(&mut self, select: &Select<'_>) {
        self.deeper(|printer| {
            let Select { with, body, order_by, limit } = select;
            printer.with(with.as_ref());
            printer.one_select(&body.select);
            for compound in body.compounds.iter().flatten() {
                printer.push(match compound.operator {
                    CompoundOperator::Union => " UNION ",
                    CompoundOperator::UnionAll => " UNION ALL ",
                    CompoundOperator::Except => " EXCEPT ",
                    CompoundOperator::Intersect => " INTERSECT ",
                });
                printer.one_select(&compound.select);
            }
            printer.order_by(*order_by);
            printer.limit(*limit);
        });
    }

    pub(super) fn limit(&mut self, limit: Option<&Limit<'_>>) {
        if let Some(limit) = limit {
            self.push(" LIMIT ");
            self.expression(&limit.expr);
            if let Some(offset) = &limit.offset {
                self.push(" OFFSET ");
                self.expression(offset);
            }
        }
    }

    pub(super) fn with(&mut self, with: Option<&With<'_>>) {
        let Some(With { recursive, ctes }) = with else {
            return;
        };
        self.push(if *recursive { "WITH RECURSIVE " } else { "WITH " });
        self.list(*ctes, |printer, cte| {
            printer.other_name(&cte.tbl_name);
            printer.column_list(cte.columns);
            printer.push(match cte.materialized {
                Materialized::Any => " AS ",
                Materialized::Yes => " AS MATERIALIZED ",
                Materialized::No => " AS NOT MATERIALIZED ",
            });
            printer.subquery(cte.select);
        });
        self.push(" ");
    }

    fn one_select(&mut self, select: &OneSelect<'_>) {
        match select {
            OneSelect::Values(rows) => {
                self.push("VALUES ");
                self.list(rows.iter(), |printer, row| printer.arguments(row));
            }
            OneSelect::Select { distinctness, columns, from, where_clause, group_by, having, window_clause } => {
                // ALL is the default.
                self.push("SELECT ");
                if *distinctness == Some(Distinctness::Distinct) {
                    self.push("DISTINCT ");
                }
                self.result_columns(columns);
                if let Some(from) = from {
                    self.push(" FROM ");
                    self.from(from);
                }
                self.clause(" WHERE ", *where_clause);
                if let Some(group_by) = group_by {
                    self.push(" GROUP BY ");
                    self.list(*group_by, |printer, item| printer.expression(item));
                }
                self.clause(" HAVING ", *having);
                if let Some(windows) = window_clause {
                    self.push(" WINDOW ");
                    self.list(*windows, |printer, definition| {
                        printer.other_name(&definition.name);
                        printer.push(" AS ");
                        printer.window(&definition.window);
                    });
                }
            }
        }
    }

    /// A clause that may be missing.
    pub(super) fn clause(&mut self, word: &str, expression: Option<&sqlite3_parser::ast::Expr<'_>>) {
        if let Some(expression) = expression {
            self.push(word);
            self.expression(expression);
        }
    }

    pub(super) fn result_columns(&mut self, columns: &[ResultColumn<'_>]) {
        self.list(columns, |printer, column| match column {
            ResultColumn::Expr(expression, alias) => {
                printer.expression(expression);
                printer.written_alias(alias.as_ref());
            }
            ResultColumn::Star => printer.push("*"),
            ResultColumn::TableStar(table) => {
                let folded = printer.name(table.0);
                printer.references.tables.insert(folded);
                printer.push(".*");
            }
        });
    }

    fn written_alias(&mut self, alias: Option<&As<'_>>) {
        match alias {
            Some(As::As(name) | As::Elided(name)) => self.alias(Some(name)),
            None => {}
        }
    }

    pub(super) fn from(&mut self, from: &FromClause<'_>) {
        self.deeper(|printer| {
            if let Some(first) = from.select {
                printer.table(first);
            }
            for join in from.joins.iter().flatten() {
                printer.join(join.operator);
                printer.table(&join.table);
                match &join.constraint {
                    Some(JoinConstraint::On(condition)) => printer.clause(" ON ", Some(condition)),
                    Some(JoinConstraint::Using(columns)) => {
                        printer.push(" USING (");
                        printer.list(columns.iter(), Printer::column_name);
                        printer.push(")");
                    }
                    None => {}
                }
            }
        });
    }

    /// `JOIN` is `INNER JOIN`; a comma binds in its own way and stays.
    fn join(&mut self, operator: JoinOperator) {
        let JoinOperator::TypedJoin(kind) = operator else {
            return self.push(", ");
        };
        let kind = kind.unwrap_or(JoinType::INNER);
        self.push(" ");
        if kind.contains(JoinType::NATURAL) {
            self.push("NATURAL ");
        }
        if kind.contains(JoinType::LEFT | JoinType::RIGHT) {
            self.push("FULL ");
        } else if kind.contains(JoinType::LEFT) {
            self.push("LEFT ");
        } else if kind.contains(JoinType::RIGHT) {
            self.push("RIGHT ");
        } else if kind.contains(JoinType::CROSS) {
            self.push("CROSS ");
        }
        self.push("JOIN ");
    }

    fn table(&mut self, table: &SelectTable<'_>) {
        match table {
            SelectTable::Table(name, alias, indexed) => {
                self.table_name(name);
                self.written_alias(alias.as_ref());
                self.indexed(indexed.as_ref());
            }
            SelectTable::TableCall(name, arguments, alias) => {
                self.table_name(name);
                self.arguments(arguments.unwrap_or_default());
                self.written_alias(alias.as_ref());
            }
            SelectTable::Select(select, alias) => {
                self.subquery(select);
                self.written_alias(alias.as_ref());
            }
            SelectTable::Sub(from, alias) => {
                self.push("(");
                self.from(from);
                self.push(")");
                self.written_alias(alias.as_ref());
            }
        }
    }

    pub(super) fn indexed(&mut self, indexed: Option<&Indexed<'_>>) {
        match indexed {
            Some(Indexed::IndexedBy(name)) => {
                self.push(" INDEXED BY ");
                self.other_name(name);
            }
            Some(Indexed::NotIndexed) => self.push(" NOT INDEXED"),
            None => {}
        }
    }
}
