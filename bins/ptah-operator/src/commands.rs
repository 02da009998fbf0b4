//! The commands, one file each.

mod crds_apply;
mod crds_list;
mod look;

use crate::arguments::{Arguments, Command, CrdsCommand};
use crate::cluster::Cluster;
use crate::failure::Failure;

/// Does what was asked.
///
/// # Errors
/// [`Failure`]: it says whether anything was changed.
pub async fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Command::Crds(command) = &arguments.command;
    let cluster = Cluster::connect(&arguments.connection).await?;
    let mut out = std::io::stdout().lock();
    match command {
        CrdsCommand::List => crds_list::run(&cluster, &mut out).await,
        CrdsCommand::Apply(flags) => crds_apply::run(&cluster, *flags, &mut out).await,
    }
}
