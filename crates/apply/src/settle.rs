//! What a reading under the lock says about an operation that nobody finished.

use ptah_model::{Fingerprint, OperationId};
use ptah_provider_api::claim::{OperationRecord, SegmentRecord, Verdict};
use ptah_provider_api::execute::Outcome;

/// An operation of an earlier run that this run settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The operation.
    pub operation: OperationId,
    /// What the reading showed.
    pub verdict: Verdict,
    /// How many of its segments are in the database, where that is known.
    pub applied: Option<usize>,
    /// How many it has.
    pub of: usize,
}

/// How many segments of the operation are in the database; `None` when the state matches no point of it.
///
/// An outcome row is believed: it is written with the segment, or after it. A transaction without one did not commit,
/// because both share it. Only a segment outside a transaction leaves a question, and the reading answers it: the state
/// is the one before the segment, or the one that the proof found after it, or neither.
pub fn segments_in(operation: &OperationRecord, found: Fingerprint) -> Option<usize> {
    let Some((last, earlier)) = operation.intents.split_last() else {
        return Some(0);
    };
    let last_in = match segment_in(last) {
        Some(known) => known,
        None if found == last.after => true,
        None if found == last.before => false,
        None => return None,
    };
    // A segment is intended only after the one before it was recorded as applied.
    Some(earlier.len() + usize::from(last_in))
}

/// What the rows alone say about a segment.
fn segment_in(segment: &SegmentRecord) -> Option<bool> {
    match segment.outcome {
        Some((Outcome::Applied, _)) => Some(true),
        Some((Outcome::NotStarted | Outcome::NotApplied, _)) => Some(false),
        Some((Outcome::Partial | Outcome::Unknown, _)) => None,
        None => segment.transactional.then_some(false),
    }
}

/// The verdict that closes the operation.
pub fn verdict(operation: &OperationRecord, found: Fingerprint) -> Verdict {
    match segments_in(operation, found) {
        Some(0) => Verdict::NotApplied,
        Some(n) if n == operation.segments as usize => Verdict::Applied,
        Some(_) => Verdict::Partial,
        None => Verdict::Diverged,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptah_model::Digest;

    fn state(n: u8) -> Fingerprint {
        format!("sha256:{}", hex(n)).parse().unwrap()
    }

    fn hex(n: u8) -> String {
        format!("{n:02x}").repeat(32)
    }

    fn operation(segments: u32, intents: &[(bool, Option<Outcome>)]) -> OperationRecord {
        let record = |(i, (transactional, outcome)): (usize, &(bool, Option<Outcome>))| {
            let i = u8::try_from(i).unwrap();
            SegmentRecord {
                transactional: *transactional,
                before: state(i),
                after: state(i + 1),
                outcome: outcome.map(|o| (o, 1)),
            }
        };
        OperationRecord {
            operation: OperationId::new("op").unwrap(),
            plan: Digest::of(b"plan"),
            segments,
            intents: intents.iter().enumerate().map(record).collect(),
            settled: None,
            at_us: 0,
        }
    }

    fn check(segments: u32, intents: &[(bool, Option<Outcome>)], found: Fingerprint, expected: Verdict) {
        assert_eq!(verdict(&operation(segments, intents), found), expected, "{segments} {intents:?}");
    }

    #[test]
    fn a_transaction_without_an_outcome_did_not_commit_whatever_the_state_is() {
        for found in [state(0), state(1), state(9)] {
            check(1, &[(true, None)], found, Verdict::NotApplied);
            check(2, &[(true, Some(Outcome::Applied)), (true, None)], found, Verdict::Partial);
        }
    }

    #[test]
    fn a_unit_outside_a_transaction_is_settled_by_the_state_or_not_at_all() {
        check(1, &[(false, None)], state(0), Verdict::NotApplied);
        check(1, &[(false, None)], state(1), Verdict::Applied);
        check(1, &[(false, None)], state(9), Verdict::Diverged);
        check(2, &[(false, Some(Outcome::Applied)), (false, None)], state(1), Verdict::Partial);
        check(2, &[(false, Some(Outcome::Applied)), (false, Some(Outcome::Unknown))], state(2), Verdict::Applied);
    }

    #[test]
    fn an_outcome_is_believed_even_when_the_state_moved_on() {
        check(1, &[(true, Some(Outcome::Applied))], state(9), Verdict::Applied);
        check(1, &[(false, Some(Outcome::NotApplied))], state(9), Verdict::NotApplied);
        check(3, &[(true, Some(Outcome::Applied))], state(9), Verdict::Partial);
    }
}
