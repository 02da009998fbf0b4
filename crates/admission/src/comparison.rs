//! Whether a policy on the API server is the one that we give it.

use serde_json::{Map, Value, json};

/// What the API server fills in, and what it then says (`k8s.io/api/admissionregistration/v1`, the fields' defaults).
fn is_default(name: &str, value: &Value) -> bool {
    match name {
        "matchPolicy" => *value == json!("Equivalent"),
        "namespaceSelector" | "objectSelector" => *value == json!({}),
        "scope" => *value == json!("*"),
        "failurePolicy" => *value == json!("Fail"),
        "reinvocationPolicy" => *value == json!("Never"),
        _ => false,
    }
}

/// Whether a stored policy says exactly what the `expected` one does, but for what the API server fills in: nothing taken away,
/// and nothing added that would narrow it.
pub fn acts_as(expected: &Value, stored: &Value) -> bool {
    match (expected, stored) {
        (Value::Object(expected), Value::Object(stored)) => same_fields(expected, stored),
        (Value::Array(expected), Value::Array(stored)) => {
            expected.len() == stored.len() && expected.iter().zip(stored).all(|(one, other)| acts_as(one, other))
        }
        (expected, stored) => expected == stored,
    }
}

fn same_fields(expected: &Map<String, Value>, stored: &Map<String, Value>) -> bool {
    let kept = expected.iter().all(|(name, value)| stored.get(name).is_some_and(|found| acts_as(value, found)));
    let added = stored.iter().filter(|(name, _)| !expected.contains_key(*name));
    kept && added.into_iter().all(|(name, value)| is_default(name, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policies::policies;

    #[test]
    fn a_policy_that_was_narrowed_is_another_one_and_what_the_api_server_fills_in_changes_nothing() {
        for policy in policies() {
            let expected = policy.object()["spec"].clone();
            let mut stored = expected.clone();
            stored["matchConstraints"]["matchPolicy"] = json!("Equivalent");
            stored["matchConstraints"]["namespaceSelector"] = json!({});
            stored["matchConstraints"]["objectSelector"] = json!({});
            stored["matchConstraints"]["resourceRules"][0]["scope"] = json!("*");
            assert!(acts_as(&expected, &stored), "{}", policy.name);
            for (place, value) in [
                ("/failurePolicy", json!("Ignore")),
                ("/matchConstraints/namespaceSelector", json!({ "matchLabels": { "a": "b" } })),
                ("/matchConstraints/excludeResourceRules", json!([{}])),
                ("/matchConstraints/resourceRules/0/scope", json!("Cluster")),
                ("/matchConditions/0/expression", json!("false")),
                ("/validations", json!([])),
            ] {
                let mut changed = stored.clone();
                let (holder, name) = place.rsplit_once('/').unwrap();
                changed.pointer_mut(holder).unwrap()[name] = value;
                assert!(!acts_as(&expected, &changed), "{}: {place}", policy.name);
            }
        }
    }
}
