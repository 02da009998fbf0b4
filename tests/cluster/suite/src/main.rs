//! What needs a real API server. `make test-cluster` starts one and runs this.
//!
//! A program and no `cargo test`, because its scenarios share one cluster, of which the definitions and the policies are
//! part: they run one after the other, but for those of the whole operator, and the whole ends with the cluster. A scenario is a promise; it is kept, or the
//! program ends with 1 and says why. Nothing is skipped: without a cluster the program ends with 2.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "its output is its report")]

mod faulty;
mod managed;
mod objects;
mod player;
mod scenarios;
mod wait;
mod world;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use futures::{StreamExt as _, stream};

use crate::scenarios::Scenario;
use crate::world::World;

/// How many scenarios run at the same time, of those that can. Each has a manager, and the processes of its Pods.
const AT_ONCE: usize = 4;

/// Runs the scenarios that need a real API server. They remove and replace what belongs to the whole cluster
#[derive(Parser)]
struct Arguments {
    /// The kubeconfig of a cluster that is there for the tests alone, on this machine
    #[arg(long, value_name = "FILE")]
    kubeconfig: PathBuf,
    /// The operator's executable
    #[arg(long, value_name = "FILE")]
    operator: PathBuf,
    /// Only the scenarios whose name holds one of these
    words: Vec<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return nothing(&error),
    };
    runtime.block_on(run(&arguments))
}

fn nothing(error: &dyn std::fmt::Display) -> ExitCode {
    eprintln!("test-cluster: {error:#}\ntest-cluster: nothing was tested");
    ExitCode::from(2)
}

async fn run(arguments: &Arguments) -> ExitCode {
    let world = match World::connect(arguments.kubeconfig.clone(), arguments.operator.clone()).await {
        Ok(world) => world,
        Err(error) => return nothing(&format!("{error:#}")),
    };
    let mut tally = Tally::default();
    for scenario in tally.wanted(scenarios::in_turn(), &arguments.words) {
        tally.take(played(&world, scenario).await);
    }
    let together = tally.wanted(scenarios::together(), &arguments.words);
    let mut playing = stream::iter(together).map(|scenario| played(&world, scenario)).buffer_unordered(AT_ONCE);
    while let Some(ended) = playing.next().await {
        tally.take(ended);
    }
    tally.end()
}

/// A scenario that ended: its name, how long it took, and why it is broken.
type Ended = (&'static str, Duration, anyhow::Result<()>);

async fn played(world: &World, (name, scenario): Scenario) -> Ended {
    let started = Instant::now();
    // On a task of its own, so that several run on several cores.
    let ended = tokio::spawn(scenario(world.clone())).await;
    (name, started.elapsed(), ended.unwrap_or_else(|broke_off| Err(broke_off.into())))
}

/// What became of the scenarios so far.
#[derive(Default)]
struct Tally {
    kept: usize,
    broken: usize,
    left: usize,
}

impl Tally {
    /// Those that are asked for by a word of their names.
    fn wanted(&mut self, mut all: Vec<Scenario>, words: &[String]) -> Vec<Scenario> {
        let before = all.len();
        all.retain(|(name, _)| words.is_empty() || words.iter().any(|word| name.contains(word.as_str())));
        self.left += before - all.len();
        all
    }

    fn take(&mut self, (name, time, ended): Ended) {
        let seconds = time.as_secs_f64();
        match ended {
            Ok(()) => {
                self.kept += 1;
                println!("{seconds:7.2} s  kept    {name}");
            }
            Err(error) => {
                self.broken += 1;
                println!("{seconds:7.2} s  BROKEN  {name}\n           {error:#}");
            }
        }
    }

    fn end(&self) -> ExitCode {
        let Self { kept, broken, left } = self;
        let rest = if *left == 0 { String::new() } else { format!(", {left} not asked for") };
        println!("{kept} kept, {broken} broken{rest}");
        if kept + broken == 0 {
            return nothing(&"no scenario has such a name");
        }
        if *broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}
