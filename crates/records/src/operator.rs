//! What the operator keeps, hands to a Job and gets back from it.
//!
//! Two sorts of records share one set of parts. *Status records* are fields of a resource's status: the API server
//! keeps them, and their schema (feature `schema`) is a part of the resource's. *Documents* travel or rest alone, in an
//! annotation, a file or a request body; they are sealed, see [`seal`], so that a changed byte is refused.
//!
//! Nothing in them is a secret: no address of a database, no password, no text of a driver. A part that has a limit has
//! a type that cannot hold more, so the limit is the same where it is written, read and declared.
//!
//! One module per version; [`latest`] has the version that is written. A new version is a new module, and a pure
//! function from the old one.

pub mod check;
pub mod exit;
pub mod limits;
pub mod list;
pub mod names;
pub mod seal;
pub mod text;
pub mod time;
pub mod v1;
pub mod whole;

/// The version of every record that is written.
pub mod latest {
    pub use super::v1::*;
}

/// The version of the contract that this program writes, and the highest that it interprets.
///
/// It grows when a stored field changes its meaning, so that an older manager would decide wrongly on it. A manager
/// that meets a higher one writes nothing and says so.
pub const CONTROLLER_STATE_VERSION: u32 = 1;
