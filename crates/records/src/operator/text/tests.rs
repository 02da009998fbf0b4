//! A text's pattern and its function say the same, and no message quotes what was refused.

use proptest::prelude::*;
use proptest::string::string_regex;
use proptest::test_runner::TestRunner;

use super::*;

/// Draws texts from a pattern and asks the type about those whose length is allowed.
macro_rules! agree {
    ($name:ident) => {
        TestRunner::default()
            .run(&string_regex($name::PATTERN.trim_matches(['^', '$'])).unwrap(), |text| {
                let answer = $name::new(text.clone());
                let in_length = !matches!(answer, Err(TextProblem::Length { .. }));
                prop_assert!(!in_length || answer.is_ok(), "{text:?}");
                Ok(())
            })
            .unwrap();
    };
}

#[test]
fn what_a_pattern_allows_its_rule_allows_too() {
    agree!(Sha256);
    agree!(OperationId);
    agree!(Epoch);
    agree!(Uid);
    agree!(ObjectName);
    agree!(LabelName);
    agree!(DataKey);
    agree!(EngineText);
    agree!(VersionText);
    agree!(Code);
    agree!(ShortText);
}

#[test]
fn what_no_pattern_allows_is_refused() {
    let digits = "0".repeat(64);
    assert!(Sha256::new(format!("sha256:{digits}")).is_ok());
    assert!(Sha256::new(format!("sha256:{}A", "0".repeat(63))).is_err());
    let digest = Digest::of(b"both ways");
    assert_eq!(Digest::from(&Sha256::from(&digest)), digest);
    assert!(OperationId::new("01890a5d-ac96-774b-bcce-b302099a8057").is_ok());
    for other in ["01890a5d-ac96-474b-bcce-b302099a8057", "01890a5d-ac96-774b-ccce-b302099a8057"] {
        assert!(OperationId::new(other).is_err(), "{other}");
    }
    for wrong in ["-a", "a-", "A", "a..b", "a_b"] {
        assert!(ObjectName::new(wrong).is_err(), "{wrong}");
    }
    assert!(LabelName::new("a.b").is_err());
    assert!(Image::new(format!("registry.test/op@sha256:{digits}")).is_ok());
    assert!(Image::new(format!("registry.test/op:latest{digits}")).is_err());
    for wrong in ["oci://", "oci://a b", "oci://a?b", "http://a.test"] {
        assert!(OciReference::new(wrong).is_err(), "{wrong}");
    }
    assert!(Sentence::new("one\ntwo").is_err());
}

#[test]
fn a_refusal_quotes_no_value() {
    let secret = "postgres://user:hunter2@host/db";
    let problem = Code::new(secret).unwrap_err();
    assert!(!problem.to_string().contains("hunter2"));
    let long = Code::new("x".repeat(65)).unwrap_err();
    assert_eq!(long.to_string(), "a code has 65 bytes; 1 to 64 are allowed");
}
