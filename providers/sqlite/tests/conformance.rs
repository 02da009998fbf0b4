//! The SQLite provider's executable keeps every rule of the contract, as the conformance suite tries them from outside.

use ptah_conformance::{Target, Verdict, all, run};

/// A statement that takes some seconds and changes nothing.
const SLOW: &str =
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 20000000) SELECT count(*) FROM c";

/// The run lock is on the file at the path, so another file there takes it away.
const STEAL: &str = r#"read -r address; path=${address#sqlite://}; mv "$path" "$path.gone""#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sqlite_provider_keeps_every_rule_of_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let target = Target {
        address: Some(format!("sqlite://{}/{{n}}.db", folder.path().display())),
        slow: Some(SLOW.to_owned()),
        steal: Some(STEAL.to_owned()),
        ..Target::new(env!("CARGO_BIN_EXE_ptah-provider-sqlite"))
    };
    let report = run(&target, &all(), |_| {}).await;
    assert_eq!(report.failed(), Vec::<&str>::new(), "{report}");
    let pointless: Vec<_> = report.told.iter().filter(|t| matches!(t.verdict, Verdict::NotApplicable(_))).collect();
    assert!(pointless.is_empty(), "{report}");
}
