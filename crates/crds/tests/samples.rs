//! Manifests that are accepted or refused, and why: `samples/`, one a file, the expectation in the first line.
//!
//! A file with two documents is an update from the first to the second. The types refuse what has the wrong form, the
//! rules what contradicts itself; the rules are evaluated as the API server does it. The same files were given to the API
//! server's own validation.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use kube_cel::{CompiledSchema, Validator, apply_defaults, compile_schema};
use ptah_crds::{
    PtahMigration, PtahMigrationApproval, PtahMigrationRunAcknowledgment, PtahRealm, PtahResultRecord, PtahSchema,
    PtahSchemaApproval, PtahSchemaPlanChunk, published,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// One sample: its name, its expectation, and the object before and after.
struct Sample {
    name: String,
    /// A part of the message; nothing for one that is accepted.
    refused: Option<String>,
    before: Option<Value>,
    object: Value,
}

fn samples() -> Vec<Sample> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            let first = text.lines().next().unwrap();
            let refused = first.strip_prefix("# refused: ").map(str::to_owned);
            assert!(refused.is_some() || first == "# accepted", "{}", path.display());
            let mut objects: Vec<Value> =
                text.split("\n---\n").map(|object| serde_saphyr::from_str(object).unwrap()).collect();
            let object = objects.pop().unwrap();
            Sample { name: path.display().to_string(), refused, before: objects.pop(), object }
        })
        .collect()
}

/// The rules of every kind, each compiled once.
struct Rules(BTreeMap<String, (Value, CompiledSchema)>);

impl Rules {
    fn new() -> Self {
        let of = |definition: &Value| {
            let schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone();
            let compiled = compile_schema(&schema);
            assert!(!compiled.has_errors(), "{:?}", compiled.compilation_errors());
            (schema, compiled)
        };
        let kind = |definition: &Value| definition["spec"]["names"]["kind"].as_str().unwrap().to_owned();
        Self(published().iter().map(|one| (kind(&one.definition), of(&one.definition))).collect())
    }

    /// What the rules of its kind say about an object, with its defaults.
    fn ask(&self, sample: &Sample) -> Result<(), String> {
        let (schema, compiled) = &self.0[sample.object["kind"].as_str().unwrap()];
        let object = apply_defaults(schema, &sample.object);
        let verdict = Validator::new().validate_compiled(compiled, &object, sample.before.as_ref());
        verdict.map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<String>>().join("; "))
    }
}

/// What a type makes of an object: written again, or why it cannot be read.
fn through<T: DeserializeOwned + Serialize>(object: &Value) -> Result<Value, String> {
    let read: T = serde_json::from_value(object.clone()).map_err(|error| error.to_string())?;
    Ok(serde_json::to_value(read).unwrap())
}

fn through_type(object: &Value) -> Result<Value, String> {
    match object["kind"].as_str().unwrap() {
        "PtahSchema" => through::<PtahSchema>(object),
        "PtahSchemaApproval" => through::<PtahSchemaApproval>(object),
        "PtahSchemaPlanChunk" => through::<PtahSchemaPlanChunk>(object),
        "PtahMigration" => through::<PtahMigration>(object),
        "PtahMigrationApproval" => through::<PtahMigrationApproval>(object),
        "PtahMigrationRunAcknowledgment" => through::<PtahMigrationRunAcknowledgment>(object),
        "PtahRealm" => through::<PtahRealm>(object),
        "PtahResultRecord" => through::<PtahResultRecord>(object),
        other => panic!("no sample of {other} was expected"),
    }
}

/// Whether everything in `given` stands in `written`, which may have defaults besides.
fn holds(written: &Value, given: &Value) -> bool {
    match (written, given) {
        (Value::Object(written), Value::Object(given)) => {
            given.iter().all(|(name, value)| written.get(name).is_some_and(|found| holds(found, value)))
        }
        (Value::Array(written), Value::Array(given)) => {
            written.len() == given.len() && written.iter().zip(given).all(|(written, given)| holds(written, given))
        }
        (written, given) => written == given,
    }
}

#[test]
fn what_is_accepted_is_read_whole_and_passes_every_rule() {
    let accepted: Vec<Sample> = samples().into_iter().filter(|sample| sample.refused.is_none()).collect();
    let rules = Rules::new();
    assert!(accepted.len() > 8, "the samples are missing");
    for sample in accepted {
        let written = through_type(&sample.object).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        assert!(holds(&written, &sample.object), "{}: {written}", sample.name);
        assert_eq!(rules.ask(&sample), Ok(()), "{}", sample.name);
    }
}

#[test]
fn what_is_refused_is_refused_by_its_type_or_by_the_rule_that_is_named() {
    let refused: Vec<Sample> = samples().into_iter().filter(|sample| sample.refused.is_some()).collect();
    let rules = Rules::new();
    assert!(refused.len() > 20, "the samples are missing");
    for sample in refused {
        let expected = sample.refused.as_deref().unwrap_or_default();
        let by_rule = rules.ask(&sample).err().unwrap_or_default();
        // A path stands for a form that the field's type refuses; a sentence is a rule's message.
        let is_form = expected.starts_with("spec.");
        let by_type = through_type(&sample.object).is_err();
        assert!(if is_form { by_type } else { by_rule.contains(expected) }, "{}: {by_rule}", sample.name);
    }
}
