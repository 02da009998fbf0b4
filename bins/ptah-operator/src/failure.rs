//! Why a command did not do what it was asked to: what is shown, and the exit code.

use std::error::Error;
use std::io::Write;

use thiserror::Error as ThisError;

use crate::cluster::{CallError, ConnectError};
use crate::definitions::Refusal;

/// Why a command ended early.
#[derive(Debug, ThisError)]
pub enum Failure {
    /// The cluster could not even be asked.
    #[error("the cluster cannot be asked")]
    Connect(#[from] ConnectError),
    /// A call did not do what it should, before anything was changed.
    #[error("nothing was changed")]
    Call(#[from] CallError),
    /// The cluster holds what is newer than this program, or what is not ours.
    #[error("refused, and nothing was changed")]
    Refused(Vec<Refusal>),
    /// Something changed between the first look and the second.
    #[error("{0} was changed while it was looked at; nothing was changed by this run")]
    Moved(String),
    /// A change failed after others had been made, or without an answer.
    #[error("{changed} of {all} definitions were changed; {name} may have been")]
    Half {
        /// How many were changed for certain.
        changed: usize,
        /// How many were to be changed.
        all: usize,
        /// The one at which it ended.
        name: String,
        /// Why.
        #[source]
        source: CallError,
    },
    /// Everything was changed, and a definition is not served.
    #[error("all definitions were changed, and {0} is not served yet")]
    NotServed(String),
    /// Policies are not in force, or do not cover everything.
    #[error("{0} policies are not in force for everything")]
    NotInForce(usize),
    /// The cluster says nothing that a manager has to know about it.
    #[error("the cluster does not say which one it is: its namespace kube-system has no UID")]
    Cluster,
    /// The manager could not begin to listen.
    #[error("the manager cannot listen")]
    Listen(#[source] std::io::Error),
    /// The manager had to stop.
    #[error("the manager stopped")]
    Stopped(#[source] Box<crate::manager::Stopped>),
    /// What was to be shown could not be written.
    #[error("the output cannot be written")]
    Output(#[from] std::io::Error),
    /// The program itself could not start.
    #[error("the program could not start its scheduler")]
    Runtime,
}

impl Failure {
    /// The exit code; the help lists them.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Connect(_)
            | Self::Call(_)
            | Self::Moved(_)
            | Self::Output(_)
            | Self::Runtime
            | Self::Cluster
            | Self::Listen(_)
            | Self::Stopped(_) => 2,
            Self::NotInForce(_) => 1,
            Self::Half { .. } | Self::NotServed(_) => 3,
            Self::Refused(_) => 4,
        }
    }

    /// What to do about it, where that is known.
    fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Refused(refusals) if refusals.iter().any(Refusal::is_newer) => {
                Some("run the release that wrote it, or a newer one; never edit a version by hand")
            }
            Self::Refused(_) => Some("nothing of it is touched while it stands there: see what put it there"),
            Self::Moved(_) => Some("somebody else is updating; run it again when they are done"),
            Self::Half { .. } | Self::NotServed(_) => Some("run it again: what is done is not done twice"),
            Self::NotInForce(_) => {
                Some("apply deploy/admission/ of this release; what was approved meanwhile does not count")
            }
            Self::Connect(_)
            | Self::Call(_)
            | Self::Output(_)
            | Self::Runtime
            | Self::Cluster
            | Self::Listen(_)
            | Self::Stopped(_) => None,
        }
    }

    /// Writes what a person has to know. What cannot be written is lost: there is nowhere else to say it.
    pub fn tell(&self, to: &mut impl Write) {
        let mut lines = vec![format!("error: {}", causes(self))];
        if let Self::Refused(refusals) = self {
            lines.extend(refusals.iter().map(|refusal| format!("  {refusal}")));
        }
        lines.extend(self.hint().map(|hint| format!("hint: {hint}")));
        lines.push(String::new());
        let _ = to.write_all(lines.join("\n").as_bytes());
    }
}

/// What happened and why, the cause of each thing after it.
pub(crate) fn causes(error: &(dyn Error + 'static)) -> String {
    let mut causes = vec![error.to_string()];
    let mut source = error.source();
    while let Some(cause) = source {
        causes.push(cause.to_string());
        source = cause.source();
    }
    causes.join(": ")
}
