//! Making a database: the execution alone against the `sqlite3` shell, and whole commands against other tools.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use super::Bench;
use crate::figure::{Aim, Figure, Row};
use crate::inside::{ApplyTimes, Inside};
use crate::invocation::{Invocation, repeatedly};
use crate::peers::Peers;
use crate::stage::{Schemas, remove_database};

/// How many tables are created.
const TABLES: usize = 1_000;

/// Execution alone, beside the shell.
const BESIDE_SHELL: f64 = 1.2;

/// Measures creation.
pub(crate) fn measure(bench: &mut Bench<'_>, inside: &Inside) {
    Bench::tell(&format!("creating {TABLES} tables"));
    let schemas = bench.stage.write_schemas(TABLES);
    let Some(schemas) = bench.noted("the schema to create", schemas) else { return };
    execution(bench, inside, &schemas);
    whole(bench, &schemas);
}

/// The phases of our run, and the plain programs that do no more than the execution.
fn execution(bench: &mut Bench<'_>, inside: &Inside, schemas: &Schemas) {
    let database = bench.stage.path("create.ptah.db");
    let mut phases: Vec<ApplyTimes> = Vec::new();
    let times = repeatedly(|| {
        remove_database(&database);
        let times = inside.apply(&database, &schemas.sql)?;
        phases.push(times);
        Ok(times.execution)
    });
    let ours = bench.times("create, execution alone", times);
    let shell = bench.stage.peers.shell.clone().map(Invocation::new);
    let plain = [("sqlite3", shell), ("plain SQLite", Some(Invocation::new(&bench.stage.sql)))];
    for (name, program) in plain {
        let database = bench.stage.path("create.plain.db");
        let told = program.map(|program| program.arg(&database).stdin(&schemas.transaction));
        let peer = told.and_then(|told| of_peer(bench, name, &database, &told));
        let aim = (name == "sqlite3").then_some(Aim::TimesAsLong(BESIDE_SHELL));
        bench.row(Row { what: "create, execution alone".to_owned(), tables: Some(TABLES), ours, peer, aim });
    }
    let part = |of: fn(&ApplyTimes) -> Duration| Figure::of_times(&phases.iter().map(of).collect::<Vec<_>>());
    for (what, ours) in [
        ("  apart: the desired schema, made and read", part(|times| times.loading)),
        ("  apart: planning", part(|times| times.planning)),
        ("  apart: the proof on a copy", part(|times| times.proving)),
        ("  apart: reading and settling", part(|times| times.settling)),
    ] {
        bench.row(Row { what: what.to_owned(), tables: Some(TABLES), ours, peer: None, aim: None });
    }
}

/// Commands from start to end. The others prove nothing, so there is no aim.
fn whole(bench: &mut Bench<'_>, schemas: &Schemas) {
    let what = "create, the whole command";
    let database = bench.stage.path("whole.ptah.db");
    let apply = bench.stage.ours(["schema", "apply"], &database).arg("--schema-file").arg(&schemas.sql);
    let apply = apply.arg("--auto-approve");
    let times = repeatedly(|| again(&database, &apply));
    let ours = bench.times(what, times);
    let database = bench.stage.path("whole.peer.db");
    let migrations = bench.stage.path("migrations");
    let written: Result<()> = std::fs::read_to_string(&schemas.sql)
        .and_then(|sql| Peers::write_migrations(&migrations, &sql))
        .map_err(Into::into);
    let mut peers: Vec<(String, Invocation)> = Vec::new();
    peers.extend(bench.stage.peers.change(&database, &schemas.hcl, true));
    if bench.noted("the migrations", written).is_some() {
        peers.extend(bench.stage.peers.runners(&database, &migrations));
    }
    if peers.is_empty() {
        bench.row(Row { what: what.to_owned(), tables: Some(TABLES), ours, peer: None, aim: None });
    }
    for (name, told) in peers {
        let peer = of_peer(bench, &name, &database, &told);
        bench.row(Row { what: what.to_owned(), tables: Some(TABLES), ours, peer, aim: None });
    }
    remove_database(&bench.stage.path("whole.ptah.db"));
    bench.memory("create", TABLES, &apply, None);
}

fn of_peer(bench: &mut Bench<'_>, name: &str, database: &Path, told: &Invocation) -> Option<(String, Figure)> {
    let times = repeatedly(|| again(database, told));
    let figure = bench.times(&format!("create ({name})"), times)?;
    Some((name.to_owned(), figure))
}

/// Runs a command on a database that is not there.
fn again(database: &Path, told: &Invocation) -> Result<Duration> {
    remove_database(database);
    told.time()
}
