//! What each message looks like to the scan: how large it is in memory, and which of its fields allocate.
//!
//! The tables are generated from the descriptors, so that no field can be forgotten.

use std::fmt;

use crate::pb;

/// The most fields that a message has; the build fails when one has more.
pub(crate) const FIELDS: usize = 16;

/// A message as the scan sees it.
#[derive(Debug)]
pub struct Shape {
    /// The size of the struct, in bytes.
    pub(crate) size: usize,
    /// Its fields: number and kind.
    pub(crate) fields: &'static [(u32, Kind)],
}

/// A field as the scan sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Text or bytes: each allocates its length.
    Text {
        /// Whether it is a list, whose entries each take a place in a vector as well.
        repeated: bool,
    },
    /// A submessage. One that is no list lies inside its parent.
    Message {
        /// Its shape.
        shape: &'static Shape,
        /// Whether it is a list.
        repeated: bool,
    },
    /// A number, a truth value or an enum; a list of them may be packed.
    Number {
        /// The size of one in memory, in bytes.
        width: usize,
        /// Whether it is a list.
        repeated: bool,
    },
}

/// A message whose shape is known. Every message of the contract is.
pub trait Shaped {
    /// The shape.
    const SHAPE: &'static Shape;
}

include!(concat!(env!("OUT_DIR"), "/shapes.rs"));
