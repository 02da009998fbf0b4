//! What people read about errors.

use super::*;
use tonic::Code;

fn failed(code: Code, reason: Option<&str>) -> String {
    let reason = reason.map(Reason::or_malformed);
    HostError::CallFailed { call: Call::Render, code: CallCode::new(code), reason }.to_string()
}

#[test]
fn a_failed_call_is_told_in_the_words_of_the_contract() {
    assert_eq!(
        failed(
            Code::InvalidArgument,
            Some("the tutorial engine stores the column types INTEGER, TEXT, REAL and BLOB only")
        ),
        "provider render failed (InvalidArgument): the tutorial engine stores the column types INTEGER, TEXT, REAL and BLOB only"
    );
    assert_eq!(failed(Code::Cancelled, None), "provider render failed (Canceled)");
    assert_eq!(
        failed(Code::Internal, Some("two\nlines")),
        "provider render failed (Internal): the provider's reason is malformed and not shown"
    );
}

#[test]
fn what_open_refuses_says_what_to_do_by_its_code() {
    let hint = |call, code| HostError::CallFailed { call, code: CallCode::new(code), reason: None }.hint();
    let codes = [
        Code::InvalidArgument,
        Code::NotFound,
        Code::AlreadyExists,
        Code::PermissionDenied,
        Code::Unauthenticated,
        Code::FailedPrecondition,
        Code::ResourceExhausted,
        Code::Unavailable,
        Code::Unimplemented,
        Code::Internal,
    ];
    let hints: std::collections::BTreeSet<_> = codes.into_iter().map(|code| hint(Call::Open, code)).collect();
    assert_eq!(hints.len(), codes.len(), "{hints:?}");
    assert_ne!(hint(Call::Open, Code::Unavailable), hint(Call::Inspect, Code::Unavailable));
}

#[test]
fn a_message_that_is_too_large_tells_both_numbers() {
    let error = HostError::MessageTooLarge {
        call: Call::Execute,
        direction: Direction::Request,
        size: 4_194_305,
        limit: 4_194_304,
    };
    assert_eq!(error.to_string(), "the request of provider execute has 4194305 bytes, and the limit is 4194304");
    assert_eq!(error.code(), "provider_message_too_large");
}

#[test]
fn a_reply_with_another_key_is_told_apart_from_an_invalid_one() {
    let mismatch = Violation::new("LockReceipt", "key.scope", "echoes the request");
    assert_eq!(HostError::broken_reply(Call::TryLock, mismatch).code(), "provider_receipt_mismatch");
    let invalid = Violation::new("LockReceipt", "state", "is one that the call can have");
    assert_eq!(HostError::broken_reply(Call::TryLock, invalid).code(), "provider_reply_invalid");
}

#[test]
fn an_unknown_engine_is_told_with_those_that_there_are() {
    let known = vec![EngineName::new("blip").unwrap(), EngineName::new("zorp").unwrap()];
    let error = HostError::NotFound { asked: Asked::Scheme("quux".to_owned()), known };
    assert_eq!(error.to_string(), "no provider serves addresses of scheme `quux`; there are blip, zorp");
    let none = HostError::NotFound { asked: Asked::Engine("q".to_owned()), known: Vec::new() };
    assert_eq!(none.to_string(), "no provider serves engine `q`; there are no engines");
}
