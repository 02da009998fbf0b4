//! Any schema into any other and back, with rows: either something stands against it and nothing is changed, or it is
//! made, reads as declared, and nothing is lost that was not asked about. On the way, SQLite's own trace of every unit is
//! what the plan prints for it (see `lab`).

use std::sync::atomic::{AtomicU32, Ordering};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use ptah_diff::ColumnOrder;
use ptah_plan::request::planned_changes;
use ptah_provider_api::plan::PlanReply;
use rusqlite::Connection;

use super::lab::{Lab, Stopped, answer, declared, differences, texts};
use super::schema::{SCHEMA_BYTES, TABLES, pick, schema};

/// Rows for every table, without those that its rules keep out.
fn fill(lab: &Lab, values: &[u8]) {
    let pool =
        ["1", "2", "-3", "2.5", "3.0", "'x'", "'X'", "'01'", "'12345678901234567890'", "NULL", "x'00'", "'1e2'", "0"];
    for n in 0..TABLES {
        let columns = lab.rows(&format!("SELECT name FROM pragma_table_xinfo('t{n}') WHERE hidden = 0"));
        let columns: Vec<_> = columns.iter().map(|name| name.trim_matches('\'')).collect();
        for row in 0..if columns.is_empty() { 0 } else { 4_usize } {
            let value = |at: usize| pick(values[(n * 16 + row * 4 + at) % values.len()], &pool);
            let row: Vec<_> = (0..columns.len()).map(value).collect();
            let insert = format!("INSERT OR IGNORE INTO t{n} ({}) VALUES ({})", columns.join(", "), row.join(", "));
            // A type that STRICT refuses is no conflict.
            _ = lab.connection.execute_batch(&insert);
        }
    }
}

fn is_valid(sql: &str) -> bool {
    Connection::open_in_memory().unwrap().execute_batch(sql).is_ok()
}

/// All rows of all tables and all that is declared.
fn everything(lab: &Lab) -> Vec<String> {
    let mut found = lab.rows("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name");
    for n in 0..TABLES {
        if lab.number(&format!("SELECT count(*) FROM sqlite_schema WHERE name = 't{n}'")) > 0 {
            found.extend(lab.rows(&format!("SELECT * FROM t{n}")));
        }
    }
    found
}

/// The stored columns that both have, by the number of their table.
fn common(lab: &Lab, other: &Lab) -> Vec<(usize, Vec<String>)> {
    let names =
        |lab: &Lab, n: usize| lab.rows(&format!("SELECT name FROM pragma_table_xinfo('t{n}') WHERE hidden = 0"));
    let both = (0..TABLES).filter(|n| !names(lab, *n).is_empty() && !names(other, *n).is_empty());
    both.map(|n| (n, names(lab, n).into_iter().filter(|c| names(other, n).contains(c)).collect())).collect()
}

/// The values of columns, with their types and the number of rows.
fn kept(lab: &Lab, columns: &[(usize, Vec<String>)]) -> Vec<String> {
    let mut found = Vec::new();
    for (n, columns) in columns {
        let list: Vec<_> = columns.iter().map(|c| c.trim_matches('\'')).map(|c| format!("typeof({c}), {c}")).collect();
        found.extend(lab.rows(&format!("SELECT {n}, count(*) FROM t{n}")));
        let mut rows = lab.rows(&format!("SELECT {n}, {} FROM t{n}", [list, vec!["1".to_owned()]].concat().join(", ")));
        rows.sort();
        found.extend(rows);
    }
    found
}

/// Whether the type or the collation of a column differs.
fn compares_anew(lab: &Lab, desired: &str) -> bool {
    let changes = differences(&lab.read(), &declared(desired), ColumnOrder::Ignore);
    let matters = |facet: &ptah_diff::FacetChange| matches!(facet.name.as_str(), "affinity" | "collation");
    changes
        .iter()
        .any(|change| matches!(&change.action, ptah_diff::Action::Alter(facets) if facets.iter().any(matters)))
}

fn plan(lab: &Lab, desired: &str, order: ColumnOrder) -> PlanReply {
    let wanted = declared(desired);
    let changes = planned_changes(&differences(&lab.read(), &wanted, order));
    answer(changes, &lab.read(), &wanted)
}

/// What became of one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The database is what was asked for, and every value is there that is in both.
    Made,
    /// Something stands against it, and nothing changed.
    Stopped,
}

/// One way: from what the database is, declared as `current`, to `desired`.
fn go(lab: &Lab, (current, desired): (&str, &str), pair: &Pair) -> Result<Way, TestCaseError> {
    let order = if pair.in_order { ColumnOrder::Exact } else { ColumnOrder::Ignore };
    let before = everything(lab);
    let goal = Lab::new(desired);
    let columns = common(lab, &goal);
    let values_before = kept(lab, &columns);
    let told = |lab: &Lab| format!("{current}\n=>\n{desired}\n{:#?}", texts(&plan(lab, desired, order)));
    match lab.become_in(desired, order, pair.backwards) {
        Ok(_) => {
            prop_assert_eq!(values_before, kept(lab, &columns), "{}\n=>\n{}", current, desired);
            return Ok(Way::Made);
        }
        // Declared triggers are not read before they are needed, and the plan is undone when one breaks.
        Err(Stopped::Failed(_, reason)) if reason.contains("would not work after the rebuild") => {}
        // A parent that compares in another way can leave rows without it; that is found, and the plan undone.
        Err(Stopped::Failed(_, reason))
            if reason.contains("would break a foreign key") && compares_anew(lab, desired) => {}
        Err(Stopped::Failed(step, reason)) => {
            prop_assert!(false, "{}: {}\n{}", step.0, reason, told(lab));
        }
        Err(Stopped::Refused(_)) => {}
        Err(Stopped::Rows(codes)) => {
            prop_assert_eq!(&before, &everything(lab));
            // What would certainly fail was not asked in vain.
            let certain = ["rows.check", "rows.type", "rows.duplicate"];
            let mut reply = plan(lab, desired, order);
            // A cast stands for a column of texts, and does not do for blobs what the column does.
            let casts = reply.steps.iter().flat_map(|step| &step.checks).any(|check| check.count.contains("CAST("));
            if !casts && codes.iter().all(|(code, _)| certain.contains(&code.as_str())) {
                reply.steps.iter_mut().for_each(|step| step.checks.clear());
                let ran = lab.run(&reply, pair.backwards);
                prop_assert!(matches!(ran, Err(Stopped::Failed(..))), "{:?} {}", codes, told(&Lab::new(current)));
            }
        }
    }
    prop_assert_eq!(&before, &everything(lab));
    Ok(Way::Stopped)
}

/// A pair: there and back on one database. What became of either way; `None` when SQLite takes one of the two not at all.
fn check(pair: &Pair) -> Result<Option<(Way, Option<Way>)>, TestCaseError> {
    let mut wanted = pair.bytes.clone();
    for (at, byte) in &pair.changes {
        let at = at % wanted.len();
        wanted[at] = *byte;
    }
    let (first, second) = (schema(&pair.bytes), schema(&wanted));
    if !is_valid(&first) || !is_valid(&second) {
        return Ok(None);
    }
    let lab = Lab::new(&first);
    fill(&lab, &pair.values);
    let there = go(&lab, (&first, &second), pair)?;
    if there == Way::Stopped {
        return Ok(Some((there, None)));
    }
    if pair.refills {
        fill(&lab, &pair.values);
    }
    let back = go(&lab, (&second, &first), pair)?;
    Ok(Some((there, Some(back))))
}

#[derive(Clone, Debug)]
struct Pair {
    bytes: Vec<u8>,
    changes: Vec<(usize, u8)>,
    values: Vec<u8>,
    /// Whether steps run as late as their waits permit.
    backwards: bool,
    /// Whether the order of columns is a difference.
    in_order: bool,
    /// Whether rows are added before the way back.
    refills: bool,
}

fn pairs() -> impl Strategy<Value = Pair> {
    let bytes = vec(any::<u8>(), SCHEMA_BYTES);
    let changes = vec((0..SCHEMA_BYTES, any::<u8>()), 0..12);
    let manner = (any::<bool>(), any::<bool>(), any::<bool>());
    (bytes, changes, vec(any::<u8>(), 48), manner).prop_map(|(bytes, changes, values, manner)| {
        let (backwards, in_order, refills) = manner;
        Pair { bytes, changes, values, backwards, in_order, refills }
    })
}

/// How many pairs that SQLite takes are tried; `PROPTEST_CASES` can ask for more.
const PAIRS: u32 = 2_000;

#[test]
fn any_schema_becomes_any_other_and_back_or_nothing_changes() {
    // A failure is shrunk and kept as a case under proptest-regressions/, which is checked in.
    let config = ProptestConfig {
        cases: PAIRS.max(ProptestConfig::default().cases),
        source_file: Some(file!()),
        ..ProptestConfig::default()
    };
    let mut runner = TestRunner::new(config);
    let (there, back) = (AtomicU32::new(0), AtomicU32::new(0));
    let ran = runner.run(&pairs(), |pair| {
        let Some((way, way_back)) = check(&pair)? else {
            return Err(TestCaseError::reject("SQLite takes one of the two not at all"));
        };
        there.fetch_add(u32::from(way == Way::Made), Ordering::Relaxed);
        back.fetch_add(u32::from(way_back == Some(Way::Made)), Ordering::Relaxed);
        Ok(())
    });
    if let Err(failure) = ran {
        panic!("{failure}");
    }
    let (there, back) = (there.into_inner(), back.into_inner());
    // Or the property would hold of next to nothing.
    assert!(there >= PAIRS / 2 && back >= PAIRS / 3, "only {there} pairs went there, and {back} of them back");
}
