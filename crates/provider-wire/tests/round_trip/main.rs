//! Every value of the contract survives the wire: message, bytes, scan, bytes, message, value.
//!
//! The strategies give differing values to differing fields, so that two that were swapped are seen.

#![expect(clippy::unwrap_used, reason = "tests")]

mod golden;
mod strategies;

use std::fmt::Debug;

use proptest::prelude::*;
use prost::Message;
use ptah_model::{IdentifierRules, KindModel, Member, NotDescribed, Object};
use ptah_provider_api::claim::{AdoptReply, AdoptRequest, ClaimReceipt, ClaimRequest, ClaimsReading};
use ptah_provider_api::claim::{ForgetReply, ForgetRequest, ReadClaimsRequest};
use ptah_provider_api::describe::{DescribeRequest, Description};
use ptah_provider_api::dev::{DevDatabase, ProvisionDevRequest};
use ptah_provider_api::execute::{ExecuteReply, ExecuteRequest};
use ptah_provider_api::lock::{LockReceipt, LockRequest};
use ptah_provider_api::plan::{PlanReply, PlanRequest};
use ptah_provider_api::query::{QueryRowsReply, QueryRowsRequest};
use ptah_provider_api::reading::InspectRequest;
use ptah_provider_api::render::{RenderRequest, RenderedDefinition};
use ptah_provider_api::session::{CloseReply, CloseRequest, OpenRequest, Session};
use ptah_provider_api::sql::{AnalyzeSqlRequest, SourceAnalysis};
use ptah_provider_api::transaction::{BeginRequest, EndRequest, TransactionReceipt};
use ptah_provider_wire::stream::{AnalysisCollector, analysis_parts};
use ptah_provider_wire::{OnWire, Shaped, scan};

use strategies as s;

/// The value after a journey over the wire.
fn travel<T>(value: T) -> T
where
    T: OnWire,
    T::Message: Message + Default + Shaped,
{
    let bytes = value.to_wire().encode_to_vec();
    scan::<T::Message>(&bytes).unwrap();
    T::from_wire(T::Message::decode(bytes.as_slice()).unwrap()).unwrap()
}

/// Equal, and equal in what equality leaves out, such as the spelling of a name.
fn same<T: PartialEq + Debug>(left: &T, right: &T) {
    assert_eq!(left, right);
    assert_eq!(format!("{left:?}"), format!("{right:?}"));
}

macro_rules! round_trips {
    ($($(#[$attribute:meta])* fn $name:ident: $type:ty = $strategy:expr;)+) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(64))]
            $(
                $(#[$attribute])*
                fn $name(value in $strategy) {
                    let value: $type = value;
                    same(&travel(value.clone()), &value);
                }
            )+
        }
    };
}

round_trips! {
    #[test]
    fn a_describe_request_survives_the_wire: DescribeRequest = s::describe_request();
    #[test]
    fn a_description_survives_the_wire: Description = s::description();
    #[test]
    fn a_kind_model_survives_the_wire: KindModel = s::kind_model();
    #[test]
    fn identifier_rules_survive_the_wire: IdentifierRules = s::identifier_rules();
    #[test]
    fn an_open_request_survives_the_wire: OpenRequest = s::open_request();
    #[test]
    fn a_session_survives_the_wire: Session = s::session();
    #[test]
    fn a_close_request_survives_the_wire: CloseRequest = s::close_request();
    #[test]
    fn a_close_reply_survives_the_wire: CloseReply = s::request().prop_map(|request| CloseReply { request });
    #[test]
    fn an_inspect_request_survives_the_wire: InspectRequest = s::inspect_request();
    #[test]
    fn an_object_survives_the_wire: Object = s::object();
    #[test]
    fn a_member_survives_the_wire: Member = s::member();
    #[test]
    fn a_not_described_object_survives_the_wire: NotDescribed = s::not_described();
    #[test]
    fn a_render_request_survives_the_wire: RenderRequest = s::render_request();
    #[test]
    fn a_rendered_definition_survives_the_wire: RenderedDefinition = s::rendered_definition();
    #[test]
    fn an_analyze_request_survives_the_wire: AnalyzeSqlRequest = s::analyze_request();
    #[test]
    fn a_plan_request_survives_the_wire: PlanRequest = s::plan_request();
    #[test]
    fn a_plan_reply_survives_the_wire: PlanReply = s::plan_reply();
    #[test]
    fn an_execute_request_survives_the_wire: ExecuteRequest = s::execute_request();
    #[test]
    fn an_execute_reply_survives_the_wire: ExecuteReply = s::execute_reply();
    #[test]
    fn a_begin_request_survives_the_wire: BeginRequest = s::begin_request();
    #[test]
    fn an_end_request_survives_the_wire: EndRequest = s::end_request();
    #[test]
    fn a_transaction_receipt_survives_the_wire: TransactionReceipt = s::transaction_receipt();
    #[test]
    fn a_lock_request_survives_the_wire: LockRequest = s::key().prop_map(|key| LockRequest { key });
    #[test]
    fn a_lock_receipt_survives_the_wire: LockReceipt = s::lock_receipt();
    #[test]
    fn a_claim_request_survives_the_wire: ClaimRequest = s::claim_request();
    #[test]
    fn a_claim_receipt_survives_the_wire: ClaimReceipt = s::claim_receipt();
    #[test]
    fn a_claims_request_survives_the_wire: ReadClaimsRequest = s::read_claims_request();
    #[test]
    fn a_claims_reading_survives_the_wire: ClaimsReading = s::claims_reading();
    #[test]
    fn an_adopt_request_survives_the_wire: AdoptRequest = s::adopt_request();
    #[test]
    fn an_adopt_reply_survives_the_wire: AdoptReply = s::adopt_reply();
    #[test]
    fn a_forget_request_survives_the_wire: ForgetRequest = s::key().prop_map(|key| ForgetRequest { key });
    #[test]
    fn a_forget_reply_survives_the_wire: ForgetReply = s::key().prop_map(|key| ForgetReply { key });
    #[test]
    fn a_rows_request_survives_the_wire: QueryRowsRequest = s::query_rows_request();
    #[test]
    fn a_rows_reply_survives_the_wire: QueryRowsReply = s::query_rows_reply();
    #[test]
    fn a_provision_request_survives_the_wire: ProvisionDevRequest = s::provision_request();
    #[test]
    fn a_dev_database_survives_the_wire: DevDatabase = s::dev_database();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn an_analysis_survives_the_wire(analysis in s::analysis()) {
        let analysis: SourceAnalysis = analysis;
        let mut collector = AnalysisCollector::new(s::source());
        for part in analysis_parts(analysis.clone(), 4096 * 1024) {
            let bytes = part.unwrap().encode_to_vec();
            collector.push(Message::decode(bytes.as_slice()).unwrap()).unwrap();
        }
        same(&collector.finish().unwrap(), &analysis);
    }

    #[test]
    fn any_bytes_are_scanned_decoded_and_converted_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        if scan::<<PlanReply as OnWire>::Message>(&bytes).is_ok()
            && let Ok(message) = <PlanReply as OnWire>::Message::decode(bytes.as_slice())
        {
            drop(PlanReply::from_wire(message));
        }
        if scan::<<Session as OnWire>::Message>(&bytes).is_ok()
            && let Ok(message) = <Session as OnWire>::Message::decode(bytes.as_slice())
        {
            drop(Session::from_wire(message));
        }
    }
}
