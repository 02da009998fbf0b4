//! Printing of INSERT, UPDATE and DELETE, as trigger bodies hold them.

use sqlite3_parser::ast::{
    InsertBody, Limit, Name, ResolveType, ResultColumn, Set, SortedColumn, Stmt, Upsert, UpsertDo,
};

use super::operator::resolution;
use super::printer::Printer;

impl Printer<'_> {
    pub(super) fn statement(&mut self, statement: &Stmt<'_>) {
        match statement {
            Stmt::Select(select) => self.select(select),
            Stmt::Insert { .. } => self.insert(statement),
            Stmt::Update { .. } => self.update(statement),
            Stmt::Delete { .. } => self.delete(statement),
            _ => self.fail(),
        }
    }

    fn insert(&mut self, statement: &Stmt<'_>) {
        let Stmt::Insert { with, or_conflict, tbl_name, columns, body, returning } = statement else {
            return self.fail();
        };
        self.with(with.as_ref());
        self.push("INSERT ");
        self.or(*or_conflict);
        self.push("INTO ");
        self.table_name(tbl_name);
        if let Some(columns) = columns {
            self.columns(columns);
        }
        self.push(" ");
        match body {
            InsertBody::Select(select, upsert) => {
                self.select(select);
                let mut next = *upsert;
                while let Some(upsert) = next {
                    self.upsert(upsert);
                    next = upsert.next;
                }
            }
            InsertBody::DefaultValues => self.push("DEFAULT VALUES"),
        }
        self.returning(*returning);
    }

    fn update(&mut self, statement: &Stmt<'_>) {
        let Stmt::Update { with, or_conflict, tbl_name, indexed, sets, from, where_clause, returning, order_by, limit } =
            statement
        else {
            return self.fail();
        };
        self.with(with.as_ref());
        self.push("UPDATE ");
        self.or(*or_conflict);
        self.table_name(tbl_name);
        self.indexed(indexed.as_ref());
        self.sets(sets);
        if let Some(from) = from {
            self.push(" FROM ");
            self.from(from);
        }
        self.clause(" WHERE ", where_clause.as_ref());
        self.tail_of_change(*returning, *order_by, *limit);
    }

    fn delete(&mut self, statement: &Stmt<'_>) {
        let Stmt::Delete { with, tbl_name, indexed, where_clause, returning, order_by, limit } = statement else {
            return self.fail();
        };
        self.with(with.as_ref());
        self.push("DELETE FROM ");
        self.table_name(tbl_name);
        self.indexed(indexed.as_ref());
        self.clause(" WHERE ", where_clause.as_ref());
        self.tail_of_change(*returning, *order_by, *limit);
    }

    fn tail_of_change(
        &mut self,
        returning: Option<&[ResultColumn<'_>]>,
        order_by: Option<&[SortedColumn<'_>]>,
        limit: Option<&Limit<'_>>,
    ) {
        self.returning(returning);
        self.order_by(order_by);
        self.limit(limit);
    }

    /// ABORT is the default, but inside of a trigger the outer statement decides where nothing is said: it stays.
    fn or(&mut self, action: Option<ResolveType>) {
        if let Some(action) = action {
            self.push("OR ");
            self.push(resolution(action));
            self.push(" ");
        }
    }

    fn columns(&mut self, columns: &[Name<'_>]) {
        self.push(" (");
        self.list(columns, Printer::column_name);
        self.push(")");
    }

    fn sets(&mut self, sets: &[Set<'_>]) {
        self.push(" SET ");
        self.list(sets, |printer, set| {
            if let [only] = set.col_names.as_slice() {
                printer.column_name(only);
            } else {
                printer.push("(");
                printer.list(set.col_names.iter(), Printer::column_name);
                printer.push(")");
            }
            printer.push(" = ");
            printer.expression(&set.expr);
        });
    }

    fn upsert(&mut self, upsert: &Upsert<'_>) {
        self.push(" ON CONFLICT");
        if let Some(index) = &upsert.index {
            self.push(" (");
            self.sorted(index.targets);
            self.push(")");
            self.clause(" WHERE ", index.where_clause.as_ref());
        }
        match &upsert.do_clause {
            UpsertDo::Nothing => self.push(" DO NOTHING"),
            UpsertDo::Set { sets, where_clause } => {
                self.push(" DO UPDATE");
                self.sets(sets);
                self.clause(" WHERE ", where_clause.as_ref());
            }
        }
    }

    fn returning(&mut self, columns: Option<&[ResultColumn<'_>]>) {
        if let Some(columns) = columns {
            self.push(" RETURNING ");
            self.result_columns(columns);
        }
    }
}
