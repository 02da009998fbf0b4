//! A scratch folder with a database and schema files, and `ptah` run in it as a user would.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Output, Stdio};

use rusqlite::Connection;

/// A folder of its own, and the program.
pub(crate) struct Scratch {
    dir: tempfile::TempDir,
}

/// What a command left behind.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// A command in the folder, with an environment of its own.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptah"));
        command.args(arguments).current_dir(self.dir.path()).env_clear();
        command.env("HOME", self.dir.path()).env("TMPDIR", std::env::temp_dir()).env("NO_COLOR", "1");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn ptah(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).output().unwrap())
    }

    pub(crate) fn apply(&self, file: &str, more: &[&str]) -> Ran {
        let url = format!("sqlite://{file}");
        self.ptah(&apply_arguments(&url, more))
    }

    /// The same with a fault; see `PTAH_FAULT`.
    pub(crate) fn apply_with_fault(&self, file: &str, fault: &str, more: &[&str]) -> Ran {
        let url = format!("sqlite://{file}");
        let mut command = self.command(&apply_arguments(&url, more));
        Ran::of(command.env("PTAH_FAULT", fault).output().unwrap())
    }

    pub(crate) fn start(&self, file: &str, fault: Option<&str>, more: &[&str]) -> Child {
        let url = format!("sqlite://{file}");
        let mut command = self.command(&apply_arguments(&url, more));
        if let Some(fault) = fault {
            command.env("PTAH_FAULT", fault);
        }
        command.spawn().unwrap()
    }

    /// A connection of an application that knows nothing of ptah.
    pub(crate) fn open(&self, file: &str) -> Connection {
        Connection::open(self.path(file)).unwrap()
    }

    pub(crate) fn sql(&self, file: &str, sql: &str) {
        self.open(file).execute_batch(sql).unwrap();
    }

    pub(crate) fn one(&self, file: &str, query: &str) -> String {
        self.open(file)
            .query_row(query, [], |row| row.get::<_, rusqlite::types::Value>(0))
            .map(|value| match value {
                rusqlite::types::Value::Text(text) => text,
                rusqlite::types::Value::Integer(number) => number.to_string(),
                other => format!("{other:?}"),
            })
            .unwrap()
    }

    /// The definitions in a database but for ours and SQLite's, sorted; white space folded.
    pub(crate) fn schema(&self, file: &str) -> Vec<String> {
        let query = "SELECT type || ' ' || name || ' ' || sql FROM sqlite_schema
                     WHERE sql IS NOT NULL AND name NOT LIKE '\\_ptah%' ESCAPE '\\' AND name NOT LIKE 'sqlite%' ORDER BY 1";
        let connection = self.open(file);
        let mut statement = connection.prepare(query).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        rows.map(|row| row.unwrap().split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    /// The bytes of a database and the files beside it.
    pub(crate) fn bytes(&self, file: &str) -> Vec<(String, Option<Vec<u8>>)> {
        let names = [file.to_owned(), format!("{file}-wal"), format!("{file}-journal")];
        names.map(|name| (name.clone(), std::fs::read(self.path(&name)).ok())).to_vec()
    }

    pub(crate) fn copy(&self, from: &str, to: &str) {
        std::fs::copy(self.path(from), self.path(to)).unwrap();
    }

    pub(crate) fn remove(&self, file: &str) {
        for name in [file.to_owned(), format!("{file}-wal"), format!("{file}-journal"), format!("{file}-shm")] {
            let _ = std::fs::remove_file(self.path(&name));
        }
    }
}

impl Ran {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Both streams, for messages of failed assertions.
    pub(crate) fn told(&self) -> String {
        format!("exit code {:?}\n--- stdout\n{}\n--- stderr\n{}", self.code, self.out, self.err)
    }

    #[track_caller]
    pub(crate) fn ended_with(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.told());
        self
    }

    #[track_caller]
    pub(crate) fn says(self, piece: &str) -> Self {
        assert!(self.out.contains(piece) || self.err.contains(piece), "{piece:?} is not said\n{}", self.told());
        self
    }

    /// The document on standard output.
    #[track_caller]
    pub(crate) fn document(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}\n{}", self.told()))
    }
}

/// `schema apply` of `schema.sql` to an address, approved.
fn apply_arguments<'a>(url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let base = ["schema", "apply", "--db-url", url, "--schema-file", "schema.sql", "--auto-approve"];
    base.iter().chain(more).copied().collect()
}

/// Waits until something holds; a minute is far more than any of it takes.
#[track_caller]
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = std::time::Instant::now() + std::time::Duration::from_mins(1);
    while !holds() {
        assert!(std::time::Instant::now() < deadline, "never happened: {what}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Whether a process is stopped (held still by a signal).
pub(crate) fn is_stopped(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    status.lines().any(|line| line.starts_with("State:") && line.contains('T'))
}

/// Lets a stopped process go on.
pub(crate) fn go_on(pid: u32) {
    signal(pid, rustix::process::Signal::CONT);
}

/// What Ctrl-C does.
pub(crate) fn interrupt(child: &Child) {
    signal(child.id(), rustix::process::Signal::INT);
}

fn signal(pid: u32, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

/// What a program that still runs says on standard error.
pub(crate) struct Told {
    lines: BufReader<ChildStderr>,
    so_far: String,
}

impl Told {
    pub(crate) fn of(child: &mut Child) -> Self {
        Self { lines: BufReader::new(child.stderr.take().unwrap()), so_far: String::new() }
    }

    /// Reads until something was said.
    #[track_caller]
    pub(crate) fn until(&mut self, piece: &str) {
        let mut line = String::new();
        while !line.contains(piece) {
            line.clear();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "{piece:?} is not said\n{}", self.so_far);
            self.so_far.push_str(&line);
        }
    }

    /// All that was said, once the program has ended.
    pub(crate) fn rest(mut self) -> String {
        self.lines.read_to_string(&mut self.so_far).unwrap();
        self.so_far
    }
}
