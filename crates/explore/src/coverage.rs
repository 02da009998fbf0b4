//! Which decisions were taken and which requests were carried out, each without and with every fault.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use ptah_lifecycle::{Decision, Why};
use ptah_reconcile::Request;

/// What can happen to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Fault {
    /// It does not take effect, and the manager does not know.
    LostBefore,
    /// It takes effect, and the manager does not know.
    LostAfter,
    /// It takes effect, and the manager dies.
    DiesAfter,
    /// It is definitely refused.
    Refused,
}

static DECIDED: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());
static DELIVERED: Mutex<BTreeMap<(&'static str, Option<Fault>), u64>> = Mutex::new(BTreeMap::new());

/// Counts a decision by its variant and reason.
pub(crate) fn decided(decision: &Decision) {
    let name = match decision {
        Decision::WriteStatus(status, why @ Why::StandApart) => {
            let proven = status.observed.is_some_and(|observed| observed.identity.apart.is_some());
            format!("status/{why:?}({})", if proven { "proven" } else { "withdrawn" })
        }
        Decision::WriteStatus(_, why) => format!("status/{why:?}"),
        Decision::WriteLease(which, _, _, why) => format!("lease/{which:?}/{why:?}"),
        Decision::AddFinalizer => "AddFinalizer".into(),
        Decision::RemoveFinalizer => "RemoveFinalizer".into(),
        Decision::Stage => "Stage".into(),
        Decision::CreatePlan(_) => "CreatePlan".into(),
        Decision::Consume(..) => "Consume".into(),
        Decision::MarkStale(_, _, stale) => format!("MarkStale/{stale:?}"),
        Decision::Answer(_, _, judged) => format!("Answer/{judged:?}"),
        Decision::CreateJob(claim) => format!("CreateJob/{:?}", claim.kind),
        Decision::ReleasePod(_) => "ReleasePod".into(),
        Decision::ExpireJob(_) => "ExpireJob".into(),
        Decision::Wait(_, shown) => format!("Wait/{shown:?}"),
        Decision::Refuse(refusal) => format!("Refuse/{refusal:?}"),
    };
    count(&DECIDED, name);
}

/// Counts a request by its kind and fault.
pub(crate) fn delivered(request: &Request, fault: Option<Fault>) {
    count(&DELIVERED, (name(request), fault));
}

/// Forgets what was counted so far: the way to where a configuration begins is no part of it.
pub(crate) fn forget() {
    if let (Ok(mut decided), Ok(mut delivered)) = (DECIDED.lock(), DELIVERED.lock()) {
        decided.clear();
        delivered.clear();
    }
    for (_, count) in &crate::check::SEEN {
        count.store(0, Ordering::Relaxed);
    }
}

/// The name of a request's kind.
pub(crate) fn name(request: &Request) -> &'static str {
    match request {
        Request::PutFinalizer(_, _, true) => "AddFinalizer",
        Request::PutFinalizer(..) => "RemoveFinalizer",
        Request::PutStatus(..) => "PutStatus",
        Request::PutLease(..) => "PutLease",
        Request::Stage(_) => "Stage",
        Request::CreatePlan(_) => "CreatePlan",
        Request::Consume(..) => "Consume",
        Request::MarkStale(..) => "MarkStale",
        Request::Answer(..) => "Answer",
        Request::CreateJob(..) => "CreateJob",
        Request::ReleasePod(_) => "ReleasePod",
        Request::ExpireJob(_) => "ExpireJob",
        _ => "a read",
    }
}

fn count<K: Ord>(counts: &Mutex<BTreeMap<K, u64>>, key: K) {
    if let Ok(mut counts) = counts.lock() {
        *counts.entry(key).or_default() += 1;
    }
}

/// The table of both, as text.
pub(crate) fn table() -> String {
    let mut text = String::from("decisions\n");
    if let Ok(counts) = DECIDED.lock() {
        for (name, count) in counts.iter() {
            let _ = writeln!(text, "  {name:<40} {count:>10}");
        }
    }
    text.push_str("requests, without a fault and with each\n");
    if let Ok(counts) = DELIVERED.lock() {
        for ((name, fault), count) in counts.iter() {
            let fault = fault.map_or_else(|| "-".to_owned(), |fault| format!("{fault:?}"));
            let _ = writeln!(text, "  {name:<20} {fault:<12} {count:>10}");
        }
    }
    text
}

/// What a full exploration must have met, or it proves less than it says.
const EXPECTED: &str = "AddFinalizer Answer/Consumed Answer/Stale(RunNotUnresolved) Consume CreateJob/Apply CreateJob/Refresh \
    CreateJob/Settle CreatePlan ExpireJob MarkStale/NoSuchPlan Refuse/NewerState ReleasePod \
    RemoveFinalizer Stage Wait/Applying Wait/AwaitingApproval Wait/Draining Wait/InSync Wait/OutcomeUnknown Wait/Reading \
    Wait/RealmAliased Wait/RealmNotAuthorized Wait/RealmUnresolved Wait/Refused(HistoryAhead) Wait/Settling \
    lease/Database/Acquire lease/Database/DropHold lease/Database/ForgetSettled \
    lease/Database/PutHold lease/Database/ReleaseDatabase lease/Database/Renew lease/Database/RestoreHold \
    lease/Realm/Acquire lease/Realm/ReleaseRealm lease/Realm/Renew status/ClaimApply status/ClaimRefresh \
    status/ClaimSettle status/ClearOwed status/Discard status/DropPlan status/Inherit status/Mark status/NeverCreated \
    status/NoteBroken status/NoteEpochs status/NoteEvidence status/NoteJob status/NoteJobDigest status/Permit \
    status/ReadFailed status/RecordRun status/Rotate status/SettleByAcknowledgment status/SettleByReading \
    status/SettleFailed status/SettledByAnother status/Show status/StandApart(proven) status/StandApart(withdrawn) \
    status/TakeReading";

/// The cells that are empty: decisions that were never taken, and requests that never met a fault.
pub(crate) fn empty() -> Vec<String> {
    let mut missing = Vec::new();
    if let Ok(counts) = DECIDED.lock() {
        missing.extend(EXPECTED.split_whitespace().filter(|name| !counts.contains_key(*name)).map(str::to_owned));
    }
    if let Ok(counts) = DELIVERED.lock() {
        let requests: std::collections::BTreeSet<&str> = counts.keys().map(|(name, _)| *name).collect();
        for request in requests {
            for fault in [Fault::LostBefore, Fault::LostAfter, Fault::DiesAfter] {
                if !counts.contains_key(&(request, Some(fault))) {
                    missing.push(format!("{request} with {fault:?}"));
                }
            }
        }
    }
    missing
}
