//! Plugins that start wrongly: each is refused with its own reason, in time, without a word of what it wrote, and is gone after.

use std::time::{Duration, Instant};

use go_plugin::Exit;
use go_plugin::host::{HandshakeFault, Phase, StartError};

use crate::support::{all_words, launch, misbehaving, refused};

#[tokio::test]
async fn every_wrong_line_is_refused_with_its_reason_and_never_quoted() {
    let table = [
        ("three-fields", HandshakeFault::OtherOutput),
        ("five-fields", HandshakeFault::CertificateMissing),
        ("eight-fields", HandshakeFault::FieldCount(8)),
        ("core-2", HandshakeFault::CoreProtocol),
        ("app-word", HandshakeFault::AppVersion),
        ("netrpc", HandshakeFault::Protocol),
        ("outside", HandshakeFault::Address),
        ("above", HandshakeFault::Address),
        ("tcp", HandshakeFault::Network),
        ("long", HandshakeFault::TooLong),
        ("nul", HandshakeFault::ControlCharacter),
        ("bad-base64", HandshakeFault::CertificateUnreadable),
        ("not-a-certificate", HandshakeFault::CertificateUnreadable),
        ("no-certificate", HandshakeFault::CertificateMissing),
        ("text-before", HandshakeFault::OtherOutput),
        ("multiplexed", HandshakeFault::Multiplexed),
        ("not-utf8", HandshakeFault::NotUtf8),
        ("no-newline", HandshakeFault::Unterminated),
        ("mute", HandshakeFault::Unterminated),
    ];
    for (mode, expected) in table {
        let error = refused(misbehaving(mode)).await;
        assert!(matches!(&error, StartError::Handshake(fault) if *fault == expected), "{mode}: {error:?}");
        assert!(!all_words(&error).contains("leaked"), "{mode}: {error:?}");
    }
}

#[tokio::test]
async fn an_app_version_that_was_not_offered_is_told_with_both_numbers() {
    let error = refused(misbehaving("app-9")).await;
    assert_eq!(error.to_string(), "the plugin speaks app version 9, this host offers 1");
    let mut other = launch();
    other.app_versions = vec![3, 2];
    let error = refused(other).await;
    assert_eq!(error.to_string(), "the plugin speaks app version 1, this host offers 3, 2");
}

#[tokio::test]
async fn a_plugin_that_hangs_is_given_up_at_the_limit_with_the_phase_reached() {
    let limit = Duration::from_millis(400);
    for (mode, expected) in [("idle", Phase::Executed), ("deaf", Phase::Line)] {
        let mut launch = misbehaving(mode);
        launch.start_timeout = limit;
        let began = Instant::now();
        let error = refused(launch).await;
        let took = began.elapsed();
        assert!(
            matches!(error, StartError::Timeout { reached, limit: told } if reached == expected && told == limit),
            "{mode}: {error:?}"
        );
        assert!(took >= limit && took < limit + Duration::from_secs(3), "{mode}: {took:?}");
    }
}

#[tokio::test]
async fn a_plugin_that_exits_while_starting_is_told_with_its_status_and_phase() {
    for (mode, expected) in [("exit", Phase::Executed), ("lost", Phase::Line)] {
        let error = refused(misbehaving(mode)).await;
        assert!(
            matches!(error, StartError::Exited { reached, exit: Exit::Status(3) } if reached == expected),
            "{mode}: {error:?}"
        );
    }
}

#[tokio::test]
async fn a_server_that_is_not_the_told_one_is_refused() {
    for mode in ["other-certificate", "wrong-key", "plaintext"] {
        let error = refused(misbehaving(mode)).await;
        assert!(matches!(error, StartError::Tls(_)), "{mode}: {error:?}");
    }
}

#[tokio::test]
async fn a_plugin_that_refuses_the_hosts_certificate_is_a_tls_failure_of_the_start() {
    let error = refused(misbehaving("other-client")).await;
    assert!(matches!(error, StartError::Tls(_)), "{error:?}");
}

#[tokio::test]
async fn a_socket_behind_a_symbolic_link_is_refused() {
    let error = refused(misbehaving("symbolic-link")).await;
    assert!(matches!(error, StartError::Connect(_)), "{error:?}");
}
