//! What needs a real API server. `make test-cluster` starts one and runs this.
//!
//! A program and no `cargo test`, because its scenarios share one cluster, of which the definitions and the policies are
//! part: they run one after the other, and the whole ends with the cluster. A scenario is a promise; it is kept, or the
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
use std::time::Instant;

use clap::Parser;

use crate::world::World;

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
    let wanted =
        |name: &str| arguments.words.is_empty() || arguments.words.iter().any(|word| name.contains(word.as_str()));
    let (mut kept, mut broken, mut left) = (0, 0, 0);
    for (name, scenario) in scenarios::all() {
        if !wanted(name) {
            left += 1;
            continue;
        }
        let started = Instant::now();
        let ended = scenario(world.clone()).await;
        let seconds = started.elapsed().as_secs_f64();
        match ended {
            Ok(()) => {
                kept += 1;
                println!("{seconds:7.2} s  kept    {name}");
            }
            Err(error) => {
                broken += 1;
                println!("{seconds:7.2} s  BROKEN  {name}\n           {error:#}");
            }
        }
    }
    let rest = if left == 0 { String::new() } else { format!(", {left} not asked for") };
    println!("{kept} kept, {broken} broken{rest}");
    if kept + broken == 0 {
        return nothing(&"no scenario has such a name");
    }
    if broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
