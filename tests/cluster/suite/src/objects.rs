//! What is checked in and used here: definitions, samples, and records as they are stored.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde_json::Value;

/// A file or folder of the project.
pub(crate) fn project(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../..").join(path)
}

/// The text of a file of the project.
pub(crate) fn text(path: &str) -> Result<String> {
    std::fs::read_to_string(project(path)).with_context(|| format!("{path} cannot be read"))
}

/// The names of the files in a folder of the project, in order.
pub(crate) fn names(folder: &str) -> Result<Vec<String>> {
    let entries = std::fs::read_dir(project(folder)).with_context(|| format!("{folder} cannot be read"))?;
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// A record as it is stored, from the golden files of the records.
pub(crate) fn record(name: &str) -> Result<Value> {
    Ok(serde_json::from_str(&text(&format!("crates/records/src/operator/v1/golden/{name}.json"))?)?)
}

/// The objects of a YAML text, in order.
pub(crate) fn objects(text: &str) -> Result<Vec<Value>> {
    text.split("\n---\n").map(|object| serde_saphyr::from_str(object).context("a file is no YAML")).collect()
}

/// The collection in which an object is, for the kinds of our group and of this run's objects.
pub(crate) fn collection(object: &Value, namespace: &str) -> Result<String> {
    let version = object["apiVersion"].as_str().context("an object without a version")?;
    let kind = object["kind"].as_str().context("an object without a kind")?;
    let root = if version.contains('/') { format!("/apis/{version}") } else { format!("/api/{version}") };
    let lower = kind.to_lowercase();
    let plural = lower.strip_suffix('y').map_or_else(|| format!("{lower}s"), |stem| format!("{stem}ies"));
    let is_whole = matches!(
        kind,
        "PtahRealm" | "Namespace" | "ClusterRole" | "ClusterRoleBinding" | "CustomResourceDefinition" | "FlowSchema"
    ) || version.starts_with("admissionregistration");
    Ok(if is_whole { format!("{root}/{plural}") } else { format!("{root}/namespaces/{namespace}/{plural}") })
}

/// Whether everything in `given` stands in `stored`, which may have defaults besides.
pub(crate) fn holds(stored: &Value, given: &Value) -> bool {
    match (stored, given) {
        (Value::Object(stored), Value::Object(given)) => {
            given.iter().all(|(name, value)| stored.get(name).is_some_and(|found| holds(found, value)))
        }
        (Value::Array(stored), Value::Array(given)) => {
            stored.len() == given.len() && stored.iter().zip(given).all(|(stored, given)| holds(stored, given))
        }
        (stored, given) => stored == given,
    }
}
