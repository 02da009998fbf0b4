//! The generated messages and services of `proto/go-plugin`. Nothing here is written by hand, and nothing leaves the crate.

/// `plugin.GRPCController`, `plugin.GRPCStdio`, `plugin.GRPCBroker`.
pub(crate) mod plugin {
    #![expect(clippy::allow_attributes_without_reason, clippy::pedantic, unreachable_pub, reason = "generated code")]
    tonic::include_proto!("plugin");
}

/// `grpc.health.v1.Health`.
pub(crate) mod health {
    #![expect(clippy::allow_attributes_without_reason, clippy::pedantic, unreachable_pub, reason = "generated code")]
    tonic::include_proto!("grpc.health.v1");
}
