//! Any schema into any other and back through the whole program: what SQLite says that it ran for the units of a run is
//! the plan that was printed before it, word for word, and afterwards there is nothing left to plan.
//!
//! Two thousand pairs run in the provider's own tests, without processes; here a few go all the way.

use std::cell::Cell;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use rusqlite::types::ValueRef;
use serde_json::Value;

use crate::support::{Ran, Scratch};

/// The generator of the provider's own tests.
#[path = "../../../../providers/sqlite/src/plan/tests/schema.rs"]
mod schema;

use schema::{SCHEMA_BYTES, TABLES, pick, schema};

/// How many pairs are tried, each with up to four runs of the program; `PROPTEST_CASES` can ask for more.
const PAIRS: u32 = 24;

/// Rows for every table, without those that its rules keep out.
fn fill(scratch: &Scratch, values: &[u8]) {
    let pool = ["1", "2", "-3", "2.5", "'x'", "'01'", "NULL", "x'00'", "0"];
    let connection = scratch.open("pair.db");
    for n in 0..TABLES {
        let mut columns =
            connection.prepare(&format!("SELECT name FROM pragma_table_xinfo('t{n}') WHERE hidden = 0")).unwrap();
        let columns: Vec<String> = columns.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        for row in 0..if columns.is_empty() { 0 } else { 3_usize } {
            let value = |at: usize| pick(values[(n * 12 + row * 4 + at) % values.len()], &pool);
            let row: Vec<_> = (0..columns.len()).map(value).collect();
            let insert = format!("INSERT OR IGNORE INTO t{n} ({}) VALUES ({})", columns.join(", "), row.join(", "));
            // A type that STRICT refuses is no conflict.
            let _ = connection.execute_batch(&insert);
        }
    }
}

/// The rows of a query, as text, sorted.
fn rows(scratch: &Scratch, query: &str) -> Vec<String> {
    let connection = scratch.open("pair.db");
    let mut statement = connection.prepare(query).unwrap();
    let columns = statement.column_count();
    let mut rows = statement.query([]).unwrap();
    let mut found = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        let value = |at| match row.get_ref(at).unwrap() {
            ValueRef::Blob(bytes) | ValueRef::Text(bytes) => format!("{bytes:?}"),
            other => format!("{other:?}"),
        };
        found.push((0..columns).map(value).collect::<Vec<_>>().join(" "));
    }
    found.sort();
    found
}

/// Every definition and every row.
fn everything(scratch: &Scratch) -> Vec<String> {
    let mut found = scratch.schema("pair.db");
    let there = |n: &usize| !scratch.columns(*n).is_empty();
    found.extend((0..TABLES).filter(there).flat_map(|n| rows(scratch, &format!("SELECT {n}, * FROM t{n}"))));
    found
}

/// The columns that are there now and in `goal` with the same declared type, by their table. Values of others may become
/// what their new type makes of them, which is a loss that `--allow-destructive` permits.
fn common(scratch: &Scratch, goal: &[Vec<String>]) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    for (n, wanted) in goal.iter().enumerate() {
        let here = scratch.columns(n);
        if !here.is_empty() && !wanted.is_empty() {
            let same = wanted.iter().filter(|column| here.contains(column));
            found.push((n, same.filter_map(|column| column.split(' ').next()).map(str::to_owned).collect()));
        }
    }
    found
}

/// The values of columns, with their types and the number of rows.
fn kept(scratch: &Scratch, columns: &[(usize, Vec<String>)]) -> Vec<String> {
    let mut found = Vec::new();
    for (n, columns) in columns {
        let mut list = vec![n.to_string()];
        list.extend(columns.iter().map(|name| format!("typeof({name}), {name}")));
        found.extend(rows(scratch, &format!("SELECT {} FROM t{n}", list.join(", "))));
    }
    found
}

impl Scratch {
    /// The stored columns of a table of the generator, with their types.
    fn columns(&self, table: usize) -> Vec<String> {
        let connection = self.open("pair.db");
        let query = format!("SELECT name || ' ' || type FROM pragma_table_xinfo('t{table}') WHERE hidden = 0");
        let mut statement = connection.prepare(&query).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    /// What SQLite ran for units, and what for Ptah itself.
    fn traced(&self) -> (Vec<String>, Vec<String>) {
        let text = std::fs::read_to_string(self.path("pair.db-ptah-trace")).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let told = |line: Value| (line["by"] == "unit", line["sql"].as_str().unwrap().to_owned());
        let (units, ours): (Vec<_>, Vec<_>) = lines.map(told).partition(|(is_unit, _)| *is_unit);
        let texts = |told: Vec<(bool, String)>| told.into_iter().map(|(_, text)| text).collect();
        (texts(units), texts(ours))
    }
}

/// The statements of the plan in the document, in their order.
fn printed(document: &Value) -> Vec<String> {
    // What is refused before there is a plan has no steps.
    let steps = document["steps"].as_array().into_iter().flatten();
    let statements = steps.flat_map(|step| step["statements"].as_array().unwrap());
    statements.map(|statement| statement.as_str().unwrap().to_owned()).collect()
}

/// The plan as a person saw it: every line of every statement stands there, indented, in this order.
fn was_shown(ran: &Ran, statements: &[String]) {
    let mut lines = ran.err.lines();
    for line in statements.iter().flat_map(|statement| statement.lines()) {
        assert!(lines.any(|shown| shown.trim() == line.trim()), "{line:?} is not shown\n{}", ran.told());
    }
}

/// What Ptah itself runs on the target beside the units: it reads, begins and ends, and writes into its own tables.
fn is_bookkeeping(text: &str) -> bool {
    let whole = ["BEGIN", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "COMMIT", "ROLLBACK", "PRAGMA synchronous=EXTRA"];
    let asks = text.starts_with("SELECT ") || (text.starts_with("PRAGMA ") && !text.contains('='));
    asks || whole.contains(&text) || text.contains("_ptah_")
}

/// One way; whether the database is now what was asked for.
fn go(scratch: &Scratch, to: &str, goal: &[Vec<String>]) -> bool {
    scratch.write("schema.sql", to);
    scratch.write("pair.db-ptah-trace", "");
    let (before, columns) = (everything(scratch), common(scratch, goal));
    let values = kept(scratch, &columns);
    let more = ["--json", "--allow-destructive", "--allow-empty", "--fresh"];
    let ran = scratch.apply("pair.db", &more);
    let (units, ours) = scratch.traced();
    let strange: Vec<_> = ours.iter().filter(|text| !is_bookkeeping(text)).collect();
    assert!(strange.is_empty(), "beside the units ran {strange:?}");
    let printed = printed(&ran.document());
    if ran.code == Some(0) {
        assert_eq!(units, printed, "{}", ran.told());
        was_shown(&ran, &printed);
        assert_eq!(values, kept(scratch, &columns), "{}", ran.told());
        let plan = ["schema", "plan", "--db-url", "sqlite://pair.db", "--schema-file", "schema.sql"];
        let again = scratch.ptah(&[&plan[..], &["--fresh", "--dry-run", "--allow-empty", "--json"]].concat());
        assert_eq!(again.code, Some(0), "{}", again.told());
        assert_eq!(again.document()["outcome"], "no-changes", "{}", again.told());
        return true;
    }
    // Refused before anything was sent, or sent, stopped and rolled back: nothing is there of it either way.
    assert_eq!(ran.code, Some(2), "{}", ran.told());
    assert_eq!(units, printed[..units.len()], "{}", ran.told());
    let outcome = ran.document()["outcome"].clone();
    assert!(outcome == "failed" || units.is_empty(), "{}", ran.told());
    assert_eq!(before, everything(scratch), "{}", ran.told());
    false
}

/// There and back; whether either way was gone, or nothing when SQLite does not take one of the two.
fn check(first: &str, second: &str, values: &[u8]) -> Option<(bool, bool)> {
    let scratch = Scratch::new();
    let shape = |sql: &str| -> Option<Vec<Vec<String>>> {
        let connection = scratch.open("pair.db");
        connection.execute_batch(sql).ok()?;
        let columns = (0..TABLES).map(|n| scratch.columns(n)).collect();
        scratch.remove("pair.db");
        Some(columns)
    };
    let (at_first, at_second) = (shape(first)?, shape(second)?);
    scratch.sql("pair.db", first);
    fill(&scratch, values);
    let there = go(&scratch, second, &at_second);
    Some((there, there && go(&scratch, first, &at_first)))
}

#[test]
fn what_sqlite_ran_for_a_run_is_the_plan_that_was_printed_there_and_back() {
    // A failure is shrunk a little and kept as a case under proptest-regressions/, which is checked in.
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let config = ProptestConfig {
        cases: asked.unwrap_or(PAIRS),
        max_shrink_iters: 100,
        source_file: Some(file!()),
        ..ProptestConfig::default()
    };
    let pairs = (vec(any::<u8>(), SCHEMA_BYTES), vec((0..SCHEMA_BYTES, any::<u8>()), 1..12), vec(any::<u8>(), 36));
    let (there, back) = (Cell::new(0), Cell::new(0));
    let ran = TestRunner::new(config).run(&pairs, |(bytes, changes, values)| {
        let mut wanted = bytes.clone();
        for (at, byte) in &changes {
            wanted[*at] = *byte;
        }
        let Some(gone) = check(&schema(&bytes), &schema(&wanted), &values) else {
            return Err(TestCaseError::reject("SQLite does not take one of the two"));
        };
        there.set(there.get() + u32::from(gone.0));
        back.set(back.get() + u32::from(gone.1));
        Ok(())
    });
    if let Err(failure) = ran {
        panic!("{failure}");
    }
    assert!(there.get() >= PAIRS / 4 && back.get() >= 1, "only {} went there, {} back", there.get(), back.get());
}
