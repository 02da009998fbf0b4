//! The objects that the core knows, as plain values: what was read from the API server, without its wire form.

mod approval;
mod evidence;
mod lease;
mod plan;
mod realm;
mod resource;
mod status;

pub use approval::{Acknowledgment, Approval, Finding, Judged, Stale};
pub use evidence::{
    ClaimRows, Facts, Frame, Job, JobReading, Outcome, Pod, ReadFailure, Reading, Reported, Section, SettleReading,
    StateRefusal, Stopped, Unfinished,
};
pub use lease::{Hold, Holder, Lease, LeaseReading, Standing, Which};
pub use plan::{Plan, PlanRef, Proposal};
pub use realm::{Claimant, RealmReading};
pub use resource::{ApplyPolicy, Family, Identity, IdentitySource, Inputs, PolicyObject, Resource, Spec};
pub use status::{
    Binding, Claim, Failures, Kind, Observed, Owed, Permit, Record, Resolution, Resolved, RunEvidence, Shown, Status,
};
