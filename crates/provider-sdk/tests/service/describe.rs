//! Describe: it comes first, it narrows, and nothing that was not negotiated gets out.

use std::collections::BTreeSet;

use ptah_provider_api::contract::ContractVersion;
use ptah_provider_api::describe::{DescribeRequest, Description};
use ptah_provider_api::feature::{self, two_way_features};
use ptah_provider_api::session::Purpose;
use ptah_provider_sdk::{DescriptionError, service};
use ptah_provider_wire::{OnWire, pb, reason_from_status};
use tonic::Code;

use crate::host::{Host, said};
use crate::zorp::{World, Zorp, all_features, description};

fn refused(description: Description) -> DescriptionError {
    let world = World::default().into();
    service(Zorp { world, description }).err().unwrap()
}

fn without(name: &str) -> BTreeSet<String> {
    let mut features = all_features();
    assert!(features.remove(name), "{name}");
    features
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_before_describe_is_refused() {
    let host = Host::connect(description()).await;
    let open = host.try_open(host.open_request(Purpose::Read, &[])).await.unwrap_err();
    assert_eq!(open.code(), Code::FailedPrecondition);
    let analyze = host.analyze("x").await.unwrap_err();
    assert_eq!(analyze.code(), Code::FailedPrecondition);
    assert!(host.world.journal().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn before_describe_a_malformed_request_is_refused_like_every_other() {
    let host = Host::connect(description()).await;
    let refused = [
        host.client().open(pb::OpenRequest::default()).await.unwrap_err(),
        host.client().close(pb::CloseRequest::default()).await.unwrap_err(),
        host.client().try_lock(pb::LockRequest::default()).await.unwrap_err(),
        host.client().plan(pb::PlanRequest::default()).await.unwrap_err(),
    ];
    assert_eq!(refused.map(|status| status.code()), [Code::FailedPrecondition; 4]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_describe_again_gets_the_same_answer_and_another_is_refused() {
    let host = Host::start().await;
    let again = host.describe(all_features()).await.unwrap();
    assert_eq!(again, description());
    let other = host.describe(BTreeSet::new()).await.unwrap_err();
    assert_eq!(other.code(), Code::FailedPrecondition);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_of_another_major_is_refused_with_both_versions() {
    let host = Host::connect(description()).await;
    let request = DescribeRequest {
        contract: ContractVersion { major: 2, minor: 0 },
        host_features: all_features(),
        required_features: BTreeSet::new(),
        host: String::new(),
    };
    let status = host.client().describe(request.to_wire()).await.unwrap_err();
    let (code, reason) = said(&status);
    assert_eq!(code, Code::FailedPrecondition);
    assert_eq!(reason, "the host speaks contract 2.0, and the provider 1: different majors never talk");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_minor_of_the_host_is_served() {
    let host = Host::connect(description()).await;
    let request = DescribeRequest {
        contract: ContractVersion { major: 1, minor: 2 },
        host_features: ["zorp.future".to_owned()].into(),
        required_features: BTreeSet::new(),
        host: String::new(),
    };
    assert!(host.client().describe(request.to_wire()).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn one_way_features_stay_and_two_way_features_need_both_sides() {
    let host = Host::connect(description()).await;
    let narrowed = host.describe(BTreeSet::new()).await.unwrap();
    let one_way: BTreeSet<String> =
        all_features().into_iter().filter(|f| !two_way_features().contains(&f.as_str())).collect();
    assert_eq!(narrowed.features, one_way);
    assert_eq!(narrowed.engines.first().unwrap().features, one_way);
}

/// Whether something of a two-way feature is seen by a host that lists `listed` of a provider that offers `offered`.
async fn seen(name: &str, offered: BTreeSet<String>, listed: BTreeSet<String>) -> bool {
    let mut description = description();
    description.features.clone_from(&offered);
    description.engines.first_mut().unwrap().features = offered;
    let host = Host::connect(description).await;
    let narrowed = host.describe(listed).await.unwrap();
    match name {
        feature::ERRORS_REASONS => {
            let failed = host.analyze("fail").await.unwrap_err();
            let session = host.open().await;
            let reply = host.execute(&session, &["fail"]).await.unwrap();
            let with_reason = reason_from_status(&failed).is_some();
            assert_eq!(reply.diagnostic.is_some(), with_reason);
            with_reason
        }
        feature::LARGE_MESSAGES => {
            let session = host.open().await;
            host.query(&session, "5000000").await.is_ok()
        }
        feature::DEFAULT_CAPABILITIES => !narrowed.engines.first().unwrap().default_capabilities.is_empty(),
        feature::UNREAD_OBJECTS => {
            host.world.set_unread("the definition cannot be read");
            let session = host.open().await;
            match host.inspect(&session, false).await {
                Ok(reading) => reading.schema.not_described().len() == 1,
                Err(status) => {
                    assert_eq!(status.code(), Code::FailedPrecondition);
                    false
                }
            }
        }
        unknown => panic!("the two-way feature {unknown} has no rule in the SDK, or none is tested here"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_two_way_feature_is_used_only_when_both_sides_list_it() {
    for name in two_way_features() {
        assert!(seen(name, all_features(), all_features()).await, "{name}");
        assert!(!seen(name, without(name), all_features()).await, "{name} is not offered");
        assert!(!seen(name, all_features(), without(name)).await, "{name} is not listed");
        assert!(!seen(name, without(name), without(name)).await, "{name} is neither");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_can_read_what_the_host_listed() {
    let host = Host::connect(description()).await;
    host.describe(["a.b".to_owned(), "c.d".to_owned()].into()).await.unwrap();
    host.analyze("x").await.unwrap();
    assert_eq!(host.world.journal(), ["analyze a.b c.d"]);
}

#[test]
fn a_description_that_no_host_could_use_is_refused_at_start() {
    for required in feature::REQUIRED {
        let mut lacking = description();
        lacking.features.remove(required);
        lacking.engines.first_mut().unwrap().features.remove(required);
        assert_eq!(refused(lacking), DescriptionError::Missing(required));
    }
    let mut newer = description();
    newer.contract.minor += 1;
    assert_eq!(refused(newer.clone()), DescriptionError::Contract(newer.contract));
    let mut nameless = description();
    nameless.display_name.clear();
    assert!(matches!(refused(nameless), DescriptionError::Broken(_)));
}

#[test]
fn a_feature_without_an_engine_and_an_engine_without_the_feature_are_refused_at_start() {
    let mut unoffered = description();
    unoffered.engines.first_mut().unwrap().features.remove(feature::SESSIONS_LOCKS);
    assert_eq!(refused(unoffered), DescriptionError::Unoffered(feature::SESSIONS_LOCKS));
    let mut unlisted = description();
    unlisted.features.remove(feature::SESSIONS_LOCKS);
    assert!(matches!(refused(unlisted), DescriptionError::Broken(_)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_feature_is_not_offered_is_unimplemented_and_never_reaches_the_engine() {
    let mut description = description();
    let optional = [feature::SESSIONS_LOCKS, feature::SESSIONS_TRANSACTIONS, feature::SESSIONS_CLAIMS];
    for feature in optional {
        description.features.remove(feature);
        description.engines.first_mut().unwrap().features.remove(feature);
    }
    let host = Host::connect(description).await;
    host.describe(all_features()).await.unwrap();
    let session = host.open().await;
    let lock = host.try_lock(&Host::lock(&session, "l", "ptah")).await.unwrap_err();
    let begin = host.begin(&session).await.unwrap_err();
    let claim = host.intend(&session).await.unwrap_err();
    for status in [lock, begin, claim] {
        assert_eq!(said(&status).0, Code::Unimplemented);
    }
    assert_eq!(host.world.journal(), ["open"]);
}
