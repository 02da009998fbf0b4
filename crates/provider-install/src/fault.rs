//! The steps of an installation and of a removal, and in debug builds a way to die at each, so that tests can show what is left.
//!
//! `PTAH_FAULT=install:<step>` kills this process with SIGKILL right after the step; with `:stop` behind it the process is held
//! still until it is sent SIGCONT. Release builds contain none of this.

/// The variable that names the fault.
const VARIABLE: &str = "PTAH_FAULT";

/// A step of an installation, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The folder is this process's alone, and what others left is gone.
    Locked,
    /// The release was chosen.
    Chosen,
    /// There is a folder for what is under way.
    Staged,
    /// Some of the archive is there.
    Fetching,
    /// All of the archive is there, and is what was announced.
    Fetched,
    /// It is unpacked, and the executable is what was announced.
    Unpacked,
    /// The provider was started and is what was announced.
    Checked,
    /// The files are where they stay. Nothing names them yet.
    Placed,
    /// The record is written under another name.
    Written,
    /// The record has its name: from here on the new release is installed, and before it the former one.
    Recorded,
    /// The former release's files are gone.
    Replaced,
    /// Of a removal: the record is gone, and the files are not.
    Unrecorded,
}

/// Every step of an installation by its name, in order.
pub const STEPS: &[&str] = &[
    "locked", "chosen", "staged", "fetching", "fetched", "unpacked", "checked", "placed", "written", "recorded",
    "replaced",
];

impl Step {
    fn name(self) -> &'static str {
        match self {
            Self::Locked => "locked",
            Self::Chosen => "chosen",
            Self::Staged => "staged",
            Self::Fetching => "fetching",
            Self::Fetched => "fetched",
            Self::Unpacked => "unpacked",
            Self::Checked => "checked",
            Self::Placed => "placed",
            Self::Written => "written",
            Self::Recorded => "recorded",
            Self::Replaced => "replaced",
            Self::Unrecorded => "unrecorded",
        }
    }
}

/// Called right after a step.
pub(crate) fn after(step: Step) {
    if !cfg!(debug_assertions) {
        return;
    }
    let wanted = std::env::var(VARIABLE).unwrap_or_default();
    match wanted.strip_prefix("install:").map(|rest| rest.strip_suffix(":stop").unwrap_or(rest)) {
        Some(name) if name == step.name() => {}
        _ => return,
    }
    let signal = if wanted.ends_with(":stop") { rustix::process::Signal::STOP } else { rustix::process::Signal::KILL };
    // Does not return when it kills.
    let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
}
