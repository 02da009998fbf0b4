//! Our host with a provider in another language, as a program: `calls` makes real calls and says what holds, `measure`
//! prints figures as one line of JSON.
//!
//! The provider comes from a manifest, as a user would name it; what is driven is `ptah-provider-host`. The other way
//! round, a Go host with our provider, is `../go/host`. Whole commands of `ptah` are run by `../test.py`.

mod calls;
mod measure;

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, Subcommand};
use ptah_model::EngineName;
use ptah_provider_api::session::{Address, OpenTarget, Purpose};
use ptah_provider_host::start::StartOptions;
use ptah_provider_host::{Catalogue, Manifest, Opening, Provider, Session, start};

/// Drives a provider of a manifest.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Makes real calls and says what holds.
    Calls {
        #[command(flatten)]
        target: Target,
        /// A unit that can be executed once.
        unit: String,
    },
    /// Prints figures; a query of the engine is a number of bytes, and its answer one value of that size.
    Measure {
        #[command(flatten)]
        target: Target,
    },
}

#[derive(Debug, clap::Args)]
struct Target {
    /// The manifest.
    manifest: PathBuf,
    /// The engine.
    engine: String,
    /// The address of a database that exists.
    address: String,
}

impl Target {
    /// The catalogue of the manifest.
    fn catalogue(&self) -> Result<Catalogue> {
        let text = std::fs::read_to_string(&self.manifest)?;
        let manifest = Manifest::parse(&self.manifest.canonicalize()?, &text)
            .map_err(|findings| anyhow::anyhow!("the manifest is not one: {findings:?}"))?;
        Ok(Catalogue::new(Vec::new(), vec![manifest])?)
    }

    async fn start(&self) -> Result<Provider> {
        let catalogue = self.catalogue()?;
        let entry = catalogue.choose(Some(&self.engine), None)?.entry;
        Ok(start(entry, &StartOptions::new(concat!("ptah-interop/", env!("CARGO_PKG_VERSION")))).await?)
    }

    async fn open(&self, provider: &Provider, purpose: Purpose) -> Result<Session> {
        let folder = std::env::current_dir()?.display().to_string();
        let address = OpenTarget::Address(Address::new(self.address.clone()).relative_to(folder));
        Ok(provider.open(Opening::new(EngineName::new(self.engine.clone())?, address, purpose)).await?)
    }
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    match arguments.command {
        Command::Calls { target, unit } => runtime.block_on(calls::check(&target, &unit)),
        Command::Measure { target } => {
            let figures = runtime.block_on(measure::measure(&target))?;
            writeln!(std::io::stdout(), "{}", serde_json::to_string(&figures)?)?;
            Ok(())
        }
    }
}
