//! What cannot be seen from outside: how long a provider takes to start, and the phases of a run.
//!
//! Drives the release build's provider through the same code that the command line uses, and looks at its clock. The
//! provider is the executable of `ptah` itself, started as `ptah` starts it.

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use ptah_drive::prepare::Planned;
use ptah_drive::run::{Consent, Limits, Order, Stop, Target, Wanted, run};
use ptah_drive::{Engine, Phase, Progress, new_operation};
use ptah_model::{EngineName, ProviderId};
use ptah_plan::Policy;
use ptah_provider_api::session::Address;
use ptah_provider_host::Catalogue;
use ptah_provider_host::catalogue::{Bundled, CatalogueEngine, Program};
use ptah_provider_host::start::{StartOptions, StartReport};

use serde::{Deserialize, Serialize};

use crate::invocation::Invocation;

/// The engine that is measured.
pub(crate) const ENGINE: &str = "sqlite";

/// What an executable says of itself.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Known {
    build: String,
    listed: serde_json::Value,
}

impl Known {
    /// Asks it.
    pub(crate) fn ask(ptah: &Path) -> Result<Self> {
        let document = |command: &[&str]| -> Result<serde_json::Value> {
            let asked = command.iter().fold(Invocation::new(ptah), Invocation::arg);
            serde_json::from_str(&asked.output()?).context("ptah wrote no document")
        };
        let version = document(&["version", "--json"])?;
        let build = version["build"].as_str().context("the document of the version names no build")?.to_owned();
        Ok(Self { build, listed: document(&["providers", "list", "--json"])? })
    }
}

/// Starts providers of one executable.
pub(crate) struct Inside {
    runtime: tokio::runtime::Runtime,
    catalogue: Catalogue,
}

/// Where the time of an apply went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ApplyTimes {
    /// The desired schema: created in a scratch database and read back.
    pub(crate) loading: Duration,
    /// Comparing, and the provider's steps.
    pub(crate) planning: Duration,
    /// The plan carried out on a copy of the current schema.
    pub(crate) proving: Duration,
    /// Intent, transaction, statements, outcome, commit.
    pub(crate) execution: Duration,
    /// Reading what came of it, and the record of that.
    pub(crate) settling: Duration,
}

impl Inside {
    /// Asks the executable which build it is and what its provider is called.
    pub(crate) fn new(ptah: &Path) -> Result<Self> {
        Self::knowing(ptah, &Known::ask(ptah)?)
    }

    /// With what was asked before.
    pub(crate) fn knowing(ptah: &Path, known: &Known) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let provider = bundled(&known.listed, ptah, &known.build)?;
        Ok(Self { runtime, catalogue: Catalogue::new(vec![provider], Vec::new())? })
    }

    /// Starts a provider, ends it, and gives its account of the start.
    pub(crate) fn start(&self) -> Result<StartReport> {
        self.runtime.block_on(async {
            let engine = self.engine().await?;
            let report = engine.provider().report().clone();
            engine.end().await;
            Ok(report)
        })
    }

    /// Runs something that needs the runtime.
    pub(crate) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// Makes a database from a schema, and says where the time went.
    pub(crate) fn apply(&self, database: &Path, schema: &Path) -> Result<ApplyTimes> {
        let sources = ptah_sources::read(&[schema.to_owned()], &mut std::io::empty());
        let sources = sources.map_err(|_| anyhow::anyhow!("the schema cannot be read"))?;
        let order = Order {
            address: Address::new(format!("sqlite://{}", database.display())),
            operation: new_operation()?,
            wanted: Wanted::Sources(sources, Policy::default()),
            dry_run: false,
            adoption: None,
            accept: std::collections::BTreeSet::new(),
            fresh: false,
            show_rows: false,
            limits: Limits { run_lock: Duration::from_secs(5), lock: Duration::from_secs(5), statement: None },
        };
        let clock = Clock::default();
        let (ending, ended) = self.runtime.block_on(async {
            let engine = self.engine().await?;
            let report = run(&engine, &order, &mut Always, &clock, &Stop::default()).await?;
            let ended = Instant::now();
            engine.end().await;
            anyhow::Ok((report.ending, ended))
        })?;
        ensure!(ending == ptah_apply::Ending::Applied, "the run ended as {ending:?}");
        Ok(clock.times(ended))
    }

    /// Starts a provider.
    pub(crate) async fn engine(&self) -> Result<Engine> {
        let chosen = self.catalogue.choose(Some(ENGINE), None)?;
        let options = StartOptions::new(concat!("ptah-bench/", env!("CARGO_PKG_VERSION")));
        let provider = ptah_provider_host::start(chosen.entry, &options).await?;
        Ok(Engine::new(provider, chosen.engine.clone()))
    }
}

impl std::fmt::Debug for Inside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inside").field("catalogue", &self.catalogue).finish_non_exhaustive()
    }
}

/// The provider of the engine, as the executable lists it.
fn bundled(listed: &serde_json::Value, ptah: &Path, build: &str) -> Result<Bundled> {
    let providers = listed["providers"].as_array().context("the document lists no providers")?;
    let found = providers.iter().find_map(|provider| {
        let engines = provider["engines"].as_array()?;
        Some((provider["id"].as_str()?, engines.iter().find(|engine| engine["name"] == ENGINE)?))
    });
    let (id, engine) = found.context("the executable brings no such engine")?;
    let names = |key: &str| -> Result<Vec<EngineName>> {
        let names = engine[key].as_array().into_iter().flatten().filter_map(|name| name.as_str());
        names.map(|name| EngineName::new(name).context("a listed name is none")).collect()
    };
    let file = Arc::new(std::fs::File::open(ptah)?.into());
    let mut program = Program::new(file, "ptah", build);
    program.arguments.push(OsString::from(ENGINE));
    let engine = CatalogueEngine {
        name: EngineName::new(ENGINE).context("the engine's name is none")?,
        aliases: names("aliases")?,
        schemes: names("schemes")?,
    };
    Ok(Bundled { provider: ProviderId::new(id).context("a listed ID is none")?, engines: vec![engine], program })
}

/// Consents to everything: the databases are our own.
struct Always;

impl Consent for Always {
    fn approve(&mut self, _: &Planned, _: &Target, _: &[ptah_apply::Settled]) -> bool {
        true
    }
}

/// Notes when each phase began.
#[derive(Debug, Default)]
struct Clock(RefCell<Vec<(Phase, Instant)>>);

impl Progress for Clock {
    fn at(&self, phase: Phase) {
        self.0.borrow_mut().push((phase, Instant::now()));
    }
}

impl Clock {
    /// The length of each phase. A phase ends when the next one begins, and the last one with the run.
    fn times(&self, ended: Instant) -> ApplyTimes {
        let begun = self.0.borrow();
        let mut times = ApplyTimes {
            loading: Duration::ZERO,
            planning: Duration::ZERO,
            proving: Duration::ZERO,
            execution: Duration::ZERO,
            settling: Duration::ZERO,
        };
        let mut has_run = false;
        for (place, (phase, began)) in begun.iter().enumerate() {
            let until = begun.get(place + 1).map_or(ended, |(_, next)| *next);
            let length = until.saturating_duration_since(*began);
            match phase {
                Phase::LoadingSources => times.loading += length,
                Phase::Planning | Phase::AskingRows => times.planning += length,
                Phase::Proving => times.proving += length,
                Phase::Applying(..) => {
                    has_run = true;
                    times.execution += length;
                }
                Phase::Reading if has_run => times.settling += length,
                Phase::Reading | Phase::WaitingForLock | Phase::WaitingForWriters => {}
            }
        }
        times
    }
}

/// Where the executables of a release build lie.
pub(crate) fn is_release(ptah: &Path) -> bool {
    let folder = ptah.parent().and_then(Path::file_name);
    folder.is_some_and(|name| name == "release" || name == "dist")
}

/// A path that must be there.
pub(crate) fn existing(path: PathBuf) -> Result<PathBuf> {
    ensure!(path.is_file(), "{} is missing: run bench/run.sh, which builds it", path.display());
    Ok(path.canonicalize()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phase_lasts_until_the_next_and_the_last_until_the_end() {
        let begin = Instant::now();
        let at = |ms: u64| begin + Duration::from_millis(ms);
        let clock = Clock::default();
        *clock.0.borrow_mut() = vec![
            (Phase::Reading, at(0)),
            (Phase::LoadingSources, at(10)),
            (Phase::Planning, at(30)),
            (Phase::AskingRows, at(60)),
            (Phase::Proving, at(70)),
            (Phase::Applying(1, 2), at(120)),
            (Phase::Applying(2, 2), at(130)),
            (Phase::Reading, at(200)),
        ];
        let ms = Duration::from_millis;
        let expected =
            ApplyTimes { loading: ms(20), planning: ms(40), proving: ms(50), execution: ms(80), settling: ms(100) };
        assert_eq!(clock.times(at(300)), expected);
    }

    #[test]
    fn a_debug_build_is_told_from_a_release_build() {
        assert!(is_release(Path::new("target/release/ptah")));
        assert!(is_release(Path::new("target/dist/ptah")));
        assert!(!is_release(Path::new("target/debug/ptah")));
    }
}
