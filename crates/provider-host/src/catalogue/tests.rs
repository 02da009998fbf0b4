//! What the catalogue chooses and refuses.

use std::fs::File;

use super::*;
use crate::manifest::{ManifestEngine, ManifestProvider};

fn names(words: &[&str]) -> Vec<EngineName> {
    words.iter().map(|word| EngineName::new(*word).unwrap()).collect()
}

fn name(word: &str) -> EngineName {
    EngineName::new(word).unwrap()
}

fn bundled() -> Bundled {
    let engine = CatalogueEngine { name: name("blip"), aliases: names(&["blip3"]), schemes: names(&["blip", "file"]) };
    Bundled {
        provider: ProviderId::new("ptah.run/blip").unwrap(),
        engines: vec![engine],
        program: Program::new(Arc::new(File::open("/dev/null").unwrap().into()), "ptah", "build"),
    }
}

fn manifest(id: &str, engine: &str, aliases: &[&str]) -> Manifest {
    let provider = ManifestProvider {
        id: ProviderId::new(id).unwrap(),
        executable: PathBuf::from("/opt/provider"),
        sha256: [7; 32],
        engines: vec![ManifestEngine { name: name(engine), aliases: names(aliases) }],
        environment: vec![("TOKEN".to_owned(), "hunter2".to_owned())],
        min_contract: None,
    };
    Manifest { providers: vec![provider] }
}

fn catalogue() -> Catalogue {
    Catalogue::new(vec![bundled()], vec![manifest("example.org/zorp", "zorp", &["zorpdb"])]).unwrap()
}

#[test]
fn an_engine_is_chosen_by_name_alias_or_scheme() {
    let catalogue = catalogue();
    let check = |engine, scheme, expected: &str| {
        let choice = catalogue.choose(engine, scheme).unwrap();
        assert_eq!(choice.engine.as_str(), expected, "{engine:?} {scheme:?}");
    };
    check(Some("blip"), None, "blip");
    check(Some("blip3"), None, "blip");
    check(None, Some("FILE"), "blip");
    check(None, Some("zorpdb"), "zorp");
    check(Some("zorp"), Some("zorpdb"), "zorp");
    assert_eq!(catalogue.choose(Some("zorp"), None).unwrap().entry.provider.as_str(), "example.org/zorp");
}

fn installed(id: &str, engine: &str) -> Installed {
    Installed {
        provider: ProviderId::new(id).unwrap(),
        version: "1.2.0".to_owned(),
        executable: PathBuf::from("/srv/provider"),
        sha256: [9; 32],
        engines: vec![CatalogueEngine { name: name(engine), aliases: Vec::new(), schemes: Vec::new() }],
        min_contract: None,
    }
}

#[test]
fn one_provider_in_several_places_is_taken_from_the_first_and_the_others_are_named() {
    let zorp = || manifest("example.org/zorp", "zorp", &[]);
    let of =
        |manifests| Catalogue::with_installed(vec![bundled()], manifests, vec![installed("example.org/zorp", "zorp")]);
    let alone = of(Vec::new()).unwrap();
    assert!(matches!(&alone.entries()[1].origin, Origin::Installed { version, .. } if version == "1.2.0"));
    let both = of(vec![zorp(), zorp()]).unwrap();
    assert_eq!(both.entries().len(), 2);
    assert!(matches!(both.entries()[1].origin, Origin::Manifest { .. }));
    let [Origin::Manifest { .. }, Origin::Installed { .. }] = both.entries()[1].instead_of.as_slice() else {
        panic!("{:?}", both.entries()[1].instead_of)
    };
}

#[test]
fn a_name_of_two_providers_is_refused_whatever_named_them() {
    for (manifests, installations) in [
        (vec![manifest("example.org/zorp", "zorp", &[])], vec![installed("example.org/other", "zorp")]),
        (Vec::new(), vec![installed("example.org/zorp", "zorp"), installed("example.org/other", "zorp")]),
        (Vec::new(), vec![installed("example.org/other", "blip3")]),
        // Not even under the bundled provider's own ID.
        (Vec::new(), vec![installed("ptah.run/blip", "blip")]),
    ] {
        let error = Catalogue::with_installed(vec![bundled()], manifests, installations).unwrap_err();
        assert_eq!(error.code(), "provider_engine_conflict");
    }
}

#[test]
fn a_scheme_is_no_name_of_an_engine() {
    assert_eq!(catalogue().choose(Some("file"), None).unwrap_err().code(), "provider_not_found");
}

#[test]
fn what_nobody_serves_is_told_with_what_there_is() {
    let error = catalogue().choose(None, Some("quux")).unwrap_err();
    assert_eq!(error.to_string(), "no provider serves addresses of scheme `quux`; there are blip, zorp");
    assert_eq!(error.code(), "provider_not_found");
    let error = catalogue().choose(None, None).unwrap_err();
    assert_eq!(error.to_string(), "nothing says which engine is meant; there are blip, zorp");
}

#[test]
fn an_engine_and_an_address_that_disagree_are_refused() {
    let error = catalogue().choose(Some("zorp"), Some("file")).unwrap_err();
    assert_eq!(error.code(), "provider_ambiguous");
    assert_eq!(error.to_string(), "engine `zorp` was asked for, and scheme `file` of the address is of engine `blip`");
}

#[test]
fn a_name_that_two_providers_claim_is_refused_and_never_ordered() {
    let refuse = |manifests: Vec<Manifest>, expected: &str| {
        let error = Catalogue::new(vec![bundled()], manifests).unwrap_err();
        assert_eq!(error.code(), "provider_engine_conflict");
        assert!(error.to_string().contains(&format!("the name `{expected}`")), "{error}");
    };
    refuse(vec![manifest("a.org/a", "zorp", &[]), manifest("b.org/b", "zorp", &[])], "zorp");
    refuse(vec![manifest("a.org/a", "zorp", &[]), manifest("b.org/b", "quux", &["zorp"])], "zorp");
    refuse(vec![manifest("a.org/a", "blip", &[])], "blip");
    refuse(vec![manifest("a.org/a", "zorp", &["file"])], "file");
    // Not even under the bundled provider's own ID.
    refuse(vec![manifest("ptah.run/blip", "blip", &[])], "blip");
}

#[test]
fn an_environment_is_not_in_debug_output() {
    let shown = format!("{:?}", catalogue());
    assert!(!shown.contains("hunter2"), "{shown}");
}
