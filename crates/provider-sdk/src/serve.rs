//! The whole of a provider's `main`: the process bootstrap around the service.

use std::process::ExitCode;

use go_plugin::Cookie;
use go_plugin::plugin::{ServeConfig, main};
use ptah_provider_api::contract::{COOKIE_KEY, COOKIE_VALUE, PARENT_PID_VARIABLE, REVISION};
use tonic::service::Routes;

use crate::engine::Engine;
use crate::service::service;

/// Serves an engine until the host asks for the end; a provider's `main` returns what this returns.
///
/// **Flow.** Refuses an engine whose description no host could use; makes a runtime of its own; answers the bootstrap;
/// serves over mutual TLS to exactly the host that started the process; ends with its host.
///
/// **Guarantees.** Nothing is printed on standard output but the one line of the bootstrap. Core dumps are off.
///
/// **Errors.** Written to standard error, which a host discards: a start by hand, an unusable description, a bootstrap
/// that broke off. The exit code is then 1.
pub fn serve<E: Engine>(engine: E) -> ExitCode {
    let config = ServeConfig {
        cookie: Cookie::new(COOKIE_KEY, COOKIE_VALUE),
        app_versions: vec![REVISION],
        parent_pid_variable: Some(PARENT_PID_VARIABLE.to_owned()),
    };
    main(config, |_scope| Ok(Routes::new(service(engine)?)))
}
