//! Conversions between the contract's values and their messages, one file per topic.
//!
//! Structs are taken apart in full, so that a field added to a value cannot be forgotten here.

mod claim;
mod common;
mod describe;
mod execute;
mod plan;
mod schema;
mod session;
pub(crate) mod sql;
mod step;
mod transaction;

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

pub use ptah_provider_api::Violation as WireError;

use crate::pb;

/// A value of the contract that has a message.
pub trait OnWire: Sized {
    /// The message.
    type Message;

    /// The message of this value.
    fn to_wire(self) -> Self::Message;

    /// The value of a message. What the message lacks or says in an unknown way is an error, never a default.
    fn from_wire(message: Self::Message) -> Result<Self, WireError>;
}

/// An enum of the contract that is a number on the wire.
pub(crate) trait Numbered: Sized {
    fn number(self) -> i32;
    fn numbered(number: i32, message: &'static str, field: &'static str) -> Result<Self, WireError>;
}

/// Pairs each variant with the value of the same name. A value that is not listed is refused.
macro_rules! numbered {
    ($api:path, $wire:ident, $($variant:ident),+ $(,)?) => {
        impl $crate::convert::Numbered for $api {
            fn number(self) -> i32 {
                use $api as Api;
                match self {
                    $(Api::$variant => $crate::pb::$wire::$variant as i32,)+
                }
            }

            fn numbered(
                number: i32,
                message: &'static str,
                field: &'static str,
            ) -> Result<Self, $crate::convert::WireError> {
                use $api as Api;
                match $crate::pb::$wire::try_from(number) {
                    $(Ok($crate::pb::$wire::$variant) => Ok(Api::$variant),)+
                    _ => Err($crate::convert::WireError::new(message, field, "is a value that is known")),
                }
            }
        }
    };
}
pub(crate) use numbered;

/// A part that has to be there.
pub(crate) fn required<T>(part: Option<T>, message: &'static str, field: &'static str) -> Result<T, WireError> {
    part.ok_or(WireError::new(message, field, "is required"))
}

/// A text that its type has to accept.
pub(crate) fn parsed<T, E>(made: Result<T, E>, message: &'static str, field: &'static str) -> Result<T, WireError> {
    made.map_err(|_| WireError::new(message, field, "keeps the form of its type"))
}

/// A digest or fingerprint.
pub(crate) fn digest<T: FromStr>(text: &str, message: &'static str, field: &'static str) -> Result<T, WireError> {
    let made = text.parse();
    made.map_err(|_| WireError::new(message, field, "is `sha256:` and 64 hexadecimal digits"))
}

/// A list as messages.
pub(crate) fn to_list<T: OnWire>(values: impl IntoIterator<Item = T>) -> Vec<T::Message> {
    values.into_iter().map(OnWire::to_wire).collect()
}

/// A list of messages as values.
pub(crate) fn from_list<T: OnWire>(messages: Vec<T::Message>) -> Result<Vec<T>, WireError> {
    messages.into_iter().map(T::from_wire).collect()
}

/// A set that arrives as a list; an entry that comes twice is refused.
pub(crate) fn set(
    texts: Vec<String>,
    message: &'static str,
    field: &'static str,
) -> Result<BTreeSet<String>, WireError> {
    let count = texts.len();
    let set: BTreeSet<String> = texts.into_iter().collect();
    WireError::unless(set.len() == count, message, field, "has distinct entries")?;
    Ok(set)
}

/// Named facts as a list.
pub(crate) fn facts_to_wire(facts: BTreeMap<String, bool>) -> Vec<pb::Capability> {
    let capability = |(name, established)| pb::Capability { name, established };
    facts.into_iter().map(capability).collect()
}

/// Named facts from a list; a name that comes twice is refused, because it could say two things.
pub(crate) fn facts_from_wire(
    list: Vec<pb::Capability>,
    message: &'static str,
    field: &'static str,
) -> Result<BTreeMap<String, bool>, WireError> {
    let count = list.len();
    let facts: BTreeMap<String, bool> = list.into_iter().map(|c| (c.name, c.established)).collect();
    WireError::unless(facts.len() == count, message, field, "has distinct names")?;
    Ok(facts)
}

/// The second spelling of a thing, sent only when it differs from the first.
pub(crate) fn unless_equal(text: &str, other: &str) -> Option<String> {
    (other != text).then(|| other.to_owned())
}
