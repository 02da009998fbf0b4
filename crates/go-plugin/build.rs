//! Compiles the go-plugin services, and the service of the test peer, without `protoc`.

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let manifest = std::env::var("CARGO_MANIFEST_DIR")?;
    let services = Path::new(&manifest).join("../../proto/go-plugin");
    let fixtures = Path::new(&manifest).join("tests/fixtures");
    println!("cargo::rerun-if-changed={}", services.display());
    println!("cargo::rerun-if-changed={}", fixtures.join("echo.proto").display());

    let files = ["grpc_controller.proto", "grpc_stdio.proto", "grpc_broker.proto", "health.proto", "echo.proto"];
    let descriptors = protox::compile(files, [&services, &fixtures])?;
    tonic_prost_build::configure().emit_rerun_if_changed(false).compile_fds(descriptors)?;
    Ok(())
}
