//! The operator's executable: the manager, `ptah-operator run`; the definitions of the resources, `ptah-operator crds`; and the
//! admission policies, `ptah-operator admission`.
//!
//! [`arguments`] parses, [`commands`] do what was asked, [`definitions`] decide about it without a cluster, and
//! [`cluster`] is the one place that asks an API server. Nothing here opens a database.

pub mod arguments;
pub mod cluster;
pub mod commands;
pub mod definitions;
pub mod failure;
mod fault;
pub mod logs;
pub mod manager;

use std::process::ExitCode;

use clap::Parser as _;

use crate::arguments::Arguments;

/// Runs the program: arguments in, output out, an exit code at the end.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // Every TLS session takes it from here. A second installation fails, and then there is one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let ended = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(commands::run(&arguments)),
        Err(_) => Err(failure::Failure::Runtime),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.tell(&mut std::io::stderr().lock());
            ExitCode::from(failure.exit_code())
        }
    }
}
