//! `ptah providers`: what can be typed to install providers and to look at them.

use std::time::Duration;

use clap::{Args, Subcommand};

use super::{EngineFlags, PlaceFlags, parse_duration};

/// The commands of `ptah providers`.
#[derive(Clone, Debug, Subcommand)]
pub enum ProvidersCommand {
    /// Install a release, after it has proven to be what it says
    Install(ProvidersInstall),
    /// List the providers and their engines. Starts none
    List(EngineFlags),
    /// Start each provider and say whether it can be used
    Check(EngineFlags),
    /// Say all that is known of one provider, and what it says of itself
    Describe(ProvidersDescribe),
    /// Remove an installed provider
    Remove(ProvidersRemove),
}

/// `ptah providers install`.
#[derive(Clone, Debug, Args)]
pub struct ProvidersInstall {
    /// The release: a folder, an archive, a descriptor or an index, or an address of a descriptor or an index
    #[arg(value_name = "SOURCE")]
    pub source: String,
    /// Which provider, by its ID or an engine, where several are offered
    #[arg(value_name = "PROVIDER")]
    pub name: Option<String>,
    /// This version [default: the newest that can be used here]
    #[arg(long, value_name = "VERSION")]
    pub version: Option<String>,
    /// How long fetching may take, and waiting for another installation [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
    /// Permit http to another machine, where anybody on the way could change what arrives
    #[arg(long)]
    pub plain_http: bool,
    /// Where providers are named.
    #[command(flatten)]
    pub places: PlaceFlags,
}

/// `ptah providers describe`.
#[derive(Clone, Debug, Args)]
pub struct ProvidersDescribe {
    /// Which provider, by its ID or an engine
    #[arg(value_name = "PROVIDER")]
    pub name: String,
    /// Where providers are named.
    #[command(flatten)]
    pub places: PlaceFlags,
}

/// `ptah providers remove`.
#[derive(Clone, Debug, Args)]
pub struct ProvidersRemove {
    /// Which provider, by its ID or an engine
    #[arg(value_name = "PROVIDER")]
    pub name: String,
    /// Where providers are named.
    #[command(flatten)]
    pub places: PlaceFlags,
}
