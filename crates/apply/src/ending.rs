//! How a run ended, in the closed set of words that a person and a machine can act on.

use ptah_model::Fingerprint;

/// How a run ended. See [`Ending::exit_code`] for the number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// There was nothing to do.
    InSync,
    /// The plan was shown and nothing was asked.
    DryRun,
    /// A person said no.
    Declined,
    /// It was refused before an intent was stored. Nothing of it is in the database.
    Refused(Refusal),
    /// An intent was stored, and it is certain that nothing of the change is in the database.
    NotApplied(Trouble),
    /// A known prefix of the segments is in the database, and nothing else of the change.
    Partial {
        /// How many segments.
        applied: usize,
        /// Of how many.
        of: usize,
        /// What stopped it.
        trouble: Trouble,
    },
    /// All of it is in the database, read again and found to be what was decided.
    Applied,
    /// All of it ran, and the reading afterwards found something else.
    NotProven {
        /// What was found.
        found: Fingerprint,
    },
    /// All of it ran and was confirmed, but the record or the reading that proves it could not be made.
    NotRecorded,
    /// Nobody knows how much of a segment is in the database.
    Unknown {
        /// How many segments before it are certainly in the database.
        applied: usize,
        /// Of how many.
        of: usize,
        /// What happened.
        trouble: Trouble,
    },
}

/// Why nothing ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Another run holds the lock.
    LockBusy,
    /// The lock was not held, or was lost before anything ran.
    LockLost,
    /// The operation was spent before.
    Spent,
    /// The database was moved or copied, and nobody has said which.
    MovedOrCopied,
    /// What an earlier run left could not be settled, because the settlement could not be stored.
    NotSettled,
    /// There is no plan to carry out; the findings say why.
    Plan(Against),
    /// The database is not in the state that the plan was made on.
    Stale,
    /// The intent could not be stored.
    NotRecorded,
    /// Other writers kept the intent from being stored.
    Busy,
    /// A person asked to stop.
    Interrupted,
    /// The provider was lost before anything of the change was sent.
    ProviderLost,
    /// The provider could not do what was asked before anything of the change was sent; its reason says why.
    ProviderRefused,
    /// The database could not be created. A file without content may have been left.
    NotCreated,
}

/// What is wrong where there is no plan to carry out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Against {
    /// The sources make no schema.
    Sources,
    /// The plan is not permitted or not possible, or the saved one is not for this database in this state.
    #[default]
    Plan,
    /// The plan does not lead to the desired schema: it was tried on a copy.
    Proof,
}

/// What stopped a run after an intent was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The lock was lost.
    LockLost,
    /// A record could not be stored.
    NotRecorded,
    /// Other writers kept an intent from being stored or a transaction from beginning.
    Busy,
    /// Somebody changed the schema since it was read.
    StateChanged,
    /// Another run wrote a claim since.
    ClaimChanged,
    /// Rows stand against the change.
    RowsOffend,
    /// The server refused a unit or the commit.
    Failed,
    /// A person asked to stop.
    Interrupted,
    /// The provider was lost, or could not say what it did.
    ProviderLost,
    /// The provider was lost while the first intent was stored: nothing of the change was sent, and nobody knows whether
    /// the operation is spent.
    IntentLost,
}

impl Ending {
    /// Whether an intent was stored, so that the operation's ID is spent; also where nobody knows, which
    /// [`Trouble::IntentLost`] says.
    pub fn is_spent(&self) -> bool {
        match self {
            Self::InSync | Self::DryRun | Self::Declined | Self::Refused(_) => false,
            Self::NotApplied(_)
            | Self::Partial { .. }
            | Self::Applied
            | Self::NotProven { .. }
            | Self::NotRecorded
            | Self::Unknown { .. } => true,
        }
    }

    /// The exit code: 0 done, 2 nothing of the change is in the database, 3 something is or may be there and the run
    /// was not proven.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::InSync | Self::DryRun | Self::Applied => 0,
            Self::Declined | Self::Refused(_) | Self::NotApplied(_) => 2,
            Self::Partial { .. } | Self::NotProven { .. } | Self::NotRecorded | Self::Unknown { .. } => 3,
        }
    }
}
