//! Which release is taken from an index, and that nothing of another one is fetched.

use ptah_provider_api::contract::ContractVersion;
use ptah_provider_host::start::StartOptions;
use ptah_provider_install::{Folder, InstallError, Limits, Platform, Request, Source, install};
use serde_json::{Value, json};

use super::server::Server;
use super::shop::{Shop, code};

/// An index of releases, each in a folder of its own.
fn index(shop: &Shop, releases: &[(&str, Value)]) {
    let releases: Vec<_> =
        releases.iter().map(|(folder, descriptor)| json!({"folder": folder, "descriptor": descriptor})).collect();
    shop.scratch.write("ptah-provider-index.json", &json!({"schema": 1, "releases": releases}).to_string());
}

fn changed(descriptor: &Value, changes: &[(&str, Value)]) -> Value {
    let mut changed = descriptor.clone();
    for (key, value) in changes {
        changed.as_object_mut().unwrap().insert((*key).to_owned(), value.clone());
    }
    changed
}

#[test]
fn the_newest_release_for_this_host_is_fetched_and_the_newer_ones_are_named_and_not_fetched() {
    let shop = Shop::new();
    let (one, two) = (shop.release("one", "1.0.0"), shop.release("two", "1.1.0"));
    let later =
        changed(&two, &[("version", json!("2.0.0")), ("contract", json!("1.9")), ("min_contract", json!("1.9"))]);
    let mut elsewhere = changed(&two, &[("version", json!("1.2.0"))]);
    elsewhere["artifacts"][0]["os"] = json!("plan9");
    let unknown = json!({"schema": 7, "novel": true});
    index(&shop, &[("one", one), ("late", later), ("two", two), ("else", elsewhere), ("new", unknown)]);
    let server = Server::new(shop.path(""), &[]);
    let ran = shop.install(&[&format!("{}/", server.root), "--json"]).ended_with(0);
    let document = ran.document();
    assert_eq!((&document["outcome"], &document["record"]["version"]), (&json!("installed"), &json!("1.1.0")));
    let skipped = document["skipped"].as_array().unwrap();
    let reasons: Vec<String> = skipped
        .iter()
        .map(|s| format!("{}: {}", s["release"].as_str().unwrap(), s["reason"].as_str().unwrap()))
        .collect();
    assert_eq!(reasons.len(), 3, "{reasons:?}");
    assert!(reasons[0].starts_with("release 5 of the index: its descriptor is not read: it has the form 7"));
    assert!(reasons[1].ends_with("2.0.0: it needs a host of contract 1.9 or later, and this host speaks 1.0"));
    assert!(reasons[2].contains("1.2.0: it has no build for") && reasons[2].ends_with("only for plan9/x86_64"));
    assert_eq!(server.asked(), ["/ptah-provider-index.json", "/two/zorp.tar.gz"]);
    for reason in reasons {
        assert!(ran.err.contains(&reason), "{}", ran.told());
    }
    // The same again finds it installed, and fetches nothing but the index.
    shop.install(&[&format!("{}/", server.root)]).ended_with(0).says("installed already, and whole");
    assert_eq!(server.asked().len(), 3);
    // An older one is taken when it is asked for.
    let older = ["--version", "1.0.0"];
    shop.install(&[&[format!("{}/", server.root).as_str(), "zorp"][..], &older].concat())
        .ended_with(0)
        .says("in place of");
    assert_eq!(shop.installed().as_deref(), Some("1.0.0"));
}

#[test]
fn nothing_that_fits_names_every_release_and_why() {
    let shop = Shop::new();
    let one = shop.release("one", "1.0.0");
    let major = changed(&one, &[("version", json!("3.0.0")), ("contract", json!("2.0"))]);
    let later =
        changed(&one, &[("version", json!("2.0.0")), ("contract", json!("1.9")), ("min_contract", json!("1.9"))]);
    let preview = changed(&one, &[("version", json!("2.0.0-rc.1"))]);
    index(&shop, &[("a", major), ("b", later), ("c", preview)]);
    let ran = shop.install(&[".", "--json"]);
    assert_eq!(code(&ran), "provider_release_none");
    let findings = ran.document()["diagnostics"].as_array().unwrap().clone();
    let summaries: Vec<_> = findings.iter().map(|f| f["summary"].as_str().unwrap().to_owned()).collect();
    assert_eq!(
        summaries,
        [
            "example.org/zorp 3.0.0: it speaks contract 2.0, and this host speaks 1",
            "example.org/zorp 2.0.0: it needs a host of contract 1.9 or later, and this host speaks 1.0",
            "example.org/zorp 2.0.0-rc.1: it is a preview, which is installed only when its version is asked for",
        ]
    );
    assert!(findings.iter().all(|finding| finding["code"] == "release.skipped"));
    assert_eq!(code(&shop.install(&[".", "blip", "--json"])), "provider_release_none");
    assert_eq!(code(&shop.install(&[".", "--version", "9.0.0", "--json"])), "provider_release_none");
    shop.install(&[".", "--version", "v1"]).ended_with(2).says("without a leading v");
}

#[test]
fn an_archive_is_installed_by_the_descriptor_beside_it_and_only_on_its_platform() {
    let shop = Shop::new();
    let mut descriptor = shop.release("one", "1.0.0");
    let mut other = descriptor["artifacts"][0].clone();
    (other["os"], other["file"]) = (json!("plan9"), json!("plan9.tar.gz"));
    descriptor["artifacts"].as_array_mut().unwrap().push(other);
    shop.describe("one", &descriptor);
    for name in ["plan9", "stranger"] {
        std::fs::copy(shop.path("one/zorp.tar.gz"), shop.path(&format!("one/{name}.tar.gz"))).unwrap();
    }
    assert_eq!(code(&shop.install(&["one/plan9.tar.gz", "--json"])), "provider_wrong_platform");
    assert_eq!(code(&shop.install(&["one/stranger.tar.gz", "--json"])), "provider_release_none");
    std::fs::create_dir(shop.path("alone")).unwrap();
    std::fs::copy(shop.path("one/zorp.tar.gz"), shop.path("alone/zorp.tar.gz")).unwrap();
    assert_eq!(code(&shop.install(&["alone/zorp.tar.gz", "--json"])), "provider_source_unreadable");
    assert_eq!(code(&shop.install(&["alone", "--json"])), "provider_source_unreadable");
    assert_eq!(code(&shop.install(&["nowhere", "--json"])), "provider_source_unreadable");
    assert_eq!(shop.installed(), None);
    shop.install(&["one/zorp.tar.gz"]).ended_with(0);
    // The digests of all platforms are kept, so that a team can compare them.
    let described = shop.ptah(&["providers", "describe", "zorp", "--json"]).ended_with(0).document();
    assert_eq!(described["record"]["artifacts"].as_array().unwrap().len(), 2);
    assert_eq!(described["record"]["artifacts"][1]["os"], "plan9");
}

#[test]
fn a_provider_that_needs_a_newer_host_than_its_release_says_is_not_installed() {
    let shop = Shop::new();
    // The provider says that it needs 1.1, its descriptor says nothing, which means 1.0.
    let version = "1.2.0+needs.1.1";
    let mut descriptor = shop.release("one", version);
    let ran = shop.install(&["one", "--json"]);
    assert_eq!(code(&ran), "provider_contract_too_new", "{}", ran.told());
    assert_eq!(shop.installed(), None);
    // A host of minor 1 could start it, and still does not install it: the two minima differ.
    descriptor["contract"] = json!("1.1");
    shop.describe("one", &descriptor);
    let told = as_minor_1(&shop).unwrap_err().to_string();
    assert_eq!(
        told,
        "provider `example.org/zorp` is not what its release says: its min_contract is 1.1, and the release says 1.0"
    );
    assert_eq!(shop.installed(), None);
    descriptor["min_contract"] = json!("1.1");
    shop.describe("one", &descriptor);
    as_minor_1(&shop).unwrap();
    assert_eq!(shop.installed().as_deref(), Some(version));
}

/// Installs as a host of the next minor would.
fn as_minor_1(shop: &Shop) -> Result<(), InstallError> {
    let start = StartOptions { contract: ContractVersion { major: 1, minor: 1 }, ..StartOptions::new("test") };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let request = Request {
        folder: &Folder::new(shop.installations()),
        source: &Source::Path(shop.path("one")),
        name: None,
        version: None,
        limits: Limits::default(),
        plain_http: false,
        machine: &Platform::here(),
        start: &start,
        bundled: Vec::new(),
        manifests: Vec::new(),
    };
    runtime.block_on(install(request, &|_| {})).map(drop)
}
