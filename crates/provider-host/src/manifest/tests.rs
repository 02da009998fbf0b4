//! What a manifest may say, and how it is told what it may not.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::*;
use crate::error::HostError;

const DIGEST: &str = "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF";

fn parse(text: &str) -> Result<Manifest, Vec<String>> {
    let text = text.replace("DIGEST", DIGEST);
    Manifest::parse(Path::new("/etc/ptah/ptah-providers.yaml"), &text).map_err(|error| {
        assert_eq!(error.code(), "provider_manifest_invalid");
        let HostError::ManifestInvalid { findings, .. } = error else { panic!("{error}") };
        let told = |d: &ptah_model::Diagnostic| {
            let place = d.position.as_ref().map_or(String::new(), |p| format!("{}:{} ", p.line, p.column));
            format!("{place}{}: {}", d.code, d.summary)
        };
        findings.iter().map(told).collect()
    })
}

const GOOD: &str = "\
providers:
  - id: example.org/zorp
    executable: bin/zorp
    sha256: DIGEST
    engines:
      - name: zorp
        aliases: [zo, zorpdb]
    environment:
      - A=b=c
      - EMPTY=
      - \"UMLAUT=grün\"
    min_contract: 1.0
  - id: example.org/blip
    executable: /opt/blip
    sha256: \"DIGEST\"
    engines:
      - name: blip
";

#[test]
fn a_manifest_is_read_as_it_is_written() {
    let manifest = parse(GOOD).unwrap();
    let [zorp, blip] = manifest.providers.as_slice() else { panic!("{manifest:?}") };
    assert_eq!(zorp.id.as_str(), "example.org/zorp");
    assert_eq!(zorp.executable, Path::new("/etc/ptah/bin/zorp"));
    assert_eq!(zorp.sha256[..3], [0x00, 0x11, 0x22]);
    assert_eq!(zorp.engines[0].aliases.iter().map(EngineName::as_str).collect::<Vec<_>>(), ["zo", "zorpdb"]);
    let pairs: Vec<_> = zorp.environment.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    assert_eq!(pairs, [("A", "b=c"), ("EMPTY", ""), ("UMLAUT", "grün")]);
    assert_eq!(zorp.min_contract, Some(ContractVersion { major: 1, minor: 0 }));
    assert_eq!(blip.executable, Path::new("/opt/blip"));
    assert_eq!((blip.environment.len(), blip.min_contract), (0, None));
}

#[test]
fn an_unknown_key_is_refused_with_its_place() {
    let text = GOOD.replace("    min_contract: 1.0\n", "    sha265: x\n");
    let told = parse(&text).unwrap_err();
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("12:5 manifest.syntax: the key `sha265` is not known here"), "{told:?}");
}

#[test]
fn a_key_that_stands_twice_is_refused() {
    let text = GOOD.replace("    min_contract: 1.0\n", "    executable: bin/other\n");
    assert_eq!(parse(&text).unwrap_err(), ["12:5 manifest.syntax: the key `executable` stands twice"]);
}

#[test]
fn a_missing_key_is_refused_by_name() {
    let told = parse("providers:\n  - id: a\n    executable: b\n    engines: []\n").unwrap_err();
    assert!(told[0].ends_with("manifest.syntax: the key `sha256` is missing"), "{told:?}");
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let told = parse(
        "\
providers:
  - id: has space
    executable: ''
    sha256: abc
    engines: []
    environment: [novalue, PLUGIN_CLIENT_CERT=x, PTAH_PROVIDER_COOKIE=x, A=1, A=2]
    min_contract: 2.0
",
    )
    .unwrap_err();
    assert_eq!(
        told,
        [
            "2:9 manifest.value: a provider ID has a character that is not allowed there",
            "3:17 manifest.value: an executable is not empty",
            "4:13 manifest.value: a SHA-256 has 64 hexadecimal digits",
            "5:14 manifest.value: a provider has at least one engine",
            "6:19 manifest.value: an environment entry is NAME=value",
            "6:28 manifest.reserved: the variable `PLUGIN_CLIENT_CERT` belongs to the bootstrap",
            "6:50 manifest.reserved: the variable `PTAH_PROVIDER_COOKIE` belongs to the bootstrap",
            "6:79 manifest.duplicate: the variable `A` stands twice",
            "7:19 manifest.value: a contract version is `1.` and a minor",
        ]
    );
}

#[test]
fn a_provider_or_a_name_that_is_claimed_twice_is_refused_with_the_first_line() {
    let text = GOOD.replace("example.org/blip", "example.org/zorp").replace("name: blip", "name: zo");
    assert_eq!(
        parse(&text).unwrap_err(),
        [
            "13:9 manifest.duplicate: the provider `example.org/zorp` stands on line 2 already",
            "17:15 manifest.duplicate: the name `zo` is claimed on line 7 already",
        ]
    );
}

#[test]
fn a_broken_text_is_told_without_quoting_it() {
    let told = parse("providers: [{id: a, environment: ['TOKEN=hunter2'").unwrap_err();
    assert_eq!(told.len(), 1);
    assert!(!told[0].contains("hunter2"), "{told:?}");
    let told = parse("providers: {TOKEN: hunter2}").unwrap_err();
    assert!(!told[0].contains("hunter2"), "{told:?}");
}

#[test]
fn values_of_the_environment_are_not_in_debug_output() {
    let manifest = parse(&GOOD.replace("A=b=c", "TOKEN=hunter2")).unwrap();
    let shown = format!("{manifest:?}");
    assert!(shown.contains("TOKEN") && !shown.contains("hunter2"), "{shown}");
}

#[test]
fn a_file_that_others_may_write_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE_NAME);
    std::fs::write(&path, "providers: []\n").unwrap();
    let set = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    set(0o644);
    assert_eq!(Manifest::read(&path).unwrap(), Manifest::default());
    for mode in [0o664, 0o646] {
        set(mode);
        let told = Manifest::read(&path).unwrap_err().to_string();
        assert!(told.ends_with("lets the group or others write it"), "{told}");
    }
}

#[test]
fn a_file_that_is_absent_a_folder_or_too_large_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let absent = Manifest::read(&folder.path().join(FILE_NAME)).unwrap_err().to_string();
    assert!(absent.contains("cannot be read"), "{absent}");
    let directory = Manifest::read(folder.path()).unwrap_err().to_string();
    assert!(directory.ends_with("it is not a regular file"), "{directory}");
    let large = folder.path().join("large");
    std::fs::write(&large, "#".repeat(1024 * 1024 + 1)).unwrap();
    let large = Manifest::read(&large).unwrap_err().to_string();
    assert!(large.ends_with("it has more than 1048576 bytes"), "{large}");
}
