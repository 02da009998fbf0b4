//! What people read: the core's one word as phase and conditions, and back.
//!
//! The word is read back from the reason of `Ready`, so each has a reason of its own. Nothing is decided on it: the core
//! compares it in order not to write the same again.

use ptah_crds::{Condition, ConditionStatus, ConditionType, Phase, Reason};
use ptah_lifecycle::{Shown, StateRefusal};
use ptah_records::operator::list::List;
use ptah_records::operator::text::Sentence;
use ptah_records::operator::time::Moment;
use ptah_records::operator::whole::Whole;

/// What one word looks like.
struct Look {
    shown: Shown,
    reason: &'static str,
    phase: Phase,
    sentence: &'static str,
}

macro_rules! looks {
    ($($shown:expr => $reason:literal, $phase:ident, $sentence:literal;)*) => {
        &[$(Look { shown: $shown, reason: $reason, phase: Phase::$phase, sentence: $sentence }),*]
    };
}

/// Every word, once.
const LOOKS: &[Look] = looks! {
    Shown::Pending => "Pending", Pending, "Nothing was looked at yet.";
    Shown::Reading => "Reading", Reading, "Artifact and database are being read.";
    Shown::AwaitingApproval => "ApprovalRequired", AwaitingApproval, "A plan waits for a person's approval.";
    Shown::ApplyDisabled => "ApplyDisabled", Blocked, "A plan stands, and the policy lets nothing run; set policy.apply.";
    Shown::Destructive => "DestructiveChange", Blocked,
        "The plan can lose something, and the policy forbids that; change the sources, or set policy.allowDestructive.";
    Shown::Applying => "Applying", Applying, "The plan is being carried out.";
    Shown::Draining => "Draining", Draining, "The run is over, and something of it may still write; it is waited for.";
    Shown::Settling => "Settling", Settling, "The database is about to be read under its lock, to learn what the run did.";
    Shown::OutcomeUnknown => "OutcomeUnknown", Stuck,
        "Nobody knows what the run did; look at the database, then acknowledge the run.";
    Shown::InSync => "InSync", InSync, "The database is as it is wanted.";
    Shown::Suspended => "Suspended", Suspended, "Nothing new is begun until spec.suspend is taken away.";
    Shown::RealmConflict => "RealmConflict", Blocked,
        "Another resource claims the same database; let one go, or declare the sharing in all of them.";
    Shown::RealmNotAuthorized => "RealmNotAuthorized", Blocked, "The realm does not admit this resource.";
    Shown::RealmAliased => "RealmAliased", Blocked, "The database is claimed under another name already.";
    Shown::RealmUnresolved => "RealmUnresolved", Blocked, "Another run on this database has to be settled first.";
    Shown::Refused(StateRefusal::HistoryDirty) => "HistoryDirty", Blocked,
        "The database's history says that a migration was begun and not ended.";
    Shown::Refused(StateRefusal::HistoryModified) => "HistoryModified", Blocked,
        "The file of an applied migration was changed.";
    Shown::Refused(StateRefusal::HistoryOutOfOrder) => "HistoryOutOfOrder", Blocked,
        "A migration that is not applied comes before one that is.";
    Shown::Refused(StateRefusal::HistoryAhead) => "HistoryAhead", Blocked,
        "The database has migrations that the artifact does not have.";
    Shown::Refused(StateRefusal::ProtectedTable) => "ProtectedTable", Blocked, "A protected table would lose something.";
    Shown::PolicyRefused => "ArtifactRefused", Blocked, "The artifact does not satisfy the verification policy.";
    Shown::ReadFailed => "ReadFailed", Failed, "The last operation failed; it is tried again.";
};

fn look(shown: Shown) -> &'static Look {
    // The first stands for one that is missing; a test shows that none is.
    LOOKS.iter().find(|look| look.shown == shown).unwrap_or(&LOOKS[0])
}

/// The phase of a word.
pub(crate) fn phase(shown: Shown) -> Phase {
    look(shown).phase
}

/// The word that `Ready` says; [`Shown::Pending`] before anything was said.
pub(crate) fn read(conditions: &List<Condition, 18>) -> Shown {
    let ready = conditions.as_slice().iter().find(|condition| condition.kind == ConditionType::Ready);
    let reason = ready.map(|condition| condition.reason.as_str());
    LOOKS.iter().find(|look| Some(look.reason) == reason).map_or(Shown::Pending, |look| look.shown)
}

/// The conditions of a word, each with the time since when its status is what it is.
pub(crate) fn conditions(
    shown: Shown,
    before: &List<Condition, 18>,
    generation: Option<Whole<0, 9_007_199_254_740_991>>,
    now: Moment,
) -> List<Condition, 18> {
    let look = look(shown);
    let about = [
        (ConditionType::Ready, yes(shown == Shown::InSync)),
        (ConditionType::InSync, in_sync(shown)),
        (ConditionType::Applying, yes(matches!(shown, Shown::Applying))),
        (ConditionType::ApprovalRequired, yes(shown == Shown::AwaitingApproval)),
        (ConditionType::Blocked, yes(look.phase == Phase::Blocked)),
        (ConditionType::Settled, yes(!matches!(shown, Shown::Draining | Shown::Settling | Shown::OutcomeUnknown))),
        (ConditionType::Suspended, yes(shown == Shown::Suspended)),
        (ConditionType::ReconciliationFailed, yes(shown == Shown::ReadFailed)),
    ];
    let since = |kind, status| {
        let same = before.as_slice().iter().find(|condition| condition.kind == kind && condition.status == status);
        same.map_or(now, |condition| condition.last_transition_time)
    };
    let made = about.map(|(kind, status)| Condition {
        kind,
        status,
        reason: reason(look.reason),
        message: sentence(look.sentence),
        observed_generation: generation,
        last_transition_time: since(kind, status),
    });
    // What others of our own writers say under other types stays.
    let ours = |condition: &&Condition| about.iter().all(|(kind, _)| *kind != condition.kind);
    let kept = before.as_slice().iter().filter(ours).cloned();
    List::cut(made.into_iter().chain(kept).collect()).0
}

fn yes(holds: bool) -> ConditionStatus {
    if holds { ConditionStatus::True } else { ConditionStatus::False }
}

/// While a run may have changed the database, there is no evidence either way.
fn in_sync(shown: Shown) -> ConditionStatus {
    match shown {
        Shown::InSync => ConditionStatus::True,
        Shown::AwaitingApproval | Shown::ApplyDisabled | Shown::Destructive | Shown::Refused(_) => {
            ConditionStatus::False
        }
        Shown::Pending
        | Shown::Reading
        | Shown::Applying
        | Shown::Draining
        | Shown::Settling
        | Shown::OutcomeUnknown
        | Shown::Suspended
        | Shown::RealmConflict
        | Shown::RealmNotAuthorized
        | Shown::RealmAliased
        | Shown::RealmUnresolved
        | Shown::PolicyRefused
        | Shown::ReadFailed => ConditionStatus::Unknown,
    }
}

#[expect(clippy::expect_used, reason = "each is a literal of this file, and a test makes all of them")]
fn reason(text: &str) -> Reason {
    Reason::new(text).expect("a reason")
}

#[expect(clippy::expect_used, reason = "each is a literal of this file, and a test makes all of them")]
fn sentence(text: &str) -> Sentence {
    Sentence::new(text).expect("a sentence")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(seconds: u64) -> Moment {
        Moment::from_milliseconds(seconds * 1_000).unwrap()
    }

    #[test]
    fn every_word_is_read_back_from_what_people_read() {
        for one in LOOKS {
            let conditions = conditions(one.shown, &List::default(), None, moment(1));
            assert_eq!(read(&conditions), one.shown);
            assert_eq!(LOOKS.iter().filter(|other| other.reason == one.reason).count(), 1, "{}", one.reason);
            assert_eq!(LOOKS.iter().filter(|other| other.shown == one.shown).count(), 1, "{}", one.reason);
        }
        // One for each variant, those of the refusals included; the compiler counts them in `in_sync` and in the core.
        assert_eq!(LOOKS.len(), 22);
    }

    #[test]
    fn a_condition_says_since_when_it_is_so_and_not_since_when_it_was_written() {
        let first = conditions(Shown::Reading, &List::default(), None, moment(1));
        let second = conditions(Shown::InSync, &first, None, moment(2));
        let since = |kind| second.as_slice().iter().find(|c| c.kind == kind).unwrap().last_transition_time;
        assert_eq!((since(ConditionType::Ready), since(ConditionType::Suspended)), (moment(2), moment(1)));
    }
}
