//! The command line. Nothing in it is secret: the token is named by its file.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};
use ptah_records::operator::text::Uid;

use crate::window::KILL;

/// Runs one operation in its Pod.
#[derive(Debug, Parser)]
#[command(name = "ptah-runner", version, about)]
pub struct Arguments {
    /// What is to be done.
    #[command(subcommand)]
    pub command: Action,
}

/// What is to be done.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Ask for the permit, start the process that does the work, end it in time, and deliver its result
    ///
    /// Exits with 0 when the result was delivered, whatever it says; with 74 when it was not; with 75 when it got no
    /// permit and opened nothing.
    Supervise(Supervise),
    /// Start the process that fetches, end it in time, and leave a word about how it ended
    ///
    /// Always exits with 0: the container that comes after it reads the word in `stage.json` and tells.
    Fetch(Fetch),
}

/// The arguments of `fetch`.
#[derive(Debug, Parser)]
pub struct Fetch {
    /// The file of the operation
    #[arg(long, value_name = "FILE")]
    pub operation: PathBuf,
    /// The folder in which the process leaves what it fetched, and `stage.json`
    #[arg(long, value_name = "FOLDER")]
    pub folder: PathBuf,
    /// How long the process has to end by itself, in seconds, once its time is over or the Pod is stopped
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub grace: Duration,
    /// The process that fetches, and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// The arguments of `supervise`.
#[derive(Debug, Parser)]
pub struct Supervise {
    /// The file of the operation
    #[arg(long, value_name = "FILE")]
    pub operation: PathBuf,
    /// The file of the Pod's token; read anew for each request
    #[arg(long, value_name = "FILE")]
    pub token: PathBuf,
    /// A folder of this run alone: the process leaves its result in it
    #[arg(long, value_name = "FOLDER")]
    pub folder: PathBuf,
    /// What the container that fetches left; only where there is one
    #[arg(long, value_name = "FILE")]
    pub stage: Option<PathBuf>,
    /// The file of the Pod's termination message
    #[arg(long, value_name = "FILE", default_value = "/dev/termination-log")]
    pub message: PathBuf,
    /// The Pod's UID
    #[arg(long, value_name = "UID", env = "PTAH_POD_UID", value_parser = pod)]
    pub pod: Uid,
    /// How long the process has to end by itself, in seconds, once its time is over or the Pod is stopped
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub grace: Duration,
    /// The process that does the work, and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

fn pod(text: &str) -> Result<Uid, String> {
    Uid::new(text).map_err(|problem| problem.to_string())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: u64 = text.parse().map_err(|_| "this is no number of seconds".to_owned())?;
    let grace = Duration::from_secs(seconds);
    if grace <= KILL { Ok(grace) } else { Err(format!("{} seconds are the most", KILL.as_secs())) }
}
