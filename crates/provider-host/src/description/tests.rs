//! What a description is refused for, one change at a time.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ptah_model::{Comparison, IdentifierRules};
use ptah_provider_api::describe::Engine;
use ptah_provider_api::feature::ERRORS_REASONS;

use super::*;

fn name(word: &str) -> EngineName {
    EngineName::new(word).unwrap()
}

fn expected() -> Entry {
    let engine = CatalogueEngine { name: name("zorp"), aliases: vec![name("zo")], schemes: Vec::new() };
    Entry {
        provider: ProviderId::new("example.org/zorp").unwrap(),
        engines: vec![engine],
        min_contract: None,
        origin: Origin::Manifest { executable: PathBuf::new(), sha256: [0; 32], environment: Vec::new() },
        instead_of: Vec::new(),
    }
}

fn good() -> Description {
    let features: BTreeSet<String> = REQUIRED.iter().chain(&[ERRORS_REASONS]).map(|f| (*f).to_owned()).collect();
    let rules = IdentifierRules {
        table: Comparison::Exact,
        column: Comparison::Exact,
        index: Comparison::Exact,
        default_schema: None,
        max_bytes: None,
    };
    Description {
        provider_id: ProviderId::new("example.org/zorp").unwrap(),
        display_name: "Zorp".to_owned(),
        version: "1.2.3".to_owned(),
        build_id: None,
        contract: ContractVersion::CURRENT,
        min_contract: None,
        features: features.clone(),
        engines: vec![Engine {
            name: name("zorp"),
            aliases: vec![name("zo")],
            url_schemes: vec![name("zorp")],
            features,
            identifier_rules: Some(rules),
            default_capabilities: BTreeMap::from([("ddl_inside_transaction".to_owned(), true)]),
            models: Vec::new(),
        }],
    }
}

fn refused(change: impl FnOnce(&mut pb::Description)) -> HostError {
    let mut message = good().to_wire();
    change(&mut message);
    accept(message, &expected(), ContractVersion::CURRENT).unwrap_err()
}

#[test]
fn a_good_description_is_taken_without_what_was_not_negotiated() {
    let mut narrowed = good();
    narrowed.engines[0].default_capabilities.clear();
    assert_eq!(accept(good().to_wire(), &expected(), ContractVersion::CURRENT).unwrap(), narrowed);
    let mut listed = good();
    listed.features.insert(DEFAULT_CAPABILITIES.to_owned());
    assert_eq!(accept(listed.clone().to_wire(), &expected(), ContractVersion::CURRENT).unwrap(), listed);
}

#[test]
fn another_provider_is_refused_with_both_ids() {
    let error = refused(|d| "example.org/blip".clone_into(&mut d.provider_id));
    assert_eq!(error.code(), "provider_id_mismatch");
    let text = "provider `example.org/zorp` was expected, and the process says that it is `example.org/blip`";
    assert_eq!(error.to_string(), text);
}

#[test]
fn another_major_is_refused_even_when_nothing_else_is_understood() {
    let error = refused(|d| {
        d.contract = Some(pb::ContractVersion { major: 2, minor: 0 });
        d.engines.clear();
        d.features = vec!["NOT a feature".to_owned()];
    });
    assert_eq!(error.code(), "provider_contract_major");
    assert_eq!(error.to_string(), "provider `example.org/zorp` speaks contract 2, this host speaks contract 1");
}

#[test]
fn a_minimum_above_this_host_is_refused_with_both_versions() {
    let error = refused(|d| d.min_contract = Some(pb::ContractVersion { major: 1, minor: 9 }));
    assert_eq!(error.code(), "provider_contract_too_new");
    assert!(error.to_string().contains("1.9") && error.to_string().contains("speaks 1.0"), "{error}");
}

#[test]
fn a_newer_minor_with_an_unknown_feature_is_accepted() {
    let mut message = good().to_wire();
    message.contract = Some(pb::ContractVersion { major: 1, minor: 7 });
    message.features.push("schema.from-the-future".to_owned());
    assert!(accept(message, &expected(), ContractVersion::CURRENT).is_ok());
}

#[test]
fn each_required_feature_is_missed_by_name() {
    for feature in REQUIRED {
        let error = refused(|d| {
            d.features.retain(|f| f != feature);
            d.engines[0].features.retain(|f| f != feature);
        });
        assert_eq!(error.code(), "provider_feature_missing");
        assert_eq!(error.to_string(), format!("provider `example.org/zorp` does not offer {feature}"));
    }
}

#[test]
fn engines_and_aliases_have_to_be_those_of_the_manifest() {
    let mismatch = |change: &dyn Fn(&mut pb::Description), expected: &str| {
        let error = refused(change);
        assert_eq!(error.code(), "provider_engine_mismatch");
        assert!(error.to_string().ends_with(expected), "{error}");
    };
    mismatch(&|d| d.engines[0].aliases.clear(), ": engine `zorp` lacks alias `zo`");
    mismatch(&|d| d.engines[0].aliases.push("zz".to_owned()), ": engine `zorp` also has alias `zz`");
    mismatch(&|d| "other".clone_into(&mut d.engines[0].name), ": it lacks engine `zorp`, it also has engine `other`");
}

#[test]
fn a_missing_or_unknown_rule_for_names_is_refused() {
    let missing = refused(|d| d.engines[0].identifier_rules = None);
    assert_eq!(missing.code(), "provider_identifier_rule");
    for unknown in [0, 99] {
        let error = refused(|d| {
            if let Some(rules) = &mut d.engines[0].identifier_rules {
                rules.column = unknown;
            }
        });
        assert_eq!(error.code(), "provider_identifier_rule");
    }
}

#[test]
fn a_description_that_breaks_a_promise_is_refused_with_the_rule() {
    let error = refused(|d| d.display_name.clear());
    assert_eq!(error.code(), "provider_description_invalid");
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(source, "Description.display_name: is one line of 1 to 255 bytes");
}

#[test]
fn a_bundled_provider_of_another_build_is_refused_before_anything_else_is_compared() {
    let file = std::sync::Arc::new(std::fs::File::open("/dev/null").unwrap().into());
    let mut bundled = expected();
    bundled.origin = Origin::Bundled(crate::catalogue::Program::new(file, "ptah", "build-1"));
    let check = |build: Option<&str>| {
        let mut message = good().to_wire();
        message.build_id = build.map(str::to_owned);
        message.contract = Some(pb::ContractVersion { major: if build == Some("build-1") { 1 } else { 2 }, minor: 0 });
        accept(message, &bundled, ContractVersion::CURRENT).map(|_| ()).map_err(|error| error.code())
    };
    assert_eq!(check(Some("build-1")), Ok(()));
    assert_eq!(check(Some("build-2")), Err("provider_replaced"));
    assert_eq!(check(None), Err("provider_replaced"));
}
