//! The text that grows while a tree is printed, and how names get into it.

use sqlite3_parser::ast::{IndexedColumn, Name, QualifiedName, SortOrder, SortedColumn};

use super::Scope;
use crate::sql::name::{fold, quote_name, unquote};
use crate::sql::references::References;

/// Trees deeper than this are not printed, because printing needs stack for each level. SQLite stops at 1,000; chains
/// of operators do not count, they are printed in a loop.
const MAX_DEPTH: usize = 200;

/// Prints a tree and notes what it mentions.
pub(super) struct Printer<'s> {
    out: String,
    pub(super) scope: &'s Scope,
    pub(super) references: References,
    depth: usize,
    /// Something cannot be printed faithfully; the text is thrown away.
    failed: bool,
}

impl<'s> Printer<'s> {
    pub(super) fn new(scope: &'s Scope) -> Self {
        Self { out: String::new(), scope, references: References::default(), depth: 0, failed: false }
    }

    /// The text and what it mentions; nothing when it could not be printed.
    pub(super) fn finish(self) -> Option<(String, References)> {
        (!self.failed).then_some((self.out, self.references))
    }

    pub(super) fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub(super) fn fail(&mut self) {
        self.failed = true;
    }

    /// Runs `print` one level deeper, unless that is too deep.
    pub(super) fn deeper(&mut self, print: impl FnOnce(&mut Self)) {
        if self.depth >= MAX_DEPTH {
            self.failed = true;
            return;
        }
        self.depth += 1;
        print(self);
        self.depth -= 1;
    }

    /// Prints items with a comma between them.
    pub(super) fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut print: impl FnMut(&mut Self, T)) {
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.push(", ");
            }
            print(self, item);
        }
    }

    /// Prints a name, quotes and case removed, and gives back the folded name.
    pub(super) fn name(&mut self, written: &str) -> String {
        let folded = fold(&unquote(written));
        self.push(&quote_name(&folded));
        folded
    }

    /// A name that is neither a table nor a column, such as a window or an index.
    pub(super) fn other_name(&mut self, name: &Name<'_>) {
        self.name(name.0);
    }

    pub(super) fn column_name(&mut self, name: &Name<'_>) {
        let folded = self.name(name.0);
        self.references.columns.insert(folded);
    }

    pub(super) fn function_name(&mut self, written: &str) {
        let folded = self.name(written);
        self.references.functions.insert(folded);
    }

    pub(super) fn collation_name(&mut self, written: &str) {
        let folded = self.name(written);
        self.references.collations.insert(folded);
    }

    /// `[database.]table [AS alias]`
    pub(super) fn table_name(&mut self, name: &QualifiedName<'_>) {
        if let Some(database) = &name.db_name {
            let folded = self.name(database.0);
            self.references.databases.insert(folded);
            self.push(".");
        }
        let folded = self.name(name.name.0);
        self.references.tables.insert(folded);
        self.alias(name.alias.as_ref());
    }

    pub(super) fn alias(&mut self, alias: Option<&Name<'_>>) {
        if let Some(alias) = alias {
            self.push(" AS ");
            self.other_name(alias);
        }
    }

    /// ` ORDER BY …`
    pub(super) fn order_by(&mut self, columns: Option<&[SortedColumn<'_>]>) {
        if let Some(columns) = columns {
            self.push(" ORDER BY ");
            self.sorted(columns);
        }
    }

    pub(super) fn sorted(&mut self, columns: &[SortedColumn<'_>]) {
        self.list(columns, |printer, column| {
            printer.expression(&column.expr);
            printer.order(column.order);
            if let Some(nulls) = column.nulls {
                printer.push(match nulls {
                    sqlite3_parser::ast::NullsOrder::First => " NULLS FIRST",
                    sqlite3_parser::ast::NullsOrder::Last => " NULLS LAST",
                });
            }
        });
    }

    /// Ascending is the default and is left out.
    pub(super) fn order(&mut self, order: Option<SortOrder>) {
        if order == Some(SortOrder::Desc) {
            self.push(" DESC");
        }
    }

    /// ` (a, b)` of a common table expression.
    pub(super) fn column_list(&mut self, columns: Option<&[IndexedColumn<'_>]>) {
        if let Some(columns) = columns {
            self.push(" (");
            self.list(columns, |printer, column| {
                printer.column_name(&column.col_name);
                // Old files may hold these here; SQLite ignores them, and so texts with them are not compared exactly.
                if column.collation_name.is_some() || column.order.is_some() {
                    printer.fail();
                }
            });
            self.push(")");
        }
    }
}
