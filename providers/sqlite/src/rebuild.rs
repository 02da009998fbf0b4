//! The native operation `rebuild-table`, version 1: a table is made anew, its rows are copied, the old one goes.
//!
//! The planner writes the payload and the statements; both are what is executed and what is printed. The statements run
//! in their order and word for word. Everything else that happens here only reads, so a trace of what SQLite was asked
//! to write is the printed list.
//!
//! ```text
//! CREATE TABLE <new_table> …             the shape that is wanted, under a name that is not used
//! INSERT OR ABORT INTO <new_table> …     statement `copies`; with the row IDs when `keeps_row_ids`
//! … sqlite_sequence, sqlite_stat …       carried over to <new_table>, when there is something to carry
//! DROP TABLE <table>                     statement `drops`
//! ALTER TABLE <new_table> RENAME TO …
//! … sqlite_stat …, CREATE INDEX …, CREATE TRIGGER …
//! ```
//!
//! A rebuild runs only inside a transaction that was begun with its `needs`. When anything fails, a check included, the
//! whole transaction is rolled back.

mod run;
mod verify;

pub(crate) use run::run;

use ptah_provider_api::step::{NativeOperation, Setting};
use serde::{Deserialize, Serialize};

use crate::settings::FOREIGN_KEYS_OFF;

/// The word of the operation.
pub const KIND: &str = "rebuild-table";

/// The version of the payload.
pub const VERSION: u32 = 1;

/// The setting that every rebuild needs: without it, dropping the old table would delete or orphan rows of its children.
pub const NEEDS: [&str; 1] = [FOREIGN_KEYS_OFF];

/// The payload: what has to be known beside the statements to prove that nothing was lost. JSON; unknown fields are
/// refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RebuildTable {
    /// The table, as the server spells it. It has this name before and after.
    pub table: String,
    /// The name under which the new one is made. Not in use before, and gone after.
    pub new_table: String,
    /// The columns that are copied: from the old table, to the new one. For checks and for people.
    pub columns: Vec<CopiedColumn>,
    /// The place, from 0, of the statement that copies the rows.
    pub copies: usize,
    /// The place, from 0, of the statement that drops the old table; after `copies`.
    pub drops: usize,
    /// The settings that have to hold; at least [`NEEDS`].
    pub needs: Vec<Setting>,
    /// Whether both tables have row IDs that can be seen, and the copy keeps them.
    pub keeps_row_ids: bool,
    /// Whether both tables have `AUTOINCREMENT`, so that the number in `sqlite_sequence` has to stay.
    pub keeps_sequence: bool,
    /// Whether the rows of `sqlite_stat1` and `sqlite_stat4` are carried over.
    pub keeps_statistics: bool,
    /// Other tables whose foreign keys refer to the table; checked before and after.
    pub children: Vec<String>,
}

/// One column of the copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CopiedColumn {
    /// Its name in the old table.
    pub from: String,
    /// Its name in the new table.
    pub to: String,
}

impl RebuildTable {
    /// The operation with these statements.
    pub fn operation(&self, statements: Vec<String>) -> NativeOperation {
        // A struct of texts, numbers and flags always has a JSON form.
        let payload = serde_json::to_vec(self).unwrap_or_default();
        NativeOperation::new(KIND, VERSION, payload, statements)
    }

    /// Reads the payload of an operation. The text says why it cannot be one of ours.
    pub(crate) fn read(operation: &NativeOperation) -> Result<Self, String> {
        if operation.kind != KIND || operation.version != VERSION {
            return Err(format!(
                "this provider runs `{KIND}` in version {VERSION}, and the unit is another operation or version"
            ));
        }
        if operation.digest != operation.expected_digest() {
            return Err("the operation was changed after it was planned".to_owned());
        }
        let payload: Self = serde_json::from_slice(&operation.payload)
            .map_err(|_| "the operation's payload is not that of a rebuild".to_owned())?;
        let ordered = payload.copies < payload.drops && payload.drops < operation.statements.len();
        if !ordered {
            return Err("the operation's payload names statements that are not there".to_owned());
        }
        let needs = |wanted: &&str| payload.needs.iter().any(|need| need == wanted);
        if !NEEDS.iter().all(needs) {
            return Err("the operation does not ask for the settings that every rebuild needs".to_owned());
        }
        Ok(payload)
    }
}
