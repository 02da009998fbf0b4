//! One run: performs what `apply` says, one effect at a time, and reports what came of it.
//!
//! Each effect is one function under `run/`. Nothing is decided here but how to ask; what a lost answer, a busy lock or
//! a changed state means stands in `ptah-apply`.

mod claims;
mod lock;
mod prepare;
mod report;
mod segment;
mod stop;

use std::time::{Duration, Instant};

use ptah_apply::{Effect, Event, Request, Run, Work};
use ptah_model::{Digest, OperationId, Scope};
use ptah_plan::{Plan, Policy, TxMode};
use ptah_provider_api::claim::{Adoption, ClaimsReading};
use ptah_provider_api::execute::TransactionId;
use ptah_provider_api::reading::Reading;
use ptah_provider_api::session::{Address, OpenTarget, Purpose};
use ptah_provider_host::{Call, HostError, Lock, Opening, Session};
use ptah_sources::Sources;

use crate::desired::scope;
use crate::engine::Engine;
use crate::failure::Failure;
use crate::fault::Faults;
use crate::look::Place;
use crate::patience::{Patience, one_wait};
use crate::prepare::{OffendingRows, Planned, Refused};
use crate::progress::Progress;

pub use report::{Report, Target};
pub use stop::Stop;

/// What a run is asked to do.
#[derive(Clone, Debug)]
pub struct Order {
    /// Where the database is.
    pub address: Address,
    /// The operation; for a saved plan the plan's own ID.
    pub operation: OperationId,
    /// What is wanted.
    pub wanted: Wanted,
    /// Whether the run ends where it would ask for approval.
    pub dry_run: bool,
    /// What a person says of a moved or copied database; absent when nobody said.
    pub adoption: Option<Adoption>,
    /// Words that accept what cannot be made safe.
    pub accept: std::collections::BTreeSet<String>,
    /// Whether a remembered proof is not to be used.
    pub fresh: bool,
    /// Whether keys of offending rows are wanted.
    pub show_rows: bool,
    /// How long to wait for what.
    pub limits: Limits,
}

/// What is wanted of a run.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// That the database reads as these sources ask.
    Sources(Sources, Policy),
    /// That this plan is carried out, and no other.
    Saved(Box<Plan>),
}

/// How long to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For the run lock, altogether.
    pub run_lock: Duration,
    /// For other writers, at each reading, record and begin. A commit is one call, and waits for 20 s of it at most.
    pub lock: Duration,
    /// For each unit; absent means as long as it needs.
    pub statement: Option<Duration>,
}

/// Who consents to a plan.
pub trait Consent {
    /// Shows what was settled of earlier runs and the plan, and asks. `false` declines.
    fn approve(&mut self, planned: &Planned, target: &Target, settled: &[ptah_apply::Settled]) -> bool;
}

/// Everything that a run holds while it goes on.
struct Runner<'a> {
    engine: &'a Engine,
    order: &'a Order,
    scope: Scope,
    session: Session,
    consent: &'a mut dyn Consent,
    progress: &'a dyn Progress,
    stop: &'a Stop,
    started: Instant,
    /// How long the calls wait whose wait was fixed when the session was opened.
    one_wait: Duration,
    /// What this run settled of earlier ones so far: told before consent is asked.
    settled: Vec<ptah_apply::Settled>,
    /// Whether this run recorded what a moved or copied database is.
    adopted: bool,
    /// Whether the core knows that a person asked to stop. From then on what it says next is carried through.
    told_to_stop: bool,
    /// Since when other writers keep the next intent or begin from happening.
    busy: Option<Patience>,
    /// The digest of the sources; for a saved plan the plan's.
    sources: Digest,
    lock: Option<Lock>,
    transaction: Option<TransactionId>,
    /// The sequence of the last row that this run wrote.
    sequence: u64,
    claims: Option<ClaimsReading>,
    reading: Option<Reading>,
    planned: Option<Planned>,
    refused: Option<Refused>,
    rows: Vec<OffendingRows>,
    findings: Vec<ptah_model::Diagnostic>,
    lint: Vec<ptah_model::Diagnostic>,
    remembered: bool,
    /// Why an effect went wrong, in words; the last one.
    why: Option<String>,
    cause: Option<Failure>,
}

/// Carries a run out and says how it ended.
///
/// **Guarantees.** Nothing is sent to the target before an intent is stored there, and nothing that may have been sent is
/// sent again; what is not known is said to be unknown.
///
/// **Errors.** Only what happened before the target was open. Everything later is in the report.
pub async fn run(
    engine: &Engine,
    order: &Order,
    consent: &mut dyn Consent,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<Report, Failure> {
    let place = order.place();
    let session = tokio::select! {
        session = place.open(engine, Purpose::Apply, progress) => session?,
        () = stop.asked() => return Err(Failure::Interrupted),
    };
    require(&session, order)?;
    let sources = match &order.wanted {
        Wanted::Sources(sources, policy) => crate::desired::sources_digest(engine, sources, policy),
        Wanted::Saved(plan) => plan.head().sources,
    };
    let mut runner = Runner {
        engine,
        order,
        scope: scope()?,
        session,
        consent,
        progress,
        stop,
        started: Instant::now(),
        one_wait: one_wait(order.limits.lock),
        settled: Vec::new(),
        adopted: false,
        told_to_stop: false,
        busy: None,
        sources,
        lock: None,
        transaction: None,
        sequence: 0,
        claims: None,
        reading: None,
        planned: None,
        refused: None,
        rows: Vec::new(),
        findings: Vec::new(),
        lint: Vec::new(),
        remembered: false,
        why: None,
        cause: None,
    };
    let mut core = Run::new(Request {
        operation: order.operation.clone(),
        dry_run: order.dry_run,
        target_exists: runner.session.facts().exists,
        adopts: order.adoption.is_some(),
        lock_wait_ms: milliseconds(order.limits.run_lock),
        busy_wait_ms: milliseconds(order.limits.lock),
    });
    let ending = runner.go(&mut core).await;
    Ok(runner.report(ending, &core))
}

/// What a run calls, whatever comes of it. A provider that lacks some of it is told so before the lock is tried, and not
/// taken for one that was lost on the way.
fn require(session: &Session, order: &Order) -> Result<(), HostError> {
    session.require(&[Call::TryLock, Call::ReadClaims, Call::Claim])?;
    if matches!(order.wanted, Wanted::Sources(..)) {
        session.require(&[Call::ProvisionDev, Call::Plan])?;
    }
    // An established `false`: schema statements cannot be in one, so the provider's steps stay outside.
    let all = matches!(&order.wanted, Wanted::Sources(_, policy) if policy.tx_mode == TxMode::All);
    // One transaction for everything is then what nobody can give, so the request for it is refused.
    let outside = !all && session.facts().capabilities.get("ddl_inside_transaction") == Some(&false);
    if outside { Ok(()) } else { session.require(&[Call::Begin]) }
}

/// Creates the target, after approval, and opens it. Never tried again: it may have been made.
async fn create(engine: &Engine, order: &Order) -> Result<Session, HostError> {
    let opening = Opening {
        create: true,
        recover: true,
        accept: order.accept.clone(),
        lock_timeout: one_wait(order.limits.lock),
        ..Opening::new(engine.name().clone(), OpenTarget::Address(order.address.clone()), Purpose::Apply)
    };
    engine.provider().open(opening).await
}

impl Order {
    fn place(&self) -> Place {
        Place { address: self.address.clone(), recover: true, accept: self.accept.clone(), lock: self.limits.lock }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl Runner<'_> {
    /// The loop. It ends because the core does.
    async fn go(&mut self, core: &mut Run) -> ptah_apply::Ending {
        let mut faults = Faults::from_environment();
        loop {
            let effect = core.effect();
            if let Effect::Finish(ending) = effect {
                return ending;
            }
            let event = if self.stop.is_asked() && !self.told_to_stop {
                Event::Interrupted
            } else {
                let provider = self.engine.provider().pid();
                faults.before(&effect, Some(provider));
                self.settled = core.settled().to_vec();
                let event = self.perform(&effect).await;
                faults.after(Some(provider));
                event
            };
            self.told_to_stop |= event == Event::Interrupted;
            if core.observe(event).is_err() {
                self.cause = Some(Failure::Illegal);
                return illegal(core);
            }
        }
    }

    /// Performs one effect. What only looks may be given up when a person asks to stop.
    async fn perform(&mut self, effect: &Effect) -> Event {
        match effect {
            Effect::TryLock => self.try_lock().await,
            Effect::WaitForLock => self.wait_for_lock().await,
            Effect::CheckLock => self.check_lock().await,
            Effect::Release => self.release().await,
            Effect::ReadClaims => self.read_claims().await,
            Effect::Adopt => self.adopt().await,
            Effect::ReadState { whole } => self.read_state(*whole).await,
            Effect::SettleEarlier { operation, verdict, found } => {
                self.settle_earlier(operation, *verdict, *found).await
            }
            Effect::Prepare { found } => self.prepare(*found).await,
            Effect::Remember { found } => self.remember(*found).await,
            Effect::Approve => self.approve(),
            Effect::CreateTarget => self.create_target().await,
            Effect::Intend { segment } => self.intend(*segment).await,
            Effect::Begin { segment } => self.begin(*segment).await,
            Effect::CheckRows { segment } => self.check_rows(*segment).await,
            Effect::Execute { segment } => self.execute(*segment).await,
            Effect::RecordOutcome { segment, outcome, applied, in_transaction } => {
                self.record_outcome(*segment, *outcome, *applied, *in_transaction).await
            }
            Effect::Commit { segment } => self.commit(*segment).await,
            Effect::Rollback { segment } => self.rollback(*segment).await,
            Effect::Settle { verdict, found } => self.settle(*verdict, *found).await,
            Effect::Finish(_) => Event::Lost,
        }
    }

    /// Notes a cause, and says whether the provider is lost or answered that it could not do it.
    fn lost(&mut self, cause: impl Into<Failure>) -> Event {
        let cause = cause.into();
        let answered = matches!(&cause, Failure::Provider(HostError::CallFailed { .. }));
        self.cause = Some(cause);
        if answered { Event::CallFailed } else { Event::Lost }
    }

    /// The plan that is carried out.
    fn plan(&self) -> Option<&Plan> {
        self.planned.as_ref().map(|p| &p.plan)
    }

    /// What the core has to know of a plan.
    fn work(plan: &Plan) -> Work {
        let segment = |s: &ptah_plan::PlanSegment| ptah_apply::SegmentWork {
            transactional: s.segment.transaction,
            checks_rows: s.segment.steps.iter().any(|step| !step.step.checks.is_empty()),
            units: u32::try_from(s.segment.steps.len()).unwrap_or(u32::MAX),
            before: s.before,
            after: s.after,
        };
        Work { from: plan.head().from, to: plan.to(), segments: plan.segments().iter().map(segment).collect() }
    }
}

/// A fault of this program in the middle of a run: what is known is only whether anything could have been sent.
fn illegal(core: &Run) -> ptah_apply::Ending {
    use ptah_apply::{Ending, Refusal, Trouble};
    if core.is_spent() {
        Ending::Unknown { applied: 0, of: 0, trouble: Trouble::ProviderLost }
    } else {
        Ending::Refused(Refusal::ProviderLost)
    }
}
