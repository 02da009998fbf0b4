//! Explores the operator's core against a model of its world: `ptah-explore [--config NAME] [--deep] [--limit STATES] [--seconds N]`.
//!
//! The core's own `Gather`, `decide` and `Perform` run here, not a copy of them. Between any two requests anything may
//! happen: another manager, a process, a controller, a person, a fault, time. It ends with `states: N  violations: 0`,
//! or with what is broken and the shortest way there.

mod action;
mod api;
mod canon;
mod check;
mod clock;
mod clones;
mod config;
mod coverage;
mod enabled;
mod live;
mod pass;
mod people;
mod runner;
mod search;
mod tidy;
mod walk;
mod world;

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};

/// When every world begins; no duration is half as long.
pub(crate) const START: i64 = 1_000_000_000;

/// What is asked for.
struct Arguments {
    config: Option<String>,
    limit: usize,
    seconds: u64,
    deep: bool,
}

fn main() -> Result<ExitCode> {
    let arguments = arguments()?;
    let configs = config::all(arguments.deep);
    coverage::forget();
    if let Some(name) = &arguments.config
        && !configs.iter().any(|config| config.name == *name)
    {
        let names: Vec<&str> = configs.iter().map(|config| config.name.as_str()).collect();
        bail!("there is no configuration {name}; there are: {}", names.join(", "));
    }
    let chosen: Vec<_> = configs
        .into_iter()
        .filter(|config| arguments.config.as_ref().is_none_or(|name| *name == config.name))
        .collect();
    let total = explore(&chosen, &arguments)?;
    let mut out = std::io::stdout().lock();
    for (name, count) in &check::SEEN {
        writeln!(out, "invariant: {name:<78} antecedent: {}", count.load(Ordering::Relaxed))?;
    }
    write!(out, "{}", coverage::table())?;
    let empty = if arguments.config.is_none() { coverage::empty() } else { Vec::new() };
    for cell in &empty {
        writeln!(out, "empty cell: {cell}")?;
    }
    let Total { states, violations, open } = total;
    writeln!(out, "states: {states}  violations: {violations}  open frontiers: {open}  empty cells: {}", empty.len())?;
    Ok(if violations == 0 && open == 0 && empty.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What all configurations together came to.
#[derive(Default)]
struct Total {
    states: usize,
    violations: u32,
    open: u32,
}

/// Explores the configurations, as many at once as there are cores, and prints each when it is done.
fn explore(configs: &[config::Config], arguments: &Arguments) -> Result<Total> {
    let next = AtomicUsize::new(0);
    let total = Mutex::new(Total::default());
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|_| {
                scope.spawn(|| -> Result<()> {
                    while let Some(config) = configs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        explore_one(config, arguments, &total)?;
                    }
                    Ok(())
                })
            })
            .collect();
        handles.into_iter().try_for_each(|handle| handle.join().map_err(|_| anyhow!("an exploration panicked"))?)
    })?;
    total.into_inner().map_err(|_| anyhow!("an exploration panicked"))
}

fn explore_one(config: &config::Config, arguments: &Arguments, total: &Mutex<Total>) -> Result<()> {
    let began = Instant::now();
    let seconds = Duration::from_secs(arguments.seconds);
    let found = match config.bound {
        Some(bound) => search::explore_some(&config.start, bound.min(arguments.limit), seconds),
        None => search::explore(&config.start, arguments.limit, seconds),
    };
    // What is only looked at so far was never meant to be closed, but it has to get there.
    let reached = config.bound.is_some_and(|bound| found.states >= bound.min(arguments.limit));
    let mut total = total.lock().map_err(|_| anyhow!("an exploration panicked"))?;
    total.states += found.states;
    total.open += u32::from(!found.closed && !reached && found.violation.is_none());
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{:<28} states: {:>9}  transitions: {:>10}  depth: {:>3}  frontier: {:<5}  {:>6.1} s",
        config.name,
        found.states,
        found.transitions,
        found.depth,
        match (found.closed, reached) {
            (true, _) => "empty",
            (false, true) => "bound",
            (false, false) => "open",
        },
        began.elapsed().as_secs_f64()
    )?;
    if let Some((broken, steps)) = found.violation {
        total.violations += 1;
        writeln!(out, "  VIOLATION: {broken}")?;
        explain(&mut out, &config.start, &steps)?;
    }
    Ok(())
}

/// Prints the way to a violation: each action, and what there is afterwards.
fn explain(out: &mut impl std::io::Write, start: &world::World, steps: &[action::Action]) -> Result<()> {
    let mut world = start.clone();
    for step in steps {
        let before = world.clone();
        world = action::apply(&world, *step);
        writeln!(out, "  {step:?} {}", request(&before, *step).unwrap_or_default())?;
        for resource in &world.resources {
            let status = &resource.status;
            let claim =
                status.claim.as_ref().map(|c| (c.operation, c.kind, c.marked, c.job, c.started_by.is_some(), c.broken));
            let record =
                status.record.as_ref().map(|r| (r.operation, r.outcome, r.attempts.map(|a| a.count), r.inherited));
            let owed = status.owed.map(|owed| (owed.operation, owed.drop_hold));
            writeln!(
                out,
                "      {:?} {:?} claim {claim:?} record {record:?} owed {owed:?}",
                resource.uid, status.shown
            )?;
        }
        for (name, lease) in &world.leases {
            let hold = lease.hold.map(|hold| hold.operation);
            let name = if matches!(name, ptah_reconcile::LeaseName::Realm(_)) { "C" } else { "D" };
            writeln!(out, "      {name} held by {:?} hold {hold:?} settled {:?}", lease.holder, lease.settled)?;
        }
    }
    Ok(())
}

/// The request that a step carries out.
fn request(world: &world::World, step: action::Action) -> Option<&'static str> {
    let (action::Action::Deliver(manager, place) | action::Action::Fault(manager, place, _)) = step else {
        return None;
    };
    Some(coverage::name(world.managers[manager].pending[place].as_ref()?.request()))
}

fn arguments() -> Result<Arguments> {
    let mut parsed = Arguments { config: None, limit: 2_000_000, seconds: 600, deep: false };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().with_context(|| format!("{word} needs a value"));
        match word.as_str() {
            "--deep" => parsed.deep = true,
            "--config" => parsed.config = Some(value()?),
            "--limit" => parsed.limit = value()?.parse().context("--limit is a number of states")?,
            "--seconds" => parsed.seconds = value()?.parse().context("--seconds is a number")?,
            other => {
                bail!(
                    "unknown argument {other}; usage: ptah-explore [--config NAME] [--deep] [--limit STATES] [--seconds N]"
                )
            }
        }
    }
    Ok(parsed)
}
