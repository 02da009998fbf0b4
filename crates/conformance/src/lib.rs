//! Proves that an executable keeps the provider contract: every rule is tried on a running process, from outside.
//!
//! Nothing of ours is assumed of the executable: no variable of our own but the bootstrap's, no language, no SDK. A rule
//! is a sentence, the features that it needs and a function ([`Rule`]); [`run`] tries all of them, each on processes of
//! its own, and a [`Report`] says what passed, what failed with what was sent and what came back, and what was not
//! applicable. Beside the generated messages and the contract's validators nothing is shared with a host: processes,
//! connections and calls are made here, because a host hides what a rule wants to see.
//!
//! It does not test hosts: their rules are tests of their own crates. Which rule is proven where is in `rules.txt`.

mod lab;
mod message;
mod peer;
mod process;
mod report;
mod rule;
mod rules;
mod run;
mod target;
mod tls;

pub use report::{Report, Told};
pub use rule::{Finding, Rule, Verdict};
pub use rules::all;
pub use run::run;
pub use target::Target;
