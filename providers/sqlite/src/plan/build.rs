//! What this build of SQLite has: functions, collations and modules.
//!
//! Provider and planner are one program with one SQLite in it, so what a connection without anything of ours knows is
//! what a target will know. Scratch databases know more: stand-ins for what a source mentions.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use ptah_provider_sdk::{Failure, FailureCode, error_with_reason};
use rusqlite::Connection;

use crate::sql::references::References;

/// What the linked SQLite has; all names folded.
#[derive(Debug)]
pub(super) struct Build {
    functions: BTreeSet<String>,
    collations: BTreeSet<String>,
    modules: BTreeSet<String>,
}

/// Something that a text needs and this build does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// A function.
    Function(String),
    /// A collation.
    Collation(String),
}

/// Asks SQLite once for the life of the process.
pub(super) fn build() -> Result<&'static Build, Failure> {
    static BUILD: OnceLock<Option<Build>> = OnceLock::new();
    let known = BUILD.get_or_init(|| Build::read().ok());
    known.as_ref().ok_or_else(|| {
        error_with_reason(FailureCode::Internal, "SQLite did not say which functions and collations it has")
    })
}

impl Build {
    fn read() -> rusqlite::Result<Self> {
        let connection = Connection::open_in_memory()?;
        let names = |query: &str| -> rusqlite::Result<BTreeSet<String>> {
            let mut statement = connection.prepare(query)?;
            statement.query_map([], |row| row.get(0))?.collect()
        };
        Ok(Self {
            functions: names("SELECT DISTINCT lower(name) FROM pragma_function_list")?,
            collations: names("SELECT lower(name) FROM pragma_collation_list")?,
            modules: names("SELECT lower(name) FROM pragma_module_list")?,
        })
    }

    /// The first thing among what a text mentions that is not there.
    pub(super) fn missing(&self, references: &References) -> Option<Missing> {
        let function = references.functions.difference(&self.functions).next();
        let collation = references.collations.difference(&self.collations).next();
        let function = function.map(|name| Missing::Function(name.clone()));
        function.or_else(|| collation.map(|name| Missing::Collation(name.clone())))
    }

    /// Whether there is a collation of that name.
    pub(super) fn has_collation(&self, folded: &str) -> bool {
        self.collations.contains(folded)
    }

    /// Whether there is a module of that name; also the name of a table-valued function.
    pub(super) fn has_module(&self, folded: &str) -> bool {
        // Pragma functions are listed only once they were used.
        self.modules.contains(folded) || folded.starts_with("pragma_")
    }
}

impl Missing {
    /// A stable code for refusals.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::Function(_) => "function.unknown",
            Self::Collation(_) => "collation.unknown",
        }
    }

    /// Its kind and name, for a sentence.
    pub(super) fn told(&self) -> String {
        match self {
            Self::Function(name) => format!("the function `{name}`"),
            Self::Collation(name) => format!("the collation `{name}`"),
        }
    }
}
