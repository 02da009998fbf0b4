//! The copy of a rebuild: which column comes from where, and whether rows keep their IDs.

use super::case::Case;
use super::rows::Rows;
use super::side::row_id_names;
use crate::rebuild::CopiedColumn;
use crate::sql::name::quote_name;

/// What is copied.
pub(super) struct Copy {
    /// Columns, from the old table to the new one.
    pub(super) columns: Vec<CopiedColumn>,
    /// The columns that are written, as SQL.
    into: Vec<String>,
    /// What is read for each, as SQL.
    from: Vec<String>,
    pub(super) keeps_row_ids: bool,
    /// Whether rows have IDs now and will have others, or none.
    pub(super) loses_row_ids: bool,
}

impl Copy {
    pub(super) fn of(case: &Case<'_>) -> Self {
        let (old, new) = (case.old.table, case.new.table);
        let mut copy = Self {
            columns: Vec::new(),
            into: Vec::new(),
            from: Vec::new(),
            keeps_row_ids: false,
            loses_row_ids: false,
        };
        copy.row_id(case);
        for column in new.columns.iter().filter(|column| column.generated.is_none()) {
            if let Some(source) = old.column(&column.name) {
                copy.columns.push(CopiedColumn { from: source.name.text.clone(), to: column.name.text.clone() });
                copy.into.push(quote_name(&column.name.text).into_owned());
                copy.from.push(quote_name(&source.name.text).into_owned());
            }
        }
        if copy.into.is_empty() {
            copy.first_default(case);
        }
        copy
    }

    /// A row ID that no column is stays when it can be read and written; one that is a column is copied with it.
    fn row_id(&mut self, case: &Case<'_>) {
        let (old, new) = (case.old.table, case.new.table);
        let alias = |table: &crate::sql::ast::Table| {
            table.rowid_alias.and_then(|at| table.columns.get(at)).map(|column| column.name.folded.clone())
        };
        match (alias(old), alias(new)) {
            (Some(old), Some(new)) => self.keeps_row_ids = old == new,
            (_, None) => {
                if let (Some(from), Some(into)) = (row_id_names(old).first(), row_id_names(new).first()) {
                    self.into.push((*into).to_owned());
                    self.from.push((*from).to_owned());
                    self.keeps_row_ids = true;
                }
            }
            (None, Some(_)) => {}
        }
        self.loses_row_ids = !old.without_rowid && !self.keeps_row_ids;
    }

    /// There is nothing to copy, and as many rows have to come: each gets what a new row would.
    fn first_default(&mut self, case: &Case<'_>) {
        let stored = case.new.table.columns.iter().find(|column| column.generated.is_none());
        if let Some(column) = stored {
            // A new row ID is numbered, whatever its default is.
            let default =
                column.default.as_ref().filter(|_| !Rows::new(case.old.table, case.new.table).is_numbered(column));
            let default = default.map(|default| format!("({})", default.value.canonical.text));
            self.into.push(quote_name(&column.name.text).into_owned());
            self.from.push(default.unwrap_or_else(|| "NULL".to_owned()));
        }
    }

    /// The statement. ABORT, so that no ON CONFLICT clause of the new table leaves a row out or changes a value.
    pub(super) fn statement(&self, case: &Case<'_>, new_table: &str) -> String {
        // Without IDs to keep, rows are read in the order in which they are, and not in that of some index.
        let scan = if self.loses_row_ids { " NOT INDEXED" } else { "" };
        format!(
            "INSERT OR ABORT INTO {} ({}) SELECT {} FROM {}{scan}",
            quote_name(new_table),
            self.into.join(", "),
            self.from.join(", "),
            case.quoted()
        )
    }
}
