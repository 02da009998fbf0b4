//! The schema that every tool gets, in every tool's spelling. The same size gives the same text, always.
//!
//! Tables of 12 columns with three indexes, one of them unique, and on the average 1.5 foreign keys: each refers to the
//! table before it, and every second one to a table at half its place as well, so that references are both near and far.

use std::fmt::Write as _;

/// How many columns a table has.
#[cfg(test)]
const COLUMNS_OF_TABLE: usize = 12;

/// One column: its name, its type in SQL and in HCL (they are the same words here), whether it may be null, its default.
type Column = (&'static str, &'static str, bool, Option<&'static str>);

const COLUMNS: &[Column] = &[
    ("id", "integer", false, None),
    ("ref_id", "integer", true, None),
    ("half_id", "integer", true, None),
    ("name", "text", false, None),
    ("descr", "text", true, None),
    ("qty", "integer", false, Some("0")),
    ("active", "integer", false, Some("1")),
    ("price", "numeric", true, None),
    ("created_at", "text", false, None),
    ("ratio", "real", true, None),
    ("rank", "integer", false, Some("1")),
    ("code", "text", true, None),
];

/// The column that the changed schema has more.
const ADDED: Column = ("added", "text", true, None);

/// One index: the end of its name, whether it is unique, its columns.
const INDEXES: &[(&str, bool, &[&str])] =
    &[("name", false, &["name"]), ("ref", false, &["ref_id", "created_at"]), ("code", true, &["code"])];

/// A schema of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Schema {
    tables: usize,
    changed: bool,
}

impl Schema {
    /// A schema with that many tables.
    pub(crate) fn of(tables: usize) -> Self {
        Self { tables, changed: false }
    }

    /// The same with one column more, in the table in the middle.
    pub(crate) fn with_one_change(self) -> Self {
        Self { changed: true, ..self }
    }

    /// As statements of SQL.
    pub(crate) fn sql(&self) -> String {
        let mut text = String::new();
        for place in 1..=self.tables {
            self.write_table(&mut text, place);
        }
        text
    }

    /// As one transaction of SQL.
    pub(crate) fn transaction(&self) -> String {
        format!("BEGIN;\n{}COMMIT;\n", self.sql())
    }

    /// As Atlas reads it.
    pub(crate) fn hcl(&self) -> String {
        let mut text = "schema \"main\" {}\n".to_owned();
        for place in 1..=self.tables {
            self.write_block(&mut text, place);
        }
        text
    }

    fn columns(&self, place: usize) -> impl Iterator<Item = &'static Column> + use<> {
        let changed = self.changed && place == self.tables.div_ceil(2);
        COLUMNS.iter().chain(changed.then_some(&ADDED))
    }

    fn write_table(&self, text: &mut String, place: usize) {
        let table = table(place);
        let mut lines: Vec<String> = self
            .columns(place)
            .map(|(name, kind, null, default)| {
                let null = if *null { "" } else { " NOT NULL" };
                let default = default.map_or(String::new(), |value| format!(" DEFAULT {value}"));
                format!("  {name} {kind}{null}{default}")
            })
            .collect();
        lines.push("  PRIMARY KEY (id)".to_owned());
        for (column, parent) in references(place) {
            let parent = self::table(parent);
            lines.push(format!("  CONSTRAINT fk_{table}_{column} FOREIGN KEY ({column}) REFERENCES {parent} (id)"));
        }
        let _ = writeln!(text, "CREATE TABLE {table} (\n{}\n);", lines.join(",\n"));
        for (end, unique, columns) in INDEXES {
            let unique = if *unique { "UNIQUE " } else { "" };
            let _ = writeln!(text, "CREATE {unique}INDEX ix_{table}_{end} ON {table} ({});", columns.join(", "));
        }
    }

    fn write_block(&self, text: &mut String, place: usize) {
        let table = table(place);
        let _ = writeln!(text, "table \"{table}\" {{\n  schema = schema.main");
        for (name, kind, null, default) in self.columns(place) {
            let _ = writeln!(text, "  column \"{name}\" {{\n    type = {kind}\n    null = {null}");
            if let Some(value) = default {
                let _ = writeln!(text, "    default = {value}");
            }
            text.push_str("  }\n");
        }
        text.push_str("  primary_key {\n    columns = [column.id]\n  }\n");
        for (column, parent) in references(place) {
            let parent = self::table(parent);
            let _ = writeln!(
                text,
                "  foreign_key \"fk_{table}_{column}\" {{\n    columns = [column.{column}]\n    ref_columns = \
                 [table.{parent}.column.id]\n    on_update = NO_ACTION\n    on_delete = NO_ACTION\n  }}"
            );
        }
        for (end, unique, columns) in INDEXES {
            let columns: Vec<String> = columns.iter().map(|column| format!("column.{column}")).collect();
            let columns = columns.join(", ");
            let _ = writeln!(
                text,
                "  index \"ix_{table}_{end}\" {{\n    unique = {unique}\n    columns = [{columns}]\n  }}"
            );
        }
        text.push_str("}\n");
    }
}

fn table(place: usize) -> String {
    format!("t{place:05}")
}

/// The columns of a table that refer to others, with the places of those. The first table refers to itself.
fn references(place: usize) -> Vec<(&'static str, usize)> {
    let mut references = vec![("ref_id", (place - 1).max(1))];
    if place.is_multiple_of(2) {
        references.push(("half_id", place / 2));
    }
    references
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str, what: &str) -> usize {
        text.matches(what).count()
    }

    #[test]
    fn one_size_always_gives_one_text() {
        assert_eq!(Schema::of(20).sql(), Schema::of(20).sql());
        assert_eq!(Schema::of(20).hcl(), Schema::of(20).hcl());
        assert_ne!(Schema::of(20).sql(), Schema::of(21).sql());
    }

    #[test]
    fn tables_columns_indexes_and_keys_are_as_many_as_promised_in_both_spellings() {
        for tables in [2, 100, 1000] {
            let sql = Schema::of(tables).sql();
            assert_eq!(count(&sql, "CREATE TABLE"), tables);
            assert_eq!(count(&sql, "INDEX ix_"), 3 * tables);
            assert_eq!(count(&sql, "UNIQUE INDEX"), tables);
            assert_eq!(2 * count(&sql, "FOREIGN KEY"), 3 * tables, "1.5 keys a table");
            let of_columns = |line: &&str| line.starts_with("  ") && !line.contains("KEY");
            assert_eq!(sql.lines().filter(of_columns).count(), COLUMNS_OF_TABLE * tables);
            let hcl = Schema::of(tables).hcl();
            assert_eq!(count(&hcl, "table \""), tables);
            assert_eq!(count(&hcl, "  column \""), COLUMNS_OF_TABLE * tables);
            assert_eq!(count(&hcl, "  index \""), 3 * tables);
            assert_eq!(count(&hcl, "unique = true"), tables);
            assert_eq!(2 * count(&hcl, "  foreign_key \""), 3 * tables);
        }
    }

    #[test]
    fn every_reference_leads_to_a_table_that_is_there_before() {
        for place in 1..=50 {
            for (_, parent) in references(place) {
                assert!(parent >= 1 && (parent < place || place == 1), "{place} refers to {parent}");
            }
        }
    }

    #[test]
    fn the_change_is_one_column_in_one_table() {
        let schema = Schema::of(9);
        let (before, after) = (schema.sql(), schema.with_one_change().sql());
        let added: Vec<&str> = after.lines().filter(|line| !before.contains(line)).collect();
        assert_eq!(added, ["  added text,"]);
        assert_eq!(count(&schema.with_one_change().hcl(), "column \"added\""), 1);
        assert_eq!(after.lines().count(), before.lines().count() + 1);
    }

    #[test]
    fn a_transaction_is_the_same_statements_between_begin_and_commit() {
        let schema = Schema::of(3);
        assert_eq!(schema.transaction(), format!("BEGIN;\n{}COMMIT;\n", schema.sql()));
    }
}
