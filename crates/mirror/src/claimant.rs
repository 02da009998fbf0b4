//! A resource as another one sees it that claims the same database.

use ptah_lifecycle::{Claimant, Looked};

use crate::ids;
use crate::object::{Object, Unreadable};
use crate::read;
use crate::spec::{self, PolicyState};

/// The claimant that this resource is.
///
/// # Errors
/// [`Unreadable`]: nothing may be decided about the database while it is so, because nobody knows what it claims.
pub fn read(object: &Object) -> Result<Claimant, Unreadable> {
    let metadata = object.metadata();
    let namespace = metadata.namespace.as_deref().ok_or(Unreadable::Incomplete)?;
    let spec = spec::of(object, namespace, PolicyState::absent());
    let status = read::status(object)?;
    let by_realm = match object {
        Object::Schema(schema) => schema.spec.target.realm_ref.is_some(),
        Object::Migration(migration) => migration.spec.target.realm_ref.is_some(),
    };
    let deleting = metadata.deletion_timestamp.is_some();
    let attempts = status.record.as_ref().and_then(|record| record.attempts);
    Ok(Claimant {
        uid: ids::uid(metadata.uid.as_deref().ok_or(Unreadable::Incomplete)?)?,
        by_realm,
        shared: spec.shared,
        dormant: spec.suspended || deleting,
        deleting,
        unresolved: status.record.as_ref().map(|record| record.operation),
        attempts: attempts.map_or(0, |attempts| attempts.count),
        looked: status
            .observed
            .and_then(|seen| Some(Looked { database: seen.identity.database, instance: seen.instance? })),
    })
}
