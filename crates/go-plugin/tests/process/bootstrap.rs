//! What a started plugin finds around it, and what a host may not ask for.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use go_plugin::Exit;
use go_plugin::host::{EnvironmentFault, How, Plugin, StartError};

use crate::shared::{PARENT_PID, cookie};
use crate::support::{ask, directory, launch, lines, refused};

#[tokio::test]
async fn a_started_plugin_answers_and_ends_with_status_0() {
    let started = Plugin::start(launch()).await.unwrap();
    assert_eq!(started.app_version, 1);
    assert_eq!(started.report.how, How::Memfd);
    assert_eq!(ask(&started.channel, "echo").await.unwrap().payload, b"payload");
    let exited = started.plugin.exited();
    let ended = started.plugin.end(Duration::from_secs(5)).await;
    assert_eq!((ended.exit, ended.killed), (Exit::Status(0), false));
    assert!(ended.directory_removed);
    assert_eq!(exited.await, Exit::Status(0));
}

#[tokio::test]
async fn the_start_is_measured_and_its_limit_counts_from_exec() {
    let before = tokio::time::Instant::now();
    let mut launch = launch();
    launch.start_timeout = Duration::from_secs(7);
    let started = Plugin::start(launch).await.unwrap();
    let report = &started.report;
    assert!(report.exec_to_line > Duration::ZERO && report.line_to_connected > Duration::ZERO);
    assert!(started.deadline >= before + report.prepared + Duration::from_secs(7));
    assert!(started.deadline <= tokio::time::Instant::now() + Duration::from_secs(7));
}

#[tokio::test]
async fn the_environment_holds_the_bootstrap_and_the_given_entries_only() {
    let mut launch = launch();
    launch.environment = vec![
        ("LETTERS".to_owned(), "A=b=c".to_owned()),
        ("EMPTY".to_owned(), String::new()),
        ("WORDS".to_owned(), "zwei Wörter".to_owned()),
    ];
    let started = Plugin::start(launch).await.unwrap();
    let environment = lines(&started, "environment").await.join("\n");
    for entry in ["LETTERS=A=b=c", "EMPTY=", "WORDS=zwei Wörter"] {
        assert!(environment.lines().any(|line| line == entry), "{entry} is missing");
    }
    assert!(environment.contains(&format!("{PARENT_PID}={}\n", std::process::id())));
    // The certificate spans several lines; what is left after it are names.
    let names: Vec<&str> = lines_of_names(&environment);
    let allowed = [
        "ECHO_COOKIE",
        "ECHO_PARENT_PID",
        "EMPTY",
        "LETTERS",
        "PLUGIN_CLIENT_CERT",
        "PLUGIN_PROTOCOL_VERSIONS",
        "PLUGIN_UNIX_SOCKET_DIR",
        "WORDS",
    ];
    assert_eq!(names, allowed);
}

fn lines_of_names(environment: &str) -> Vec<&str> {
    let is_name = |text: &&str| text.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let mut names: Vec<&str> =
        environment.lines().filter_map(|line| line.split_once('=').map(|(name, _)| name)).filter(is_name).collect();
    names.sort_unstable();
    names
}

#[tokio::test]
async fn names_of_the_bootstrap_are_refused() {
    let cookie_key = cookie().key;
    let table = [
        ("PLUGIN_CLIENT_CERT", EnvironmentFault::Reserved),
        ("PLUGIN_ANYTHING", EnvironmentFault::Reserved),
        (cookie_key.as_str(), EnvironmentFault::Reserved),
        (PARENT_PID, EnvironmentFault::Reserved),
        ("OURS_X", EnvironmentFault::Reserved),
        ("", EnvironmentFault::Form),
        ("A=B", EnvironmentFault::Form),
        ("NUL\0", EnvironmentFault::Form),
    ];
    for (name, expected) in table {
        let mut launch = launch();
        launch.reserved_prefix = Some("OURS_".to_owned());
        launch.environment = vec![(name.to_owned(), "secret-value".to_owned())];
        let error = refused(launch).await;
        assert!(matches!(&error, StartError::Environment { fault, .. } if *fault == expected), "{name}");
        assert!(!format!("{error:?}{error}").contains("secret-value"));
    }
}

#[tokio::test]
async fn an_entry_that_stands_twice_is_refused() {
    let mut launch = launch();
    launch.environment = vec![("A".to_owned(), "1".to_owned()), ("A".to_owned(), "2".to_owned())];
    let error = refused(launch).await;
    assert!(matches!(error, StartError::Environment { fault: EnvironmentFault::Twice, .. }));
}

#[tokio::test]
async fn the_private_directory_is_closed_to_others_and_short() {
    let started = Plugin::start(launch()).await.unwrap();
    let directory = directory(&started).await;
    let mode = directory.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    assert!(directory.as_os_str().len() <= 80, "{}", directory.display());
}

#[tokio::test]
async fn arguments_arrive_and_core_dumps_are_off() {
    let mut launch = launch();
    launch.args = vec![OsString::from("__provider")];
    let started = Plugin::start(launch).await.unwrap();
    let arguments = lines(&started, "arguments").await;
    assert!(arguments[0].ends_with("go-plugin-echo"), "{arguments:?}");
    assert_eq!(arguments[1..], ["__provider"]);
    let limits = lines(&started, "limits").await;
    let core = limits.iter().find(|line| line.starts_with("Max core file size")).unwrap();
    let words: Vec<&str> = core.split_whitespace().collect();
    assert_eq!(words[4..6], ["0", "0"], "{core}");
}

#[tokio::test]
async fn standard_files_lead_nowhere_after_the_line() {
    let started = Plugin::start(launch()).await.unwrap();
    let files = lines(&started, "files").await;
    assert_eq!(files, ["/dev/null", "/dev/null", "/dev/null"]);
}

#[tokio::test]
async fn ten_megabytes_on_standard_output_do_not_hang() {
    let started = Plugin::start(launch()).await.unwrap();
    let flood = tokio::time::timeout(Duration::from_secs(20), ask(&started.channel, "flood"));
    assert_eq!(flood.await.unwrap().unwrap().lines, ["10000000"]);
    assert_eq!(ask(&started.channel, "echo").await.unwrap().payload, b"payload");
}
