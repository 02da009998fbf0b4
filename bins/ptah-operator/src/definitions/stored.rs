//! Where stored state is, and which versions stand in it.

use ptah_crds::fence::{StoringKind, stored_versions};
use ptah_crds::{GROUP, VERSION};
use ptah_lifecycle::fence::{StoredKind, StoredObject};
use serde_json::Value;

/// A collection that has to be scanned, over all namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collection {
    /// What the core calls it.
    pub kind: StoredKind,
    /// What the resources call it.
    pub storing: StoringKind,
    /// Its name in a path; the name of its definition begins with it.
    plural: &'static str,
    /// How many objects one page has. A record has up to 700 KB, a status up to some hundred.
    pub page: usize,
}

impl Collection {
    /// The name of its definition; nothing for a kind of Kubernetes itself.
    pub fn definition(self) -> Option<String> {
        (self.kind != StoredKind::Lease).then(|| format!("{}.{GROUP}", self.plural))
    }

    /// Where it is asked for.
    pub fn path(self) -> String {
        match self.kind {
            StoredKind::Lease => "/apis/coordination.k8s.io/v1/leases".to_owned(),
            _ => format!("/apis/{GROUP}/{VERSION}/{}", self.plural),
        }
    }
}

/// Every collection in which a version can stand.
pub fn collections() -> [Collection; 6] {
    StoringKind::ALL.map(|storing| {
        let (kind, plural, page) = match storing {
            StoringKind::PtahSchema => (StoredKind::Schema, "ptahschemas", 50),
            StoringKind::PtahSchemaPlan => (StoredKind::SchemaPlan, "ptahschemaplans", 200),
            StoringKind::PtahMigration => (StoredKind::Migration, "ptahmigrations", 50),
            StoringKind::PtahMigrationPlan => (StoredKind::MigrationPlan, "ptahmigrationplans", 50),
            StoringKind::Lease => (StoredKind::Lease, "leases", 500),
            StoringKind::PtahResultRecord => (StoredKind::ResultRecord, "ptahresultrecords", 20),
        };
        Collection { kind, storing, plural, page }
    })
}

/// What the fence has to know of an object; nothing for one in which no state is stored.
pub fn stored_object(storing: StoringKind, object: &Value) -> Option<StoredObject> {
    let versions = stored_versions(storing, object);
    if versions.is_empty() {
        return None;
    }
    let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
    Some(StoredObject { name: format!("{}/{}", text("namespace"), text("name")), versions })
}
