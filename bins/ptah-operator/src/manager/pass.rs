//! One pass: read, decide, do one thing. What was read is forgotten at its end.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ptah_lifecycle::{Decision, Fresh, Kind, Manager, Operation, Refusal, Snapshot, Time, Uid, bounds, decide};
use ptah_mirror::ids;
use ptah_reconcile::{Ended, Gather, Memory, Next, Pass, Perform, Reply, Request, Step};
use ptah_records::operator::CONTROLLER_STATE_VERSION;
use ptah_records::operator::latest::Delivery;
use ptah_records::operator::time::Moment;
use serde_json::Value;

use crate::cluster::Cluster;
use crate::manager::account::Account;
use crate::manager::carry::Carrier;
use crate::manager::fault::Fault;
use crate::manager::hints::{Hints, Policies};
use crate::manager::key::Key;
use crate::manager::lead::Lead;
use crate::manager::queue;
use crate::manager::settings::Settings;
use crate::manager::witness::Witness;

/// How long a resource is left alone that a newer release wrote.
const NEWER: Duration = Duration::from_mins(1);

/// What every pass of a process has in common.
pub(crate) struct Shared {
    pub(crate) cluster: Cluster,
    pub(crate) settings: Settings,
    pub(crate) lead: Lead,
    pub(crate) witness: Witness,
    pub(crate) policies: Policies,
}

/// What passes go by at the moment.
#[derive(Clone)]
pub(crate) struct Around {
    /// Where results go, the newest generation first; never empty.
    pub(crate) deliveries: std::sync::Arc<Vec<Delivery>>,
    /// Whether the canaries prove the policies.
    pub(crate) proven: bool,
}

/// What is kept of a resource between two passes, and lost with the process.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Kept {
    pub(crate) memory: Memory,
    /// The resource as the last pass left it; only for a pass that follows at once.
    pub(crate) written: Option<Value>,
}

/// What became of a pass.
pub(crate) struct Passed {
    pub(crate) kept: Kept,
    /// The version of the resource that it read.
    pub(crate) seen: Option<u64>,
    pub(crate) next: queue::Next,
}

/// The clock of a pass, and what nothing has used.
pub(crate) struct Begun {
    pub(crate) now: Moment,
    fresh: Fresh,
}

impl Begun {
    /// Reads the clock and makes IDs; nothing where there is no clock or no randomness.
    pub(crate) fn now() -> Option<Self> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        let now = Moment::from_milliseconds(u64::try_from(since.as_millis()).ok()?).ok()?;
        let operation = Operation(uuid::Uuid::now_v7().as_u128());
        let mut bytes = [0; 16];
        let filled = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty()).ok()?;
        let epoch = ptah_lifecycle::Epoch(u128::from_be_bytes(bytes));
        (filled == bytes.len()).then_some(Self { now, fresh: Fresh { operation, epoch } })
    }
}

impl Shared {
    /// What the core begins a pass with.
    pub(crate) fn pass(&self, uid: Uid, begun: &Begun, memory: Memory) -> Pass {
        let manager = Manager {
            components: self.settings.components.digest(),
            state_version: CONTROLLER_STATE_VERSION,
            leads: self.lead.holds(),
        };
        Pass { uid, now: ids::time(begun.now), fresh: begun.fresh, manager, memory }
    }

    /// Looks at a resource and does what is to be done next.
    pub(crate) async fn look(&self, key: &Key, around: &Around, kept: Kept, silent: bool) -> Passed {
        let hints = Hints { written: kept.written, silent };
        let kept = Kept { memory: kept.memory, written: None };
        let mut passed = Passed { kept, seen: None, next: queue::Next::Failed };
        let (Ok(uid), Some(begun)) = (ids::uid(key.uid.as_str()), Begun::now()) else { return passed };
        let mut carrier = Carrier::new(self, around, key, begun.now, hints);
        let gather = Gather::new(self.pass(uid, &begun, passed.kept.memory.clone()));
        match gathered(gather, &mut carrier).await {
            Ok(Some((snapshot, memory))) => {
                passed.kept.memory = memory;
                passed.seen = Some(snapshot.resource.version.0);
                self.act(&snapshot, &mut carrier, &mut passed).await;
            }
            Ok(None) => passed.next = queue::Next::Gone,
            Err(fault) => passed.next = self.ended_early(key, &fault),
        }
        passed
    }

    async fn act(&self, snapshot: &Snapshot, carrier: &mut Carrier<'_>, passed: &mut Passed) {
        let decision = decide(snapshot);
        if decision == Decision::Refuse(Refusal::NewerState) {
            passed.next = self.ended_early(carrier.key, &Fault::Newer("an object of this resource".to_owned()));
            return;
        }
        tracing::debug!(resource = %carrier.key.name, namespace = %carrier.key.namespace, ?decision, "decided");
        let account = Account::of(snapshot, &decision);
        let perform = match Perform::new(snapshot, decision) {
            Ok(perform) => perform,
            Err(next) => {
                passed.next = after(next, snapshot.now);
                return;
            }
        };
        // Asked last: what was read may have taken longer than a lead lasts.
        if !self.lead.holds() {
            passed.next = queue::Next::After(NEWER);
            return;
        }
        let created_kind = created(perform.request());
        perform.sending(&mut passed.kept.memory);
        let reply = match carrier.write(perform.request()).await {
            Ok(reply) => reply,
            Err(fault) => {
                passed.next = self.ended_early(carrier.key, &fault);
                return;
            }
        };
        // What did not happen is decided again, on another look, and not at once.
        let done = reply == Reply::Done;
        self.witness.wrote(carrier.key, &account, &reply);
        let next = perform.take(&reply, &mut passed.kept.memory);
        passed.kept.written = carrier.written();
        passed.next = match (done, created_kind) {
            (false, _) => queue::Next::Failed,
            // Nothing is noted of a reading's Job: its result wakes the resource, or its absence is seen later.
            (true, Some(Kind::Refresh)) => queue::Next::After(Duration::from_secs(bounds::POLL.unsigned_abs())),
            (true, _) => after(next, snapshot.now),
        };
    }

    /// Tells that a pass ended early, and says when it is tried again.
    fn ended_early(&self, key: &Key, fault: &Fault) -> queue::Next {
        self.witness.ended_early(key, fault);
        match fault {
            Fault::Newer(_) => queue::Next::After(NEWER),
            _ => queue::Next::Failed,
        }
    }
}

/// Of which kind the operation is whose Job a request creates.
fn created(request: &Request) -> Option<Kind> {
    if let Request::CreateJob(_, claim) = request { Some(claim.kind) } else { None }
}

/// Reads everything that the core asks for; nothing when the resource is gone.
pub(crate) async fn gathered(
    mut gather: Gather,
    carrier: &mut Carrier<'_>,
) -> Result<Option<(Box<Snapshot>, Memory)>, Fault> {
    loop {
        let request = match gather.step() {
            Step::Ask(request) => request,
            Step::Decide(snapshot) => return Ok(Some((snapshot, gather.memory().clone()))),
        };
        let reply = carrier.read(&request).await?;
        match gather.take(reply) {
            Ok(()) => {}
            Err(Ended::Gone) => return Ok(None),
            Err(Ended::Unread) => return Err(Fault::Order),
        }
    }
}

fn after(next: Next, now: Time) -> queue::Next {
    match next {
        Next::Again => queue::Next::Now,
        Next::At(time) => {
            let seconds = u64::try_from(time.0.saturating_sub(now.0)).unwrap_or_default();
            queue::Next::After(Duration::from_secs(seconds.max(1)))
        }
        Next::Never => queue::Next::After(NEWER),
    }
}
