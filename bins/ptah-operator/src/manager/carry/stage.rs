//! What a Job mounts, and what its Pod is told: made of the claim's plan and of the database's Lease.

use ptah_lifecycle::Kind;
use ptah_mirror::ids;
use ptah_mirror::operation::Around;
use ptah_mirror::plan::{self, StoredPlan};
use ptah_reconcile::{LeaseName, Reply};
use ptah_records::operator::latest::{ChunkRef, Delivery};
use ptah_records::operator::text::OperationId;

use super::{Carrier, replied, untyped};
use crate::cluster::Write;
use crate::manager::fault::Fault;
use crate::manager::key::core;

impl Carrier<'_> {
    /// What an operation is told that its resource does not say.
    pub(super) fn around<'b>(
        &'b self,
        delivery: &'b Delivery,
        plan: Option<&'b (StoredPlan, Vec<OperationId>)>,
    ) -> Around<'b> {
        Around {
            components: &self.settings.components,
            delivery,
            cluster: &self.settings.cluster,
            plan: plan.map(|(plan, _)| plan),
            settled: plan.map_or(&[], |(_, settled)| settled),
        }
    }

    /// The plan that the claim carries out or settles, with what the database's Lease lists as settled; nothing where the plan
    /// is gone, and for a reading that has none.
    pub(super) async fn claimed_plan(&mut self) -> Result<Option<(StoredPlan, Vec<OperationId>)>, Fault> {
        let Some(claim) = self.resource()?.status.claim.clone() else { return Ok(None) };
        let Some(wanted) = claim.plan else { return Ok(None) };
        let read = match &self.held.plan {
            Some(plan) => Some(plan.clone()),
            None if claim.kind == Kind::Settle => self.stored_plan(plan::name(&wanted.fingerprint).as_str()).await?,
            None => None,
        };
        let settled = claim.identity.map(|identity| LeaseName::Database(identity.lease()));
        let settled = settled.and_then(|name| self.held.leases.get(&name)).map(|(_, lease)| lease.settled.clone());
        let settled = settled.unwrap_or_default().into_iter().filter_map(ids::operation_text).collect();
        Ok(read.map(|plan| (plan, settled)))
    }

    /// Whether everything that the plan's Job mounts is there. A migration mounts nothing: its files come with the artifact.
    pub(super) async fn get_staged(&self) -> Result<Reply, Fault> {
        let Some(StoredPlan::Schema(plan)) = &self.held.plan else { return Ok(Reply::Yes(true)) };
        for chunk in plan::to_stage(plan) {
            if !self.is_staged(chunk).await? {
                return Ok(Reply::Yes(false));
            }
        }
        Ok(Reply::Yes(true))
    }

    /// Whether a piece is there. Its bytes are the Pod's to compare: an object of that name may be anybody's.
    async fn is_staged(&self, chunk: &ChunkRef) -> Result<bool, Fault> {
        let path = core(self.key.namespace.as_str(), &format!("configmaps/{}", chunk.name));
        Ok(self.cluster.get(&path).await?.is_some())
    }

    pub(super) async fn stage(&self) -> Result<Reply, Fault> {
        let Some(StoredPlan::Schema(plan)) = &self.held.plan else { return Err(Fault::Order) };
        for chunk in plan::to_stage(plan) {
            if self.is_staged(chunk).await? {
                continue;
            }
            // The plan's own pieces are gone or were changed: nothing may run, and the claim ends at its deadline.
            let Some((_, data)) = self.piece(chunk).await? else { return Ok(Reply::Refused) };
            let map = untyped("a piece", &plan::staged(plan, &chunk.name, data))?;
            let path = core(self.key.namespace.as_str(), "configmaps");
            match replied(self.cluster.create(&path, &map, Write::Store).await) {
                Reply::Done | Reply::Conflict => {}
                other => return Ok(other),
            }
        }
        Ok(Reply::Done)
    }
}
