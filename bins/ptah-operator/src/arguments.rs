//! What can be typed. Parsing reads no environment and no file.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use ptah_records::operator::text::{HostName, Image, LabelName};

use crate::logs::LogLevel;

const EXIT_CODES: &str = "\
Exit codes:
  0  done, or nothing to do
  1  the check worked, and its answer is no
  2  refused or failed, and nothing was changed
  3  some definitions were changed, or may have been, and not all: run it again
  4  the cluster holds what is newer than this program, or is not ours; nothing was changed";

/// Runs schema changes and migrations from inside a Kubernetes cluster
#[derive(Clone, Debug, Parser)]
#[command(name = "ptah-operator", version, arg_required_else_help = true, after_help = EXIT_CODES)]
pub struct Arguments {
    /// How the cluster is reached.
    #[command(flatten)]
    pub connection: ConnectionFlags,
    /// What is to be done.
    #[command(subcommand)]
    pub command: Command,
}

/// How the cluster is reached.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Cluster")]
pub struct ConnectionFlags {
    /// The kubeconfig [default: that of KUBECONFIG or of the home folder; in a Pod, its service account]
    #[arg(long, global = true, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// The context in it [default: its current one]
    #[arg(long, global = true, value_name = "NAME")]
    pub context: Option<String>,
}

/// The commands.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Run the manager, until it is told to end
    ///
    /// It refuses to begin where a newer release wrote anything that is stored. Of several managers one leads; the others wait, and
    /// take results.
    Run(Box<Run>),
    /// Look at and update the definitions of the resources
    #[command(subcommand)]
    Crds(CrdsCommand),
    /// Look at the policies that decide who may write what
    #[command(subcommand)]
    Admission(AdmissionCommand),
}

/// The flags of `run`.
#[derive(Clone, Debug, Args)]
pub struct Run {
    /// The manager's own namespace: its Leases and its Secret are there
    #[arg(long, value_name = "NAME", env = "PTAH_NAMESPACE", value_parser = |text: &str| LabelName::new(text), default_value = ptah_admission::names::NAMESPACE)]
    pub namespace: LabelName,
    /// The image of this manager, by digest, as it is noted in what it writes
    #[arg(long, value_name = "IMAGE", env = "PTAH_IMAGE", value_parser = |text: &str| Image::new(text))]
    pub image: Image,
    /// The image that operation Pods run, by digest; the policies' settings have to list it
    #[arg(long, value_name = "IMAGE", env = "PTAH_RUNNER_IMAGE", value_parser = |text: &str| Image::new(text))]
    pub runner_image: Image,
    /// The name at which Pods reach the server for permits and results
    #[arg(long, value_name = "NAME", env = "PTAH_HOST", value_parser = |text: &str| HostName::new(text))]
    pub host: HostName,
    /// Its port there
    #[arg(long, value_name = "PORT", env = "PTAH_PORT", value_parser = clap::value_parser!(u16).range(1..), default_value = "8443")]
    pub port: u16,
    /// Where it listens
    #[arg(long, value_name = "ADDRESS", env = "PTAH_LISTEN", default_value = "0.0.0.0:8443")]
    pub listen: SocketAddr,
    /// Drive the resources of this namespace alone [default: those of all namespaces]
    #[arg(long, value_name = "NAME", env = "PTAH_WATCH_NAMESPACE", value_parser = |text: &str| LabelName::new(text))]
    pub watch_namespace: Option<LabelName>,
    /// Ask for two people: who made a change cannot give the consent to it
    #[arg(long, env = "PTAH_TWO_PEOPLE")]
    pub two_people: bool,
    /// How much is said on standard error; a line is a JSON object where that is no terminal
    #[arg(long, value_name = "LEVEL", env = "PTAH_LOG_LEVEL", value_enum, default_value = "info")]
    pub log_level: LogLevel,
}

/// What is done with the policies.
#[derive(Clone, Debug, Subcommand)]
pub enum AdmissionCommand {
    /// Prove that every policy of this program is in force
    ///
    /// Asks, as a dry run, for what each of them has to refuse, and reads their bindings. To be run as the manager: for
    /// anybody else another policy refuses first.
    Check(AdmissionCheck),
}

/// The flags of `admission check`.
#[derive(Clone, Debug, Args)]
pub struct AdmissionCheck {
    /// The namespace in which is asked
    #[arg(long, value_name = "NAME", default_value = ptah_admission::names::NAMESPACE)]
    pub namespace: String,
}

/// What is done with the definitions.
#[derive(Clone, Debug, Subcommand)]
pub enum CrdsCommand {
    /// Show each definition: what the cluster has, and what this program brings
    List,
    /// Update the definitions to those of this program
    ///
    /// Everything that is stored is looked at first, then every change is tried by the API server, then everything is
    /// looked at again, and only then something is changed. Whatever is newer than this program ends it before that.
    Apply(CrdsApply),
}

/// The flags of `crds apply`.
#[derive(Clone, Copy, Debug, Args)]
pub struct CrdsApply {
    /// Do everything but the change
    #[arg(long)]
    pub dry_run: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_arguments_fit_together() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn the_help_says_what_each_command_does() {
        let mut command = Arguments::command().term_width(100);
        let apply = command.find_subcommand_mut("crds").and_then(|crds| crds.find_subcommand_mut("apply"));
        let apply = apply.map(|apply| apply.render_long_help().to_string()).unwrap_or_default();
        insta::assert_snapshot!("help", command.render_long_help().to_string());
        insta::assert_snapshot!("help-crds-apply", apply);
    }
}
