//! Descriptors, indexes and install records as texts.

use super::*;
use crate::to_bytes;

fn release() -> ReleaseV1 {
    ReleaseV1 {
        schema: SCHEMA,
        provider_id: "example.org/zorp".to_owned(),
        version: "1.2.0".to_owned(),
        contract: "1.1".to_owned(),
        min_contract: Some("1.0".to_owned()),
        engines: vec![ReleaseEngineV1 { name: "zorp".to_owned(), aliases: vec!["zo".to_owned()] }],
        artifacts: vec![ArtifactV1 {
            os: "linux".to_owned(),
            arch: "x86_64".to_owned(),
            file: Some("zorp.tar.gz".to_owned()),
            url: None,
            sha256: "ab".repeat(32),
            size: 17,
            executable: "bin/zorp".to_owned(),
            executable_sha256: "cd".repeat(32),
        }],
    }
}

const GOLDEN: &str = include_str!("golden/release.json");
const GOLDEN_RECORD: &str = include_str!("golden/record.json");

#[test]
fn the_golden_descriptor_is_written_and_read_as_it_is() {
    assert_eq!(String::from_utf8(to_bytes(&release())).unwrap(), GOLDEN);
    assert_eq!(published(GOLDEN.as_bytes()), Ok(Published::Release(Box::new(release()))));
}

#[test]
fn the_golden_record_is_read_and_written_as_it_is() {
    let read = record(GOLDEN_RECORD.as_bytes()).unwrap();
    assert_eq!(String::from_utf8(to_bytes(&read)).unwrap(), GOLDEN_RECORD);
    assert_eq!(read.artifacts.len(), 2);
}

#[test]
fn a_key_that_is_spelled_wrong_is_refused_and_not_read_as_absent() {
    let wrong = GOLDEN.replace("min_contract", "min_contact");
    let error = published(wrong.as_bytes()).unwrap_err();
    assert!(
        matches!(&error, DocumentError::Malformed(JsonProblem::UnknownField { name, .. }) if name == "min_contact"),
        "{error:?}"
    );
}

#[test]
fn another_form_is_refused_by_its_number_before_its_fields() {
    assert_eq!(published(br#"{"schema": 2, "novel": true}"#), Err(DocumentError::Schema { found: 2 }));
    assert_eq!(record(br#"{"schema": 3}"#), Err(DocumentError::Schema { found: 3 }));
}

#[test]
fn a_release_of_a_later_form_does_not_spoil_its_index() {
    let text = format!(
        r#"{{"schema": 1, "releases": [{{"folder": "2", "descriptor": {{"schema": 2}}}}, {{"descriptor": {GOLDEN}}}]}}"#
    );
    let Ok(Published::Index(index)) = published(text.as_bytes()) else { panic!("no index") };
    assert_eq!(indexed(&index.releases[0].descriptor), Err(DocumentError::Schema { found: 2 }));
    assert_eq!(indexed(&index.releases[1].descriptor), Ok(release()));
    assert_eq!(index.releases[1].folder, None);
}
