//! What the boundary costs a whole piece of work: the same loop over the same database, with the provider as a process and
//! without one.
//!
//! Both sides run here, one after the other in turns, so that they meet the same machine. What `ptah` itself takes to
//! start is in neither.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use ptah_bench_inside as direct;
use ptah_drive as real;
use ptah_model::{EngineName, OperationId};
use ptah_plan::Policy;
use ptah_provider_api::session::Address;
use ptah_sources::Sources;

use super::Bench;
use crate::figure::{Aim, Figure, Row};
use crate::inside::{ENGINE, Inside};

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
pub(crate) fn measure(bench: &mut Bench<'_>, inside: &Inside) {
    Bench::tell("planning with and without a boundary");
    let made = bench.stage.write_schemas(TABLES).and_then(|schemas| {
        let database = bench.stage.made_by_us(TABLES, &schemas)?;
        Ok((database, schemas))
    });
    let Some((database, schemas)) = bench.noted("the database to plan on", made) else { return };
    let works: [(&str, &PathBuf, usize); 2] =
        [("plan, no change, in full", &schemas.sql, 0), ("plan, one change, proven", &schemas.changed_sql, 1)];
    for (what, schema, segments) in works {
        let what = format!("boundary: {what}");
        let measured = both(inside, &database, schema, segments);
        let Some((ours, without)) = bench.noted(&what, measured) else { continue };
        let peer = Figure::of_times(&without).map(|figure| ("without a process".to_owned(), figure));
        let aim = Some(Aim::TimesAsLong(AT_MOST));
        bench.row(Row { what, tables: Some(TABLES), ours: Figure::of_times(&ours), peer, aim });
    }
}

/// The times with a process and without one, in turns, after one round to warm up.
fn both(inside: &Inside, database: &Path, schema: &Path, segments: usize) -> Result<(Vec<Duration>, Vec<Duration>)> {
    let sources = ptah_sources::read(&[schema.to_owned()], &mut std::io::empty());
    let sources = sources.map_err(|_| anyhow::anyhow!("the schema cannot be read"))?;
    let work = Work { address: Address::new(format!("sqlite://{}", database.display())), sources, segments };
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let times =
            inside.block_on(async { anyhow::Ok((with_process(inside, &work).await?, directly(&work).await?)) })?;
        if round > 0 {
            with.push(times.0);
            without.push(times.1);
        }
    }
    Ok((with, without))
}

async fn with_process(inside: &Inside, work: &Work) -> Result<Duration> {
    let began = Instant::now();
    let segments = plan_with!(real, inside.engine().await?, work);
    ensure!(segments == work.segments, "the plan has {segments} segments");
    Ok(began.elapsed())
}

async fn directly(work: &Work) -> Result<Duration> {
    let began = Instant::now();
    let name = EngineName::new(ENGINE).context("the engine's name is none")?;
    let segments = plan_with!(direct, direct::Engine::new(direct::Provider::default(), name), work);
    ensure!(segments == work.segments, "without a process the plan has {segments} segments");
    Ok(began.elapsed())
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
        assert!(runtime.block_on(directly(&work))? > Duration::ZERO);
        assert_eq!(std::fs::read(&database)?, b"", "it only looked");
        Ok(())
    }
}
