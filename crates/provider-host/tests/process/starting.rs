//! What a provider is given, and what it is refused for before it is used.

use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

use go_plugin::host::How;
use ptah_model::{EngineName, ProviderId};
use ptah_provider_api::contract::ContractVersion;
use ptah_provider_host::Catalogue;
use ptah_provider_host::catalogue::{Bundled, CatalogueEngine, Entry, Program};
use ptah_provider_host::start::{StartOptions, start};

use crate::stage::{Stage, engine, open};

#[tokio::test]
async fn a_provider_gets_the_bootstrap_and_the_manifests_entries_and_nothing_else() {
    let stage = Stage::new();
    let provider = stage.start("").await;
    let evidence = stage.evidence();
    let mut names: Vec<&str> = evidence
        .iter()
        .filter_map(|line| line.strip_prefix("variable "))
        .filter_map(|line| line.split(':').next())
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "EVIDENCE",
            "MODE",
            "PLUGIN_CLIENT_CERT",
            "PLUGIN_PROTOCOL_VERSIONS",
            "PLUGIN_UNIX_SOCKET_DIR",
            "PTAH_PROVIDER_COOKIE",
            "PTAH_PROVIDER_PARENT_PID",
        ]
    );
    let arguments = evidence.iter().filter(|line| line.starts_with("argument")).count();
    assert_eq!(arguments, 1, "its own name is the only argument");
    drop(provider);
}

#[tokio::test]
async fn describe_is_the_first_call_and_carries_what_the_host_acts_on() {
    let stage = Stage::new();
    let provider = stage.start("").await;
    let evidence = stage.evidence();
    let calls: Vec<_> = evidence.iter().filter(|line| line.starts_with("call ")).collect();
    assert_eq!(calls.len(), 1, "{calls:?}");
    let wanted = ["errors.reasons", "transport.large-messages", "schema.inspect", "sql.analyze", "test 1"];
    assert!(wanted.iter().all(|word| calls[0].contains(word)), "{calls:?}");
    assert_eq!(provider.description().version, "1.0.0");
    let kinds = provider.kinds(&engine()).unwrap();
    assert_eq!(kinds.iter().map(|model| model.kind.as_str()).collect::<Vec<_>>(), ["table"]);
    let report = provider.report();
    assert!(report.launch_to_described() > Duration::ZERO && report.sha256.is_some(), "{report:?}");
}

#[tokio::test]
async fn a_provider_that_is_another_one_is_refused() {
    let refuse = async |mode: &str, code: &str| {
        let error = Stage::new().refused(mode).await;
        assert_eq!(error.code(), code, "{mode}: {error}");
    };
    refuse("wrong-id", "provider_id_mismatch").await;
    refuse("wrong-engine", "provider_engine_mismatch").await;
    refuse("without-units.execute", "provider_feature_missing").await;
    refuse("major", "provider_contract_major").await;
}

#[tokio::test]
async fn changed_bytes_are_refused_and_never_run() {
    let stage = Stage::new();
    let entry = stage.entry_with_digest("", &"0".repeat(64));
    let error = start(&entry, &StartOptions::new("test 1")).await.err().unwrap();
    assert_eq!(error.code(), "provider_digest_mismatch");
    assert_eq!(stage.evidence(), [] as [String; 0]);
}

#[tokio::test]
async fn changed_bytes_are_refused_at_the_next_start_too() {
    let stage = Stage::new();
    let copy = stage.copy();
    let entry = stage.entry_of(&copy, "", crate::stage::digest());
    start(&entry, &StartOptions::new("test 1")).await.unwrap().end().await;
    let ran = stage.evidence().len();
    let mut bytes = std::fs::read(&copy).unwrap();
    bytes.push(0);
    std::fs::write(&copy, bytes).unwrap();
    let error = start(&entry, &StartOptions::new("test 1")).await.err().unwrap();
    assert_eq!(error.code(), "provider_digest_mismatch");
    assert_eq!(stage.evidence().len(), ran, "the changed bytes never ran");
}

#[tokio::test]
async fn a_slow_start_within_its_limit_passes() {
    let stage = Stage::new();
    let provider = stage.start("late-Describe").await;
    assert!(provider.report().launch_to_described() >= Duration::from_secs(1), "{:?}", provider.report());
    let mut options = StartOptions::new("test 1");
    options.start_timeout = Duration::from_millis(900);
    let error = stage.refused_with("late-Describe", &options).await;
    assert_eq!(error.code(), "provider_start_timeout");
}

#[tokio::test]
async fn a_provider_of_another_minor_is_driven() {
    for modes in ["", "minimum-0", "minor-1", "minor-2", "minor-2,minimum-0"] {
        let provider = Stage::new().start(modes).await;
        let session = open(&provider).await;
        session.inspect(Duration::ZERO, false).await.unwrap();
        session.close().await.unwrap();
        provider.end().await;
    }
}

#[tokio::test]
async fn a_host_of_minor_1_drives_providers_of_minors_0_and_2() {
    let mut options = StartOptions::new("test 1");
    options.contract = ContractVersion { major: 1, minor: 1 };
    for modes in ["", "minimum-0", "minor-2", "minor-2,minimum-1"] {
        let provider = start(&Stage::new().entry(modes), &options).await.unwrap();
        let session = open(&provider).await;
        session.inspect(Duration::ZERO, false).await.unwrap();
        session.close().await.unwrap();
        provider.end().await;
    }
    let error = Stage::new().refused_with("minor-2,minimum-2", &options).await;
    assert_eq!(error.code(), "provider_contract_too_new");
    assert!(error.to_string().contains("1.2") && error.to_string().contains("1.1"), "{error}");
}

#[tokio::test]
async fn a_capability_that_nobody_knows_is_kept_and_hurts_nothing() {
    let provider = Stage::new().start("odd-capability").await;
    let session = open(&provider).await;
    assert_eq!(session.facts().capabilities.get("reads_minds"), Some(&true));
    session.inspect(Duration::ZERO, false).await.unwrap();
}

#[tokio::test]
async fn a_describe_that_hangs_ends_the_start() {
    let mut options = StartOptions::new("test 1");
    options.start_timeout = Duration::from_millis(1500);
    let stage = Stage::new();
    let error = stage.refused_with("hang-Describe", &options).await;
    assert_eq!(error.code(), "provider_start_timeout");
    assert_eq!(error.to_string(), "provider `example.org/zorp` did not start within 1.5s (after the TLS connection)");
    assert_eq!(stage.count("Describe"), 1);
}

#[tokio::test]
async fn a_process_that_ends_in_describe_is_told_with_its_status() {
    let exit = Stage::new().refused("exit-Describe").await;
    assert_eq!(exit.code(), "provider_start_failed");
    assert!(exit.to_string().contains("exit status 3"), "{exit}");
}

#[tokio::test]
async fn a_description_above_the_limit_is_refused_with_both_numbers() {
    let error = Stage::new().refused("oversize-describe").await;
    assert_eq!(error.code(), "provider_message_too_large");
    let text = error.to_string();
    assert!(text.starts_with("the reply of provider describe has 52") && text.ends_with("limit is 4194304"), "{text}");
}

#[tokio::test]
async fn a_secret_in_the_status_of_describe_is_not_shown() {
    let error = Stage::new().refused("secret-Describe").await;
    assert_eq!(error.to_string(), "provider describe failed (InvalidArgument)");
}

#[tokio::test]
async fn the_address_travels_in_open_and_nowhere_else() {
    let stage = Stage::new();
    let provider = stage.start("").await;
    let session = open(&provider).await;
    session.inspect(Duration::ZERO, false).await.unwrap();
    session.close().await.unwrap();
    provider.end().await;
    let evidence = stage.evidence();
    let with_secret: Vec<_> = evidence.iter().filter(|line| line.contains(crate::stage::SECRET)).collect();
    assert_eq!(with_secret.len(), 1, "{with_secret:?}");
    assert!(with_secret[0].starts_with("call Open:"), "{with_secret:?}");
}

/// The stub as a bundled provider that says it is of `build`.
fn bundled(build: &str, wanted: &str) -> Entry {
    let file = File::open(env!("CARGO_BIN_EXE_provider-host-stub")).unwrap();
    let mut program = Program::new(Arc::new(file.into()), "ptah", wanted);
    program.arguments.push(build.into());
    let name = |word: &str| EngineName::new(word).unwrap();
    let engine = CatalogueEngine { name: name("zorp"), aliases: vec![name("zo")], schemes: Vec::new() };
    let provider = ProviderId::new("example.org/zorp").unwrap();
    let catalogue = Catalogue::new(vec![Bundled { provider, engines: vec![engine], program }], Vec::new()).unwrap();
    catalogue.entries()[0].clone()
}

#[tokio::test]
async fn a_bundled_provider_is_the_open_program_itself_and_has_to_be_of_its_build() {
    let options = StartOptions::new("test 1");
    let provider = start(&bundled("build-1", "build-1"), &options).await.unwrap();
    assert_eq!((provider.report().how, provider.report().sha256), (How::Descriptor, None));
    let session = open(&provider).await;
    session.close().await.unwrap();
    let error = start(&bundled("build-2", "build-1"), &options).await.err().unwrap();
    assert_eq!(error.code(), "provider_replaced");
    let text = "this program was replaced while it was running: its providers are of another build";
    assert_eq!(error.to_string(), text);
}
