//! Measures the command line side by side with other tools, and prints ratios from one run.
//!
//! Only what was measured in the same run, on the same machine and file system, is held against each other. Nothing
//! here is a test: an aim that is missed is printed, and the program ends well all the same.

mod figure;
mod inside;
mod invocation;
mod peers;
mod processes;
mod report;
mod schema;
mod stage;
mod statistics;
mod work;

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::Parser;

use crate::inside::Inside;
use crate::peers::Peers;
use crate::report::Report;
use crate::stage::Stage;
use crate::work::{Bench, boundary, create, look, overhead, start};

/// Measures the command line side by side with other tools.
#[derive(Debug, Parser)]
struct Arguments {
    /// A release build of the command line.
    #[arg(long, value_name = "FILE")]
    ptah: PathBuf,
    /// The plain program over our SQLite library.
    #[arg(long, value_name = "FILE")]
    sql: PathBuf,
    /// Our host as a program.
    #[arg(long, value_name = "FILE")]
    interop: PathBuf,
    /// A provider on our SDK that answers with as many bytes as it is asked for.
    #[arg(long, value_name = "FILE")]
    zorp: PathBuf,
    /// The folder of the peers.
    #[arg(long, value_name = "FOLDER")]
    peers: PathBuf,
    /// Where databases are made.
    #[arg(long, value_name = "FOLDER")]
    scratch: PathBuf,
    /// The sizes to look at, in tables.
    #[arg(long, value_delimiter = ',', default_value = "100,1000,2000,10000")]
    sizes: Vec<usize>,
    /// The largest size for the declarative peer, whose time grows with the square.
    #[arg(long, value_name = "TABLES", default_value_t = 2000)]
    peer_limit: usize,
    /// Which work: start, boundary, overhead, create, look.
    #[arg(long, value_delimiter = ',', default_value = "start,boundary,overhead,create,look")]
    only: Vec<String>,
    /// Write one JSON document to stdout instead of the table.
    #[arg(long)]
    json: bool,
    /// Measure a debug build all the same, to try this program.
    #[arg(long)]
    debug_build: bool,
}

fn main() -> Result<()> {
    let typed: Vec<_> = std::env::args_os().skip(1).collect();
    if let Some((_, rest)) = typed.split_first().filter(|(first, _)| *first == overhead::ONCE) {
        return overhead::once(rest);
    }
    let mut arguments = Arguments::parse();
    let ptah = inside::existing(arguments.ptah.clone())?;
    if !arguments.debug_build && !inside::is_release(&ptah) {
        bail!("{} is no release build: its figures mean nothing", ptah.display());
    }
    arguments.sizes.sort_unstable();
    arguments.sizes.dedup();
    arguments.sizes.retain(|size| *size > 1);
    let sql = inside::existing(arguments.sql.clone())?;
    let peers = Peers::find(&arguments.peers);
    let report = Report { missing: peers.missing.clone(), ..Report::default() };
    let inside = Inside::new(&ptah).context("ptah cannot be driven")?;
    let stage = Stage::new(&arguments.scratch, ptah, sql, peers)?;
    let mut bench = Bench { stage: &stage, sizes: &arguments.sizes, peer_limit: arguments.peer_limit, report };
    for work in &arguments.only {
        match work.as_str() {
            "start" => start::measure(&mut bench, &inside),
            "boundary" => boundary::measure(&mut bench, &arguments.interop, &arguments.zorp),
            "overhead" => overhead::measure(&mut bench),
            "create" => create::measure(&mut bench, &inside),
            "look" => look::measure(&mut bench),
            other => bail!("there is no work called {other}: start, boundary, overhead, create, look"),
        }
    }
    let text = if arguments.json {
        format!("{}\n", serde_json::to_string_pretty(&bench.report.document())?)
    } else {
        bench.report.text()
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}
