//! What a caller asks for, and the command that comes of it: an environment of bootstrap variables and the caller's entries only.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::bootstrap::{CLIENT_CERT, Cookie, PROTOCOL_VERSIONS, RESERVED_PREFIX, UNIX_SOCKET_DIR};

use super::error::{EnvironmentFault, StartError};
use super::image::{Executable, Image};

/// Time from exec until the caller's own negotiation must be over.
pub const DEFAULT_START_TIMEOUT: Duration = Duration::from_secs(10);

/// Everything about one start.
#[derive(Clone)]
pub struct Launch {
    /// The program.
    pub executable: Executable,
    /// Its arguments, usually none. Visible to every user of the machine.
    pub args: Vec<OsString>,
    /// Names and values that the plugin gets besides the bootstrap variables; nothing else of this process's environment reaches
    /// it. A name may stand once; names of the bootstrap are refused. The order in the plugin's environment is by name.
    pub environment: Vec<(String, String)>,
    /// A prefix of names that `environment` may not use, besides go-plugin's `PLUGIN_`.
    pub reserved_prefix: Option<String>,
    /// The plugin's cookie.
    pub cookie: Cookie,
    /// The app versions this host speaks, at least one.
    pub app_versions: Vec<u32>,
    /// The limit for the start, counted from exec; `DEFAULT_START_TIMEOUT` unless set. Hashing and copying come before it.
    pub start_timeout: Duration,
    /// The variable that tells the plugin this process's ID, so that it can see that its parent is already gone.
    pub parent_pid_variable: Option<String>,
}

impl Launch {
    /// A start with no arguments, no further environment and the default limit.
    pub fn new(executable: Executable, cookie: Cookie, app_versions: Vec<u32>) -> Self {
        Self {
            executable,
            args: Vec::new(),
            environment: Vec::new(),
            reserved_prefix: None,
            cookie,
            app_versions,
            start_timeout: DEFAULT_START_TIMEOUT,
            parent_pid_variable: None,
        }
    }

    /// Checks what can be checked before anything is touched.
    pub(super) fn check(&self) -> Result<(), StartError> {
        if self.app_versions.is_empty() {
            return Err(StartError::NoAppVersion);
        }
        let mut seen = BTreeSet::new();
        for (name, value) in &self.environment {
            let fault = if !is_environment_text(name, value) {
                EnvironmentFault::Form
            } else if self.is_reserved(name) {
                EnvironmentFault::Reserved
            } else if !seen.insert(name) {
                EnvironmentFault::Twice
            } else {
                continue;
            };
            return Err(StartError::Environment { name: name.escape_debug().to_string(), fault });
        }
        Ok(())
    }

    fn is_reserved(&self, name: &str) -> bool {
        name.starts_with(RESERVED_PREFIX)
            || name == self.cookie.key
            || Some(name) == self.parent_pid_variable.as_deref()
            || self.reserved_prefix.as_deref().is_some_and(|prefix| name.starts_with(prefix))
    }

    /// The command for `image`, with `directory` as its private directory and `certificate` (PEM) as this side's.
    pub(super) fn command(&self, image: &Image, directory: &Path, certificate: &str) -> Command {
        let versions: Vec<String> = self.app_versions.iter().map(u32::to_string).collect();
        let mut command = Command::new(image.program());
        command
            .arg0(&image.argv0)
            .args(&self.args)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env(&self.cookie.key, &self.cookie.value)
            .env(PROTOCOL_VERSIONS, versions.join(","))
            .env(CLIENT_CERT, certificate)
            .env(UNIX_SOCKET_DIR, directory)
            .current_dir(directory)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // A group of its own: Ctrl-C in the terminal is the host's to act on, and the end of the plugin is the end of
            // whatever it started.
            .process_group(0);
        if let Some(variable) = &self.parent_pid_variable {
            command.env(variable, std::process::id().to_string());
        }
        command
    }
}

impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.environment.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Launch")
            .field("executable", &self.executable)
            .field("environment_names", &names)
            .field("app_versions", &self.app_versions)
            .field("start_timeout", &self.start_timeout)
            .finish_non_exhaustive()
    }
}

fn is_environment_text(name: &str, value: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0')
}
