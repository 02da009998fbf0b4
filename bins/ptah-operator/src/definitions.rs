//! What is to be done with the definitions of the resources, decided from what was seen, without a cluster.
//!
//! The rule has one direction: a definition is only ever replaced by a newer one, or put right at the same version. The
//! API server drops what a definition does not have when it next writes an object, so going back would lose what a newer
//! manager knew. For the same reason nothing is touched while anything that is stored is of a newer contract.

mod decide;
mod difference;
mod identity;
mod refusal;
mod stored;

use std::collections::BTreeMap;

use ptah_lifecycle::fence::{StoredKind, StoredObject};
use serde_json::Value;

pub use decide::{Change, Step, decide, moved};
pub use difference::{differences, is_served};
pub use identity::{Identity, IdentityProblem, identity};
pub use refusal::Refusal;
pub use stored::{Collection, collections, stored_object};

/// Everything that was seen at one look.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// The definitions of our group, by name, as the API server has them; also those that this program does not know.
    pub definitions: BTreeMap<String, Value>,
    /// What is stored, by kind. A kind that was not listed is not in it, which is not the same as an empty list.
    pub stored: BTreeMap<StoredKind, Vec<StoredObject>>,
}

#[cfg(test)]
mod tests;
