//! A person's word on one run: which one counts, and what each is answered.

use crate::decision::Decision;
use crate::ids::Operation;
use crate::object::{Acknowledgment, Judged, Resolution, Stale};
use crate::snapshot::Snapshot;

/// Whether this is the word on this run of somebody who is proven, and another person where two are asked for.
pub(crate) fn speaks_of(ack: &Acknowledgment, operation: Operation) -> bool {
    ack.attested && !ack.own_run && ack.operation == operation
}

/// The oldest acknowledgment of this run whose author is proven, and is another person where two are asked for.
pub(crate) fn find(s: &Snapshot, operation: Operation) -> Option<&Acknowledgment> {
    s.acknowledgments
        .iter()
        .filter(|ack| s.attested && ack.judged.is_none() && speaks_of(ack, operation))
        .min_by_key(|ack| (ack.created, ack.uid))
}

/// Answers one acknowledgment: the one that settled the run, or one that can settle nothing.
pub(crate) fn step(s: &Snapshot) -> Option<Decision> {
    s.acknowledgments.iter().filter(|ack| ack.judged.is_none()).find_map(|ack| {
        let judged = verdict(s, ack)?;
        Some(Decision::Answer(ack.uid, ack.version, judged))
    })
}

/// What becomes of an acknowledgment; nothing while it may still settle a run.
fn verdict(s: &Snapshot, ack: &Acknowledgment) -> Option<Judged> {
    let settled = s
        .resource
        .status
        .resolved
        .is_some_and(|resolved| matches!(resolved.by, Resolution::Acknowledgment(uid, _) if uid == ack.uid));
    if settled {
        return Some(Judged::Consumed);
    }
    let recorded = s.resource.status.record.as_ref().is_some_and(|record| record.operation == ack.operation);
    let leases = [&s.database_lease, &s.plain_lease].into_iter().flatten();
    let held = leases.filter_map(|lease| lease.hold()).any(|hold| hold.operation == ack.operation);
    if !recorded && !held {
        return Some(Judged::Stale(Stale::RunNotUnresolved));
    }
    if !ack.attested {
        return Some(Judged::Stale(Stale::UnattestedIdentity));
    }
    if ack.own_run {
        return Some(Judged::Stale(Stale::SelfApproval));
    }
    (!crate::realm::is_admitted(s)).then_some(Judged::Stale(Stale::NotAdmitted))
}
