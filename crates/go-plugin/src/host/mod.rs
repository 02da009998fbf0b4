//! The host half: check and start an executable as a plugin, connect to it, end it. What is said over the connection is the
//! caller's.

mod child;
mod connect;
mod directory;
mod error;
mod image;
mod launch;
mod plugin;
mod start;
mod stdout;

pub use error::{EnvironmentFault, NotExecutable, Phase, StartError};
pub use image::{Executable, How};
pub use launch::{DEFAULT_START_TIMEOUT, Launch};
pub use plugin::{DEFAULT_GRACE, Ended, Plugin};
pub use start::{StartReport, Started};

pub use crate::line::{HandshakeFault, accepted_version};
