//! One look at a cluster: our definitions, and which versions stand in what is stored.

use std::collections::BTreeMap;

use ptah_crds::{GROUP, Published};
use serde_json::Value;

use crate::cluster::{CallError, Cluster};
use crate::definitions::{Collection, Seen, collections, decide, stored_object};
use crate::failure::Failure;
use ptah_records::operator::CONTROLLER_STATE_VERSION;

/// Where definitions are.
pub(super) const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// The definitions of our group, by name.
///
/// The list of all definitions in the cluster is read for names alone, and each of ours is then read whole.
pub(super) async fn definitions(cluster: &Cluster) -> Result<BTreeMap<String, Value>, CallError> {
    let suffix = format!(".{GROUP}");
    let add = |names: &mut Vec<String>, object: &Value| {
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        if name.ends_with(&suffix) {
            names.push(name.to_owned());
        }
    };
    let names = cluster.list(DEFINITIONS, 20, Vec::new, add).await?;
    let mut found = BTreeMap::new();
    for name in names {
        // Deleted since the list was made: then it is not there.
        if let Some(definition) = cluster.get(&format!("{DEFINITIONS}/{name}")).await? {
            found.insert(name, definition);
        }
    }
    Ok(found)
}

/// Everything that a decision needs. What is stored is looked at only under definitions that are ours: under another one
/// the decision is clear already.
///
/// # Errors
/// A refusal that shows in the definitions alone, or a call that failed: then nothing was found out.
pub(super) async fn look(cluster: &Cluster, published: &[Published]) -> Result<Seen, Failure> {
    let mut seen = Seen { definitions: definitions(cluster).await?, stored: BTreeMap::new() };
    for collection in collections() {
        seen.stored.insert(collection.kind, Vec::new());
    }
    decide(published, &seen, CONTROLLER_STATE_VERSION).map_err(Failure::Refused)?;
    for collection in collections() {
        let defined = collection.definition().is_none_or(|name| seen.definitions.contains_key(&name));
        if defined {
            seen.stored.insert(collection.kind, scan(cluster, collection).await?);
        }
    }
    Ok(seen)
}

async fn scan(
    cluster: &Cluster,
    collection: Collection,
) -> Result<Vec<ptah_lifecycle::fence::StoredObject>, CallError> {
    let add = |found: &mut Vec<_>, object: &Value| found.extend(stored_object(collection.storing, object));
    cluster.list(&collection.path(), collection.page, Vec::new, add).await
}
