//! What a message lacks, or says in a way that is not known, is refused and never filled in. And no message prints what
//! it holds.

#![expect(clippy::unwrap_used, reason = "tests")]

use ptah_model::IdentifierRules;
use ptah_provider_api::claim::{ClaimReceipt, SegmentRecord};
use ptah_provider_api::execute::{ExecuteReply, ExecuteRequest};
use ptah_provider_api::plan::PlannedChange;
use ptah_provider_api::session::{OpenRequest, Session};
use ptah_provider_api::step::Step;
use ptah_provider_api::transaction::TransactionReceipt;
use ptah_provider_wire::{OnWire, WireError, pb};

fn check<T: OnWire>(message: T::Message, refused: &str) {
    let error: WireError = T::from_wire(message).err().unwrap();
    assert_eq!(format!("{}.{}", error.message, error.field), refused);
}

fn key() -> pb::Key {
    pb::Key { session_id: "s".to_owned(), scope: "ptah".to_owned(), request_id: "r".to_owned() }
}

#[test]
fn a_value_of_an_enum_that_is_not_known_is_refused() {
    for outcome in [0, 6, 99, -1] {
        let reply = pb::ExecuteReply { key: Some(key()), outcome, ..pb::ExecuteReply::default() };
        check::<ExecuteReply>(reply, "ExecuteReply.outcome");
    }
    for state in [0, 9] {
        let receipt = pb::TransactionReceipt { key: Some(key()), state, ..pb::TransactionReceipt::default() };
        check::<TransactionReceipt>(receipt, "TransactionReceipt.state");
    }
}

#[test]
fn an_identifier_rule_that_is_missing_or_unknown_is_refused() {
    let rules = |table, column, index| pb::IdentifierRules { table, column, index, ..pb::IdentifierRules::default() };
    check::<IdentifierRules>(rules(0, 1, 1), "IdentifierRules.table");
    check::<IdentifierRules>(rules(1, 3, 1), "IdentifierRules.column");
    check::<IdentifierRules>(rules(1, 1, 99), "IdentifierRules.index");
}

#[test]
fn a_required_part_that_is_missing_is_refused() {
    check::<ExecuteRequest>(pb::ExecuteRequest::default(), "ExecuteRequest.key");
    let units = vec![pb::Unit { unit: None }];
    let request = pb::ExecuteRequest { key: Some(key()), units, ..pb::ExecuteRequest::default() };
    check::<ExecuteRequest>(request, "Unit.unit");
    check::<PlannedChange>(pb::PlannedChange::default(), "PlannedChange.object");
    check::<Step>(pb::Step::default(), "Step.unit");
    let open = pb::OpenRequest { request_id: "r".to_owned(), engine: "zorp".to_owned(), ..pb::OpenRequest::default() };
    check::<OpenRequest>(open, "OpenRequest.target");
}

#[test]
fn a_session_without_identifier_rules_is_refused() {
    let session = pb::Session {
        request_id: "r".to_owned(),
        session_id: "s".to_owned(),
        engine: "zorp".to_owned(),
        ..pb::Session::default()
    };
    check::<Session>(session, "Session.identifier_rules");
}

#[test]
fn an_entry_that_comes_twice_is_refused() {
    let twice = vec!["a.b".to_owned(), "a.b".to_owned()];
    let request = pb::DescribeRequest {
        contract: Some(pb::ContractVersion { major: 1, minor: 0 }),
        host_features: twice,
        ..pb::DescribeRequest::default()
    };
    check::<ptah_provider_api::describe::DescribeRequest>(request, "DescribeRequest.host_features");
    let facet = pb::Facet { name: "type".to_owned(), ..pb::Facet::default() };
    let member = pb::Member {
        kind: "column".to_owned(),
        name: "a".to_owned(),
        facets: vec![facet.clone(), facet],
        ..pb::Member::default()
    };
    check::<ptah_model::Member>(member.clone(), "Member.facets");
    let member = pb::Member { facets: Vec::new(), ..member };
    let object = pb::Object { members: vec![member.clone(), member], ..pb::Object::default() };
    check::<ptah_model::Object>(object, "Object.members");
}

#[test]
fn a_claim_receipt_names_another_operation_exactly_when_that_is_its_state() {
    let receipt = |state: pb::ClaimState, other: Option<&str>| pb::ClaimReceipt {
        key: Some(key()),
        state: state.into(),
        other_operation_id: other.map(str::to_owned),
        ..pb::ClaimReceipt::default()
    };
    check::<ClaimReceipt>(receipt(pb::ClaimState::Intended, Some("x")), "ClaimReceipt.state");
    check::<ClaimReceipt>(receipt(pb::ClaimState::OtherUnfinished, None), "ClaimReceipt.state");
    assert!(ClaimReceipt::from_wire(receipt(pb::ClaimState::OtherUnfinished, Some("x"))).is_ok());
}

#[test]
fn a_count_without_an_outcome_is_refused() {
    let record = pb::SegmentRecord { applied: 1, ..pb::SegmentRecord::default() };
    check::<SegmentRecord>(record, "SegmentRecord.applied");
}

#[test]
fn no_message_prints_what_it_holds() {
    let open = pb::OpenRequest {
        target: Some(pb::open_request::Target::Address("zorp://u:hunter2@h/db".to_owned())),
        ..pb::OpenRequest::default()
    };
    assert_eq!(format!("{open:?}"), "OpenRequest(…)");
    assert_eq!(format!("{:?}", open.target.unwrap()), "OpenRequest.target(…)");
    let cell = pb::Cell { value: Some("hunter2".to_owned()) };
    assert_eq!(format!("{cell:?}"), "Cell(…)");
}
