//! The operator's core: what is known about one resource in, the next effect out.
//!
//! [`decide()`] serves both families; they differ in data (what a reading can prove, [`settle`]), never in the order of
//! steps. The order of one pass is in [`mod@decide`], one concern a file. A decision is one request to the API server,
//! made against the state that it was decided on; then everything is read again.
//!
//! ```text
//! finalizer · claim · C · D · epochs · stage · Job digest · hold on D · consume · mark · create once · UID
//!           · permit · run · result · record │ settle: claim · C · D · … · read under the database's lock
//!           · S1 record → resolved + owed │ S2 drop the hold on D │ S3 empty C │ S4 clear the owed release
//! ```
//!
//! No clock, no I/O, no Kubernetes: time, fresh IDs and readings come in with the [`Snapshot`]. Decisions read no phase,
//! no condition and no reason; what people are shown is written beside them.

#![deny(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::wildcard_enum_match_arm
)]

pub mod acknowledgment;
pub mod approval;
pub mod binding;
pub mod bounds;
mod claim;
pub mod decide;
mod decision;
mod deletion;
pub mod dispatch;
pub mod evidence;
pub mod fence;
pub mod harvest;
mod hold;
mod ids;
pub mod inputs;
pub mod instance;
mod object;
pub mod permit;
pub mod plan;
pub mod realm;
mod refresh;
mod release;
pub mod retention;
mod rewind;
pub mod settle;
mod snapshot;
pub mod supervise;
mod suspension;

pub use decide::decide;
pub use decision::{Decision, Refusal, Why};
pub use ids::{Epoch, Operation, Time, Uid, Version};
pub use inputs::plan_fingerprint;
pub use object::*;
pub use snapshot::{Fresh, Manager, Memory, Snapshot};
