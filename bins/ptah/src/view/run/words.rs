//! The sentence of each ending. One place, so that no two commands say the same thing differently.

use ptah_apply::{Against, Ending, Refusal, Trouble};
use ptah_provider_host::HostError;

use crate::failure::PROOF;
use crate::view::counted;

/// What is told of an ending.
pub(super) struct Told {
    /// The word of the ending.
    pub(super) word: &'static str,
    /// What is known.
    pub(super) known: String,
    /// What to do next.
    pub(super) next: Option<String>,
}

const LOOK: &str = "do not repeat anything by hand; run `ptah schema apply` again: it reads the database and settles what this \
                    run left before it decides anything";

const AGAIN: &str = "run `ptah schema apply` again: it reads the database and settles what this run left";

/// What is told of an ending. `provider` is what went wrong with the provider, if that is what is behind it.
pub(super) fn of(ending: &Ending, database: &str, provider: Option<&HostError>) -> Told {
    let told = by_itself(ending, database);
    let Some(error) = provider else { return told };
    let next = match ending {
        // What a person can do about the provider is said where the error is known.
        Ending::Refused(Refusal::ProviderLost | Refusal::ProviderRefused)
        | Ending::NotApplied(Trouble::ProviderLost | Trouble::IntentLost | Trouble::NotRecorded) => {
            error.hint().to_owned()
        }
        Ending::Refused(Refusal::NotRecorded) if is_gone(error) => format!("the provider is gone: {}", error.hint()),
        Ending::NotRecorded if is_gone(error) => format!("the provider ended before that: {AGAIN}"),
        _ => return told,
    };
    Told { next: Some(next), ..told }
}

/// Whether the provider cannot be asked any more.
fn is_gone(error: &HostError) -> bool {
    matches!(error, HostError::Exited { .. } | HostError::AnswerLost { .. } | HostError::Ended { .. })
}

/// What is told of an ending that has nothing but itself to tell.
fn by_itself(ending: &Ending, database: &str) -> Told {
    let (word, known, next) = match ending {
        Ending::InSync => ("in sync", format!("{database} is as it is wanted; nothing was changed"), None),
        Ending::DryRun => ("dry run", "nothing was changed".to_owned(), None),
        Ending::Declined => ("declined", "nothing was changed".to_owned(), None),
        Ending::Refused(refusal) => {
            let (why, next) = refused(*refusal);
            // A file without content may be there by now.
            let changed = if *refusal == Refusal::NotCreated { "" } else { "; nothing was changed" };
            ("refused", format!("{why}{changed}"), Some(next.to_owned()))
        }
        Ending::NotApplied(trouble) => {
            let (why, next) = stopped(*trouble);
            ("not applied", format!("{why}; nothing of the change is in the database"), Some(next.to_owned()))
        }
        Ending::Partial { applied, of, trouble } => (
            "partly applied",
            format!(
                "in the database: {applied} of {}, and nothing else of the change; {}",
                counted(*of, "segment"),
                stopped(*trouble).0
            ),
            Some("remove the cause, and make a new plan: it starts from what is there".to_owned()),
        ),
        Ending::Applied => ("applied", format!("{database} was read again and is as it was decided"), None),
        Ending::NotProven { found } => (
            "applied, not proven",
            format!("everything ran, and {database} then read as something else than was decided ({found})"),
            Some(
                "see what differs with `ptah schema compare`: somebody may have changed it at the same time".to_owned(),
            ),
        ),
        Ending::NotRecorded => (
            "applied, not recorded",
            "everything ran and was confirmed, but the record or the reading that proves it could not be made"
                .to_owned(),
            Some(format!("make room for a write to the database, and {AGAIN}")),
        ),
        Ending::Unknown { applied, of, trouble } => (
            "unknown",
            format!(
                "certainly in the database: {applied} of {}; nobody knows how much of the next one is there; {}",
                counted(*of, "segment"),
                stopped(*trouble).0
            ),
            Some(LOOK.to_owned()),
        ),
    };
    Told { word, known, next }
}

/// Why nothing ran, and what to do.
fn refused(refusal: Refusal) -> (&'static str, &'static str) {
    match refusal {
        Refusal::LockBusy => (
            "another run holds the lock",
            "wait for it to end, or wait longer with --run-lock-timeout; a lock goes with the process that holds it",
        ),
        Refusal::LockLost => {
            ("the lock could not be kept", "run it again; if it stays, look at what closes connections")
        }
        Refusal::Spent => ("this plan was begun before, and a plan runs once", "make a new plan: ptah schema plan"),
        Refusal::MovedOrCopied => (
            "this database was moved or copied since Ptah changed it, and nobody has said which",
            "say it with --accept-moved or with --as-copy",
        ),
        Refusal::NotSettled => (
            "what an earlier run left could not be settled, because the record could not be stored",
            "make room for a write to the database, and run it again",
        ),
        Refusal::Plan(Against::Sources) => (
            "the desired schema is refused",
            "correct the sources where the findings say; `ptah schema validate` checks them without a database",
        ),
        Refusal::Plan(Against::Plan) => ("the plan is refused", "the findings say why, and what would permit it"),
        Refusal::Plan(Against::Proof) => ("the plan does not lead to the desired schema", PROOF),
        Refusal::Stale => (
            "the database is not in the state that the plan was made on",
            "make a new plan, and read it before you approve it: ptah schema plan",
        ),
        Refusal::NotRecorded => (
            "the intent could not be stored",
            "Ptah keeps what it did in a table of its own: this user has to be able to write, and no other writer may be in the way",
        ),
        Refusal::Busy => (
            "other writers kept the intent from being stored",
            "run it again when there is less traffic, or wait longer with --lock-timeout",
        ),
        Refusal::Interrupted => ("it was interrupted", "run it again when you want to"),
        Refusal::ProviderLost => ("the provider was lost before anything of the change was sent", "run it again"),
        Refusal::ProviderRefused => {
            ("the provider could not do what was asked", "the reason says why; then run it again")
        }
        Refusal::NotCreated => (
            "the database could not be created",
            "the reason says why; a file without content may have been left at the path",
        ),
    }
}

/// What stopped a run, and what to do when nothing of it is in the database.
fn stopped(trouble: Trouble) -> (&'static str, &'static str) {
    match trouble {
        Trouble::LockLost => ("the lock was lost", "run it again; if it stays, look at what closes connections"),
        Trouble::NotRecorded => ("a record could not be stored", "look at the room and the rights in the database"),
        Trouble::Busy => (
            "other writers kept it from beginning",
            "run it again when there is less traffic, or wait longer with --lock-timeout",
        ),
        Trouble::StateChanged => (
            "somebody changed the schema since it was read",
            "make a new plan, and read it before you approve it: ptah schema plan",
        ),
        Trouble::ClaimChanged => ("another run began since", "run it again: it reads what the other one did"),
        Trouble::RowsOffend => {
            ("rows stand against the change", "correct the rows and run it again; --show-rows names them")
        }
        Trouble::Failed => ("the server refused a statement or the commit", "see the reason, and make a new plan"),
        Trouble::Interrupted => ("it was interrupted", "run it again when you want to"),
        Trouble::ProviderLost => ("the provider was lost, or could not say what it did", "run it again"),
        Trouble::IntentLost => ("the provider was lost while the intent was stored", "run it again"),
    }
}

/// The stable code of a refusal.
pub fn refusal_code(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::LockBusy => "lock-timeout",
        Refusal::LockLost => "lock-lost",
        Refusal::Spent => "spent",
        Refusal::MovedOrCopied => "moved-or-copied",
        Refusal::NotSettled => "not-settled",
        Refusal::Plan(Against::Sources) => "sources",
        Refusal::Plan(Against::Plan) => "plan",
        Refusal::Plan(Against::Proof) => "proof",
        Refusal::Stale => "stale-plan",
        Refusal::NotRecorded => "not-recorded",
        Refusal::Busy => "busy",
        Refusal::Interrupted => "interrupted",
        Refusal::ProviderLost => "provider-lost",
        Refusal::ProviderRefused => "provider-refused",
        Refusal::NotCreated => "not-created",
    }
}

/// The stable code of what stopped a run.
pub fn trouble_code(trouble: Trouble) -> &'static str {
    match trouble {
        Trouble::LockLost => "lock-lost",
        Trouble::NotRecorded => "not-recorded",
        Trouble::Busy => "busy",
        Trouble::StateChanged => "state-changed",
        Trouble::ClaimChanged => "claim-changed",
        Trouble::RowsOffend => "rows-offend",
        Trouble::Failed => "failed",
        Trouble::Interrupted => "interrupted",
        Trouble::ProviderLost => "provider-lost",
        Trouble::IntentLost => "intent-lost",
    }
}
