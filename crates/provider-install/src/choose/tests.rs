//! What is chosen from what is offered.

use std::path::PathBuf;

use super::*;
use crate::release::tests::document;

fn offer(version: &str, change: impl FnOnce(&mut ptah_records::provider::ReleaseV1)) -> Offer {
    let mut document = document(version, ("linux", "x86_64"));
    change(&mut document);
    Offer { place: Place::Folder(PathBuf::new()), release: Release::of(document).map_err(Why::Value) }
}

fn pick(offers: Vec<Offer>, name: Option<&str>, version: Option<&str>) -> Result<(String, Vec<String>), Unchosen> {
    let version = version.map(|version| Version::parse(version).unwrap());
    let machine = Platform::new("linux", "x86_64").unwrap();
    let contract = ContractVersion { major: 1, minor: 1 };
    let wanted = Wanted { name, version: version.as_ref(), machine: &machine, contract };
    choose(offers, &wanted)
        .map(|chosen| (chosen.release.version.to_string(), chosen.skipped.iter().map(ToString::to_string).collect()))
}

#[test]
fn the_newest_release_that_this_host_can_run_is_chosen_and_the_newer_ones_are_named() {
    let offers = vec![
        offer("1.0.0", |_| {}),
        offer("1.10.0", |_| {}),
        offer("1.9.0", |_| {}),
        offer("2.0.0", |d| {
            d.contract = "1.2".to_owned();
            d.min_contract = Some("1.2".to_owned());
        }),
        offer("3.0.0", |d| d.contract = "2.0".to_owned()),
        offer("1.11.0", |d| d.artifacts[0].arch = "aarch64".to_owned()),
        offer("1.12.0-rc.1", |_| {}),
    ];
    let (version, skipped) = pick(offers, None, None).unwrap();
    assert_eq!(version, "1.10.0");
    assert_eq!(
        skipped,
        [
            "example.org/zorp 3.0.0: it speaks contract 2.0, and this host speaks 1",
            "example.org/zorp 2.0.0: it needs a host of contract 1.2 or later, and this host speaks 1.1",
            "example.org/zorp 1.12.0-rc.1: it is a preview, which is installed only when its version is asked for",
            "example.org/zorp 1.11.0: it has no build for linux/x86_64, only for linux/aarch64",
        ]
    );
}

#[test]
fn a_release_that_speaks_a_newer_minor_and_works_with_this_host_is_chosen() {
    let offers = vec![offer("1.0.0", |_| {}), offer("1.1.0", |d| d.contract = "1.7".to_owned())];
    assert_eq!(pick(offers, None, None).unwrap(), ("1.1.0".to_owned(), Vec::new()));
}

#[test]
fn nothing_that_fits_is_told_with_every_release_and_its_reason() {
    let offers = vec![
        offer("1.0.0", |d| d.artifacts[0].os = "macos".to_owned()),
        offer("2.0.0", |d| d.contract = "2.0".to_owned()),
        offer("nonsense", |_| {}),
    ];
    let Unchosen::NothingFits { skipped } = pick(offers, None, None).unwrap_err() else { panic!("something fits") };
    assert_eq!(skipped.len(), 3);
    assert!(skipped[0].to_string().starts_with("release 3 of the index: its descriptor is not used: `version`"));
}

#[test]
fn a_version_that_is_asked_for_is_the_only_one_that_is_looked_at() {
    let offers = || vec![offer("1.0.0", |_| {}), offer("1.1.0-rc.1", |_| {}), offer("1.2.0", |_| {})];
    assert_eq!(pick(offers(), None, Some("1.0.0")).unwrap().0, "1.0.0");
    assert_eq!(pick(offers(), None, Some("1.1.0-rc.1")).unwrap().0, "1.1.0-rc.1");
    let Unchosen::NoVersion { known, .. } = pick(offers(), None, Some("9.0.0")).unwrap_err() else { panic!("chosen") };
    assert_eq!(known.len(), 3);
}

#[test]
fn one_of_several_providers_is_named_by_its_id_an_engine_or_an_alias() {
    let other = |d: &mut ptah_records::provider::ReleaseV1| {
        d.provider_id = "example.org/blip".to_owned();
        d.engines[0].name = "blip".to_owned();
        d.engines[0].aliases.clear();
    };
    let offers = || vec![offer("1.0.0", |_| {}), offer("2.0.0", other)];
    assert!(matches!(pick(offers(), None, None), Err(Unchosen::Several { providers }) if providers.len() == 2));
    for (name, version) in [("zorp", "1.0.0"), ("zo", "1.0.0"), ("example.org/blip", "2.0.0")] {
        assert_eq!(pick(offers(), Some(name), None).unwrap().0, version, "{name}");
    }
    assert!(matches!(pick(offers(), Some("quux"), None), Err(Unchosen::Unnamed { known, .. }) if known.len() == 2));
}

#[test]
fn a_version_that_stands_twice_is_refused_because_nothing_says_which_counts() {
    let offers = vec![offer("1.0.0", |_| {}), offer("1.0.0", |_| {})];
    assert!(matches!(pick(offers, None, None), Err(Unchosen::Twice { .. })));
}
