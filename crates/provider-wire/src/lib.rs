//! Generated messages of the provider contract and total conversions to and from its plain types.
//!
//! [`OnWire`] turns a value of `provider-api` into its message and back. Coming back, an unknown enum value, a missing
//! required part or a text outside its form is refused, never filled in. What a *well-formed* message promises is not
//! proven here: that is `validate` and `validate_for` of the value.
//!
//! Every message is scanned before it is decoded ([`scan`]), because a few megabytes of empty submessages decode to
//! half a gigabyte; the generated client and server do it through [`codec::ScannedCodec`]. No message prints its
//! content: a wire message's `Debug` is its name.

pub mod codec;
mod convert;
pub mod pb;
mod reason;
mod scan;
mod shape;
pub mod stream;

pub use convert::{OnWire, WireError};
pub use reason::{reason_from_status, status_with_reason};
pub use scan::{ScanError, decoded_limit, scan};
pub use shape::Shaped;
