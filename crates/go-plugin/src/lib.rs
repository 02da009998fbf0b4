//! The go-plugin process bootstrap over gRPC with mutual TLS: a host half and a plugin half.
