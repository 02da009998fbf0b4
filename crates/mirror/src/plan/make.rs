//! A plan as it is stored, of what a reading proposed: the object, and for a schema the pieces of its bytes.

use k8s_openapi::ByteString;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource as _;
use kube::core::ObjectMeta;
use ptah_crds::{
    PtahMigrationPlan, PtahMigrationPlanSpec, PtahSchemaPlan, PtahSchemaPlanChunk, PtahSchemaPlanChunkSpec,
    PtahSchemaPlanSpec,
};
use ptah_lifecycle::Plan;
use ptah_model::Digest;
use ptah_records::operator::latest::{
    Answer, Attachment, AttachmentName, ChunkRef, HistoryRead, MigrationPlan, ObjectRef, PlanBinding, PolicyBinding,
    Proposed, SchemaPlan, Section, StoredContent,
};
use ptah_records::operator::limits::PIECE;
use ptah_records::operator::list::List;
use ptah_records::operator::text::{ObjectName, Uid};
use ptah_records::operator::whole::Whole;

use super::{StoredPlan, name};
use crate::ids;
use crate::object::Object;
use crate::spec;
use crate::write::{Known, Unwritable, parts};

/// Pieces of bytes, each with the name that it is stored under.
pub type Pieces = Vec<(ObjectName, Vec<u8>)>;

/// What is to be stored for one plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// The plan, without a UID.
    pub plan: StoredPlan,
    /// The pieces of its bytes, each with its name, in the order in which the plan names them; none of a migration.
    pub pieces: Pieces,
}

/// Makes the objects of `plan`, which the reading of `known.frame` proposed. `attached` is what followed that frame, in the
/// frame's order.
///
/// # Errors
/// [`Unwritable`]: nothing may be stored, because it would not be what was decided.
pub fn make(object: &Object, plan: &Plan, known: &Known<'_>, attached: &[Vec<u8>]) -> Result<Made, Unwritable> {
    let maker = Maker { object, plan, known };
    match object {
        Object::Schema(_) => maker.schema(attached),
        Object::Migration(_) => Ok(Made { plan: maker.migration()?, pieces: Vec::new() }),
    }
}

/// A piece of a plan that is stored under this name and UID: it goes with the plan.
pub fn piece(plan: &PtahSchemaPlan, name: &ObjectName, data: Vec<u8>) -> PtahSchemaPlanChunk {
    PtahSchemaPlanChunk { metadata: with_plan(plan, name), spec: PtahSchemaPlanChunkSpec { data: ByteString(data) } }
}

/// The metadata of an object that goes with its plan.
pub(super) fn with_plan(plan: &PtahSchemaPlan, name: &ObjectName) -> ObjectMeta {
    let owner = OwnerReference {
        api_version: PtahSchemaPlan::api_version(&()).into_owned(),
        kind: PtahSchemaPlan::kind(&()).into_owned(),
        name: plan.metadata.name.clone().unwrap_or_default(),
        uid: plan.metadata.uid.clone().unwrap_or_default(),
        controller: Some(true),
        block_owner_deletion: None,
    };
    ObjectMeta {
        name: Some(name.to_string()),
        namespace: plan.metadata.namespace.clone(),
        owner_references: Some(vec![owner]),
        ..ObjectMeta::default()
    }
}

struct Maker<'a> {
    object: &'a Object,
    plan: &'a Plan,
    known: &'a Known<'a>,
}

impl Maker<'_> {
    fn schema(&self, attached: &[Vec<u8>]) -> Result<Made, Unwritable> {
        let Object::Schema(schema) = self.object else { return Err(Unwritable::Plan) };
        let frame = self.known.frame.ok_or(Unwritable::Plan)?;
        let Some(Section::Plan(Answer::Done(Proposed::Schema { privilege_changes, statement_count, .. }))) =
            frame.sections.as_slice().last()
        else {
            return Err(Unwritable::Plan);
        };
        let content = |wanted: AttachmentName, letter: &str| {
            let mut found = frame.attachments.as_slice().iter().zip(attached);
            let (about, bytes) = found.find(|(about, _)| about.name == wanted).ok_or(Unwritable::Plan)?;
            self.content(about, bytes, letter)
        };
        let (plan, mut pieces) = content(AttachmentName::Plan, "p")?;
        let (desired, rest) = content(AttachmentName::Desired, "d")?;
        pieces.extend(rest);
        let proposal = &self.plan.proposal;
        if ids::digest(&plan.digest) != proposal.content {
            return Err(Unwritable::Plan);
        }
        let spec = SchemaPlan {
            contract_version: one()?,
            controller_state_version: parts::version(),
            schema_ref: self.reference()?,
            fingerprint: ids::sha256(self.plan.fingerprint),
            input_fingerprint: ids::sha256(self.plan.inputs),
            binding: self.binding()?,
            engine: schema.spec.target.engine.clone(),
            actual_state_fingerprint: ids::sha256(proposal.actual),
            desired_state_fingerprint: ids::sha256(proposal.desired),
            destructive: proposal.destructive,
            privilege_changes: privilege_changes.clone(),
            statement_count: *statement_count,
            content: plan,
            desired,
            recorded_by: self.known.manager.clone(),
            created_at: parts::moment(self.plan.created)?,
        };
        let stored = PtahSchemaPlan { metadata: self.metadata(), spec: PtahSchemaPlanSpec(spec), status: None };
        Ok(Made { plan: StoredPlan::Schema(Box::new(stored)), pieces })
    }

    fn migration(&self) -> Result<StoredPlan, Unwritable> {
        let (history, migrations) = self.sequence().ok_or(Unwritable::Plan)?;
        let proposal = &self.plan.proposal;
        let spec = MigrationPlan {
            contract_version: one()?,
            controller_state_version: parts::version(),
            migration_ref: self.reference()?,
            fingerprint: ids::sha256(self.plan.fingerprint),
            input_fingerprint: ids::sha256(self.plan.inputs),
            content_digest: ids::sha256(proposal.content),
            binding: self.binding()?,
            history_fingerprint: history.fingerprint.clone(),
            current_version: history.current_version.clone(),
            step_count: parts::whole(i64::try_from(migrations.as_slice().len()).unwrap_or(i64::MAX))?,
            migrations: migrations.clone(),
            sequence_digest: ids::sha256(proposal.desired),
            applied_rows_digest: ids::sha256(proposal.actual),
            recorded_by: self.known.manager.clone(),
            created_at: parts::moment(self.plan.created)?,
        };
        let stored = PtahMigrationPlan { metadata: self.metadata(), spec: PtahMigrationPlanSpec(spec), status: None };
        Ok(StoredPlan::Migration(Box::new(stored)))
    }

    fn sequence(&self) -> Option<(&HistoryRead, &List<ptah_records::operator::latest::MigrationStep, 256>)> {
        match self.known.frame?.sections.as_slice() {
            [
                ..,
                Section::History(Answer::Done(history)),
                Section::Plan(Answer::Done(Proposed::Migration { migrations })),
            ] => Some((history, migrations)),
            _ => None,
        }
    }

    /// The plan goes with its resource, and nobody waits for it.
    fn metadata(&self) -> ObjectMeta {
        let (kind, api_version) = match self.object {
            Object::Schema(_) => (ptah_crds::PtahSchema::kind(&()), ptah_crds::PtahSchema::api_version(&())),
            Object::Migration(_) => (ptah_crds::PtahMigration::kind(&()), ptah_crds::PtahMigration::api_version(&())),
        };
        let resource = self.object.metadata();
        let owner = OwnerReference {
            api_version: api_version.into_owned(),
            kind: kind.into_owned(),
            name: resource.name.clone().unwrap_or_default(),
            uid: resource.uid.clone().unwrap_or_default(),
            controller: Some(true),
            block_owner_deletion: None,
        };
        ObjectMeta {
            name: Some(name(&self.plan.fingerprint).to_string()),
            namespace: resource.namespace.clone(),
            owner_references: Some(vec![owner]),
            ..ObjectMeta::default()
        }
    }

    fn reference(&self) -> Result<ObjectRef, Unwritable> {
        let metadata = self.object.metadata();
        let name = metadata.name.as_deref().and_then(|name| ObjectName::new(name).ok());
        let uid = metadata.uid.as_deref().and_then(|uid| Uid::new(uid).ok());
        Ok(ObjectRef { name: name.ok_or(Unwritable::Name)?, uid: uid.ok_or(Unwritable::Name)? })
    }

    fn binding(&self) -> Result<PlanBinding, Unwritable> {
        let (namespace, known) = (self.object.metadata().namespace.as_deref().unwrap_or_default(), self.known);
        let spec = spec::of(self.object, namespace, known.verification);
        // As the claim of the reading had it: under that policy its artifact was verified.
        let verified = self.object.claim().and_then(|claim| claim.source.as_ref()).ok_or(Unwritable::Plan)?;
        let PolicyBinding { uid, digest } = verified.verification_policy.clone();
        Ok(PlanBinding {
            artifact_digest: ids::sha256(self.plan.proposal.artifact),
            coordination_digest: ids::sha256(spec.coordination),
            target_identity: parts::identity(&self.plan.identity),
            policy_fingerprint: ids::sha256(spec::policy(&spec)),
            verification_policy: PolicyBinding { uid, digest },
            execution_binding_id: ids::epoch_text(self.plan.binding),
            ptah_version: known.components.ptah_version.clone(),
            executor_image: known.components.executor_image.clone(),
            runner_protocol_version: known.components.protocol,
        })
    }

    /// Stored bytes and their pieces, each but the last full.
    fn content(&self, about: &Attachment, bytes: &[u8], letter: &str) -> Result<(StoredContent, Pieces), Unwritable> {
        let plan = name(&self.plan.fingerprint);
        let mut pieces = Vec::new();
        let mut chunks = Vec::new();
        for (index, data) in (0i64..).zip(bytes.chunks(PIECE)) {
            let name = ObjectName::new(format!("{plan}-{letter}{index}")).map_err(|_| Unwritable::NoText)?;
            chunks.push(ChunkRef {
                name: name.clone(),
                index: parts::whole(index)?,
                digest: ids::sha256(Digest::of(data)),
                size: parts::whole(i64::try_from(data.len()).unwrap_or(i64::MAX))?,
            });
            pieces.push((name, data.to_vec()));
        }
        let content = StoredContent {
            digest: about.digest.clone(),
            size: about.size,
            encoding: about.encoding,
            stored_size: about.stored_size,
            chunks: List::new(chunks).map_err(|_| Unwritable::NoText)?,
        };
        Ok((content, pieces))
    }
}

fn one() -> Result<Whole<1, 1>, Unwritable> {
    parts::whole(1)
}

#[cfg(test)]
mod tests;
