//! The plugin's standard output: the handshake line is read from it, everything after that is read and thrown away for as long as
//! the process lives, so that a plugin that prints never blocks on a full pipe.

use std::io;
use std::os::fd::OwnedFd;
use std::process::ChildStdout;

use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;

use crate::line::{HandshakeFault, LINE_LIMIT};

/// The reading end of the pipe.
#[derive(Debug)]
pub(super) struct Stdout(pipe::Receiver);

/// What came instead of a line.
#[derive(Debug)]
pub(super) enum NoLine {
    /// The output ended; whether anything came before is told.
    Ended { empty: bool },
    /// More than the limit came without a line break.
    TooLong,
    /// The pipe could not be read.
    Failed,
}

impl NoLine {
    pub(super) fn fault(&self) -> HandshakeFault {
        match self {
            Self::TooLong => HandshakeFault::TooLong,
            Self::Ended { .. } | Self::Failed => HandshakeFault::Unterminated,
        }
    }
}

impl Stdout {
    /// Must be called inside a tokio runtime.
    pub(super) fn new(stdout: ChildStdout) -> io::Result<Self> {
        pipe::Receiver::from_owned_fd(OwnedFd::from(stdout)).map(Self)
    }

    /// The first line, without its line break. What came after it in the same reading is thrown away.
    pub(super) async fn line(&mut self) -> Result<Vec<u8>, NoLine> {
        let mut line = Vec::new();
        let mut buffer = [0; 1024];
        loop {
            let count = self.0.read(&mut buffer).await.map_err(|_| NoLine::Failed)?;
            if count == 0 {
                return Err(NoLine::Ended { empty: line.is_empty() });
            }
            let read = &buffer[..count];
            let end = read.iter().position(|byte| *byte == b'\n');
            line.extend_from_slice(&read[..end.unwrap_or(count)]);
            if line.len() > LINE_LIMIT {
                return Err(NoLine::TooLong);
            }
            if end.is_some() {
                return Ok(line);
            }
        }
    }

    /// Reads to the end and keeps nothing.
    pub(super) async fn drain(mut self) {
        let mut buffer = vec![0; 64 * 1024];
        while matches!(self.0.read(&mut buffer).await, Ok(count) if count > 0) {}
    }
}
