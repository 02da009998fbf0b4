//! Whether the admission policies are in force, read uncached once in a pass.

use ptah_reconcile::Reply;

use super::{Carrier, Policies};
use crate::manager::fault::Fault;
use crate::manager::policies::{self, InForce};

impl Carrier<'_> {
    pub(super) async fn get_policies(&mut self) -> Result<Reply, Fault> {
        Ok(Reply::Yes(self.in_force().await?.is_some()))
    }

    /// Since when they are; nothing where one is missing, narrowed or changed, or where no canary proves that they act.
    pub(super) async fn in_force(&mut self) -> Result<Option<InForce>, Fault> {
        if let Policies::NotRead = self.held.policies {
            let read = policies::read(self.cluster).await?.filter(|_| self.proven);
            self.held.policies = read.map_or(Policies::NotInForce, Policies::InForce);
        }
        match self.held.policies {
            Policies::InForce(in_force) => Ok(Some(in_force)),
            Policies::NotRead | Policies::NotInForce => Ok(None),
        }
    }
}
