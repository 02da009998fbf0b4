//! How long it takes until a provider can be asked, seen from inside and from outside.

use std::time::Duration;

use anyhow::Result;

use super::Bench;
use crate::figure::{Aim, Figure, Row};
use crate::inside::Inside;
use crate::invocation::{Invocation, repeatedly};

/// From the execution of the provider to the answer of its first call.
const FIRST_CALL: f64 = 0.010;

/// Measures starts.
pub(crate) fn measure(bench: &mut Bench<'_>, inside: &Inside) {
    Bench::tell("starting a provider");
    let samples = repeatedly(|| Ok(inside.start()?.launch_to_described()));
    let ours = bench.times("exec to first call", samples);
    let aim = Some(Aim::AtMost(FIRST_CALL));
    bench.row(Row { what: "exec to first call answered".to_owned(), tables: None, ours, peer: None, aim });
    let report = inside.start();
    if let Some(report) = bench.noted("the phases of a start", report) {
        for (phase, time) in [
            ("  of it: exec to handshake line", report.launch_to_line),
            ("  of it: connection, both sides proven", report.line_to_connected),
            ("  of it: first call", report.connected_to_described),
        ] {
            let ours = Figure::of_times(&[time]);
            bench.row(Row { what: phase.to_owned(), tables: None, ours, peer: None, aim: None });
        }
    }
    let check = Invocation::new(&bench.stage.ptah).args(["providers", "check", "--json"]);
    // The whole command, its end included: nothing outside can see the first call itself, so this is the upper bound.
    let whole: Result<Vec<Duration>> = repeatedly(|| check.time());
    let ours = bench.times("command start to first call", whole);
    let what = "command start to first call, and its end".to_owned();
    bench.row(Row { what, tables: None, ours, peer: None, aim: None });
}
