//! The engine: what needs no session, and how a session begins.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ptah_model::Scope;
use ptah_provider_api::claim::{AdoptRequest, ClaimRequest, ClaimState, ClaimsReading};
use ptah_provider_api::describe::Description;
use ptah_provider_api::dev::ProvisionDevRequest;
use ptah_provider_api::execute::{ExecuteRequest, TransactionId};
use ptah_provider_api::key::RequestId;
use ptah_provider_api::plan::{PlanReply, PlanRequest};
use ptah_provider_api::query::{QueryRowsReply, QueryRowsRequest};
use ptah_provider_api::reason::Reason;
use ptah_provider_api::render::RenderReply;
use ptah_provider_api::session::{Address, DatabaseIdentity, DevId, OpenRequest, OpenTarget, Purpose};
use ptah_provider_api::sql::{AnalyzeSqlRequest, SourceAnalysis};
use ptah_provider_api::transaction::BeginRequest;
use ptah_provider_sdk::{
    Began, Ended, Engine, EngineSession, Executed, Failure, FailureCode, Interrupt, LockAttempt, Opened,
    error_with_reason,
};

use crate::address::Place;
use crate::catalogue::SqliteSnapshot;
use crate::dev::{self, DevDatabases, DevSession};
use crate::fault::precondition;
use crate::target::{self, TargetSession};
use crate::{analyze, describe, plan, render};

/// The SQLite engine. One for a process: its scratch databases live in it.
#[derive(Debug, Default)]
pub struct SqliteEngine {
    dev: DevDatabases,
}

/// A session on a file or on a scratch database.
#[derive(Debug)]
pub struct SqliteSession(Kind);

#[derive(Debug)]
enum Kind {
    Target(Box<TargetSession>),
    Dev(Box<DevSession>),
}

impl SqliteEngine {
    /// An engine without scratch databases.
    pub fn new() -> Self {
        Self::default()
    }

    fn open_address(request: &OpenRequest, address: &Address) -> Result<Opened<SqliteSession>, Failure> {
        let refused = |reason: String| error_with_reason(FailureCode::InvalidArgument, reason);
        let place = Place::parse(address.expose()).map_err(|error| refused(error.to_string()))?;
        match (place, request.purpose) {
            (Place::Memory, Purpose::Dev) => Ok(dev_session(dev::anonymous()?)),
            (Place::Memory, _) => Err(refused(
                "a database in memory ends with the connection that made it, so it can only be a scratch database"
                    .to_owned(),
            )),
            (Place::File(_), Purpose::Dev) => {
                Err(refused("scratch databases of SQLite are in memory, and a file is never used as one".to_owned()))
            }
            (Place::File(path), _) => {
                let path = in_folder(path, address.folder()).ok_or_else(|| {
                    refused("the address has a relative path, and the host did not say where it starts".to_owned())
                })?;
                let Opened { session, facts } = target::open(request, &path)?;
                Ok(Opened { session: SqliteSession(Kind::Target(Box::new(session))), facts })
            }
        }
    }
}

/// The path, from the folder in which the command ran. `None`: it is relative, and to nothing that is known.
fn in_folder(path: PathBuf, folder: Option<&str>) -> Option<PathBuf> {
    if path.is_absolute() { Some(path) } else { Some(Path::new(folder?).join(path)) }
}

fn dev_session(session: DevSession) -> Opened<SqliteSession> {
    Opened { session: SqliteSession(Kind::Dev(Box::new(session))), facts: DevSession::facts() }
}

impl Engine for SqliteEngine {
    type Snapshot = SqliteSnapshot;
    type Session = SqliteSession;

    fn description(&self) -> Description {
        describe::description()
    }

    fn open(&self, request: &OpenRequest) -> Result<Opened<SqliteSession>, Failure> {
        match &request.target {
            OpenTarget::Address(address) => Self::open_address(request, address),
            OpenTarget::Dev(id) if request.purpose == Purpose::Dev => Ok(dev_session(self.dev.open(id)?)),
            OpenTarget::Dev(_) => Err(precondition("a scratch database is opened as one, and as nothing else")),
        }
    }

    fn analyze_sql(&self, request: &AnalyzeSqlRequest) -> Result<SourceAnalysis, Failure> {
        Ok(analyze::analyze(request))
    }

    fn plan(
        &self,
        request: &PlanRequest,
        current: &SqliteSnapshot,
        desired: &SqliteSnapshot,
    ) -> Result<PlanReply, Failure> {
        plan::plan(request, current, desired)
    }

    fn render(&self, snapshot: &SqliteSnapshot) -> Result<RenderReply, Failure> {
        Ok(render::render(snapshot))
    }

    fn provision_dev(
        &self,
        _request: &ProvisionDevRequest,
        copy_of: Option<Arc<SqliteSnapshot>>,
    ) -> Result<DevId, Failure> {
        self.dev.provision(copy_of)
    }
}

/// What only a target has.
fn no_target() -> Failure {
    precondition("a scratch database has no locks and no records")
}

impl SqliteSession {
    fn target(&mut self) -> Result<&mut TargetSession, Failure> {
        match &mut self.0 {
            Kind::Target(target) => Ok(target),
            Kind::Dev(_) => Err(no_target()),
        }
    }
}

impl EngineSession for SqliteSession {
    type Snapshot = SqliteSnapshot;

    fn interrupt(&self) -> Interrupt {
        match &self.0 {
            Kind::Target(target) => target.interrupt(),
            Kind::Dev(dev) => dev.interrupt(),
        }
    }

    fn inspect(&mut self, lock_timeout: Duration) -> Result<Arc<SqliteSnapshot>, Failure> {
        match &mut self.0 {
            Kind::Target(target) => target.inspect(lock_timeout),
            Kind::Dev(dev) => dev.inspect(),
        }
    }

    fn execute(&mut self, request: &ExecuteRequest) -> Result<Executed, Failure> {
        match &mut self.0 {
            Kind::Target(target) => target.execute(request),
            Kind::Dev(dev) => Ok(dev.execute(request)),
        }
    }

    fn begin(&mut self, request: &BeginRequest) -> Result<Began, Failure> {
        match &mut self.0 {
            Kind::Target(target) => target.begin(request),
            Kind::Dev(dev) => dev.begin(request),
        }
    }

    fn commit(&mut self, transaction: &TransactionId, lock_timeout: Duration) -> Result<Ended, Failure> {
        match &mut self.0 {
            Kind::Target(target) => target.commit(transaction, lock_timeout),
            Kind::Dev(dev) => Ok(dev.commit(transaction)),
        }
    }

    fn rollback(&mut self, transaction: &TransactionId) -> Result<Ended, Failure> {
        match &mut self.0 {
            Kind::Target(target) => target.rollback(transaction),
            Kind::Dev(dev) => Ok(dev.rollback(transaction)),
        }
    }

    fn try_lock(&mut self, scope: &Scope, lock: &RequestId) -> Result<LockAttempt, Failure> {
        self.target()?.try_lock(scope, lock)
    }

    fn check_lock(&mut self, scope: &Scope, lock: &RequestId) -> Result<bool, Failure> {
        self.target()?.check_lock(scope, lock)
    }

    fn release_lock(&mut self, scope: &Scope, lock: &RequestId) -> Result<bool, Failure> {
        self.target()?.release_lock(scope, lock)
    }

    fn claim(&mut self, request: &ClaimRequest) -> Result<(ClaimState, u64, Option<Reason>), Failure> {
        self.target()?.claim(request)
    }

    fn read_claims(&mut self, limit: u32) -> Result<ClaimsReading, Failure> {
        self.target()?.read_claims(limit)
    }

    fn adopt(&mut self, request: &AdoptRequest) -> Result<DatabaseIdentity, Failure> {
        self.target()?.adopt(request)
    }

    fn forget(&mut self) -> Result<(), Failure> {
        self.target()?.forget()
    }

    fn query_rows(&mut self, request: &QueryRowsRequest) -> Result<QueryRowsReply, Failure> {
        match &mut self.0 {
            Kind::Target(target) => target.query_rows(request),
            Kind::Dev(dev) => dev.query_rows(request),
        }
    }

    fn close(self) {
        match self.0 {
            Kind::Target(target) => target.close(),
            Kind::Dev(dev) => drop(dev),
        }
    }
}
