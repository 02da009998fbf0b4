//! The stable codes of what this crate finds.

use ptah_model::Code;

/// A statement of the sources that the server refused on a dev database.
pub const REFUSED: Code = Code("source.refused");
/// A statement that was not tried, because what it builds on was refused.
pub const NOT_TRIED: Code = Code("source.not-tried");
/// Something is there that could not be described.
pub const NOT_DESCRIBED: Code = Code("schema.not-described");
/// A question to the rows that can be asked only in the transaction.
pub const ASKED_LATER: Code = Code("rows.asked-later");
/// A step failed on the copy of the schema.
pub const FAILS: Code = Code("proof.fails");
/// The copy does not read as the desired state.
pub const DIVERGES: Code = Code("proof.diverges");
/// The database is not in the state that the saved plan was made on.
pub const STALE: Code = Code("plan.stale");
/// The saved plan is for another database.
pub const OTHER_DATABASE: Code = Code("plan.other-database");
/// The database appeared after the plan was made.
pub const APPEARED: Code = Code("plan.database-appeared");
