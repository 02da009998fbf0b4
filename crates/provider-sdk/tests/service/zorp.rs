//! The scripted engine. What it did is in its journal; what it shall do stands in the text of units and scopes:
//! `wait:x` goes on when the test says `go("x")` or the session is interrupted, `panic` panics, `lie` breaks the contract.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use ptah_model::{Comparison, Digest, EngineName, Facet, Fingerprint, IdentifierRules, Kind, Name, NotDescribed};
use ptah_model::{Object, ObjectId, ProviderId, Risk, SchemaModel, Scope};
use ptah_provider_api::claim::{AdoptRequest, ClaimPhase, ClaimRequest, ClaimState, ClaimsReading};
use ptah_provider_api::contract::ContractVersion;
use ptah_provider_api::describe::{Description, Engine as EngineDescription};
use ptah_provider_api::dev::ProvisionDevRequest;
use ptah_provider_api::execute::{ExecuteRequest, Outcome, TransactionId};
use ptah_provider_api::feature;
use ptah_provider_api::key::RequestId;
use ptah_provider_api::plan::{PlanReply, PlanRequest, Refusal};
use ptah_provider_api::query::{QueryRowsReply, QueryRowsRequest};
use ptah_provider_api::reason::Reason;
use ptah_provider_api::render::{RenderReply, RenderedDefinition};
use ptah_provider_api::session::{DatabaseIdentity, DevId, OpenRequest};
use ptah_provider_api::sql::{AnalyzeSqlRequest, SourceAnalysis};
use ptah_provider_api::step::{ChangeId, Rule, Step, StepId, TransactionRule, Unit};
use ptah_provider_api::transaction::{BeginRequest, TransactionState};
use ptah_provider_sdk::{Began, Ended, Engine, EngineSession, Executed, Failure, FailureCode, Interrupt, LockAttempt};
use ptah_provider_sdk::{Opened, SessionFacts, Snapshot, error_with_reason, host_features};

/// What the test and every session share.
#[derive(Default)]
pub(crate) struct World {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    journal: Vec<String>,
    may_go: BTreeSet<String>,
    interrupted: bool,
    /// Who holds the lock of a scope.
    holders: BTreeMap<String, String>,
    transactions: u32,
    sequence: u64,
    /// Tables in the database, each with the size of its text.
    tables: Vec<usize>,
    unread: Option<String>,
}

impl World {
    pub(crate) fn note(&self, entry: impl Into<String>) {
        self.state.lock().unwrap().journal.push(entry.into());
        self.changed.notify_all();
    }

    pub(crate) fn journal(&self) -> Vec<String> {
        self.state.lock().unwrap().journal.clone()
    }

    /// How often an entry is in the journal.
    pub(crate) fn times(&self, entry: &str) -> usize {
        self.journal().iter().filter(|e| *e == entry).count()
    }

    /// Waits until an entry is in the journal.
    pub(crate) fn until(&self, entry: &str) {
        let missing = |state: &mut State| !state.journal.iter().any(|e| e == entry);
        let state = self.state.lock().unwrap();
        let waited = tokio::task::block_in_place(|| {
            self.changed.wait_timeout_while(state, Duration::from_secs(20), missing).unwrap()
        });
        assert!(!waited.1.timed_out(), "{entry} is not in {:?}", waited.0.journal);
    }

    /// Lets what waits for a word go on.
    pub(crate) fn go(&self, word: &str) {
        self.state.lock().unwrap().may_go.insert(word.to_owned());
        self.changed.notify_all();
    }

    /// Takes the lock of a scope away from whoever holds it.
    pub(crate) fn steal(&self, scope: &str) {
        self.state.lock().unwrap().holders.insert(scope.to_owned(), "a thief".to_owned());
    }

    pub(crate) fn holder(&self, scope: &str) -> Option<String> {
        self.state.lock().unwrap().holders.get(scope).cloned()
    }

    pub(crate) fn set_tables(&self, sizes: &[usize]) {
        self.state.lock().unwrap().tables = sizes.to_vec();
    }

    pub(crate) fn set_unread(&self, reason: &str) {
        self.state.lock().unwrap().unread = Some(reason.to_owned());
    }

    fn wait_for(&self, word: &str) {
        self.note(format!("waiting {word}"));
        let state = self.state.lock().unwrap();
        let held = |state: &mut State| !state.may_go.contains(word) && !state.interrupted;
        let waited = self.changed.wait_timeout_while(state, Duration::from_secs(30), held).unwrap();
        assert!(!waited.1.timed_out(), "nobody said go to {word}");
    }
}

/// The engine.
pub(crate) struct Zorp {
    pub(crate) world: Arc<World>,
    pub(crate) description: Description,
}

/// Every feature there is.
pub(crate) fn all_features() -> BTreeSet<String> {
    let gates = feature::gated_calls().iter().map(|(feature, _)| *feature);
    gates.chain(feature::two_way_features().iter().copied()).map(str::to_owned).collect()
}

pub(crate) fn rules() -> IdentifierRules {
    IdentifierRules {
        table: Comparison::Exact,
        column: Comparison::Exact,
        index: Comparison::Exact,
        default_schema: None,
        max_bytes: None,
    }
}

pub(crate) fn description() -> Description {
    let engine = EngineDescription {
        name: EngineName::new("zorp").unwrap(),
        aliases: Vec::new(),
        url_schemes: Vec::new(),
        features: all_features(),
        identifier_rules: Some(rules()),
        default_capabilities: [("ddl_inside_transaction".to_owned(), true)].into(),
        models: Vec::new(),
    };
    Description {
        provider_id: ProviderId::new("example.org/zorp").unwrap(),
        display_name: "Zorp".to_owned(),
        version: "1.0.0".to_owned(),
        build_id: None,
        contract: ContractVersion::CURRENT,
        min_contract: None,
        features: all_features(),
        engines: vec![engine],
    }
}

pub(crate) struct Reading(SchemaModel);

impl Snapshot for Reading {
    fn schema(&self) -> &SchemaModel {
        &self.0
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.0)
    }
}

pub(crate) fn table(name: &str) -> ObjectId {
    ObjectId { kind: Kind::table(), schema: None, owner: None, name: Name::new(name, Comparison::Exact) }
}

impl Engine for Zorp {
    type Snapshot = Reading;
    type Session = ZorpSession;

    fn description(&self) -> Description {
        self.description.clone()
    }

    fn open(&self, request: &OpenRequest) -> Result<Opened<ZorpSession>, Failure> {
        let world = Arc::clone(&self.world);
        world.note("open");
        if request.accept.contains("wait") {
            world.wait_for("open");
        }
        if request.accept.contains("refuse") {
            return Err(error_with_reason(FailureCode::Unavailable, "the server is not there"));
        }
        assert!(!request.accept.contains("panic"), "as the script says");
        let facts = SessionFacts {
            database: "main".to_owned(),
            default_schema: None,
            server_version: "1".to_owned(),
            identifier_rules: rules(),
            features: all_features(),
            capabilities: BTreeMap::new(),
            settings_digest: Digest::of(b"settings"),
            identity: identity(),
            exists: true,
            notes: vec!["two\nlines".to_owned()],
        };
        Ok(Opened { session: ZorpSession { world, name: request.request.as_str().to_owned() }, facts })
    }

    fn analyze_sql(&self, request: &AnalyzeSqlRequest) -> Result<SourceAnalysis, Failure> {
        assert!(request.text != "panic", "as the script says");
        if request.text == "fail" {
            return Err(error_with_reason(FailureCode::InvalidArgument, "the zorp engine knows no such word"));
        }
        if request.text == "malformed" {
            return Err(error_with_reason(FailureCode::InvalidArgument, "two\nlines"));
        }
        let listed: Vec<_> = host_features().iter().cloned().collect();
        self.world.note(format!("analyze {}", listed.join(" ")));
        Ok(SourceAnalysis::default())
    }

    fn plan(&self, request: &PlanRequest, current: &Reading, desired: &Reading) -> Result<PlanReply, Failure> {
        self.world.note(format!("plan {} {}", current.0.objects().len(), desired.0.objects().len()));
        let step = |at: u32| Step {
            id: StepId(format!("s{at}")),
            changes: vec![ChangeId(at)],
            unit: Unit::Sql { text: "zorp".to_owned() },
            after: Vec::new(),
            after_commit: Vec::new(),
            atomic_group: None,
            needs: Vec::new(),
            transaction: TransactionRule::Any,
            risk: Risk::Safe,
            loss: None,
            hazards: Vec::new(),
            locks: Vec::new(),
            checks: Vec::new(),
            rule: Rule { name: "zorp".to_owned(), sentence: "a zorp is zorped".to_owned() },
        };
        let refusal = |at: u32| Refusal {
            change: ChangeId(at),
            code: "zorp.no".to_owned(),
            reason: "two\nlines".to_owned(),
            hint: None,
        };
        // The last change is refused; a request of one change gets a step for another one, which is a lie.
        let count = u32::try_from(request.changes.len()).unwrap();
        let steps = if count == 1 { vec![step(7)] } else { (1..count).map(|at| step(at - 1)).collect() };
        Ok(PlanReply { steps, refusals: (count > 1).then(|| refusal(count - 1)).into_iter().collect() })
    }

    fn render(&self, snapshot: &Reading) -> Result<RenderReply, Failure> {
        let definition = |o: &Object| RenderedDefinition { object: o.id.clone(), text: format!("zorp {}", o.id) };
        Ok(RenderReply { definitions: snapshot.0.objects().map(definition).collect() })
    }

    fn provision_dev(&self, _: &ProvisionDevRequest, copy_of: Option<Arc<Reading>>) -> Result<DevId, Failure> {
        Ok(DevId(copy_of.map_or("empty".to_owned(), |r| format!("copy-of-{}", r.0.objects().len()))))
    }
}

fn identity() -> DatabaseIdentity {
    DatabaseIdentity {
        uuid: Some("u".to_owned()),
        recorded_physical: Some("p".to_owned()),
        physical: "p".to_owned(),
        route: "r".to_owned(),
    }
}

pub(crate) struct ZorpSession {
    world: Arc<World>,
    name: String,
}

impl EngineSession for ZorpSession {
    type Snapshot = Reading;

    fn interrupt(&self) -> Interrupt {
        let world = Arc::clone(&self.world);
        Arc::new(move || {
            world.state.lock().unwrap().interrupted = true;
            world.note("interrupt");
        })
    }

    fn inspect(&mut self, _: Duration) -> Result<Arc<Reading>, Failure> {
        self.world.note("inspect");
        let state = self.world.state.lock().unwrap();
        let mut schema = SchemaModel::default();
        for (at, size) in state.tables.iter().enumerate() {
            let body = [("body".to_owned(), Facet::plain("x".repeat(*size)))];
            schema.insert(Object { id: table(&format!("t{at}")), facets: body.into(), members: Vec::new() });
        }
        if let Some(reason) = &state.unread {
            schema.insert_not_described(NotDescribed { id: table("hidden"), reason: reason.clone() });
        }
        Ok(Arc::new(Reading(schema)))
    }

    fn execute(&mut self, request: &ExecuteRequest) -> Result<Executed, Failure> {
        let mut executed = Executed { outcome: Outcome::Applied, applied: 0, diagnostic: None, engine_code: None };
        for unit in &request.units {
            let text = unit.statements().first().unwrap();
            self.world.note(format!("execute {text}"));
            if let Some(word) = text.strip_prefix("wait:") {
                self.world.wait_for(word);
            }
            assert!(text != "panic", "as the script says");
            match text.as_str() {
                "lie" => executed.applied = 7,
                "fail" => {
                    let why = Reason::new("the zorp is not zorpable").unwrap();
                    let outcome = if executed.applied == 0 { Outcome::NotApplied } else { Outcome::Partial };
                    let engine_code = Some("ZORP_1".to_owned());
                    return Ok(Executed { outcome, diagnostic: Some(why), engine_code, ..executed });
                }
                _ => executed.applied += 1,
            }
            self.world.note(format!("executed {text}"));
        }
        Ok(executed)
    }

    fn begin(&mut self, _: &BeginRequest) -> Result<Began, Failure> {
        self.world.note("begin");
        let number = {
            let mut state = self.world.state.lock().unwrap();
            state.transactions += 1;
            state.transactions
        };
        let transaction = Some(TransactionId(format!("t{number}")));
        Ok(Began { state: TransactionState::Begun, transaction, found_state: None, diagnostic: None })
    }

    fn commit(&mut self, _: &TransactionId, _: Duration) -> Result<Ended, Failure> {
        self.world.note("commit");
        Ok(Ended { state: TransactionState::Committed, diagnostic: None })
    }

    fn rollback(&mut self, _: &TransactionId) -> Result<Ended, Failure> {
        self.world.note("rollback");
        Ok(Ended { state: TransactionState::RolledBack, diagnostic: None })
    }

    fn try_lock(&mut self, scope: &Scope, lock: &RequestId) -> Result<LockAttempt, Failure> {
        self.world.note(format!("try {}", lock.as_str()));
        if let Some(word) = scope.as_str().strip_prefix("wait:") {
            self.world.wait_for(word);
        }
        let holder = format!("{}/{}", self.name, lock.as_str());
        let attempt = {
            let mut state = self.world.state.lock().unwrap();
            let held = state.holders.entry(scope.as_str().to_owned()).or_insert_with(|| holder.clone());
            if *held == holder {
                LockAttempt::Acquired
            } else {
                LockAttempt::Busy(Some(Reason::new("another zorp holds it").unwrap()))
            }
        };
        if scope.as_str() == "unclear" {
            return Err(error_with_reason(FailureCode::Unavailable, "the connection broke off"));
        }
        Ok(attempt)
    }

    fn check_lock(&mut self, scope: &Scope, lock: &RequestId) -> Result<bool, Failure> {
        self.world.note(format!("check {}", lock.as_str()));
        Ok(self.world.holder(scope.as_str()) == Some(format!("{}/{}", self.name, lock.as_str())))
    }

    fn release_lock(&mut self, scope: &Scope, lock: &RequestId) -> Result<bool, Failure> {
        self.world.note(format!("release {}", lock.as_str()));
        let mine = format!("{}/{}", self.name, lock.as_str());
        let mut state = self.world.state.lock().unwrap();
        let held = state.holders.get(scope.as_str()) == Some(&mine);
        if held {
            state.holders.remove(scope.as_str());
        }
        Ok(held)
    }

    fn claim(&mut self, request: &ClaimRequest) -> Result<(ClaimState, u64, Option<Reason>), Failure> {
        self.world.note("claim");
        let mut state = self.world.state.lock().unwrap();
        state.sequence += 1;
        let intent = matches!(request.phase, ClaimPhase::Intend { .. });
        Ok((if intent { ClaimState::Intended } else { ClaimState::Recorded }, state.sequence, None))
    }

    fn read_claims(&mut self, _: u32) -> Result<ClaimsReading, Failure> {
        let latest = self.world.state.lock().unwrap().sequence;
        Ok(ClaimsReading {
            identity: identity(),
            latest,
            operations: Vec::new(),
            proofs: Vec::new(),
            renames: Vec::new(),
        })
    }

    fn adopt(&mut self, _: &AdoptRequest) -> Result<DatabaseIdentity, Failure> {
        self.world.note("adopt");
        Ok(identity())
    }

    fn forget(&mut self) -> Result<(), Failure> {
        self.world.note("forget");
        Ok(())
    }

    fn query_rows(&mut self, request: &QueryRowsRequest) -> Result<QueryRowsReply, Failure> {
        let size = request.query.parse().unwrap_or(1);
        let rows = vec![vec![Some("x".repeat(size))]];
        let columns = if request.query == "lie" { Vec::new() } else { vec!["a".to_owned()] };
        Ok(QueryRowsReply { columns, rows, more: false })
    }

    fn close(self) {
        let mut state = self.world.state.lock().unwrap();
        state.holders.retain(|_, holder| !holder.starts_with(&format!("{}/", self.name)));
        drop(state);
        self.world.note("close");
    }
}
