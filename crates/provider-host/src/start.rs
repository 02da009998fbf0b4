//! The start of a provider: execute, connect, describe, check. All of it within one limit, counted from the launch.

use std::time::Duration;

use futures::FutureExt as _;
use go_plugin::host::{Executable, How, Launch, Phase, Plugin};
use ptah_model::ProviderId;
use ptah_provider_api::contract::{ContractVersion, REVISION, START_TIMEOUT};
use ptah_provider_wire::{OnWire as _, pb};
use tokio::time::{Instant, timeout_at};

use crate::bootstrap;
use crate::call::{Call, Deadlines};
use crate::catalogue::{Entry, Origin};
use crate::description;
use crate::error::HostError;
use crate::features::describe_request;
use crate::link::{Broken, Exited, Link, Terms};
use crate::provider::Provider;

/// How a provider is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartOptions {
    /// The host's program name and version, which the provider gets for its own records.
    pub host: String,
    /// The limit from the launch of the executable to the end of negotiation: 10 s.
    pub start_timeout: Duration,
    /// The limits of calls.
    pub deadlines: Deadlines,
    /// The contract version that the host speaks: this code's own. Another minor is for tests of what minors promise.
    pub contract: ContractVersion,
}

impl StartOptions {
    /// The contract's limits.
    pub fn new(host: impl Into<String>) -> Self {
        Self {
            host: host.into(),
            start_timeout: START_TIMEOUT,
            deadlines: Deadlines::default(),
            contract: ContractVersion::CURRENT,
        }
    }
}

/// What a start took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartReport {
    /// Reading, hashing and copying the executable; before the launch, and not part of the limit.
    pub prepared: Duration,
    /// From the launch to the handshake line.
    pub launch_to_line: Duration,
    /// From the handshake line to a connection that both sides accepted.
    pub line_to_connected: Duration,
    /// From there to a description that passed every check.
    pub connected_to_described: Duration,
    /// How the executed bytes were held.
    pub how: How,
    /// The digest of the executed bytes; none for the program itself.
    pub sha256: Option<[u8; 32]>,
}

impl StartReport {
    /// From the launch to the end of negotiation.
    pub fn launch_to_described(&self) -> Duration {
        self.launch_to_line + self.line_to_connected + self.connected_to_described
    }
}

/// Starts a provider of the catalogue and negotiates.
///
/// **Flow.** Checks the digest of the bytes that are then executed (a bundled provider is the program's own open file);
/// starts the process with the bootstrap variables and the manifest's entries as its whole environment; connects once;
/// says `Describe`; checks the description: ID, build, contract, required features, engines and aliases, form.
///
/// **Guarantees.** On an error, and when this future is dropped, no process is left.
///
/// **Errors.** One cause each; nothing is tried again.
pub async fn start(entry: &Entry, options: &StartOptions) -> Result<Provider, HostError> {
    let provider = &entry.provider;
    if let Some(needs) = entry.min_contract {
        description::check_minimum(needs, options.contract, provider)?;
    }
    let launched = Plugin::start(launch(entry, options)).await;
    let started = launched.map_err(|error| HostError::from_start(entry, error))?;
    let connected = Instant::now();
    let exited: Exited = started.plugin.exited().boxed().shared();
    let first = Link::new(started.channel.clone(), exited.clone(), Terms::FIRST, options.deadlines);
    let described = timeout_at(started.deadline, describe(&first, options)).await;
    let message = described
        .unwrap_or_else(|_| {
            let limit = options.start_timeout;
            Err(HostError::StartTimeout { provider: provider.clone(), reached: Phase::Connected, limit })
        })
        .map_err(|error| while_starting(provider, error))?;
    let description = description::accept(message, entry, options.contract)?;
    let report = StartReport {
        prepared: started.report.prepared,
        launch_to_line: started.report.exec_to_line,
        line_to_connected: started.report.line_to_connected,
        connected_to_described: connected.elapsed(),
        how: started.report.how,
        sha256: started.report.sha256,
    };
    let link = Link::new(started.channel, exited, Terms::of(&description), options.deadlines);
    Ok(Provider::new(started.plugin, link, description, report))
}

fn launch(entry: &Entry, options: &StartOptions) -> Launch {
    let (executable, args, environment) = match &entry.origin {
        Origin::Bundled(program) => {
            let executable = Executable::Descriptor { fd: program.file.clone(), argv0: program.name.clone() };
            (executable, program.arguments.clone(), Vec::new())
        }
        Origin::Manifest { executable, sha256, environment } => {
            let executable = Executable::File { path: executable.clone(), sha256: Some(*sha256) };
            (executable, Vec::new(), environment.clone())
        }
        Origin::Installed { executable, sha256, .. } => {
            let executable = Executable::File { path: executable.clone(), sha256: Some(*sha256) };
            (executable, Vec::new(), Vec::new())
        }
    };
    let mut launch = Launch::new(executable, bootstrap::cookie(), vec![REVISION]);
    launch.args = args;
    launch.environment = environment;
    launch.reserved_prefix = Some(bootstrap::RESERVED_PREFIX.to_owned());
    launch.start_timeout = options.start_timeout;
    launch.parent_pid_variable = Some(bootstrap::PARENT_PID_VARIABLE.to_owned());
    launch
}

/// The message itself: its identity and version are judged before its form is.
async fn describe(link: &Link, options: &StartOptions) -> Result<pb::Description, HostError> {
    let request = describe_request(&options.host, options.contract).to_wire();
    let send = |mut client: crate::link::Client, request| async move {
        Ok::<_, Broken>(client.describe(request).await?.into_inner())
    };
    link.make(Call::Describe, None, request, send).await.into_result()
}

/// An end of the process in Describe is an end during the start.
fn while_starting(provider: &ProviderId, error: HostError) -> HostError {
    match error {
        HostError::Exited { exit, .. } => {
            HostError::StartExited { provider: provider.clone(), exit, reached: Phase::Connected }
        }
        other => other,
    }
}
