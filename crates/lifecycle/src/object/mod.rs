//! The objects that the core knows, as plain values: what was read from the API server, without its wire form.

mod approval;
mod evidence;
mod lease;
mod observed;
mod plan;
mod realm;
mod record;
mod resource;
mod status;

pub use approval::{Acknowledgment, Approval, Finding, Judged, Stale};
pub use evidence::{
    ClaimRows, Facts, Frame, Job, JobReading, Outcome, Pod, ReadFailure, Reading, Reported, Section, SettleReading,
    StateRefusal, Stopped, Unfinished,
};
pub use lease::{Hold, Holder, Lease, LeaseReading, Standing, Which};
pub use observed::{Instance, Observed};
pub use plan::{Basis, Plan, PlanRef, Proposal};
pub use realm::{Claimant, Looked, RealmReading};
pub use record::{Failures, LastAnswer, Record, Resolution, Resolved};
pub use resource::{Access, ApplyPolicy, Family, Identity, IdentitySource, Inputs, PolicyObject, Resource, Spec};
pub use status::{Binding, Claim, Kind, Owed, Permit, RunEvidence, Shown, Status};
