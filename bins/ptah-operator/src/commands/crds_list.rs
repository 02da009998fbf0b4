//! `crds list`: what the cluster has, beside what this program brings. It reads, and changes nothing.

use std::io::Write;

use ptah_crds::{CRD_SCHEMA_VERSION, published};
use serde_json::Value;

use super::look::definitions;
use crate::cluster::Cluster;
use crate::definitions::{identity, is_served};
use crate::failure::Failure;

pub(super) async fn run(cluster: &Cluster, out: &mut impl Write) -> Result<(), Failure> {
    let live = definitions(cluster).await?;
    writeln!(out, "{:<56} {:>7} {:>5}  STATE", "NAME", "CLUSTER", "BRING")?;
    for one in published() {
        let name = one.definition["metadata"]["name"].as_str().unwrap_or_default();
        let (version, state) = standing(live.get(name), &one.digest.to_string());
        writeln!(out, "{name:<56} {version:>7} {CRD_SCHEMA_VERSION:>5}  {state}")?;
    }
    Ok(())
}

/// The version of what the cluster has, and a word for it.
fn standing(live: Option<&Value>, digest: &str) -> (String, &'static str) {
    let Some(live) = live else { return ("-".to_owned(), "absent") };
    let Ok(said) = identity(live) else { return ("?".to_owned(), "not ours") };
    let state = match said.schema_version.cmp(&CRD_SCHEMA_VERSION) {
        std::cmp::Ordering::Less => "older",
        std::cmp::Ordering::Greater => "newer",
        std::cmp::Ordering::Equal if said.digest != digest => "of another release",
        std::cmp::Ordering::Equal if is_served(live) => "current",
        std::cmp::Ordering::Equal => "current, not served",
    };
    (said.schema_version.to_string(), state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_standing_has_its_word() {
        let one = published().remove(0);
        let digest = one.digest.to_string();
        let word = |live: Option<&Value>| standing(live, &digest).1;
        assert_eq!(word(None), "absent");
        assert_eq!(word(Some(&Value::Null)), "not ours");
        let mut live = one.definition;
        assert_eq!(word(Some(&live)), "current, not served");
        live["metadata"]["annotations"]["operator.ptah.run/crd-schema-digest"] = "sha256:x".into();
        assert_eq!(word(Some(&live)), "of another release");
        for (version, expected) in [(CRD_SCHEMA_VERSION + 1, "newer"), (CRD_SCHEMA_VERSION - 1, "older")] {
            live["metadata"]["annotations"]["operator.ptah.run/crd-schema-version"] = version.to_string().into();
            assert_eq!(word(Some(&live)), expected);
        }
    }
}
