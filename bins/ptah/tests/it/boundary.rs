//! The process boundary as a host keeps it: a provider of an engine that `ptah` has never heard of, and what it saw.
//!
//! The provider is the peer of `ptah-conformance`: a real engine under the name `zorp`, which writes down its process and
//! every call.

mod offline;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use ptah_model::Digest;

use crate::support::{Ran, Scratch, interrupt, until};

/// The peer. A test of the whole workspace has built it beside the program; a test of this package alone has not.
pub(crate) fn peer() -> PathBuf {
    let peer = Path::new(env!("CARGO_BIN_EXE_ptah")).with_file_name("conformance-wrong-provider");
    if !peer.exists() {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let build = ["build", "--locked", "--package", "ptah-conformance", "--bin", "conformance-wrong-provider"];
        assert!(Command::new(cargo).args(build).status().unwrap().success());
    }
    peer
}

/// A folder with a source and a manifest; the evidence is outside of it.
struct Stage {
    scratch: Scratch,
    evidence: tempfile::TempDir,
}

impl Stage {
    fn new(fault: &str) -> Self {
        let (scratch, evidence, peer) = (Scratch::new(), tempfile::tempdir().unwrap(), peer());
        scratch.write("schema.sql", "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);");
        let digest = Digest::of(&std::fs::read(&peer).unwrap()).to_string().replace("sha256:", "");
        let manifest = format!(
            "providers:\n  - id: example.org/zorp\n    executable: {}\n    sha256: \"{digest}\"\n    engines:\n      \
             - name: zorp\n        aliases: [zo]\n    environment:\n      - 'FAULT={fault}'\n      - 'EVIDENCE={}'\n",
            peer.display(),
            evidence.path().join("evidence").display(),
        );
        scratch.write("ptah-providers.yaml", &manifest);
        Self { scratch, evidence }
    }

    fn seen(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.evidence.path().join("evidence")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn count(&self, line: &str) -> usize {
        self.seen().iter().filter(|seen| *seen == line).count()
    }

    fn run(&self, words: &[&str]) -> Ran {
        self.scratch.ptah(words)
    }

    fn apply(&self, more: &[&str]) -> Ran {
        self.run(&[APPLY, more].concat())
    }

    fn start(&self, more: &[&str]) -> Child {
        self.scratch.command(&[APPLY, more].concat()).spawn().unwrap()
    }

    /// The process IDs of the providers that were started, each with its parent and user.
    fn processes(&self) -> Vec<[u32; 3]> {
        let seen = self.seen();
        let lines = seen.iter().filter_map(|line| line.strip_prefix("process "));
        let numbers = |line: &str| line.split(' ').filter_map(|word| word.parse().ok()).collect::<Vec<u32>>();
        lines.map(|line| numbers(line).try_into().unwrap()).collect()
    }

    /// Every session was closed, the process ended by itself, and it is gone with its private folder.
    fn check_the_end(&self) {
        let opened = self.count("call open");
        assert!(opened > 0 && self.count("call close") == opened, "{:#?}", self.seen());
        assert_eq!(self.seen().last().map(String::as_str), Some("ended"), "{:#?}", self.seen());
        for [pid, ..] in self.processes() {
            until("the provider is gone", || !Path::new(&format!("/proc/{pid}")).exists());
        }
    }
}

const APPLY: &[&str] =
    &["schema", "apply", "--db-url", "zorp://app.db", "--schema-file", "schema.sql", "--auto-approve"];

#[test]
fn an_engine_that_the_host_never_heard_of_is_driven() {
    let stage = Stage::new("");
    stage.apply(&[]).ended_with(0);
    assert_eq!(stage.scratch.one("app.db", "SELECT name FROM pragma_table_info('t') WHERE cid = 1"), "name");
    let drift = ["schema", "drift", "--db-url", "zorp://app.db", "--schema-file", "schema.sql"];
    stage.run(&drift).ended_with(0);
    stage.run(&["schema", "inspect", "--db-url", "zorp://app.db"]).ended_with(0).says("name");
    stage.scratch.write("schema.sql", "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);");
    stage.run(&drift).ended_with(1);
    stage.apply(&[]).ended_with(0);
    stage.run(&drift).ended_with(0);
    assert!(stage.count("call execute") > 0);
}

#[test]
fn a_provider_is_one_child_of_its_command_with_all_its_sessions() {
    let stage = Stage::new("");
    let command = stage.start(&[]);
    let pid = command.id();
    Ran::of(command.wait_with_output().unwrap()).ended_with(0);
    let own = rustix::process::getuid().as_raw();
    let processes = stage.processes();
    assert_eq!(processes.len(), 1, "one process for the target and the scratch databases");
    let [provider, parent, user] = processes[0];
    assert!(provider != pid, "a process of its own");
    assert_eq!((parent, user), (pid, own), "a child of the command, of the operator's own user");
    assert!(stage.count("call open") >= 2, "{:#?}", stage.seen());
}

#[test]
fn what_needs_no_provider_starts_none() {
    let stage = Stage::new("");
    stage.run(&["--version"]).ended_with(0);
    stage.run(&["providers", "list"]).ended_with(0).says("zorp");
    stage.apply(&["--no-such-flag"]).ended_with(2);
    stage.apply(&["--run-lock-timeout", "soon"]).ended_with(2);
    stage.scratch.write("schema.sql", "");
    std::fs::remove_file(stage.scratch.path("schema.sql")).unwrap();
    stage.apply(&[]).ended_with(2).says("schema.sql");
    assert_eq!(stage.seen(), Vec::<String>::new());
}

#[test]
fn a_check_that_could_not_tell_says_so_and_is_no_finding() {
    let stage = Stage::new("no-line");
    let ran = stage.run(&["providers", "check", "--dialect", "zorp", "--json"]).ended_with(2);
    let document = ran.document();
    assert_eq!(
        (&document["outcome"], &document["providers"][0]["error"]["code"]),
        (&"unknown".into(), &"provider_start_timeout".into())
    );
}

#[test]
fn a_provider_ends_with_its_command() {
    let stage = Stage::new("");
    stage.apply(&[]).ended_with(0);
    stage.check_the_end();
    let stage = Stage::new("always-busy");
    stage.apply(&["--run-lock-timeout", "0"]).ended_with(2);
    stage.check_the_end();
}

#[test]
fn each_open_has_its_close_before_the_process_ends() {
    let stage = Stage::new("always-busy");
    let command = stage.start(&["--run-lock-timeout", "5m"]);
    until("the lock is asked for", || stage.count("call try_lock") > 0);
    interrupt(&command);
    Ran::of(command.wait_with_output().unwrap()).ended_with(2);
    stage.check_the_end();
}

#[test]
fn the_lock_is_taken_before_the_target_is_read() {
    let stage = Stage::new("");
    // A database that is not there yet reads as empty, and is made and locked after approval.
    stage.apply(&[]).ended_with(0);
    let before = stage.seen().len();
    stage.scratch.write("schema.sql", "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);");
    stage.apply(&[]).ended_with(0);
    let seen = stage.seen().split_off(before);
    let first = |call: &str| seen.iter().position(|line| line == call).unwrap();
    let locked = first("call try_lock");
    for later in ["call inspect", "call read_claims", "call claim", "call begin_transaction", "call execute"] {
        assert!(locked < first(later), "{later}: {seen:#?}");
    }
}

#[test]
fn a_busy_lock_is_tried_again_with_a_new_id_until_the_wait_is_over() {
    let stage = Stage::new("always-busy");
    stage.scratch.sql("app.db", "CREATE TABLE t (id INTEGER PRIMARY KEY)");
    let began = std::time::Instant::now();
    stage.apply(&["--run-lock-timeout", "2s"]).ended_with(2);
    let took = began.elapsed();
    let seen = stage.seen();
    let ids: Vec<&str> = seen.iter().filter_map(|line| line.strip_prefix("lock ")).collect();
    let distinct: BTreeSet<&str> = ids.iter().copied().collect();
    assert!(ids.len() >= 3 && distinct.len() == ids.len(), "{ids:?}");
    assert!((2..30).contains(&took.as_secs()), "{took:?}");
    assert_eq!(stage.count("call execute") + stage.count("call claim"), 0);
}

/// The effects that reach a database.
fn effects(stage: &Stage) -> usize {
    ["call try_lock", "call claim", "call execute", "call begin_transaction"].map(|call| stage.count(call)).iter().sum()
}

#[test]
fn without_transactions_nothing_is_run_unless_schema_statements_can_be_in_none() {
    for (fault, mode) in [
        ("no-transactions", "file"),
        ("no-transactions", "all"),
        ("no-transactions-unsaid", "file"),
        ("no-transactions-unsaid", "all"),
        ("no-transactions-outside", "all"),
    ] {
        let stage = Stage::new(fault);
        stage.scratch.sql("app.db", "CREATE TABLE old (id INTEGER PRIMARY KEY)");
        let ran = stage.apply(&["--tx-mode", mode, "--allow-destructive"]).ended_with(2);
        assert!(ran.told().contains("sessions.transactions"), "{fault}: {}", ran.told());
        assert_eq!(effects(&stage), 0, "{fault} {mode}: {:#?}", stage.seen());
    }
}

#[test]
fn an_established_false_runs_outside_of_transactions_and_an_absent_fact_does_not() {
    let stage = Stage::new("no-transactions-outside");
    stage.scratch.sql("app.db", "CREATE TABLE t (id INTEGER PRIMARY KEY)");
    stage.apply(&[]).ended_with(0);
    assert_eq!(stage.scratch.one("app.db", "SELECT count(*) FROM pragma_table_info('t')"), "2");
    assert_eq!(stage.count("call begin_transaction"), 0, "{:#?}", stage.seen());
    let stage = Stage::new("no-transactions-unsaid");
    stage.scratch.sql("app.db", "CREATE TABLE t (id INTEGER PRIMARY KEY)");
    stage.apply(&[]).ended_with(2);
    assert_eq!(stage.scratch.one("app.db", "SELECT count(*) FROM pragma_table_info('t')"), "1");
}

#[test]
fn listing_transactions_is_not_transactional_ddl() {
    let stage = Stage::new("ddl-outside");
    stage.scratch.sql("app.db", "CREATE TABLE t (id INTEGER PRIMARY KEY)");
    stage.apply(&[]).ended_with(0);
    assert_eq!(stage.scratch.one("app.db", "SELECT count(*) FROM pragma_table_info('t')"), "2");
    assert_eq!(stage.count("call begin_transaction"), 0, "{:#?}", stage.seen());
}

/// Faults that reach a host in the middle of a run: false receipts, false readings, false counts, lost effects.
const FAULTS: &[&str] = &[
    "a-dropped-call-spoils",
    "a-failure-commits",
    "always-reads-whole",
    "any-engine",
    "any-fingerprint",
    "any-scope",
    "answers-any-session",
    "applies-nothing",
    "begin-answers-another",
    "close-answers-another",
    "close-commits",
    "close-keeps-all",
    "closes-once",
    "commit-rolls-back",
    "commits-anything",
    "commits-at-once",
    "copies-nothing",
    "counts-lines-from-0",
    "counts-too-many",
    "counts-wrong",
    "dev-answers-another",
    "dev-is-the-target",
    "diagnostics-for-everybody",
    "end-answers-another",
    "execution-answers-another",
    "expects-in-vain",
    "fingerprint-of-records",
    "forgets-how-it-ended",
    "forgets-outcomes",
    "forgets-releases",
    "hides-the-unfinished",
    "ignores-claims",
    "ignores-the-state",
    "ignores-transactions",
    "invents-outcomes",
    "keeps-locks",
    "lets-others-in",
    "lock-answers-another",
    "locks-beside-the-session",
    "locks-nothing",
    "more-than-the-engine",
    "names-another-operation",
    "never-settles",
    "no-server-version",
    "not-found-is-internal",
    "one-handle-for-all",
    "one-sequence",
    "plans-by-chance",
    "plans-wrong",
    "positions-inside-characters",
    "positions-outside",
    "proves-nothing",
    "quotes-its-units",
    "reads-by-chance",
    "reasons-for-everybody",
    "records-anything",
    "renders-wrong",
    "repeats-requests",
    "rollback-commits",
    "skips-a-change",
    "spends-nothing",
    "status-message",
    "tries-a-busy-lock-again",
    "two-transactions",
    "unclean-note",
    "unclean-reason",
    "unclean-unread",
    "version-by-chance",
];

/// 0: the database reads as declared. 2: nothing of the change is in it. 3: not proven, which may be either.
#[test]
fn whatever_a_provider_does_wrong_the_exit_code_is_true() {
    let mut lies = Vec::new();
    let mut codes = BTreeMap::<_, Vec<&str>>::new();
    for fault in FAULTS {
        let stage = Stage::new(fault);
        stage.scratch.sql("app.db", "CREATE TABLE t (id INTEGER PRIMARY KEY)");
        let ran = stage.apply(&["--run-lock-timeout", "1s", "--lock-timeout", "1s"]);
        let columns = stage.scratch.one("app.db", "SELECT count(*) FROM pragma_table_info('t')");
        let others = stage.scratch.one("app.db", "SELECT count(*) FROM sqlite_schema WHERE name = 'something_else'");
        codes.entry(ran.code).or_default().push(fault);
        let is_true = match ran.code {
            Some(0) => (columns.as_str(), others.as_str()) == ("2", "0"),
            Some(2) => (columns.as_str(), others.as_str()) == ("1", "0"),
            Some(3) => true,
            _ => false,
        };
        let clean = !ran.told().contains("secret@host") && !ran.told().contains("panicked");
        if !is_true || !clean {
            lies.push(format!("{fault}: {columns} columns, {others} others\n{}", ran.told()));
        }
    }
    assert!(lies.is_empty(), "{}", lies.join("\n\n"));
    // Some faults are about what this run does not ask, some are found before anything runs, and some after.
    assert_eq!(codes.len(), 3, "{codes:#?}");
}
