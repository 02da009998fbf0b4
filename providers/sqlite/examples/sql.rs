//! Runs SQL from standard input on a database file and prints what it returns: an application that knows nothing of
//! Ptah, for the demonstration and for tests that need one on a machine without the `sqlite3` shell.
//!
//! `sql FILE < statements.sql`. Rows are printed with `|` between their values. `-- wait FILE` on a line of its own
//! waits until that file exists, so that a script can hold a transaction open.

use std::io::{Read, Write};
use std::process::ExitCode;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use sqlite3_parser::FallibleIterator as _;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args_os().nth(1).ok_or("usage: sql FILE < statements.sql")?;
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let connection = Connection::open(file)?;
    for part in text.split_inclusive('\n').fold(vec![String::new()], pieces) {
        match part.strip_prefix("-- wait ") {
            Some(file) => wait_for(file.trim()),
            None => execute(&connection, &part)?,
        }
    }
    Ok(())
}

/// Cuts the script at its `-- wait` lines.
fn pieces(mut pieces: Vec<String>, line: &str) -> Vec<String> {
    if line.starts_with("-- wait ") {
        pieces.push(line.to_owned());
        pieces.push(String::new());
    } else if let Some(last) = pieces.last_mut() {
        last.push_str(line);
    }
    pieces
}

fn wait_for(file: &str) {
    while !std::path::Path::new(file).exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Runs each statement, and prints the rows of those that return any.
fn execute(connection: &Connection, sql: &str) -> Result<(), Box<dyn std::error::Error>> {
    let mut batch = rusqlite::Batch::new(connection, sql);
    while let Some(mut statement) = batch.next()? {
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let values: Result<Vec<String>, rusqlite::Error> = (0..columns).map(|i| value(row, i)).collect();
            writeln!(std::io::stdout(), "{}", values?.join("|"))?;
        }
    }
    Ok(())
}

fn value(row: &Row<'_>, index: usize) -> rusqlite::Result<String> {
    Ok(match row.get_ref(index)? {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Blob(bytes) => format!("x'{}'", hex::encode(bytes)),
    })
}
