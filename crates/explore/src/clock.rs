//! Time, as the order of deadlines: it passes to the next moment at which something can be decided otherwise.

use ptah_lifecycle::{Time, bounds};

use crate::runner;
use crate::world::World;

/// Whether time may pass at all: a process whose deadline has come is killed first.
pub(crate) fn may_pass(world: &World) -> bool {
    world.pods.iter().all(|pod| !runner::must_die(world, pod))
}

/// The next deadline, if there is one.
pub(crate) fn next(world: &World) -> Option<Time> {
    let mut deadlines = Vec::with_capacity(32);
    for resource in &world.resources {
        let status = &resource.status;
        if let Some(claim) = &status.claim {
            deadlines.extend([claim.dispatch_not_after, claim.execution_not_after]);
            deadlines.push(claim.execution_not_after.plus(bounds::horizon()));
        }
        if let Some(record) = &status.record {
            deadlines.push(record.not_before);
            deadlines.extend(record.attempts.map(|a| a.last.plus(bounds::backoff(a.count))));
        }
        let retried = |count| bounds::backoff_from(resource.spec.retry, count);
        deadlines.extend(status.failures.map(|failures| failures.last.plus(retried(failures.count))));
        deadlines.extend(status.observed.map(|observed| observed.at.plus(resource.spec.interval)));
    }
    for (_, lease) in &world.leases {
        if lease.holder.is_some() {
            deadlines.push(lease.renewed.plus(lease.duration / bounds::RENEW_AFTER_PART));
            deadlines.push(lease.renewed.plus(lease.duration));
            deadlines.push(world.now.plus(lease.duration));
        }
        if let Some(hold) = lease.hold {
            deadlines.push(hold.execution_not_after.plus(bounds::horizon() + bounds::SETTLE_PATIENCE));
        }
    }
    deadlines.extend(world.jobs.iter().map(|job| job.claim.execution_not_after));
    deadlines.extend(world.pods.iter().filter_map(|pod| pod.deadline));
    // A manager whose clock is ahead, or behind, sees a moment earlier, or later.
    let seen = |time: Time| world.managers.iter().map(move |manager| time.plus(-manager.ahead));
    deadlines.into_iter().flat_map(seen).filter(|time| *time > world.now).min()
}
