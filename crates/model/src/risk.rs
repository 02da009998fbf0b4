//! How dangerous a change is, and what it can lose.

use std::fmt;

/// The class of a change or step. The higher of the host's and the provider's class counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Risk {
    /// Nothing that exists can be lost or refused by it.
    Safe,
    /// It can fail on existing rows, can block others, or takes away a protection that costs no data.
    Warning,
    /// Something that exists is lost: needs `--allow-destructive`.
    Destructive,
}

/// What is lost for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Loss {
    /// Whole rows.
    Rows,
    /// Values in rows that stay.
    Values,
    /// A rule that kept wrong data out: a key, a check, a reference.
    Protection,
    /// A definition, such as a view, that can be written again but is not kept anywhere else.
    Definition,
}

impl fmt::Display for Risk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Safe => "safe",
            Self::Warning => "warning",
            Self::Destructive => "destructive",
        })
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rows => "rows",
            Self::Values => "values",
            Self::Protection => "protection",
            Self::Definition => "definition",
        })
    }
}
