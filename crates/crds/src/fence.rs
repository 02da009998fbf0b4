//! Which version of the contract wrote what is stored: asked of plain JSON, before any type reads it.
//!
//! A newer manager may have stored what the types of this one cannot hold, or what they would hold wrongly. So the
//! versions are taken from every place where one is kept, and the core says whether all of them are known. Nothing is
//! judged here, and nothing else of the object is looked at.

use ptah_records::operator::{names, seal};
use serde_json::Value;

/// The field that holds the version, wherever one is kept.
const FIELD: &str = "controllerStateVersion";

/// The kinds that keep a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StoringKind {
    /// A resource of the schema family.
    PtahSchema,
    /// A plan of it.
    PtahSchemaPlan,
    /// A resource of the migration family.
    PtahMigration,
    /// A plan of it.
    PtahMigrationPlan,
    /// A database's Lease.
    Lease,
    /// A piece of a result.
    PtahResultRecord,
}

impl StoringKind {
    /// Every kind, for a scan over all that is stored.
    pub const ALL: [Self; 6] = [
        Self::PtahSchema,
        Self::PtahSchemaPlan,
        Self::PtahMigration,
        Self::PtahMigrationPlan,
        Self::Lease,
        Self::PtahResultRecord,
    ];

    /// Where a version is kept, as JSON pointers to what holds it. A place that is absent was never written.
    pub fn places(self) -> &'static [&'static str] {
        match self {
            Self::PtahSchema => &[
                "/status/executionBinding",
                "/status/plan",
                "/status/applied",
                "/status/pendingObservation",
                "/status/pendingObservation/basis/plan",
                "/status/activeOperation",
                "/status/resolvedRun",
                "/status/pendingLockRelease",
            ],
            Self::PtahMigration => &[
                "/status/executionBinding",
                "/status/plan",
                "/status/unresolvedRun",
                "/status/unresolvedRun/basis/plan",
                "/status/activeOperation",
                "/status/resolvedRun",
                "/status/pendingLockRelease",
            ],
            Self::PtahSchemaPlan | Self::PtahMigrationPlan | Self::PtahResultRecord => &["/spec"],
            Self::Lease => &[],
        }
    }
}

/// Every version that an object of a kind holds, in the order of the places; 0 where something is stored without one, which
/// is a version of no contract. An object without stored state has none: it was never reconciled.
pub fn stored_versions(kind: StoringKind, object: &Value) -> Vec<i64> {
    let held = kind.places().iter().filter_map(|place| object.pointer(place)).filter(|holder| !holder.is_null());
    let mut versions: Vec<i64> = held.map(|holder| holder.get(FIELD).and_then(Value::as_i64).unwrap_or(0)).collect();
    let annotations = object.pointer("/metadata/annotations");
    for name in names::VERSIONED_LEASE_ANNOTATIONS.iter().filter(|_| kind == StoringKind::Lease) {
        if let Some(document) = annotations.and_then(|annotations| annotations.get(name)) {
            let text = document.as_str().unwrap_or_default();
            let found = seal::state_version(text.as_bytes());
            versions.push(found.and_then(|found| i64::try_from(found).ok()).unwrap_or(0));
        }
    }
    versions
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_version_in_every_place_is_found_and_none_is_zero() {
        for kind in StoringKind::ALL {
            for place in kind.places() {
                let mut object = json!({});
                let mut at = &mut object;
                for name in place.trim_start_matches('/').split('/') {
                    at[name] = json!({ FIELD: 1 });
                    at = &mut at[name];
                }
                assert!(stored_versions(kind, &object).iter().all(|version| *version == 1), "{place}");
                for (value, expected) in [(json!(2), 2), (json!(-1), -1), (json!("1"), 0), (json!(null), 0)] {
                    *object.pointer_mut(&format!("{place}/{FIELD}")).unwrap() = value;
                    assert!(stored_versions(kind, &object).contains(&expected), "{place}");
                }
            }
        }
    }

    #[test]
    fn what_was_never_reconciled_has_no_version() {
        let fresh = json!({ "spec": {}, "status": { "plan": null } });
        assert_eq!(stored_versions(StoringKind::PtahSchema, &fresh), [0; 0]);
        let lost = json!({ "status": { "unresolvedRun": {} } });
        assert_eq!(stored_versions(StoringKind::PtahMigration, &lost), [0]);
    }

    #[test]
    fn a_hold_on_a_lease_says_its_version_and_one_that_cannot_be_read_has_none() {
        let lease = |text: &str| json!({ "metadata": { "annotations": { names::HOLD: text } } });
        assert_eq!(stored_versions(StoringKind::Lease, &json!({ "metadata": {} })), [0; 0]);
        assert_eq!(stored_versions(StoringKind::Lease, &lease("{}")), [0]);
        let newer = r#"{"kind":"hold","contractVersion":9,"controllerStateVersion":7,"later":true}"#;
        assert_eq!(stored_versions(StoringKind::Lease, &lease(newer)), [7]);
    }
}
