//! What the boundary costs a whole piece of work: the same loop over the same database, with the provider as a process and
//! without one.
//!
//! Each is one plan in a process of its own that has done nothing before, this very program, as a command is. The sides take
//! turns, so that they meet the same machine.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use ptah_bench_inside as direct;
use ptah_drive as real;
use ptah_model::{EngineName, OperationId};
use ptah_plan::Policy;
use ptah_provider_api::session::Address;
use ptah_sources::Sources;

use super::Bench;
use crate::figure::{Aim, Figure, Row};
use crate::inside::{ENGINE, Inside, Known};
use crate::invocation::Invocation;

/// The first argument that asks this program for one plan.
pub(crate) const ONCE: &str = "plan-once";

/// With a provider as a process.
const PROCESS: &str = "process";

/// With a provider that is called directly.
const DIRECT: &str = "direct";

/// How many tables the schema has.
const TABLES: usize = 100;

/// How often each side is measured.
const ROUNDS: usize = 41;

/// How many times as long as without a boundary it may take.
const AT_MOST: f64 = 1.15;

/// One plan to make.
struct Work {
    address: Address,
    sources: Sources,
    /// How many segments the plan has; none where nothing is to be done.
    segments: usize,
}

/// A loop that makes the plan, with everything that has to be started and ended for it.
macro_rules! plan_with {
    ($loop:ident, $engine:expr, $work:expr) => {{
        let (engine, work): (_, &Work) = ($engine, $work);
        let accept = std::collections::BTreeSet::new();
        let place = $loop::look::Place { address: work.address.clone(), recover: false, accept, lock: Duration::ZERO };
        let operation: OperationId = $loop::new_operation()?;
        let policy = Policy::default();
        let (sources, operation) = (&work.sources, &operation);
        let wish = $loop::look::Wish { sources, policy: &policy, operation, fresh: true, show_rows: false };
        let opened = $loop::look::open(&engine, &place, &$loop::Silent).await?;
        let looked = $loop::look::plan(&engine, &opened, &wish, &$loop::Silent).await?;
        drop(opened);
        engine.end().await;
        match looked.prepared.decision {
            $loop::prepare::Decision::InSync => 0,
            $loop::prepare::Decision::Planned(planned) => planned.plan.segments().len(),
            $loop::prepare::Decision::Refused(_) => anyhow::bail!("the plan is refused"),
        }
    }};
}

/// Measures the plan that finds nothing, in full, and the plan of one change, which is proven on a copy.
pub(crate) fn measure(bench: &mut Bench<'_>) {
    Bench::tell("planning with and without a boundary");
    let made = bench.stage.write_schemas(TABLES).and_then(|schemas| {
        let database = bench.stage.made_by_us(TABLES, &schemas)?;
        let known = bench.stage.path("known.json");
        std::fs::write(&known, serde_json::to_vec(&Known::ask(&bench.stage.ptah)?)?)?;
        Ok((database, schemas, known))
    });
    let Some((database, schemas, known)) = bench.noted("the database to plan on", made) else { return };
    let works: [(&str, &PathBuf, &str); 2] =
        [("plan, no change, in full", &schemas.sql, "0"), ("plan, one change, proven", &schemas.changed_sql, "1")];
    for (what, schema, segments) in works {
        let what = format!("boundary: {what}");
        let once = |side: &str| {
            let this = Invocation::new(std::env::current_exe()?).args([ONCE, side]);
            anyhow::Ok(this.arg(&bench.stage.ptah).arg(&known).arg(&database).arg(schema).arg(segments))
        };
        let measured = once(PROCESS).and_then(|with| both(&with, &once(DIRECT)?));
        let Some((ours, without)) = bench.noted(&what, measured) else { continue };
        let peer = Figure::of_times(&without).map(|figure| ("without a provider process".to_owned(), figure));
        let aim = Some(Aim::TimesAsLong(AT_MOST));
        bench.row(Row { what, tables: Some(TABLES), ours: Figure::of_times(&ours), peer, aim });
    }
}

/// The times of both, in turns, after one round to warm up what the machine keeps of files.
fn both(with: &Invocation, without: &Invocation) -> Result<(Vec<Duration>, Vec<Duration>)> {
    let mut times = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let (first, second) = (with.time()?, without.time()?);
        if round > 0 {
            times.0.push(first);
            times.1.push(second);
        }
    }
    Ok(times)
}

/// What the program does when its first argument is [`ONCE`]: one plan, in a process that has done nothing before, as a
/// command is. Arguments: the side, the executable, what it said of itself, the database, the schema, the segments.
pub(crate) fn once(arguments: &[OsString]) -> Result<()> {
    let [side, ptah, known, database, schema, segments] = arguments else { bail!("a plan has six arguments") };
    let known: Known = serde_json::from_slice(&std::fs::read(known)?)?;
    let inside = Inside::knowing(Path::new(ptah), &known)?;
    let sources = ptah_sources::read(&[PathBuf::from(schema)], &mut std::io::empty());
    let sources = sources.map_err(|_| anyhow::anyhow!("the schema cannot be read"))?;
    let segments = segments.to_string_lossy().parse()?;
    let address = Address::new(format!("sqlite://{}", Path::new(database).display()));
    let work = Work { address, sources, segments };
    inside.block_on(async { if side == PROCESS { with_process(&inside, &work).await } else { directly(&work).await } })
}

async fn with_process(inside: &Inside, work: &Work) -> Result<()> {
    let segments = plan_with!(real, inside.engine().await?, work);
    ensure!(segments == work.segments, "the plan has {segments} segments");
    Ok(())
}

async fn directly(work: &Work) -> Result<()> {
    let name = EngineName::new(ENGINE).context("the engine's name is none")?;
    let segments = plan_with!(direct, direct::Engine::new(direct::Provider::default(), name), work);
    ensure!(segments == work.segments, "without a process the plan has {segments} segments");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loop_without_a_process_plans_as_the_real_one_does() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let (database, schema) = (folder.path().join("a.db"), folder.path().join("a.sql"));
        std::fs::write(&database, "")?;
        std::fs::write(&schema, "CREATE TABLE t (id INTEGER PRIMARY KEY);")?;
        let sources = ptah_sources::read(&[schema], &mut std::io::empty()).map_err(|_| anyhow::anyhow!("unread"))?;
        let work = Work { address: Address::new(format!("sqlite://{}", database.display())), sources, segments: 1 };
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(directly(&work))?;
        assert_eq!(std::fs::read(&database)?, b"", "it only looked");
        Ok(())
    }
}
