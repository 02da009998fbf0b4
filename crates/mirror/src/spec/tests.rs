//! Which fields of a spec move something: all but those that are listed here, asked of every field that there is.

use ptah_lifecycle::Uid;
use serde_json::{Value, json};

use super::*;

/// What changes no plan and no run that is under way. Each has a reason: when and where something is done, not what.
const MOVE_NOTHING: [&str; 12] = [
    "/suspend",
    "/interval",
    "/execution/failureRetryInterval",
    "/execution/resources",
    "/execution/serviceAccountName",
    "/execution/imagePullSecrets",
    "/execution/nodeSelector",
    "/execution/tolerations",
    "/execution/affinity",
    "/execution/runtimeClassName",
    "/execution/priorityClassName",
    "/execution/podMetadata",
];

fn sample(text: &str) -> Value {
    let mut object: Value = serde_saphyr::from_str(text).unwrap();
    object["metadata"]["uid"] = "01890a5d-ac96-474b-bcce-b302099a8001".into();
    object
}

/// A schema with every field.
fn schema() -> Value {
    let mut object = sample(include_str!("../../../crds/tests/samples/schema-full.yaml"));
    let auth = &mut object["spec"]["desired"]["registryAuthFrom"];
    (auth["usernameKey"], auth["passwordKey"], auth["tokenKey"]) = ("u".into(), "p".into(), "t".into());
    object["spec"]["desired"]["transport"]["plainHTTP"] = false.into();
    object["spec"]["execution"]["runtimeClassName"] = "gvisor".into();
    object["spec"]["execution"]["podMetadata"]["labels"] = json!({ "team": "ledger" });
    object
}

/// A migration with every field.
fn migration() -> Value {
    let (mut object, full) = (sample(include_str!("../../../crds/tests/samples/migration-full.yaml")), schema());
    for field in ["execution", "suspend", "interval"] {
        object["spec"][field] = full["spec"][field].clone();
    }
    object["spec"]["artifact"] = full["spec"]["desired"].clone();
    object["spec"]["policy"]["runClaim"] = "Table".into();
    object["spec"]["target"]["sharedRealm"] = true.into();
    object
}

fn read(object: &Value) -> Option<Spec> {
    let object = match object["kind"].as_str()? {
        "PtahSchema" => Object::Schema(serde_json::from_value(object.clone()).ok()?),
        _ => Object::Migration(serde_json::from_value(object.clone()).ok()?),
    };
    let policy = PolicyState { uid: Some(Uid(1)), digest: Digest::of(b"policy") };
    Some(of(&object, "finance", policy))
}

/// The paths of all values that are not made of others.
fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                leaves(value, &format!("{path}/{}", name.replace('/', "~1")), found);
            }
        }
        Value::Array(entries) => {
            for (at, value) in entries.iter().enumerate() {
                leaves(value, &format!("{path}/{at}"), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => found.push(path.to_owned()),
    }
}

/// The object with another value at this place that is a value of its kind.
fn changed(object: &Value, path: &str) -> Value {
    let value = object["spec"].pointer(path).unwrap();
    let others: Vec<Value> = match value {
        Value::Bool(value) => vec![(!value).into()],
        Value::Number(number) => vec![(number.as_i64().unwrap() + 1).into()],
        Value::String(text) => {
            let words = [
                "Never",
                "OnApproval",
                "destructive",
                "all",
                "file",
                "none",
                "None",
                "Environment",
                "17s",
                "17m",
                "PreferNoSchedule",
            ];
            let longer = if text.starts_with("oci://") { text.replacen("db/", "db/x", 1) } else { format!("{text}x") };
            [longer]
                .into_iter()
                .chain(words.map(str::to_owned))
                .filter(|other| other != text)
                .map(Value::from)
                .collect()
        }
        Value::Null | Value::Array(_) | Value::Object(_) => panic!("{path}"),
    };
    let with = |other: Value| {
        let mut object = object.clone();
        *object["spec"].pointer_mut(path).unwrap() = other;
        object
    };
    others.into_iter().map(with).find(|object| read(object).is_some()).unwrap_or_else(|| panic!("nothing fits {path}"))
}

/// What decisions rest on: all of it but when something is done.
fn rests_on(spec: &Spec) -> Spec {
    Spec { suspended: false, interval: 0, retry: 0, ..*spec }
}

#[test]
fn when_something_is_done_is_as_the_owner_says() {
    for object in [schema(), migration()] {
        let spec = read(&object).unwrap();
        assert_eq!((spec.suspended, spec.interval, spec.retry, spec.window), (false, 1_800, 60, 1_200));
        assert!(read(&changed(&object, "/suspend")).unwrap().suspended);
    }
}

#[test]
fn every_field_moves_what_rests_on_it_or_is_listed_as_moving_nothing() {
    for object in [schema(), migration()] {
        let before = read(&object).unwrap();
        let mut paths = Vec::new();
        leaves(&object["spec"], "", &mut paths);
        assert!(paths.len() > 25, "{paths:?}");
        for path in paths {
            let after = read(&changed(&object, &path)).unwrap();
            let listed = MOVE_NOTHING.iter().any(|field| path == *field || path.starts_with(&format!("{field}/")));
            assert_eq!(rests_on(&after) == rests_on(&before), listed, "{} {path}", object["kind"]);
        }
    }
}

/// Every field that the schema of a definition has, down to where types of Kubernetes begin, stands in the sample.
fn covers(schema: &Value, sample: &Value, path: &str, missing: &mut Vec<String>) {
    let Some(fields) = schema["properties"].as_object() else { return };
    for (name, schema) in fields {
        let path = format!("{path}/{name}");
        match sample.get(name) {
            None => missing.push(path),
            Some(_) if ["/execution/tolerations", "/execution/affinity"].contains(&path.as_str()) => {}
            Some(value) => covers(schema, value, &path, missing),
        }
    }
}

#[test]
fn the_samples_have_every_field_that_there_is() {
    for object in [schema(), migration()] {
        let published = ptah_crds::published();
        let kind = |one: &&ptah_crds::Published| one.definition["spec"]["names"]["kind"] == object["kind"];
        let definition = &published.iter().find(kind).unwrap().definition;
        let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
        let mut missing = Vec::new();
        covers(schema, &object["spec"], "", &mut missing);
        // The two names of a database exclude each other; each sample has one of them.
        missing.retain(|path| !path.starts_with("/target/coordinationKey") && !path.starts_with("/target/realmRef"));
        assert_eq!(missing, Vec::<String>::new(), "{}", object["kind"]);
    }
}

#[test]
fn the_verification_policy_counts_by_its_object_and_by_its_bytes() {
    let object = Object::Schema(serde_json::from_value(schema()).unwrap());
    let with = |uid, bytes: &[u8]| of(&object, "finance", PolicyState { uid, digest: Digest::of(bytes) }).inputs;
    assert_ne!(with(Some(Uid(1)), b"a"), with(Some(Uid(1)), b"b"));
    assert_ne!(with(Some(Uid(1)), b"a"), with(Some(Uid(2)), b"a"), "made again with equal bytes");
    assert_ne!(with(None, b""), with(Some(Uid(1)), b""));
}

#[test]
fn a_key_is_of_its_namespace_and_a_realm_is_of_the_cluster() {
    let coordination = |object: &Value, namespace: &str| {
        let object = match object["kind"].as_str() {
            Some("PtahSchema") => Object::Schema(serde_json::from_value(object.clone()).unwrap()),
            _ => Object::Migration(serde_json::from_value(object.clone()).unwrap()),
        };
        of(&object, namespace, PolicyState::absent()).coordination
    };
    let (by_realm, by_key) = (schema(), migration());
    assert_eq!(coordination(&by_realm, "finance"), coordination(&by_realm, "sales"));
    assert_ne!(coordination(&by_key, "finance"), coordination(&by_key, "sales"));
    let mut upper = by_key.clone();
    upper["spec"]["target"]["engine"] = "MYSQL".into();
    assert_eq!(coordination(&upper, "finance"), coordination(&by_key, "finance"), "an engine is the same in capitals");
}
