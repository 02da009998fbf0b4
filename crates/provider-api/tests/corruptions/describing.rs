//! Descriptions, sessions, dev databases.

use std::collections::{BTreeMap, BTreeSet};

use ptah_model::{EngineName, Holds, Kind, KindModel, ProviderId};
use ptah_provider_api::contract::ContractVersion;
use ptah_provider_api::describe::{Description, Engine};
use ptah_provider_api::dev::{DevContent, DevDatabase, ProvisionDevRequest};
use ptah_provider_api::key::SessionId;
use ptah_provider_api::session::{Address, CloseReply, CloseRequest, DevId, OpenRequest, OpenTarget, Purpose, Session};

use crate::check;
use crate::good::{digest, engine, identity, request, rules, session};

fn model(kind: &str, parent: Option<&str>) -> KindModel {
    let word = |text: &str| Kind::new(text).unwrap();
    let (kind, parent) = (word(kind), parent.map(word));
    KindModel { kind, member: parent.is_some(), parent, holds: Holds::Rows, ordered: false, renamable: true }
}

fn named(text: &str) -> EngineName {
    EngineName::new(text).unwrap()
}

fn described(name: &str) -> Engine {
    Engine {
        name: named(name),
        aliases: vec![named(&format!("{name}-alias"))],
        url_schemes: vec![named(name), named(&format!("{name}-scheme"))],
        features: ["schema.inspect".to_owned()].into(),
        identifier_rules: Some(rules()),
        default_capabilities: BTreeMap::new(),
        models: vec![model("table", None), model("column", Some("table"))],
    }
}

fn description() -> Description {
    Description {
        provider_id: ProviderId::new("example.org/zorp").unwrap(),
        display_name: "Zorp".to_owned(),
        version: "1.0.0".to_owned(),
        build_id: None,
        contract: ContractVersion::CURRENT,
        min_contract: Some(ContractVersion { major: 1, minor: 0 }),
        features: ["schema.inspect".to_owned()].into(),
        engines: vec![described("zorp"), described("blip")],
    }
}

#[test]
fn a_description_with_any_field_corrupted_is_refused() {
    check(
        &description(),
        Description::validate,
        &[
            ("display_name", &|d| d.display_name.clear()),
            ("display_name", &|d| d.display_name = "two\nlines".to_owned()),
            ("display_name", &|d| d.display_name = "x".repeat(256)),
            ("version", &|d| d.version.clear()),
            ("version", &|d| d.version = "1\u{7f}".to_owned()),
            ("version", &|d| d.version = "1".repeat(256)),
            ("engines", &|d| d.engines.clear()),
            ("features", &|d| assert!(d.features.insert("Inspect".to_owned()))),
            ("min_contract", &|d| d.min_contract = Some(ContractVersion { major: 2, minor: 0 })),
            ("engines.name", &|d| d.engines[1].name = d.engines[0].name.clone()),
            ("engines.name", &|d| d.engines[1].name = d.engines[0].aliases[0].clone()),
            ("engines.aliases", &|d| d.engines[1].aliases.push(engine())),
            ("engines.aliases", &|d| d.engines[0].aliases.push(engine())),
            ("engines.url_schemes", &|d| d.engines[1].url_schemes.push(engine())),
            ("engines.url_schemes", &|d| d.engines[1].url_schemes.push(named("zorp-alias"))),
            ("engines.url_schemes", &|d| d.engines[1].url_schemes.push(named("zorp-scheme"))),
            ("features", &|d| assert!(d.engines[1].features.insert("no feature".to_owned()))),
            ("features", &|d| assert!(d.engines[1].features.insert("sessions.locks".to_owned()))),
            ("models", &|d| d.engines[0].models.push(model("table", None))),
            ("models.parent", &|d| d.engines[0].models.push(model("index", Some("view")))),
            ("models.member", &|d| d.engines[0].models[0].member = true),
        ],
    );
}

#[test]
fn an_engine_is_found_by_name_alias_or_scheme() {
    let description = description();
    for (asked, found) in [
        ("zorp", Some("zorp")),
        ("zorp-scheme", Some("zorp")),
        ("blip", Some("blip")),
        ("blip-alias", Some("blip")),
        ("blip-scheme", Some("blip")),
        ("Blip", None),
        ("drawer", None),
    ] {
        assert_eq!(description.engine(asked).map(|engine| engine.name.as_str()), found, "{asked}");
    }
}

fn opening() -> OpenRequest {
    OpenRequest {
        request: request("r"),
        engine: engine(),
        target: OpenTarget::Address(Address::new("zorp://main")),
        purpose: Purpose::Apply,
        create: false,
        recover: false,
        accept: BTreeSet::new(),
        lock_timeout_ms: 0,
    }
}

#[test]
fn a_session_with_any_field_corrupted_is_refused() {
    let good = Session {
        request: request("r"),
        session: session(),
        engine: engine(),
        database: "main".to_owned(),
        default_schema: None,
        server_version: "1".to_owned(),
        identifier_rules: rules(),
        features: BTreeSet::new(),
        capabilities: BTreeMap::new(),
        settings_digest: digest("settings"),
        identity: identity(),
        exists: true,
        notes: Vec::new(),
    };
    check(
        &good,
        |session| session.validate_for(&opening()),
        &[
            ("request_id", &|s| s.request = request("another")),
            ("engine", &|s| s.engine = EngineName::new("blip").unwrap()),
            ("session_id", &|s| s.session = SessionId::new("x".repeat(21)).unwrap()),
            ("database", &|s| s.database.clear()),
            ("server_version", &|s| s.server_version.clear()),
            ("identity", &|s| s.identity.uuid = None),
            ("identity", &|s| s.identity.recorded_physical = None),
            ("identity.physical", &|s| s.identity.physical.clear()),
        ],
    );
    let mut absent = good;
    absent.exists = false;
    absent.identity.physical.clear();
    check(&absent, |session| session.validate_for(&opening()), &[("identity.physical", &|s| s.exists = true)]);
}

#[test]
fn a_reply_that_answers_another_request_is_refused() {
    let asked = CloseRequest { session: session(), request: request("r") };
    check(
        &CloseReply { request: request("r") },
        |reply| reply.validate_for(&asked),
        &[("request_id", &|r| r.request = request("another"))],
    );
    let (session, content) = (None, DevContent::Empty);
    let asked = ProvisionDevRequest { request: request("r"), engine: engine(), session, content };
    let made = DevDatabase { request: request("r"), dev: DevId("d".to_owned()) };
    check(
        &made,
        |made| made.validate_for(&asked),
        &[("request_id", &|r| r.request = request("another")), ("dev_id", &|r| r.dev.0.clear())],
    );
}
