//! Inspect: a schema model as parts and back.

use ptah_model::{FacetPool, Fingerprint, NotDescribed, Object, SchemaModel, SnapshotId};
use ptah_provider_api::reading::Reading;

use super::{EntryTooLarge, Received, stop_at_error, take_part};
use crate::convert::{digest, parsed, required};
use crate::pb;
use crate::pb::inspect_part::Part;
use crate::{OnWire, WireError};

/// Cuts a reading into parts of at most `limit` bytes: objects, what was not described, and the end. With
/// `fingerprint_only` there is only the end.
pub fn reading_parts<'a>(
    schema: &'a SchemaModel,
    fingerprint: Fingerprint,
    snapshot: &SnapshotId,
    fingerprint_only: bool,
    limit: usize,
) -> impl Iterator<Item = Result<pb::InspectPart, EntryTooLarge>> + use<'a> {
    let wanted = if fingerprint_only { 0 } else { usize::MAX };
    let objects = schema.objects().cloned().map(OnWire::to_wire);
    let unread = schema.not_described().cloned().map(OnWire::to_wire);
    let end = pb::InspectEnd {
        count: schema.objects().len() as u64,
        fingerprint: fingerprint.to_string(),
        snapshot_id: snapshot.as_str().to_owned(),
    };
    let mut objects = objects.take(wanted).peekable();
    let mut unread = unread.take(wanted).peekable();
    let mut end = Some(end);
    let cut = move || {
        if let Some(objects) = take_part(&mut objects, limit) {
            return Some(objects.map(|objects| Part::Objects(pb::ObjectsChunk { objects })));
        }
        if let Some(unread) = take_part(&mut unread, limit) {
            let chunk = |not_described| Part::NotDescribed(pb::NotDescribedChunk { not_described });
            return Some(unread.map(chunk));
        }
        end.take().map(|end| Ok(Part::End(end)))
    };
    stop_at_error(cut).map(|part| part.map(|part| pb::InspectPart { part: Some(part) }))
}

/// Puts a reading together. An object that comes twice, a part after the end and a stream without an end are refused.
#[derive(Debug, Default)]
pub struct ReadingCollector {
    schema: SchemaModel,
    end: Option<(u64, Fingerprint, SnapshotId)>,
    /// Most columns of a database are alike; their facets are kept once.
    pool: FacetPool,
    received: Received,
}

const M: &str = "InspectPart";

impl ReadingCollector {
    /// Takes the next part.
    pub fn push(&mut self, part: pb::InspectPart) -> Result<(), WireError> {
        self.received.part(&part, M)?;
        match required(part.part, M, "part")? {
            Part::Objects(chunk) => chunk.objects.into_iter().try_for_each(|object| {
                let mut object = Object::from_wire(object)?;
                object.facets = self.pool.share(object.facets);
                for member in &mut object.members {
                    member.facets = self.pool.share(std::mem::take(&mut member.facets));
                }
                let fresh = self.schema.insert(object);
                WireError::unless(fresh, M, "objects.id", "is distinct")
            }),
            Part::NotDescribed(chunk) => chunk.not_described.into_iter().try_for_each(|unread| {
                let unread = NotDescribed::from_wire(unread)?;
                let fresh = !self.schema.is_not_described(&unread.id);
                self.schema.insert_not_described(unread);
                WireError::unless(fresh, M, "not_described.id", "is distinct")
            }),
            Part::End(end) => {
                self.received.ended = true;
                let fingerprint = digest(&end.fingerprint, "InspectEnd", "fingerprint")?;
                let snapshot = parsed(SnapshotId::new(end.snapshot_id), "InspectEnd", "snapshot_id")?;
                self.end = Some((end.count, fingerprint, snapshot));
                Ok(())
            }
        }
    }

    /// The reading, once the stream is over.
    pub fn finish(self) -> Result<Reading, WireError> {
        self.received.whole(M)?;
        let (count, fingerprint, snapshot) = required(self.end, M, "end")?;
        Ok(Reading { schema: self.schema, count, fingerprint, snapshot })
    }
}
