//! What the API server made of a definition: whether it differs from what is there, and whether it is served.

use std::collections::BTreeSet;

use ptah_crds::{CRD_SCHEMA_VERSION_ANNOTATION, SCHEMA_DIGEST_ANNOTATION, STATE_VERSION_ANNOTATION};
use serde_json::Value;

/// The places in which `made`, the answer to a write, differs from what was there, in order; none where writing it changes
/// nothing. Only the spec and our own marks are looked at.
pub fn differences(live: &Value, made: &Value) -> Vec<String> {
    let mut places = BTreeSet::new();
    compare("spec", &live["spec"], &made["spec"], &mut places);
    for mark in [STATE_VERSION_ANNOTATION, CRD_SCHEMA_VERSION_ANNOTATION, SCHEMA_DIGEST_ANNOTATION] {
        if live["metadata"]["annotations"][mark] != made["metadata"]["annotations"][mark] {
            places.insert(format!("metadata.annotations[{mark}]"));
        }
    }
    places.into_iter().collect()
}

fn compare(place: &str, live: &Value, made: &Value, places: &mut BTreeSet<String>) {
    match (live, made) {
        (Value::Object(one), Value::Object(other)) => {
            let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            for name in names {
                let none = Value::Null;
                compare(
                    &format!("{place}.{name}"),
                    one.get(name).unwrap_or(&none),
                    other.get(name).unwrap_or(&none),
                    places,
                );
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (at, (one, other)) in one.iter().zip(other).enumerate() {
                compare(&format!("{place}[{at}]"), one, other, places);
            }
        }
        (one, other) if one == other => {}
        _ => {
            places.insert(place.to_owned());
        }
    }
}

/// Whether the API server serves the kind: its names were accepted, and it is established.
pub fn is_served(definition: &Value) -> bool {
    let holds = |wanted: &str| {
        let conditions = definition["status"]["conditions"].as_array().into_iter().flatten();
        conditions.into_iter().any(|condition| condition["type"] == wanted && condition["status"] == "True")
    };
    holds("Established") && holds("NamesAccepted")
}
