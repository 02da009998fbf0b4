//! Plans: the object that approvals name, and for a schema the pieces of its bytes.
//!
//! A schema's plan is not there before all of it is: the plan is created first, because its pieces go with it, then the pieces,
//! then the condition `Stored`. Without that condition it reads as absent, so a creation that died is made again and meets
//! what is there.

use ptah_crds::fence::StoringKind;
use ptah_crds::{
    Condition, ConditionStatus, ConditionType, PtahSchemaPlan, PtahSchemaPlanStatus, PublishedChunk, Reason,
};
use ptah_lifecycle::{Family, Plan};
use ptah_mirror::plan::{self, Made, StoredPlan};
use ptah_reconcile::{PlanName, Reply};
use ptah_records::operator::latest::ChunkRef;
use ptah_records::operator::list::List;
use ptah_records::operator::text::{Sentence, Uid};
use serde_json::Value;

use super::resource::known;
use super::{Carrier, replied, typed, untyped};
use crate::cluster::Write;
use crate::manager::fault::Fault;
use crate::manager::key::ours;

impl Carrier<'_> {
    pub(super) async fn get_plan(&mut self, PlanName(fingerprint): PlanName) -> Result<Reply, Fault> {
        let stored = self.stored_plan(&plan::name(&fingerprint).to_string()).await?;
        let whole = stored.filter(is_whole);
        let read = whole.as_ref().map(plan::read).transpose()?.filter(|plan| plan.fingerprint == fingerprint);
        // The plan of a hold is read after the Leases, and of one that nothing here names.
        let of_a_hold = self.held.leases.keys().any(|name| matches!(name, ptah_reconcile::LeaseName::Database(_)));
        let place = if of_a_hold { &mut self.held.plan_of_the_hold } else { &mut self.held.plan };
        *place = whole.filter(|_| read.is_some());
        Ok(Reply::Plan(read.map(Box::new)))
    }

    /// A plan of this resource's family in its namespace, whole or not.
    pub(super) async fn stored_plan(&self, name: &str) -> Result<Option<StoredPlan>, Fault> {
        let Some(found) = self.cluster.get(&format!("{}/{name}", self.plans())).await? else { return Ok(None) };
        let what = format!("the plan {name}");
        Ok(Some(match self.key.family {
            Family::Schema => {
                known(StoringKind::PtahSchemaPlan, &what, &found)?;
                StoredPlan::Schema(Box::new(typed(&what, found)?))
            }
            Family::Migration => {
                known(StoringKind::PtahMigrationPlan, &what, &found)?;
                StoredPlan::Migration(Box::new(typed(&what, found)?))
            }
        }))
    }

    fn plans(&self) -> String {
        let plural = match self.key.family {
            Family::Schema => "ptahschemaplans",
            Family::Migration => "ptahmigrationplans",
        };
        ours(self.key.namespace.as_str(), plural)
    }

    pub(super) async fn create_plan(&self, plan: &Plan) -> Result<Reply, Fault> {
        let result = self.held.result.as_ref().ok_or(Fault::Order)?;
        let attached: Vec<Vec<u8>> = result.attachments.iter().map(|one| one.bytes.clone()).collect();
        let made = plan::make(self.object()?, plan, &self.known()?, &attached)?;
        let sent = match &made.plan {
            StoredPlan::Schema(plan) => untyped("a plan", plan)?,
            StoredPlan::Migration(plan) => untyped("a plan", plan)?,
        };
        let created = replied(self.cluster.create(&self.plans(), &sent, Write::Store).await);
        // One of its name is there: a creation that died, or another manager's. What it lacks is added.
        if !matches!(created, Reply::Done | Reply::Conflict) {
            return Ok(created);
        }
        match &made.plan {
            StoredPlan::Schema(plan) => self.complete(plan, &made).await,
            StoredPlan::Migration(_) => Ok(created),
        }
    }

    /// Creates every piece of a plan that is stored, and then says that all of them are there.
    async fn complete(&self, plan: &PtahSchemaPlan, made: &Made) -> Result<Reply, Fault> {
        let name = plan.metadata.name.clone().unwrap_or_default();
        let Some(StoredPlan::Schema(stored)) = self.stored_plan(&name).await? else { return Ok(Reply::Lost) };
        if stored.spec.0.fingerprint != plan.spec.0.fingerprint || is_published(&stored) {
            return Ok(Reply::Conflict);
        }
        // Of two deliveries that propose one plan the first one's pieces are named, and they have to be the same.
        if (&stored.spec.0.content, &stored.spec.0.desired) != (&plan.spec.0.content, &plan.spec.0.desired) {
            return Ok(Reply::Refused);
        }
        let mut published = Vec::new();
        let chunks = [&stored.spec.0.content, &stored.spec.0.desired].map(|content| content.chunks.as_slice()).concat();
        for (chunk, (piece_name, data)) in chunks.iter().zip(&made.pieces) {
            let piece = untyped("a piece", &plan::piece(&stored, piece_name, data.clone()))?;
            let chunks = ours(self.key.namespace.as_str(), "ptahschemaplanchunks");
            let created = self.cluster.create(&chunks, &piece, Write::Store).await;
            let uid = match replied(created) {
                Reply::Done | Reply::Conflict => self.piece(chunk).await?.map(|(uid, _)| uid),
                other => return Ok(other),
            };
            let Some(uid) = uid else { return Ok(Reply::Lost) };
            let index = ptah_records::operator::whole::Whole::new(u64::try_from(published.len()).unwrap_or(u64::MAX));
            let index = index.map_err(|_| ptah_mirror::Unwritable::NoText)?;
            published.push(PublishedChunk { name: chunk.name.clone(), uid, index });
        }
        self.publish(*stored, published).await
    }

    /// A piece as it is stored, if its bytes are those that the plan names.
    pub(super) async fn piece(&self, chunk: &ChunkRef) -> Result<Option<(Uid, Vec<u8>)>, Fault> {
        let path = ours(self.key.namespace.as_str(), &format!("ptahschemaplanchunks/{}", chunk.name));
        let Some(found) = self.cluster.get(&path).await? else { return Ok(None) };
        let uid = found["metadata"]["uid"].as_str().and_then(|uid| Uid::new(uid).ok());
        let piece: ptah_crds::PtahSchemaPlanChunk = typed("a piece", found)?;
        let data = piece.spec.data.0;
        let same = ptah_mirror::ids::sha256(ptah_model::Digest::of(&data)) == chunk.digest;
        Ok(uid.filter(|_| same).map(|uid| (uid, data)))
    }

    async fn publish(&self, stored: PtahSchemaPlan, published: Vec<PublishedChunk>) -> Result<Reply, Fault> {
        let text = |_| ptah_mirror::Unwritable::NoText;
        let condition = Condition {
            kind: ConditionType::Stored,
            status: ConditionStatus::True,
            reason: Reason::new("AllPiecesStored").map_err(|_| ptah_mirror::Unwritable::NoText)?,
            message: Sentence::new("Every piece of the plan is stored.").map_err(text)?,
            observed_generation: None,
            last_transition_time: self.now,
        };
        let status = PtahSchemaPlanStatus {
            observed_generation: None,
            published_chunks: List::new(published).map_err(|_| ptah_mirror::Unwritable::NoText)?,
            conditions: List::new(vec![condition]).map_err(|_| ptah_mirror::Unwritable::NoText)?,
        };
        let name = stored.metadata.name.clone().unwrap_or_default();
        let written: Value = untyped("a plan", &PtahSchemaPlan { status: Some(status), ..stored })?;
        let path = format!("{}/{name}/status", self.plans());
        Ok(replied(self.cluster.replace(&path, &written, Write::Store).await))
    }
}

/// Whether a plan may be named: a schema's once all its pieces are stored.
fn is_whole(plan: &StoredPlan) -> bool {
    match plan {
        StoredPlan::Schema(plan) => is_published(plan),
        StoredPlan::Migration(_) => true,
    }
}

fn is_published(plan: &PtahSchemaPlan) -> bool {
    let conditions = plan.status.iter().flat_map(|status| status.conditions.as_slice());
    let stored = |one: &Condition| one.kind == ConditionType::Stored && one.status == ConditionStatus::True;
    conditions.into_iter().any(stored)
}
