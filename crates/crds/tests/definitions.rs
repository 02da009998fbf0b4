//! The definitions in `deploy/crds/` are the ones of the code, and keep what every definition promises.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ptah_crds::fence::StoringKind;
use ptah_crds::{CRD_SCHEMA_VERSION, published, to_yaml};
use ptah_records::operator::names;
use serde_json::Value;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../deploy/crds")
}

/// Calls `visit` with the path and the schema of every field, of every entry of a list and of a map.
fn walk(path: &str, schema: &Value, visit: &mut dyn FnMut(&str, &Value, bool)) {
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        visit(&path, field, true);
        walk(&path, field, visit);
    }
    for (word, mark) in [("items", "[]"), ("additionalProperties", "{}")] {
        if let Some(inner) = schema.get(word).filter(|inner| inner.is_object()) {
            let path = format!("{path}{mark}");
            visit(&path, inner, false);
            walk(&path, inner, visit);
        }
    }
}

fn schemas() -> Vec<(String, Value)> {
    let schema = |definition: &Value| definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone();
    published().into_iter().map(|one| (one.file, schema(&one.definition))).collect()
}

#[test]
fn every_file_is_what_the_code_says() {
    let mut expected = BTreeSet::from(["versions.txt".to_owned()]);
    for one in published() {
        let stored = std::fs::read_to_string(folder().join(&one.file)).unwrap_or_default();
        assert!(stored == to_yaml(&one.definition), "{} is not current: run `make crds`", one.file);
        expected.insert(one.file);
    }
    let found: BTreeSet<String> =
        std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(found, expected);
}

#[test]
fn every_field_has_a_description() {
    for (file, schema) in schemas() {
        assert!(schema["description"].is_string(), "{file}");
        walk(&file, &schema, &mut |path, field, is_field| {
            // The API server knows what these are, and refuses more than their type.
            let is_meta = [".apiVersion", ".kind", ".metadata"].iter().any(|end| path == format!("{file}{end}"));
            let description = field["description"].as_str().unwrap_or_default();
            assert!(!is_field || is_meta || description.len() > 5, "{path} has no description");
        });
    }
}

#[test]
fn every_text_list_and_map_has_a_limit() {
    for (file, schema) in schemas() {
        walk(&file, &schema, &mut |path, field, _| {
            let limit = match field["type"].as_str() {
                Some("string") if field.get("enum").is_some() => return,
                Some("string") => "maxLength",
                Some("array") => "maxItems",
                Some("object") if field.get("additionalProperties").is_some() => "maxProperties",
                Some("object" | "integer" | "boolean") => return,
                None if field["x-kubernetes-int-or-string"] == true => "maxLength",
                other => panic!("{path} has the type {other:?}"),
            };
            assert!(field[limit].is_u64(), "{path} has no {limit}");
        });
    }
}

#[test]
fn a_changed_definition_has_a_new_version() {
    let all: Vec<String> = published().into_iter().map(|one| format!("{} {}\n", one.file, one.digest)).collect();
    let digest = ptah_model::Digest::of(all.concat().as_bytes());
    let text = std::fs::read_to_string(folder().join("versions.txt")).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    for (line, number) in lines.iter().zip(1..) {
        assert!(line.starts_with(&format!("{number} sha256:")), "{line}: versions count from 1 without a gap");
    }
    let current = format!("{CRD_SCHEMA_VERSION} {digest}");
    assert_eq!(
        lines.last(),
        Some(&current.as_str()),
        "the definitions changed: raise CRD_SCHEMA_VERSION, run `make crds` and add the line above to versions.txt"
    );
}

#[test]
fn kinds_scopes_and_short_names_are_the_published_ones() {
    let found: Vec<String> = published()
        .iter()
        .map(|one| {
            let spec = &one.definition["spec"];
            let version = &spec["versions"][0];
            format!(
                "{} {} {} {} status={}",
                spec["names"]["kind"].as_str().unwrap(),
                spec["names"]["plural"].as_str().unwrap(),
                spec["names"]["shortNames"][0].as_str().unwrap(),
                spec["scope"].as_str().unwrap(),
                version["subresources"].get("status").is_some(),
            )
        })
        .collect();
    let expected = [
        "PtahMigrationApproval ptahmigrationapprovals ptahmapprove Namespaced status=true",
        "PtahMigrationPlan ptahmigrationplans ptahmplan Namespaced status=true",
        "PtahMigrationRunAcknowledgment ptahmigrationrunacknowledgments ptahmack Namespaced status=true",
        "PtahMigration ptahmigrations ptahm Namespaced status=true",
        "PtahRealm ptahrealms ptahr Cluster status=false",
        "PtahResultRecord ptahresultrecords ptahresult Namespaced status=false",
        "PtahSchemaApproval ptahschemaapprovals ptahapprove Namespaced status=true",
        "PtahSchemaPlanChunk ptahschemaplanchunks ptahchunk Namespaced status=false",
        "PtahSchemaPlan ptahschemaplans ptahplan Namespaced status=true",
        "PtahSchema ptahschemas ptahs Namespaced status=true",
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_page_about_releases_lists_every_place_of_a_version() {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/operator/releases-and-provenance.md");
    let page = std::fs::read_to_string(page).unwrap();
    for kind in StoringKind::ALL {
        let row = page.lines().find(|line| line.starts_with('|') && line.contains(&format!("`{kind:?}`"))).unwrap();
        let cell = row.split('|').nth(2).unwrap();
        let listed: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
        let places: Vec<String> = match kind {
            StoringKind::Lease => names::VERSIONED_LEASE_ANNOTATIONS.map(str::to_owned).to_vec(),
            other => other.places().iter().map(|place| place.trim_start_matches('/').replace('/', ".")).collect(),
        };
        assert_eq!(listed, places, "{kind:?}");
    }
}
