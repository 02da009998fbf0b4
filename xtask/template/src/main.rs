//! A provider of the engine `{{name}}`: what it is, and the engine that the SDK serves.

mod language;
mod plan;
mod reading;
mod records;
mod session;
mod store;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use ptah_model::{Comparison, EngineName, Holds, IdentifierRules, Kind, KindModel, ProviderId};
use ptah_provider_api::contract::ContractVersion;
use ptah_provider_api::describe::{Description, Engine as EngineDescription};
use ptah_provider_api::dev::ProvisionDevRequest;
use ptah_provider_api::feature;
use ptah_provider_api::plan::{PlanReply, PlanRequest};
use ptah_provider_api::render::RenderReply;
use ptah_provider_api::session::{Address, DevId, OpenRequest, OpenTarget, Purpose};
use ptah_provider_api::sql::{AnalyzeSqlRequest, SourceAnalysis};
use ptah_provider_sdk::{Engine, Failure, FailureCode, Opened, error_with_reason};

use crate::reading::Reading;
use crate::session::StoreSession;
use crate::store::{Memory, Store};

/// The engine's name, and the scheme of its addresses.
const ENGINE: &str = "{{name}}";

/// Every feature: each of these services is in this crate.
fn features() -> impl Iterator<Item = String> {
    let services = [
        feature::SCHEMA_INSPECT,
        feature::SCHEMA_RENDER,
        feature::SCHEMA_PLAN,
        feature::UNITS_EXECUTE,
        feature::SQL_ANALYZE,
        feature::SESSIONS_TRANSACTIONS,
        feature::SESSIONS_LOCKS,
        feature::SESSIONS_CLAIMS,
        feature::DEV_PROVISION,
        feature::COMMON_TABLE_IDENTITY,
    ];
    services.into_iter().chain(feature::two_way_features().iter().copied()).map(str::to_owned)
}

/// How names compare: exactly, whatever they name.
fn rules() -> IdentifierRules {
    let exact = Comparison::Exact;
    IdentifierRules { table: exact, column: exact, index: exact, default_schema: None, max_bytes: None }
}

/// Facts about the server. Ptah plans with them.
fn capabilities() -> BTreeMap<String, bool> {
    [("ddl_inside_transaction".to_owned(), true)].into()
}

/// What the engine has: tables, which hold rows, and their columns, which hold a value in each of them.
fn models() -> Vec<KindModel> {
    let kind = |kind, parent: Option<Kind>, holds| KindModel {
        kind,
        member: parent.is_some(),
        parent,
        holds,
        ordered: false,
        renamable: false,
    };
    vec![kind(Kind::table(), None, Holds::Rows), kind(Kind::column(), Some(Kind::table()), Holds::Values)]
}

/// The engine. Its dev databases live in the process.
#[derive(Default)]
struct StoreEngine {
    dev: Mutex<BTreeMap<DevId, Memory>>,
}

impl StoreEngine {
    fn store(&self, request: &OpenRequest) -> Result<Store, Failure> {
        let dev = request.purpose == Purpose::Dev;
        match &request.target {
            OpenTarget::Dev(id) if dev => {
                let known = self.dev.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned();
                let missing = || error_with_reason(FailureCode::NotFound, "there is no such dev database");
                known.map(Store::Memory).ok_or_else(missing)
            }
            OpenTarget::Address(address) if !dev => Ok(Store::File(path_of(address)?)),
            OpenTarget::Dev(_) | OpenTarget::Address(_) => {
                Err(refused("a dev database is opened as one, and a file never is"))
            }
        }
    }
}

/// Where an address leads. Nothing of it is ever in a reason.
fn path_of(address: &Address) -> Result<PathBuf, Failure> {
    let path = address.expose().strip_prefix(ENGINE).and_then(|rest| rest.strip_prefix("://"));
    let Some(path) = path.filter(|path| !path.is_empty() && !path.contains('\0')) else {
        return Err(refused("an address is the name of the engine, `://` and a path"));
    };
    match address.folder() {
        _ if Path::new(path).is_absolute() => Ok(PathBuf::from(path)),
        Some(folder) => Ok(Path::new(folder).join(path)),
        None => Err(refused("the address has a relative path, and the host did not say where it starts")),
    }
}

fn refused(why: &str) -> Failure {
    error_with_reason(FailureCode::InvalidArgument, why)
}

impl Engine for StoreEngine {
    type Snapshot = Reading;
    type Session = StoreSession;

    fn description(&self) -> Description {
        let name = || EngineName::new(ENGINE).expect("a name is lower-case letters, digits and hyphens");
        Description {
            provider_id: ProviderId::new("example.org/{{name}}").expect("an ID is printable ASCII"),
            display_name: "{{name}}".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build_id: None,
            contract: ContractVersion::CURRENT,
            min_contract: None,
            features: features().collect(),
            engines: vec![EngineDescription {
                name: name(),
                aliases: Vec::new(),
                url_schemes: vec![name()],
                features: features().collect(),
                identifier_rules: Some(rules()),
                default_capabilities: capabilities(),
                models: models(),
            }],
        }
    }

    fn open(&self, request: &OpenRequest) -> Result<Opened<StoreSession>, Failure> {
        StoreSession::open(self.store(request)?, request.create)
    }

    fn analyze_sql(&self, request: &AnalyzeSqlRequest) -> Result<SourceAnalysis, Failure> {
        Ok(language::analyze(request))
    }

    fn plan(&self, request: &PlanRequest, _: &Reading, desired: &Reading) -> Result<PlanReply, Failure> {
        Ok(plan::plan(request, desired))
    }

    fn render(&self, snapshot: &Reading) -> Result<RenderReply, Failure> {
        Ok(snapshot.rendered())
    }

    fn provision_dev(&self, _: &ProvisionDevRequest, copy_of: Option<Arc<Reading>>) -> Result<DevId, Failure> {
        let id = DevId(uuid::Uuid::new_v4().to_string());
        let memory = Memory::of(copy_of.map(|reading| reading.tables.clone()).unwrap_or_default());
        self.dev.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), memory);
        Ok(id)
    }
}

fn main() -> ExitCode {
    ptah_provider_sdk::serve(StoreEngine::default())
}
