//! What may be taken without asking again, and when: only what a stale copy of can delay and nothing else.
//!
//! | Copy | Why it is enough |
//! |---|---|
//! | the resource as our own last write left it, in the pass right after | the next write names its version, so it does nothing when anybody wrote since |
//! | that nobody has said anything about a resource | a word that is missed wakes the resource a moment later; a claim's own approval is always read |
//! | the verification policy, for a few seconds | an Apply reads it anew; a reading's Pod refuses other bytes than it was told of |

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ptah_mirror::PolicyState;
use serde_json::Value;

/// For how long a verification policy is not read again.
const POLICY: Duration = Duration::from_secs(5);
/// How many policies are remembered.
const MOST: usize = 4_096;

/// What one pass may take.
#[derive(Debug, Default)]
pub(crate) struct Hints {
    /// The resource, as this process wrote it a moment ago.
    pub(crate) written: Option<Value>,
    /// Nobody has said anything about it.
    pub(crate) silent: bool,
}

/// Verification policies as they were read a moment ago, by path and key.
#[derive(Debug, Default)]
pub(crate) struct Policies(Mutex<BTreeMap<(String, String), (Instant, PolicyState)>>);

impl Policies {
    /// The policy, if it was read within the last few seconds.
    pub(crate) fn get(&self, path: &str, key: &str, now: Instant) -> Option<PolicyState> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (read, policy) = known.get(&(path.to_owned(), key.to_owned()))?;
        (now.saturating_duration_since(*read) < POLICY).then_some(*policy)
    }

    /// Remembers it.
    pub(crate) fn put(&self, path: &str, key: &str, now: Instant, policy: PolicyState) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert((path.to_owned(), key.to_owned()), (now, policy));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_read_again_after_a_few_seconds() {
        let (policies, now) = (Policies::default(), Instant::now());
        policies.put("a", "k", now, PolicyState::absent());
        assert_eq!(policies.get("a", "k", now), Some(PolicyState::absent()));
        assert_eq!(policies.get("a", "other", now), None);
        assert_eq!(policies.get("a", "k", now + POLICY), None);
    }
}
