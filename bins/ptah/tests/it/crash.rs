//! Every crash point of a run: the host dies, the provider dies, the disk refuses, at every effect, in every mode.
//!
//! A run is made once to count its effects. Then, for each effect and each side of it, a fresh copy of the database gets
//! the same run with one fault. The file itself is then asked what it holds, without ptah; the next command has to say
//! the same, and to bring the database where it was meant to go.

use std::cell::Cell;

use crate::support::{Ran, Scratch};

const BEFORE: &str = "
    CREATE TABLE people (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT);
    CREATE TABLE pets (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES people (id) ON DELETE CASCADE, name TEXT);
    CREATE INDEX pets_name ON pets (name);
    INSERT INTO people VALUES (7, 'Ada'), (9, 'Grace');
    INSERT INTO pets VALUES (1, 7, 'cat'), (2, 9, 'dog'), (3, 9, 'owl');
";

/// A new column, a rebuild of a table with child rows, a dropped index, a new table.
const AFTER: &str = "
    CREATE TABLE people (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, born TEXT DEFAULT 'unknown');
    CREATE TABLE pets (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES people (id) ON DELETE SET NULL, name TEXT);
    CREATE TABLE toys (id INTEGER PRIMARY KEY, pet INTEGER REFERENCES pets (id));
";

/// What the file holds, found without ptah.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Truth {
    Nothing,
    Part,
    All,
}

struct Matrix {
    scratch: Scratch,
    mode: &'static str,
    before: Vec<String>,
    after: Vec<String>,
    /// How many operations the commands after a fault settled, so that nobody judges an empty list throughout.
    settled: Cell<usize>,
}

impl Matrix {
    fn new(mode: &'static str) -> Self {
        let scratch = Scratch::new();
        scratch.sql("base.db", BEFORE);
        scratch.write("schema.sql", AFTER);
        let before = scratch.schema("base.db");
        scratch.copy("base.db", "whole.db");
        scratch.apply("whole.db", &["--tx-mode", mode]).ended_with(0);
        let after = scratch.schema("whole.db");
        assert_ne!(before, after);
        Self { scratch, mode, before, after, settled: Cell::new(0) }
    }

    fn effects(&self) -> u32 {
        self.scratch.copy("base.db", "count.db");
        let ran = self.scratch.apply_with_fault("count.db", "count", &["--tx-mode", self.mode]).ended_with(0);
        let line =
            ran.err.lines().find_map(|l| l.strip_prefix("effects: ")).unwrap_or_else(|| panic!("{}", ran.told()));
        line.parse().unwrap()
    }

    /// What the file holds, asked of a copy: what a dead writer left beside the file is left for the next command.
    fn truth(&self) -> Truth {
        self.scratch.remove("look.db");
        for beside in ["", "-journal", "-wal"] {
            if self.scratch.path(&format!("case.db{beside}")).exists() {
                self.scratch.copy(&format!("case.db{beside}"), &format!("look.db{beside}"));
            }
        }
        let schema = self.scratch.schema("look.db");
        if schema == self.after {
            Truth::All
        } else if schema == self.before {
            Truth::Nothing
        } else {
            Truth::Part
        }
    }

    /// One fault, the truth, and the command after it.
    fn check(&self, fault: &str) {
        self.scratch.remove("case.db");
        self.scratch.copy("base.db", "case.db");
        let ran = self.scratch.apply_with_fault("case.db", fault, &["--tx-mode", self.mode, "--json"]);
        let truth = self.truth();
        self.judge(fault, &ran, truth);
        let open = self.unfinished();
        let next = self.scratch.apply("case.db", &["--tx-mode", self.mode, "--json"]).ended_with(0);
        self.judge_next(fault, &next, truth, open);
        assert_eq!(self.truth(), Truth::All, "{fault}: {}", next.told());
        self.rows_are_whole(fault);
    }

    /// The label of the run itself: killed, or a code that says what is there.
    fn judge(&self, fault: &str, ran: &Ran, truth: Truth) {
        let told = || format!("{} {fault}: the file holds {truth:?}\n{}", self.mode, ran.told());
        match ran.code {
            None => {}
            Some(0) => assert_eq!(truth, Truth::All, "{}", told()),
            Some(2) => assert_eq!(truth, Truth::Nothing, "{}", told()),
            Some(3) => match ran.document()["outcome"].as_str().unwrap() {
                "unknown" => {}
                "partial" => assert_eq!(truth, Truth::Part, "{}", told()),
                "not-recorded" | "not-proven" => assert_eq!(truth, Truth::All, "{}", told()),
                other => panic!("{other}: {}", told()),
            },
            Some(_) => panic!("{}", told()),
        }
    }

    /// How many operations the file itself says were begun and never settled, asked without ptah.
    fn unfinished(&self) -> usize {
        let tables = self.scratch.one("look.db", "SELECT count(*) FROM sqlite_schema WHERE name = '_ptah_runs'");
        if tables == "0" {
            return 0;
        }
        let open = "SELECT count(*) FROM (SELECT 1 FROM _ptah_runs WHERE phase <> 'prove' GROUP BY operation
                    HAVING sum(phase = 'settle') = 0)";
        self.scratch.one("look.db", open).parse().unwrap()
    }

    /// What the next command says of the operation before it is what the file held; it says so of each that was open.
    fn judge_next(&self, fault: &str, next: &Ran, truth: Truth, open: usize) {
        let document = next.document();
        let list = document["settled"].as_array().unwrap();
        assert_eq!(list.len(), open, "{} {fault}: the file holds {open} open operations\n{}", self.mode, next.told());
        self.settled.set(self.settled.get() + list.len());
        for settled in list {
            let expected = match settled["verdict"].as_str().unwrap() {
                "applied" => Truth::All,
                "not-applied" => Truth::Nothing,
                "partial" => Truth::Part,
                other => panic!("{} {fault}: {other}\n{}", self.mode, next.told()),
            };
            assert_eq!(expected, truth, "{} {fault}\n{}", self.mode, next.told());
        }
    }

    /// No row, row ID or sequence was lost on any way.
    fn rows_are_whole(&self, fault: &str) {
        let one = |query| self.scratch.one("case.db", query);
        let people = "SELECT group_concat(id || name || born) FROM people";
        assert_eq!(one(people), "7Adaunknown,9Graceunknown", "{fault}");
        assert_eq!(one("SELECT group_concat(id || owner || name) FROM pets"), "17cat,29dog,39owl", "{fault}");
        assert_eq!(one("SELECT seq FROM sqlite_sequence WHERE name = 'people'"), "9", "{fault}");
    }
}

fn every_effect(mode: &'static str) {
    let matrix = Matrix::new(mode);
    let effects = matrix.effects();
    assert!(effects >= 12, "{effects}");
    for effect in 1..=effects {
        for side in ["before", "after"] {
            for fault in ["host", "provider", "write"] {
                matrix.check(&format!("{effect}:{side}:{fault}"));
            }
        }
    }
    assert!(matrix.settled.get() >= 5, "only {} operations were left to settle", matrix.settled.get());
}

#[test]
fn every_effect_of_a_run_with_nothing_to_do_may_be_the_last() {
    let scratch = Scratch::new();
    scratch.sql("base.db", BEFORE);
    scratch.write("schema.sql", AFTER);
    scratch.apply("base.db", &[]).ended_with(0);
    let schema = scratch.schema("base.db");
    // Other words for the same, so that the run has something to remember.
    scratch.write("schema.sql", &format!("-- edited\n{AFTER}"));
    scratch.copy("base.db", "case.db");
    let count = |file: &str| scratch.apply_with_fault(file, "count", &["--accept-moved"]).ended_with(0);
    let counted = count("case.db");
    let effects: u32 = counted.err.lines().find_map(|l| l.strip_prefix("effects: ")).unwrap().parse().unwrap();
    for effect in 1..=effects {
        for side in ["before", "after"] {
            for fault in ["host", "provider", "write"] {
                let fault = format!("{effect}:{side}:{fault}");
                scratch.remove("case.db");
                scratch.copy("base.db", "case.db");
                let ran = scratch.apply_with_fault("case.db", &fault, &["--accept-moved", "--json"]);
                assert!(matches!(ran.code, None | Some(0 | 2)), "{fault}: {}", ran.told());
                assert_eq!(scratch.schema("case.db"), schema, "{fault}");
                let next = scratch.apply("case.db", &["--accept-moved", "--json"]).ended_with(0).says("no-changes");
                assert_eq!(next.document()["settled"].as_array().unwrap().len(), 0, "{fault}: {}", next.told());
            }
        }
    }
}

#[test]
fn every_effect_may_be_the_last_and_nothing_runs_twice() {
    every_effect("file");
}

#[test]
fn every_effect_may_be_the_last_and_nothing_runs_twice_with_all_in_one_transaction() {
    every_effect("all");
}

#[test]
fn every_effect_may_be_the_last_and_nothing_runs_twice_without_transactions() {
    every_effect("none");
}

#[test]
fn a_disk_that_refuses_to_write_is_named_and_ends_no_provider() {
    let matrix = Matrix::new("file");
    let mut refused = 0;
    for effect in 1..=matrix.effects() {
        matrix.scratch.remove("case.db");
        matrix.scratch.copy("base.db", "case.db");
        let fault = format!("{effect}:before:write");
        let ran = matrix.scratch.apply_with_fault("case.db", &fault, &["--json"]);
        if ran.code != Some(0) {
            assert_eq!(ran.document()["reason"], "the disk reported an error while writing", "{fault}: {}", ran.told());
            refused += 1;
        }
    }
    assert!(refused >= 5, "{refused}");
}

#[test]
fn every_effect_of_a_first_run_may_be_the_last() {
    for mode in ["file", "none"] {
        let scratch = Scratch::new();
        scratch.write("schema.sql", AFTER);
        let run = |file: &str, fault: &str| scratch.apply_with_fault(file, fault, &["--tx-mode", mode, "--json"]);
        let counted = run("whole.db", "count").ended_with(0);
        let line = counted.err.lines().find_map(|line| line.strip_prefix("effects: ")).unwrap();
        let (effects, after) = (line.parse::<u32>().unwrap(), scratch.schema("whole.db"));
        assert!(effects >= 10, "{effects}");
        for fault in (1..=effects).flat_map(|effect| {
            ["before:host", "after:host", "before:provider", "after:provider"].map(|side| format!("{effect}:{side}"))
        }) {
            scratch.remove("case.db");
            let ran = run("case.db", &fault);
            let there = scratch.path("case.db").exists() && !scratch.schema("case.db").is_empty();
            match ran.code {
                Some(0) => assert_eq!(scratch.schema("case.db"), after, "{mode} {fault}: {}", ran.told()),
                Some(2) => assert!(!there, "{mode} {fault}: {}", ran.told()),
                None | Some(3) => {}
                Some(_) => panic!("{mode} {fault}: {}", ran.told()),
            }
            let next = scratch.apply("case.db", &["--tx-mode", mode, "--json"]).ended_with(0);
            assert_eq!(scratch.schema("case.db"), after, "{mode} {fault}: {}", next.told());
        }
    }
}
