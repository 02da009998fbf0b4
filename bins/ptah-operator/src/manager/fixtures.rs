//! What the tests of the signals are about: one resource at rest, and changes to it.

use ptah_lifecycle::{
    Access, ApplyPolicy, Claim, Decision, Epoch, Family, Fresh, Inputs, JobReading, Kind, LeaseReading, Manager,
    Memory, Operation, PolicyObject, RealmReading, Resource, Snapshot, Spec, Status, Time, Uid, Version, Why,
};
use ptah_model::Digest;

/// When the snapshot was made.
pub(crate) const NOW: Time = Time(1_800_000_000);
/// When a claim began: this many seconds before.
pub(crate) const AGE: i64 = 40;
/// The operation of every claim.
pub(crate) const RUN: Operation = Operation(0x0189_0a5d_ac96_774b_bcce_b302_099a_8001);

fn digest() -> Digest {
    Digest::of(b"")
}

fn access() -> Access {
    Access { target: digest(), scope: digest(), execution: digest(), window: 900 }
}

/// A schema at rest of which nothing is known.
pub(crate) fn snapshot() -> Snapshot {
    let verification = PolicyObject { uid: Uid(2), digest: digest() };
    let [artifact, target, scope, execution] = [digest(); 4];
    let spec = Spec {
        coordination: digest(),
        shared: false,
        suspended: false,
        apply: ApplyPolicy::OnApproval,
        allow_destructive: false,
        window: 900,
        interval: 600,
        retry: 30,
        inputs: Inputs { artifact, target, scope, execution, verification },
    };
    Snapshot {
        now: NOW,
        fresh: Fresh { operation: RUN, epoch: Epoch(1) },
        manager: Manager { components: digest(), state_version: 1, leads: true },
        resource: Resource {
            family: Family::Schema,
            uid: Uid(1),
            version: Version(1),
            deleting: false,
            finalizer: true,
            spec,
            status: Status::default(),
        },
        realm: RealmReading::Key,
        claimants: Vec::new(),
        realm_lease: LeaseReading { lease: None, unchanged_since: NOW },
        database_lease: None,
        plain_lease: None,
        plan: None,
        held_plan: None,
        approvals: Vec::new(),
        acknowledgments: Vec::new(),
        job: JobReading::NotRead,
        pods: Vec::new(),
        frame: None,
        staged: false,
        built: digest(),
        memory: Memory::default(),
        incumbents: Vec::new(),
        newcomers: Vec::new(),
        attested: true,
    }
}

/// The same with an operation under way.
pub(crate) fn working(kind: Kind) -> Snapshot {
    let mut snapshot = snapshot();
    snapshot.resource.status.claim = Some(claim(kind));
    snapshot
}

/// An operation that began some time ago.
pub(crate) fn claim(kind: Kind) -> Claim {
    Claim { started: NOW.plus(-AGE), ..Claim::begun(RUN, kind, digest(), NOW, digest(), access()) }
}

/// The decision to write the status with a change.
pub(crate) fn writes(snapshot: &Snapshot, why: Why, edit: impl FnOnce(&mut Status)) -> Decision {
    let mut status = snapshot.resource.status.clone();
    edit(&mut status);
    Decision::WriteStatus(Box::new(status), why)
}
