//! The commands, one file each.

mod admission_check;
mod crds_apply;
mod crds_list;
mod look;
mod run;

use crate::arguments::{AdmissionCommand, Arguments, Command, CrdsCommand};
use crate::cluster::Cluster;
use crate::failure::Failure;

/// Does what was asked.
///
/// # Errors
/// [`Failure`]: it says whether anything was changed.
pub async fn run(arguments: &Arguments) -> Result<(), Failure> {
    let cluster = Cluster::connect(&arguments.connection).await?;
    let mut out = std::io::stdout().lock();
    match &arguments.command {
        Command::Run(flags) => run::run(&cluster, flags).await,
        Command::Crds(CrdsCommand::List) => crds_list::run(&cluster, &mut out).await,
        Command::Crds(CrdsCommand::Apply(flags)) => crds_apply::run(&cluster, *flags, &mut out).await,
        Command::Admission(AdmissionCommand::Check(flags)) => admission_check::run(&cluster, flags, &mut out).await,
    }
}
