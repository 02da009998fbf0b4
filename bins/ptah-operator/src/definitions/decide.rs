//! The decision: what is written, or everything that speaks against it.

use std::collections::BTreeMap;

use ptah_crds::{CRD_SCHEMA_VERSION, Published};
use ptah_lifecycle::fence::verify_stored_objects;
use serde_json::Value;

use super::identity::identity;
use super::{Refusal, Seen};

/// How one definition is written.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// There is none of this name.
    Create,
    /// There is one. It is replaced only if it is still the one that was seen.
    Replace,
}

/// One definition, as it is to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Its name.
    pub name: String,
    /// How it is written.
    pub step: Step,
    /// What is written, with the resource version of what it replaces.
    pub object: Value,
}

/// What is to be written for every definition of ours, in the order of their files; or everything that speaks against it.
///
/// A definition that is as it should be is in it as well: whether writing it would change anything only the API server can
/// say, which fills in defaults.
///
/// # Errors
/// Every [`Refusal`] that applies. Then nothing may be written.
pub fn decide(published: &[Published], seen: &Seen, supported: u32) -> Result<Vec<Change>, Vec<Refusal>> {
    let ours: BTreeMap<&str, &Published> = published.iter().map(|one| (name_of(&one.definition), one)).collect();
    let mut refusals = Vec::new();
    for (name, live) in &seen.definitions {
        refusals.extend(judge(name, live, ours.get(name.as_str()).copied(), supported));
    }
    if refusals.is_empty() {
        refusals.extend(verify_stored_objects(&seen.stored, supported).err().map(Refusal::Stored));
    }
    if !refusals.is_empty() {
        return Err(refusals);
    }
    Ok(published.iter().map(|one| change(one, seen.definitions.get(name_of(&one.definition)))).collect())
}

/// The first definition that is another one at the second look than at the first.
pub fn moved(first: &Seen, second: &Seen) -> Option<String> {
    let version = |seen: &Seen, name: &String| {
        seen.definitions
            .get(name)
            .map(|one| (one["metadata"]["uid"].clone(), one["metadata"]["resourceVersion"].clone()))
    };
    let names = first.definitions.keys().chain(second.definitions.keys());
    names.into_iter().find(|name| version(first, name) != version(second, name)).cloned()
}

/// What speaks against touching one definition.
fn judge(name: &str, live: &Value, ours: Option<&Published>, supported: u32) -> Option<Refusal> {
    let name = name.to_owned();
    let said = match (identity(live), ours) {
        (Ok(said), _) => said,
        // A kind of somebody else in our group collides with nothing: it is left alone.
        (Err(_), None) => return None,
        (Err(problem), Some(_)) => return Some(Refusal::NotOurs { name, problem }),
    };
    if said.schema_version > CRD_SCHEMA_VERSION {
        return Some(Refusal::NewerDefinition { name, found: said.schema_version, ours: CRD_SCHEMA_VERSION });
    }
    if said.state_version > supported {
        return Some(Refusal::NewerContract { name, found: said.state_version, supported });
    }
    let ours = ours?;
    if !live["metadata"]["deletionTimestamp"].is_null() {
        return Some(Refusal::Ending { name });
    }
    let other = said.schema_version == CRD_SCHEMA_VERSION && said.digest != ours.digest.to_string();
    other.then_some(Refusal::OtherDigest { name, version: said.schema_version })
}

/// How one definition is written: what others put beside it, such as labels, stays.
fn change(one: &Published, live: Option<&Value>) -> Change {
    let name = name_of(&one.definition).to_owned();
    let Some(live) = live else {
        return Change { name, step: Step::Create, object: one.definition.clone() };
    };
    let mut object = live.clone();
    object["spec"] = one.definition["spec"].clone();
    let marks = one.definition["metadata"]["annotations"].as_object().into_iter().flatten();
    marks.for_each(|(mark, value)| object["metadata"]["annotations"][mark] = value.clone());
    if let Some(object) = object.as_object_mut() {
        object.remove("status");
    }
    Change { name, step: Step::Replace, object }
}

fn name_of(definition: &Value) -> &str {
    definition["metadata"]["name"].as_str().unwrap_or_default()
}
