//! The work that is measured, one file each: starting, calling across the boundary, planning with and
//! without it, looking, creating.

pub(crate) mod boundary;
pub(crate) mod create;
pub(crate) mod look;
pub(crate) mod overhead;
pub(crate) mod start;

use std::io::Write as _;
use std::time::Duration;

use anyhow::Result;

use crate::figure::{Aim, Figure, Row};
use crate::invocation::Invocation;
use crate::report::Report;
use crate::stage::Stage;

/// The most that all processes of one command may take, in bytes.
const MEMORY: f64 = 256.0 * 1024.0 * 1024.0;

/// What a round of measuring works with.
#[derive(Debug)]
pub(crate) struct Bench<'a> {
    /// The files and programs.
    pub(crate) stage: &'a Stage,
    /// The sizes, in tables, rising.
    pub(crate) sizes: &'a [usize],
    /// Peers whose time grows with the square are left out above this size.
    pub(crate) peer_limit: usize,
    /// Where the rows go.
    pub(crate) report: Report,
}

impl Bench<'_> {
    /// Says what is being measured, for people who wait.
    pub(crate) fn tell(what: &str) {
        // A closed stderr is no reason to stop measuring.
        let _ = writeln!(std::io::stderr(), "{what}");
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, row: Row) {
        let figure = |figure: &Figure| format!("{:.4}", figure.value);
        let ours = row.ours.as_ref().map_or("-".to_owned(), figure);
        let peer = row.peer.as_ref().map_or(String::new(), |(name, theirs)| format!(", {name} {}", figure(theirs)));
        Self::tell(&format!("  {} ({}): {ours}{peer}", row.what, row.tables.unwrap_or(0)));
        self.report.rows.push(row);
    }

    /// The figure, or a note that there is none and why. One failure never takes the other rows with it.
    pub(crate) fn noted<T>(&mut self, what: &str, measured: Result<T>) -> Option<T> {
        match measured {
            Ok(figure) => Some(figure),
            Err(error) => {
                let failure = format!("{what}: {error:#}");
                Self::tell(&format!("  not measured: {failure}"));
                self.report.failures.push(failure);
                None
            }
        }
    }

    /// The times of a command that needs nothing done before it.
    pub(crate) fn time(&mut self, what: &str, invocation: &Invocation) -> Option<Figure> {
        let measured = crate::invocation::repeatedly(|| invocation.time());
        self.times(what, measured)
    }

    /// The median of some times.
    pub(crate) fn times(&mut self, what: &str, measured: Result<Vec<Duration>>) -> Option<Figure> {
        Figure::of_times(&self.noted(what, measured)?)
    }

    /// Adds a row of memory: ours, and that of a peer on the same work.
    pub(crate) fn memory(&mut self, what: &str, tables: usize, ours: &Invocation, peer: Option<&(String, Invocation)>) {
        let what = format!("memory: {what}");
        let ours = ours.peak_memory();
        let ours = self.noted(&what, ours).map(Figure::of_bytes);
        let theirs = peer.and_then(|(name, invocation)| {
            let measured = invocation.peak_memory();
            self.noted(&format!("{what} ({name})"), measured).map(|bytes| (name.clone(), Figure::of_bytes(bytes)))
        });
        self.row(Row { what, tables: Some(tables), ours, peer: theirs, aim: Some(Aim::AtMost(MEMORY)) });
    }
}
