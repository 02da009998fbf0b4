//! The generated messages, client and server of `ptah.provider.v1`. The comments of their items are those of the
//! `.proto` files. Nothing here is written by hand.

#![expect(
    clippy::pedantic,
    clippy::allow_attributes_without_reason,
    missing_docs,
    reason = "generated code; the values that say nothing have no comment"
)]

tonic::include_proto!("ptah.provider.v1");

/// The status of a failed call, as gRPC carries it in a trailer.
pub(crate) mod rpc {
    #![expect(unreachable_pub, reason = "generated code")]
    tonic::include_proto!("google.rpc");
}
