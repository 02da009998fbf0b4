//! `ptah providers`: what can be typed to look at providers.

use clap::Subcommand;

use super::EngineFlags;

/// The commands of `ptah providers`.
#[derive(Clone, Debug, Subcommand)]
pub enum ProvidersCommand {
    /// List the providers and their engines. Starts none
    List(EngineFlags),
    /// Start each provider and say whether it can be used
    Check(EngineFlags),
}
