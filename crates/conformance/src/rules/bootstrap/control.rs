//! The control services beside the contract's, and what the system shows of the process.

use std::collections::BTreeSet;
use std::io;
use std::time::Duration;

use go_plugin::Cookie;
use go_plugin::host::{Executable, Launch, Plugin};
use prost::Message;
use ptah_provider_api::contract::{COOKIE_KEY, COOKIE_VALUE, PARENT_PID_VARIABLE};

use crate::lab::Lab;
use crate::peer::unary;
use crate::rule::{Check, broken, ensure, failed};

/// `grpc.health.v1.HealthCheckRequest`.
#[derive(Clone, PartialEq, Eq, Message)]
struct HealthCheck {
    #[prost(string, tag = "1")]
    service: String,
}

/// `grpc.health.v1.HealthCheckResponse`.
#[derive(Clone, PartialEq, Eq, Message)]
struct Health {
    #[prost(int32, tag = "1")]
    status: i32,
}

/// `plugin.Empty`.
#[derive(Clone, PartialEq, Eq, Message)]
struct Empty {}

/// The number of SERVING.
const SERVING: i32 = 1;

pub(super) async fn health_is_serving(lab: &Lab<'_>) -> Check {
    const SENT: &str = "grpc.health.v1.Health/Check of the service `plugin`";
    let peer = lab.silent().await?;
    let asked = HealthCheck { service: "plugin".to_owned() };
    let health: Result<Health, _> = unary(&peer.channel, "/grpc.health.v1.Health/Check", asked).await;
    let health = health.map_err(|status| broken(SENT, failed(&status)))?;
    ensure(health.status == SERVING, SENT, format!("status {}", health.status))
}

pub(super) async fn shutdown_ends_it_with_status_0(lab: &Lab<'_>) -> Check {
    const SENT: &str = "plugin.GRPCController/Shutdown";
    let mut peer = lab.start().await?;
    // The reply is often lost, because the server stops while it answers.
    let _: Result<Empty, _> = unary(&peer.channel, "/plugin.GRPCController/Shutdown", Empty {}).await;
    let status = peer.process.ended(Duration::from_secs(2)).await;
    let status = status.ok_or_else(|| broken(SENT, "the process still runs after two seconds"))?;
    ensure(status.code() == Some(0), SENT, format!("{status}"))
}

pub(super) async fn the_host_can_start_it(lab: &Lab<'_>) -> Check {
    let executable = Executable::File { path: lab.target.executable.clone(), sha256: None };
    let mut launch = Launch::new(executable, Cookie::new(COOKIE_KEY, COOKIE_VALUE), vec![1]);
    launch.environment.clone_from(&lab.target.environment);
    launch.parent_pid_variable = Some(PARENT_PID_VARIABLE.to_owned());
    let started = Plugin::start(launch).await;
    let started = started.map_err(|error| broken("a start as Ptah makes it", error.to_string()))?;
    let ended = started.plugin.end(Duration::from_secs(2)).await;
    ensure(!ended.killed, "an end as Ptah asks for it", "it had to be killed")
}

/// The TCP ports on which a process listens.
pub(super) fn listening_ports(pid: u32) -> io::Result<BTreeSet<u16>> {
    let mut sockets = BTreeSet::new();
    for entry in std::fs::read_dir(format!("/proc/{pid}/fd"))? {
        let Ok(to) = std::fs::read_link(entry?.path()) else { continue };
        let to = to.to_string_lossy().into_owned();
        if let Some(inode) = to.strip_prefix("socket:[").and_then(|rest| rest.strip_suffix(']')) {
            sockets.insert(inode.to_owned());
        }
    }
    let mut ports = BTreeSet::new();
    for table in ["tcp", "tcp6"] {
        let text = std::fs::read_to_string(format!("/proc/{pid}/net/{table}")).unwrap_or_default();
        ports.extend(text.lines().filter_map(|line| listening(line, &sockets)));
    }
    Ok(ports)
}

/// The port of a line of `/proc/net/tcp` that is a listening socket (state 0A) of one of these inodes.
fn listening(line: &str, sockets: &BTreeSet<String>) -> Option<u16> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let ours = sockets.contains(*fields.get(9)?) && *fields.get(3)? == "0A";
    let port = fields.get(1)?.rsplit_once(':')?.1;
    ours.then(|| u16::from_str_radix(port, 16).ok()).flatten()
}
