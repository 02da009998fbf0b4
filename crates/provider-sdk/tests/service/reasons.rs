//! Reasons: only when negotiated, only in shape, and never a status message.

use ptah_provider_api::feature::ERRORS_REASONS;
use ptah_provider_api::lock::LockState;
use ptah_provider_api::reason::MALFORMED_REASON;
use tonic::Code;

use crate::host::{Host, said};
use crate::zorp::{all_features, description};

#[tokio::test(flavor = "multi_thread")]
async fn a_reason_of_the_engine_arrives_and_a_malformed_one_is_replaced() {
    let host = Host::start().await;
    let failed = host.analyze("fail").await.unwrap_err();
    assert_eq!(said(&failed), (Code::InvalidArgument, "the zorp engine knows no such word".to_owned()));
    let malformed = host.analyze("malformed").await.unwrap_err();
    assert_eq!(said(&malformed), (Code::InvalidArgument, MALFORMED_REASON.to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_did_not_list_reasons_gets_codes_and_states_alone() {
    let host = Host::connect(description()).await;
    let mut features = all_features();
    features.remove(ERRORS_REASONS);
    host.describe(features).await.unwrap();
    let (first, second) = (host.open().await, host.open().await);
    assert_eq!(said(&host.analyze("fail").await.unwrap_err()), (Code::InvalidArgument, String::new()));
    assert_eq!(host.execute(&first, &["fail"]).await.unwrap().diagnostic, None);
    host.try_lock(&Host::lock(&first, "a", "ptah")).await.unwrap();
    let busy = host.try_lock(&Host::lock(&second, "b", "ptah")).await.unwrap();
    assert_eq!((busy.state, busy.diagnostic), (LockState::Busy, None));
    host.world.steal("ptah");
    assert_eq!(host.begin(&first).await.unwrap().diagnostic, None);
    assert_eq!(host.intend(&first).await.unwrap().diagnostic, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_of_rows_that_breaks_the_contract_is_internal() {
    let host = Host::start().await;
    let session = host.open().await;
    let (code, reason) = said(&host.query(&session, "lie").await.unwrap_err());
    assert_eq!(code, Code::Internal);
    assert!(reason.contains("QueryRowsReply.rows"), "{reason}");
}
