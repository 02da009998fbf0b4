//! Which resource an operation belongs to: what the watch last told. It finds the place to look; what is decided is read there.

use std::collections::{BTreeMap, BTreeSet};

use ptah_lifecycle::Family;
use ptah_records::operator::text::{OperationId, Uid};
use serde_json::Value;

use crate::manager::key::Key;

/// Every resource, by UID and by the operations that its status names.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    by_uid: BTreeMap<Uid, (Key, BTreeSet<OperationId>)>,
    by_operation: BTreeMap<OperationId, Key>,
    synced: BTreeSet<Family>,
    /// The objects of people that name a resource, by its UID.
    words: BTreeMap<String, BTreeSet<String>>,
    /// The kinds of such objects of which all were told.
    words_synced: usize,
}

/// Approvals of both families, and acknowledgments.
const KINDS_OF_WORDS: usize = 3;

/// Where the status of either family names operations.
const PLACES: [&str; 5] = [
    "/status/activeOperation/id",
    "/status/pendingObservation/operationID",
    "/status/unresolvedRun/operationID",
    "/status/resolvedRun/operationID",
    "/status/pendingLockRelease/operationID",
];

impl Directory {
    /// Takes in a resource as the watch tells it.
    pub(crate) fn put(&mut self, key: &Key, status: &Value) {
        self.remove(&key.uid);
        let named = PLACES.iter().filter_map(|place| status.pointer(place)?.as_str());
        let operations: BTreeSet<OperationId> = named.filter_map(|id| OperationId::new(id).ok()).collect();
        for operation in &operations {
            self.by_operation.insert(operation.clone(), key.clone());
        }
        self.by_uid.insert(key.uid.clone(), (key.clone(), operations));
    }

    /// A resource is gone.
    pub(crate) fn remove(&mut self, uid: &Uid) {
        let Some((_, operations)) = self.by_uid.remove(uid) else { return };
        for operation in operations {
            self.by_operation.remove(&operation);
        }
    }

    /// The resource of this UID.
    pub(crate) fn resource(&self, uid: &str) -> Option<&Key> {
        self.by_uid.get(&Uid::new(uid).ok()?).map(|(key, _)| key)
    }

    /// The resource whose status names this operation.
    pub(crate) fn of(&self, operation: &OperationId) -> Option<&Key> {
        self.by_operation.get(operation)
    }

    /// Somebody's word about a resource is there, or is gone.
    pub(crate) fn word(&mut self, resource: &str, object: &str, is_there: bool) {
        let words = self.words.entry(resource.to_owned()).or_default();
        if is_there {
            words.insert(object.to_owned());
        } else {
            words.remove(object);
        }
        if words.is_empty() {
            self.words.remove(resource);
        }
    }

    /// Every word of one more kind was told of.
    pub(crate) fn words_synced(&mut self) {
        self.words_synced += 1;
    }

    /// Whether nobody has said anything about a resource, as far as the watch has told. A word that it is late with is taken up a
    /// moment later, when it wakes the resource.
    pub(crate) fn is_silent(&self, resource: &Uid) -> bool {
        self.words_synced >= KINDS_OF_WORDS && !self.words.contains_key(resource.as_str())
    }

    /// Every resource of a family was told of at least once.
    pub(crate) fn synced(&mut self, family: Family) {
        self.synced.insert(family);
    }

    /// Whether every resource of both families was told of.
    pub(crate) fn is_synced(&self) -> bool {
        self.synced.len() == 2
    }
}

#[cfg(test)]
mod tests {
    use ptah_records::operator::text::{LabelName, ObjectName};
    use serde_json::json;

    use super::*;

    #[test]
    fn an_operation_is_found_for_as_long_as_a_status_names_it() {
        let id = "01890a5d-ac96-774b-bcce-b302099a8001";
        let operation = OperationId::new(id).unwrap();
        let key = Key {
            family: Family::Schema,
            namespace: LabelName::new("x").unwrap(),
            name: ObjectName::new("a").unwrap(),
            uid: Uid::new("u").unwrap(),
        };
        let mut directory = Directory::default();
        for place in PLACES {
            let mut status = json!({});
            let mut at = &mut status;
            for name in place.trim_start_matches('/').split('/') {
                at = &mut at[name];
            }
            *at = json!(id);
            directory.put(&key, &status);
            assert_eq!(directory.of(&operation), Some(&key), "{place}");
        }
        directory.put(&key, &json!({}));
        assert_eq!((directory.of(&operation), directory.resource("u")), (None, Some(&key)));
        directory.remove(&key.uid);
        assert_eq!(directory.resource("u"), None);
    }

    #[test]
    fn a_resource_is_silent_only_once_every_kind_of_word_was_told_of() {
        let (mut directory, uid) = (Directory::default(), Uid::new("u").unwrap());
        directory.words_synced();
        directory.words_synced();
        assert!(!directory.is_silent(&uid), "acknowledgments may be there");
        directory.words_synced();
        assert!(directory.is_silent(&uid));
        directory.word("u", "approval", true);
        assert!(!directory.is_silent(&uid));
        directory.word("u", "approval", false);
        assert!(directory.is_silent(&uid));
    }
}
