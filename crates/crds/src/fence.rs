//! Which version of the contract wrote what is stored: asked of plain JSON, before any type reads it.
//!
//! A newer manager may have stored what the types of this one cannot hold, or what they would hold wrongly. So the
//! version is looked for first, at every place where one is kept, and one that is too high or no version at all stops
//! everything: nothing is written, renewed, released or interpreted.

use ptah_records::operator::CONTROLLER_STATE_VERSION;
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
    /// A piece of a result.
    PtahResultRecord,
}

/// Why stored state is not interpreted. Not to be tried again by this manager; a newer one reads it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FenceProblem {
    /// A newer manager wrote it.
    #[error("{place} was written under version {stored} of the contract; this manager supports {supported}")]
    Newer {
        /// Where in the object.
        place: &'static str,
        /// The version that is stored.
        stored: u64,
        /// The highest version that this manager supports.
        supported: u32,
    },
    /// Something is stored there without a version, or with one that is none.
    #[error("{place} holds no version of the contract")]
    Malformed {
        /// Where in the object.
        place: &'static str,
    },
}

impl StoringKind {
    /// Every kind, for a scan over all that is stored.
    pub const ALL: [Self; 5] =
        [Self::PtahSchema, Self::PtahSchemaPlan, Self::PtahMigration, Self::PtahMigrationPlan, Self::PtahResultRecord];

    /// Where a version is kept, as a JSON pointer to what holds it. A place that is absent was never written.
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
        }
    }
}

/// Refuses an object that a newer manager wrote, in whole or in one place, and one that says nothing of its version
/// where something is stored. An object without any stored state passes: it was never reconciled.
pub fn verify(kind: StoringKind, object: &Value, supported: u32) -> Result<(), FenceProblem> {
    for place in kind.places() {
        let Some(holder) = object.pointer(place).filter(|holder| !holder.is_null()) else { continue };
        let stored = holder.get(FIELD).and_then(Value::as_u64).filter(|version| *version > 0);
        let Some(stored) = stored else { return Err(FenceProblem::Malformed { place }) };
        if stored > u64::from(supported) {
            return Err(FenceProblem::Newer { place, stored, supported });
        }
    }
    Ok(())
}

/// [`verify`] with the version that this program supports.
pub fn verify_supported(kind: StoringKind, object: &Value) -> Result<(), FenceProblem> {
    verify(kind, object, CONTROLLER_STATE_VERSION)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_newer_version_in_any_place_is_refused() {
        for kind in StoringKind::ALL {
            for place in kind.places() {
                let mut object = json!({});
                let mut at = &mut object;
                for name in place.trim_start_matches('/').split('/') {
                    at[name] = json!({ FIELD: 1 });
                    at = &mut at[name];
                }
                assert_eq!(verify(kind, &object, 1), Ok(()), "{place}");
                for (value, is_newer) in
                    [(json!(2), true), (json!(0), false), (json!("1"), false), (json!(null), false)]
                {
                    *object.pointer_mut(&format!("{place}/{FIELD}")).unwrap() = value;
                    let problem = verify(kind, &object, 1).unwrap_err();
                    let expected = if is_newer {
                        FenceProblem::Newer { place, stored: 2, supported: 1 }
                    } else {
                        FenceProblem::Malformed { place }
                    };
                    assert_eq!(problem, expected);
                }
            }
        }
    }

    #[test]
    fn what_was_never_reconciled_passes_and_what_is_stored_without_a_version_does_not() {
        assert_eq!(
            verify_supported(StoringKind::PtahSchema, &json!({ "spec": {}, "status": { "plan": null } })),
            Ok(())
        );
        let problem = verify_supported(StoringKind::PtahMigration, &json!({ "status": { "unresolvedRun": {} } }));
        assert_eq!(problem, Err(FenceProblem::Malformed { place: "/status/unresolvedRun" }));
    }
}
