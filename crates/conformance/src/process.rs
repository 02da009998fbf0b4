//! The executable as a process, started as the bootstrap specification says and no other way: an environment of the
//! bootstrap's variables, one line on standard output, a process group of its own.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use ptah_provider_api::contract::{COOKIE_KEY, COOKIE_VALUE, PARENT_PID_VARIABLE};
use rustix::process::{Pid, Signal};
use rustls_pki_types::CertificateDer;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;

use crate::rule::{Stop, broken};
use crate::tls::Identity;

/// The longest handshake line that a host accepts, in bytes.
const LINE_LIMIT: usize = 8 * 1024;

/// How often a condition outside of this process is looked at.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// What the executable is started with.
#[derive(Clone, Debug)]
pub(crate) struct Spawn {
    pub(crate) executable: PathBuf,
    pub(crate) environment: Vec<(String, String)>,
    /// The cookie's value; absent starts it as a person would.
    pub(crate) cookie: Option<&'static str>,
    pub(crate) versions: &'static str,
    /// The process ID that it is told to be its parent's; absent is this process's.
    pub(crate) parent: Option<u32>,
}

impl Spawn {
    pub(crate) fn new(executable: &Path, environment: &[(String, String)]) -> Self {
        Self {
            executable: executable.to_path_buf(),
            environment: environment.to_vec(),
            cookie: Some(COOKIE_VALUE),
            versions: "1",
            parent: None,
        }
    }

    /// The command, with a shell in between when `shell` is given its script.
    pub(crate) fn command(&self, directory: &Path, certificate: &str, shell: Option<&str>) -> Command {
        let mut command = match shell {
            None => Command::new(&self.executable),
            Some(script) => {
                let mut command = Command::new("/bin/sh");
                command.arg("-c").arg(script).arg(&self.executable);
                command
            }
        };
        command.env_clear().envs(self.environment.iter().map(|(name, value)| (name, value)));
        if let Some(cookie) = self.cookie {
            command.env(COOKIE_KEY, cookie);
        }
        command
            .env("PLUGIN_PROTOCOL_VERSIONS", self.versions)
            .env("PLUGIN_CLIENT_CERT", certificate)
            .env("PLUGIN_UNIX_SOCKET_DIR", directory)
            .env(PARENT_PID_VARIABLE, self.parent.unwrap_or_else(std::process::id).to_string())
            .current_dir(directory)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0);
        command
    }
}

/// A running executable. Its drop kills the process group and removes the socket's directory.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    pub(crate) directory: tempfile::TempDir,
    pub(crate) identity: Identity,
    output: Option<pipe::Receiver>,
    drain: Option<tokio::task::AbortHandle>,
}

/// What the handshake line says.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) version: String,
    pub(crate) socket: PathBuf,
    pub(crate) certificate: CertificateDer<'static>,
}

impl Process {
    pub(crate) fn start(spawn: &Spawn) -> Result<Self, Stop> {
        Self::start_through(spawn, None)
    }

    /// Starts it, perhaps as the child of a shell with a script.
    pub(crate) fn start_through(spawn: &Spawn, shell: Option<&str>) -> Result<Self, Stop> {
        let ours = |error: io::Error| broken("starting the executable", error.to_string());
        let directory = tempfile::Builder::new().prefix("ptah-").tempdir().map_err(ours)?;
        let identity = Identity::generate().map_err(|error| ours(io::Error::other(error)))?;
        let mut command = spawn.command(directory.path(), &identity.pem, shell);
        let mut child = command.spawn().map_err(ours)?;
        let output = child.stdout.take().map(|out| pipe::Receiver::from_owned_fd(out.into()));
        let output = output.transpose().map_err(ours)?;
        Ok(Self { child, directory, identity, output, drain: None })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The handshake line; what follows on standard output is thrown away from then on.
    pub(crate) async fn line(&mut self) -> Result<Line, Stop> {
        let text = self.first_line().await?;
        parse(&text, self.directory.path()).map_err(|why| broken("the start of the executable", why))
    }

    async fn first_line(&mut self) -> Result<String, Stop> {
        const SENT: &str = "the start of the executable";
        let Some(mut output) = self.output.take() else { return Err(broken(SENT, "its output was read before")) };
        let mut bytes = Vec::new();
        let read = async {
            while !bytes.contains(&b'\n') && bytes.len() <= LINE_LIMIT {
                if output.read_buf(&mut bytes).await? == 0 {
                    break;
                }
            }
            Ok::<_, io::Error>(())
        };
        let read = tokio::time::timeout(Duration::from_secs(10), read).await;
        let Ok(Ok(())) = read else { return Err(broken(SENT, "no line on standard output within 10 seconds")) };
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let drain = tokio::spawn(async move {
            let mut sink = vec![0; 64 * 1024];
            while matches!(output.read(&mut sink).await, Ok(count) if count > 0) {}
        });
        self.drain = Some(drain.abort_handle());
        let end = end.ok_or_else(|| broken(SENT, "standard output ended, or went on, without a line"))?;
        bytes.truncate(end);
        String::from_utf8(bytes).map_err(|_| broken(SENT, "a line that is not UTF-8"))
    }

    /// Everything on standard output until it ends, for an executable that has to end by itself.
    pub(crate) async fn all_output(&mut self, limit: Duration) -> Option<Vec<u8>> {
        let mut output = self.output.take()?;
        let mut bytes = Vec::new();
        tokio::time::timeout(limit, output.read_to_end(&mut bytes)).await.ok()?.ok()?;
        Some(bytes)
    }

    /// Waits for the end of the process.
    pub(crate) async fn ended(&mut self, limit: Duration) -> Option<ExitStatus> {
        let by = Instant::now() + limit;
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if Instant::now() >= by {
                return None;
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    /// Sends a signal to the process alone.
    pub(crate) fn signal(&self, signal: Signal) {
        if let Some(pid) = pid(self.child.id()) {
            let _ = rustix::process::kill_process(pid, signal);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(drain) = &self.drain {
            drain.abort();
        }
        if let Some(group) = pid(self.child.id()) {
            let _ = rustix::process::kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

fn pid(number: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(number).ok()?)
}

/// Waits until a process is gone; one that is dead and not yet collected by its new parent is gone.
pub(crate) async fn gone(pid: u32, limit: Duration) -> bool {
    let by = Instant::now() + limit;
    loop {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let state = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        if state.is_empty() || state.starts_with(['Z', 'X']) {
            return true;
        }
        if Instant::now() >= by {
            return false;
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

/// Reads a handshake line.
fn parse(line: &str, directory: &Path) -> Result<Line, &'static str> {
    let fields: Vec<&str> = line.split('|').collect();
    let [core, version, network, address, protocol, certificate] =
        fields.first_chunk().ok_or("a line of fewer than 6 fields")?;
    if *core != "1" {
        return Err("a line whose core protocol is not 1");
    }
    if *network != "unix" || *protocol != "grpc" {
        return Err("a line whose network is not unix, or whose protocol is not grpc");
    }
    if fields.len() > 6 {
        return Err("a line of more than 6 fields, although no multiplexing was asked for");
    }
    let socket = PathBuf::from(address);
    if socket.parent() != Some(directory) || address.len() > 107 {
        return Err("a line whose socket is not directly inside PLUGIN_UNIX_SOCKET_DIR, or whose path is too long");
    }
    let der =
        STANDARD_NO_PAD.decode(certificate).map_err(|_| "a line whose certificate is not base64 without padding")?;
    if der.is_empty() {
        return Err("a line without a certificate");
    }
    Ok(Line { version: (*version).to_owned(), socket, certificate: CertificateDer::from(der) })
}
