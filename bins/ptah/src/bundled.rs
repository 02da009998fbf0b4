//! The engines that `ptah` brings along, and how it serves one of them when it is started again as a provider.
//!
//! The only file above the boundary that names an engine. Adding one is an entry in [`all`] and an arm in [`serve`].

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use ptah_model::{EngineName, ProviderId};
use ptah_provider_api::describe::Description;
use ptah_provider_api::dev::ProvisionDevRequest;
use ptah_provider_api::plan::{PlanReply, PlanRequest};
use ptah_provider_api::render::RenderReply;
use ptah_provider_api::session::{DevId, OpenRequest};
use ptah_provider_api::sql::{AnalyzeSqlRequest, SourceAnalysis};
use ptah_provider_host::catalogue::{Bundled, CatalogueEngine, Program};
use ptah_provider_sdk::{Engine, Failure, Opened};
use ptah_provider_sqlite::SqliteEngine;

use crate::failure::Failure as CommandFailure;

/// What a host and a provider of one executable share. Made from the sources, without a time.
pub const BUILD_ID: &str = env!("PTAH_BUILD_ID");

/// An engine that is part of the executable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BundledEngine {
    /// Its name, and the argument that selects it.
    pub name: &'static str,
    /// Its other names.
    pub aliases: &'static [&'static str],
    /// The schemes of addresses that select it.
    pub schemes: &'static [&'static str],
    /// Who its provider says that it is.
    pub provider: &'static str,
}

/// Every bundled engine.
pub fn all() -> &'static [BundledEngine] {
    &[BundledEngine { name: "sqlite", aliases: &["sqlite3"], schemes: &["sqlite"], provider: "ptah.run/sqlite" }]
}

/// The bundled engine that a command means when nothing names one; `None` when there are several.
pub fn only() -> Option<&'static str> {
    match all() {
        [one] => Some(one.name),
        _ => None,
    }
}

/// Serves an engine as its provider, until the host asks for the end.
pub fn serve(engine: &str) -> ExitCode {
    match engine {
        "sqlite" => ptah_provider_sdk::serve(OfThisBuild(SqliteEngine::new())),
        _ => ExitCode::from(2),
    }
}

/// The bundled engines for a catalogue, each executed from the program's own file.
pub fn for_catalogue() -> Result<Vec<Bundled>, CommandFailure> {
    let file = std::fs::File::open("/proc/self/exe").or_else(|_| std::fs::File::open(std::env::current_exe()?));
    let file = Arc::new(file.map_err(|_| unusable("its own file cannot be opened"))?.into());
    all().iter().map(|engine| bundled(engine, &file)).collect()
}

fn bundled(engine: &BundledEngine, file: &Arc<std::os::fd::OwnedFd>) -> Result<Bundled, CommandFailure> {
    let name = |text: &&str| EngineName::new(*text).map_err(|_| unusable("a bundled engine has a name that is none"));
    let mut program = Program::new(Arc::clone(file), "ptah", BUILD_ID);
    program.arguments.push(OsString::from(engine.name));
    Ok(Bundled {
        provider: ProviderId::new(engine.provider)
            .map_err(|_| unusable("a bundled provider has an ID that is none"))?,
        engines: vec![CatalogueEngine {
            name: name(&engine.name)?,
            aliases: engine.aliases.iter().map(name).collect::<Result<_, _>>()?,
            schemes: engine.schemes.iter().map(name).collect::<Result<_, _>>()?,
        }],
        program,
    })
}

fn unusable(why: &str) -> CommandFailure {
    CommandFailure::new("internal", format!("ptah cannot start its bundled engines: {why}"))
}

/// An engine whose description says which build it is part of, so that a host of another build does not talk to it.
#[derive(Debug)]
struct OfThisBuild<E>(E);

impl<E: Engine> Engine for OfThisBuild<E> {
    type Snapshot = E::Snapshot;
    type Session = E::Session;

    fn description(&self) -> Description {
        Description { build_id: Some(BUILD_ID.to_owned()), ..self.0.description() }
    }

    fn open(&self, request: &OpenRequest) -> Result<Opened<Self::Session>, Failure> {
        self.0.open(request)
    }

    fn analyze_sql(&self, request: &AnalyzeSqlRequest) -> Result<SourceAnalysis, Failure> {
        self.0.analyze_sql(request)
    }

    fn plan(
        &self,
        request: &PlanRequest,
        current: &Self::Snapshot,
        desired: &Self::Snapshot,
    ) -> Result<PlanReply, Failure> {
        self.0.plan(request, current, desired)
    }

    fn render(&self, snapshot: &Self::Snapshot) -> Result<RenderReply, Failure> {
        self.0.render(snapshot)
    }

    fn provision_dev(
        &self,
        request: &ProvisionDevRequest,
        copy_of: Option<Arc<Self::Snapshot>>,
    ) -> Result<DevId, Failure> {
        self.0.provision_dev(request, copy_of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bundled_engine_describes_itself_as_the_list_says() {
        for engine in all() {
            // Grows with the list: an engine that is listed and not described here does not compile into the test.
            let description = match engine.name {
                "sqlite" => OfThisBuild(SqliteEngine::new()).description(),
                other => panic!("{other} is not tested"),
            };
            assert_eq!(description.provider_id.as_str(), engine.provider);
            assert_eq!(description.build_id.as_deref(), Some(BUILD_ID));
            let [described] = description.engines.as_slice() else { panic!("one engine") };
            assert_eq!(described.name.as_str(), engine.name);
            let words = |names: &[EngineName]| names.iter().map(|n| n.as_str().to_owned()).collect::<Vec<_>>();
            assert_eq!(words(&described.aliases), engine.aliases);
            assert_eq!(words(&described.url_schemes), engine.schemes);
        }
    }

    #[test]
    fn an_engine_that_is_not_bundled_is_not_served() {
        assert_eq!(format!("{:?}", serve("none")), format!("{:?}", ExitCode::from(2)));
    }
}
