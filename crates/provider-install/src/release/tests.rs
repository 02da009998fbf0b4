//! What a descriptor may say.

use proptest::prelude::*;
use ptah_records::provider::{Published, indexed, published};

use super::*;

/// A release with one build for `platform`, whose archive is `zorp.tar.gz`.
pub(crate) fn document(version: &str, platform: (&str, &str)) -> ReleaseV1 {
    ReleaseV1 {
        schema: 1,
        provider_id: "example.org/zorp".to_owned(),
        version: version.to_owned(),
        contract: "1.0".to_owned(),
        min_contract: None,
        engines: vec![ReleaseEngineV1 { name: "zorp".to_owned(), aliases: vec!["zo".to_owned()] }],
        artifacts: vec![ArtifactV1 {
            os: platform.0.to_owned(),
            arch: platform.1.to_owned(),
            file: Some("zorp.tar.gz".to_owned()),
            url: None,
            sha256: "ab".repeat(32),
            size: 17,
            executable: "bin/zorp".to_owned(),
            executable_sha256: "cd".repeat(32),
        }],
    }
}

#[track_caller]
fn refused(change: impl FnOnce(&mut ReleaseV1), sentence: &str) {
    let mut document = document("1.0.0", ("linux", "x86_64"));
    change(&mut document);
    assert_eq!(Release::of(document).unwrap_err().to_string(), sentence);
}

#[test]
fn each_value_of_a_descriptor_has_its_form() {
    assert!(Release::of(document("1.0.0-rc.1+b", ("linux", "x86_64"))).is_ok());
    refused(|d| d.provider_id = "a b".to_owned(), "`provider_id`: it is no provider's ID");
    for version in ["v1.0.0", "1.0", "", "1.0.0/../..", "1.0.0\n"] {
        let sentence = "`version`: it is three numbers with dots, and what may follow them";
        refused(|d| d.version = version.to_owned(), sentence);
    }
    refused(|d| d.contract = "1".to_owned(), "`contract`: it is two numbers with a dot");
    let above = "`min_contract`: it is of the contract's major, and not above it";
    refused(|d| d.min_contract = Some("1.1".to_owned()), above);
    refused(|d| d.min_contract = Some("0.9".to_owned()), above);
    refused(|d| d.engines.clear(), "`engines`: a release has at least one");
    refused(|d| d.engines[0].aliases.push("zorp".to_owned()), "`engines`: each name and alias stands once");
    refused(|d| d.engines[0].name = "Zorp".to_owned(), "`engines`: a name is one of an engine");
    refused(|d| d.artifacts.clear(), "`artifacts`: a release has at least one");
    refused(|d| d.artifacts.push(d.artifacts[0].clone()), "`artifacts`: each platform stands once");
}

#[test]
fn a_build_cannot_lead_out_of_its_folder_or_its_archive() {
    let below = "`file`: it is a path below the descriptor's folder";
    for file in ["../zorp.tar.gz", "/tmp/zorp.tar.gz", "a/../../b", "file:///etc/passwd", "https://example.org/a"] {
        refused(|d| d.artifacts[0].file = Some(file.to_owned()), below);
    }
    let within = "`executable`: it is a path in the archive";
    for executable in ["../zorp", "/bin/sh", "", "a/./b"] {
        refused(|d| d.artifacts[0].executable = executable.to_owned(), within);
    }
    let address = "`url`: it is an https address without a user or a password";
    for url in ["file:///etc/passwd", "ftp://example.org/a", "https://u:p@example.org/a", "zorp.tar.gz"] {
        let change = |d: &mut ReleaseV1| {
            d.artifacts[0].file = None;
            d.artifacts[0].url = Some(url.to_owned());
        };
        refused(change, address);
    }
    refused(
        |d| d.artifacts[0].url = Some("https://example.org/a".to_owned()),
        "`artifacts`: each has either `file` or `url`",
    );
    refused(|d| d.artifacts[0].sha256 = "ab".to_owned(), "`sha256`: a SHA-256 has 64 hexadecimal digits");
    refused(|d| d.artifacts[0].size = 0, "`size`: it is 1 to 1073741824 bytes");
    refused(|d| d.artifacts[0].size = u64::MAX, "`size`: it is 1 to 1073741824 bytes");
}

#[test]
fn a_build_for_this_machine_goes_before_one_for_any() {
    let mut both = document("1.0.0", ("any", "any"));
    both.artifacts.push(ArtifactV1 { os: "linux".to_owned(), arch: "x86_64".to_owned(), ..both.artifacts[0].clone() });
    let release = Release::of(both).unwrap();
    let on = |os, arch| release.artifact_for(&Platform::new(os, arch).unwrap()).unwrap().platform.to_string();
    assert_eq!(on("linux", "x86_64"), "linux/x86_64");
    assert_eq!(on("macos", "aarch64"), "any/any");
}

proptest! {
    #[test]
    fn any_text_is_a_descriptor_an_index_or_refused(
        text in "\\PC{0,200}",
        changes in proptest::collection::vec((0_usize..900, any::<u8>()), 0..6),
    ) {
        let _ = published(text.as_bytes());
        let right = String::from_utf8(ptah_records::to_bytes(&document("1.0.0", ("linux", "x86_64")))).unwrap();
        for whole in [right.clone(), format!("{{\"schema\": 1, \"releases\": [{{\"descriptor\": {right}}}]}}")] {
            let mut bytes = whole.into_bytes();
            for (at, byte) in &changes {
                if let Some(place) = bytes.get_mut(*at) {
                    *place = *byte;
                }
            }
            match published(&bytes) {
                Ok(Published::Release(release)) => drop(Release::of(*release)),
                Ok(Published::Index(index)) => {
                    index.releases.iter().for_each(|entry| drop(indexed(&entry.descriptor).map(Release::of)));
                }
                Err(_) => {}
            }
        }
    }
}
