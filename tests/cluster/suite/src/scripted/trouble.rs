//! What goes wrong.

use ptah_records::operator::latest::{OperationSpec, Work};
use serde::{Deserialize, Serialize};

/// What goes wrong with the next operations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Misbehaviour {
    /// Of which kind the operations are; absent for every kind.
    #[serde(default)]
    pub of: Option<Kind>,
    /// How many of them it strikes.
    pub times: u32,
    /// What goes wrong.
    pub trouble: Trouble,
}

/// A kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Fetches, reads and plans.
    Refresh,
    /// Reads what a run did.
    Settle,
    /// Carries a plan out.
    Apply,
}

/// What goes wrong. The units of an Apply are its statements; those of a transaction that was not committed are lost. A number
/// of units that the run does not have strikes after the last of them, before anything is reported. A reading has no units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Trouble {
    /// The process is killed.
    Dies {
        /// After how many units.
        after_units: u64,
        /// How long the database's server goes on with the commit under way, and keeps the lock: in milliseconds. Absent
        /// where it notices the death at once.
        goes_on: Option<u64>,
    },
    /// The process goes on for ever, with the lock in its hand.
    Hangs {
        /// After how many units.
        after_units: u64,
    },
    /// The process ends without a word.
    SaysNothing {
        /// After how many units.
        after_units: u64,
    },
    /// The process does not know whether its last commit came through, and says so.
    SaysUnknown {
        /// After how many units.
        after_units: u64,
    },
    /// The database refuses a statement; of a reading: the plan cannot be made, or nothing can be read.
    Fails {
        /// After how many units.
        after_units: u64,
    },
    /// The database is not reached.
    NoConnection,
    /// Another session holds the lock. A refresh takes none, and fails.
    Busy,
    /// While fetching: the registry does not answer.
    NoRegistry,
    /// While fetching: the artifact is not trusted.
    NotTrusted,
}

impl Kind {
    /// The kind of an operation.
    pub fn of(spec: &OperationSpec) -> Self {
        match spec.work {
            Work::Refresh { .. } => Self::Refresh,
            Work::Settle { .. } => Self::Settle,
            Work::Apply { .. } => Self::Apply,
        }
    }
}

impl Misbehaviour {
    /// The next operation of this kind is struck.
    pub fn next(kind: Kind, trouble: Trouble) -> Self {
        Self { of: Some(kind), times: 1, trouble }
    }

    /// Whether an operation of this kind is struck, in the container that fetches or in the other one.
    pub(crate) fn strikes(&self, kind: Kind, fetching: bool) -> bool {
        self.of.is_none_or(|of| of == kind) && self.trouble.is_of_fetching() == fetching
    }
}

impl Trouble {
    fn is_of_fetching(&self) -> bool {
        matches!(self, Self::NoRegistry | Self::NotTrusted)
    }

    /// After how many units it strikes; nothing for what comes before the first.
    pub(crate) fn after(&self) -> Option<u64> {
        match self {
            Self::Dies { after_units, .. }
            | Self::Hangs { after_units }
            | Self::SaysNothing { after_units }
            | Self::SaysUnknown { after_units }
            | Self::Fails { after_units } => Some(*after_units),
            Self::NoConnection | Self::Busy | Self::NoRegistry | Self::NotTrusted => None,
        }
    }
}
