//! The authority: certificates that this process makes for itself, one generation after another.
//!
//! A generation is an authority that signed exactly one certificate, for a name that no other generation has, and whose
//! own key was forgotten at once: whoever reads the Secret can pose as the server and make no other certificate. An
//! operation names the generation that it was made under, so a change of generations never cuts off a run that is under
//! way: the older one is served for as long as a Job names it.
//!
//! The embedder keeps it all in a Secret of its own namespace, by compare and swap, and names a generation in a Job only
//! after the Secret was stored. There is no clock here: every moment is given.

mod generation;
mod secret;

use std::collections::BTreeSet;
use std::time::Duration;

use ptah_records::operator::text::HostName;
use ptah_records::operator::time::Moment;

pub use generation::{Generation, MakeProblem};
pub use secret::{SecretData, SecretProblem};

/// How long a certificate is valid after it was made.
pub const VALID: Duration = Duration::from_hours(90 * 24);
/// For how long a generation is the newest. What is left of its validity is longer than any run.
pub const NEWEST: Duration = Duration::from_hours(30 * 24);
/// How long a certificate was valid before it was made: for nodes whose clock is behind.
pub const BEFORE: Duration = Duration::from_hours(24);
/// How long a generation that was replaced is kept, whoever names it: a Job may be on its way.
pub const KEPT: Duration = Duration::from_hours(48);
/// The most generations that are kept at once. A Secret holds a mebibyte, a generation three kibibytes.
pub const MOST: usize = 32;

/// Every generation that is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    /// By number, each lower than the next and than the newest.
    older: Vec<Generation>,
    newest: Generation,
}

impl Authority {
    /// A new authority, with its first generation.
    pub fn new(now: Moment) -> Result<Self, MakeProblem> {
        Ok(Self { older: Vec::new(), newest: Generation::new(1, now)? })
    }

    /// The newest generation: what a Job that is made now has to name.
    pub fn newest(&self) -> &Generation {
        &self.newest
    }

    /// Every generation, the oldest first.
    pub fn generations(&self) -> impl Iterator<Item = &Generation> {
        self.older.iter().chain([&self.newest])
    }

    /// Whether a new generation is wanted: the newest is old, or the clock says that it was made much later than now.
    pub fn is_due(&self, now: Moment) -> bool {
        let made = self.newest.made();
        after(made, NEWEST) <= now || after(now, BEFORE) < made
    }

    /// Adds a generation. Nothing of the older ones changes.
    pub fn add(&mut self, now: Moment) -> Result<(), MakeProblem> {
        let newest = Generation::new(self.newest.number() + 1, now)?;
        self.older.push(std::mem::replace(&mut self.newest, newest));
        Ok(())
    }

    /// Removes what nobody needs: replaced more than [`KEPT`] ago and named by no Job, no longer valid, or, the oldest
    /// first, beyond [`MOST`]. Says whether anything was removed.
    pub fn retire(&mut self, named: &BTreeSet<HostName>, now: Moment) -> bool {
        let before = self.older.len();
        let replaced: Vec<Moment> = self.generations().skip(1).map(Generation::made).collect();
        let older = std::mem::take(&mut self.older).into_iter().zip(replaced).filter(|(generation, replaced)| {
            let valid = now < after(generation.made(), VALID);
            valid && (now < after(*replaced, KEPT) || named.contains(generation.server_name()))
        });
        self.older = older.map(|(generation, _)| generation).collect();
        self.older.drain(..(self.older.len() + 1).saturating_sub(MOST));
        self.older.len() != before
    }
}

/// A moment that much later, or the last that there is.
fn after(moment: Moment, time: Duration) -> Moment {
    let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX).saturating_add(moment.milliseconds());
    Moment::from_milliseconds(milliseconds).unwrap_or(moment)
}

#[cfg(test)]
mod tests;
