//! A resource of either family, as the API server has it.

use kube::core::ObjectMeta;
use ptah_crds::{CommonStatus, PtahMigration, PtahMigrationStatus, PtahSchema, PtahSchemaStatus};
use ptah_lifecycle::Family;
use ptah_records::operator::latest::Claim;

/// Why an object cannot be taken in. Nothing is decided on it; it is looked at again when it changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// Its UID, or one in it, is none that an API server makes.
    #[error("a UID is not a UUID in its canonical form")]
    Uid,
    /// Its version is none.
    #[error("the object has no version")]
    Version,
    /// A record in it contradicts itself.
    #[error("a record in the status contradicts itself")]
    Contradiction,
    /// Something is not there that the API server always sets.
    #[error("the object has no name, UID or time of creation")]
    Incomplete,
}

/// A resource of either family.
#[derive(Clone, Debug, PartialEq)]
pub enum Object {
    /// A `PtahSchema`.
    Schema(Box<PtahSchema>),
    /// A `PtahMigration`.
    Migration(Box<PtahMigration>),
}

impl Object {
    /// Its family.
    pub fn family(&self) -> Family {
        match self {
            Self::Schema(_) => Family::Schema,
            Self::Migration(_) => Family::Migration,
        }
    }

    /// What the API server says about it.
    pub fn metadata(&self) -> &ObjectMeta {
        match self {
            Self::Schema(schema) => &schema.metadata,
            Self::Migration(migration) => &migration.metadata,
        }
    }

    /// What both families say in their status; nothing before the first pass.
    pub fn common(&self) -> Option<&CommonStatus> {
        match self {
            Self::Schema(schema) => schema.status.as_ref().map(|status| &status.common),
            Self::Migration(migration) => migration.status.as_ref().map(|status| &status.common),
        }
    }

    /// The same, to be changed; made where there is none.
    pub(crate) fn common_mut(&mut self) -> &mut CommonStatus {
        match self {
            Self::Schema(schema) => &mut schema.status.get_or_insert_with(PtahSchemaStatus::default).common,
            Self::Migration(migration) => &mut migration.status.get_or_insert_with(PtahMigrationStatus::default).common,
        }
    }

    /// The operation under way.
    pub fn claim(&self) -> Option<&Claim> {
        self.common()?.active_operation.as_ref()
    }
}
