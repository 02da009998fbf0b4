//! The core of one run: what is known in, the next effect out.
//!
//! [`Run`] is a pure state machine. It says which effect comes next ([`Run::effect`]) and takes in what came of it
//! ([`Run::observe`]); `drive` only performs effects on a provider session. So each rule of a run stands here once, and a
//! test can stop between any two effects.
//!
//! ```text
//! lock → claims → (settle what an earlier run left) → read → prepare → (nothing to do: remember that) → approve
//!      → per segment: check lock → INTEND → begin → check rows → check lock → execute → OUTCOME → check lock → commit
//!      → read again → SETTLE → release
//! ```
//!
//! Two rules hold at every point: nothing is sent before its intent is stored, and what may have been sent is never sent
//! again. What is not known is [`Ending::Unknown`], never a failure.

#![deny(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::wildcard_enum_match_arm
)]

mod effect;
mod ending;
mod event;
mod run;
mod settle;
mod work;

pub use effect::Effect;
pub use ending::{Against, Ending, Refusal, Trouble};
pub use event::Event;
pub use run::{Illegal, Run};
pub use settle::{Settled, segments_in, verdict};
pub use work::{Request, SegmentWork, Work};
