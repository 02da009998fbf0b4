//! Claims: requests, receipts and what a database remembers.

use ptah_provider_api::claim::{AdoptReply, AdoptRequest, Adoption, ClaimPhase, ClaimReceipt, ClaimRequest};
use ptah_provider_api::claim::{ClaimState, ClaimsReading, ForgetReply, ForgetRequest, OperationRecord, Proof};
use ptah_provider_api::claim::{ReadClaimsRequest, RenameRecord, SegmentRecord, Verdict};
use ptah_provider_api::execute::{Outcome, TransactionId};

use crate::check;
use crate::good::{digest, fingerprint, identity, key, operation, other_keys, session};

fn intend(segment: u32, segments: u32) -> ClaimPhase {
    let (before, after) = (fingerprint("before"), fingerprint("after"));
    ClaimPhase::Intend { segment, segments, transactional: true, before, after }
}

fn request(phase: ClaimPhase) -> ClaimRequest {
    ClaimRequest { key: key(), operation: operation("o"), plan: digest("plan"), phase, transaction: None, at_us: 0 }
}

#[test]
fn a_claim_with_any_field_corrupted_is_refused() {
    check(
        &request(intend(1, 2)),
        ClaimRequest::validate,
        &[
            ("transaction_id", &|r| r.transaction = Some(TransactionId("t".to_owned()))),
            ("segment", &|r| r.phase = intend(2, 2)),
            ("segment", &|r| r.phase = intend(0, 0)),
        ],
    );
    let outcome = ClaimPhase::Outcome { segment: 0, outcome: Outcome::Applied, applied: 1 };
    let shared = ClaimRequest { transaction: Some(TransactionId("t".to_owned())), ..request(outcome) };
    check(&shared, ClaimRequest::validate, &[("transaction_id", &|r| r.phase = intend(0, 1))]);
}

#[test]
fn a_claim_receipt_with_any_field_corrupted_is_refused() {
    let outcome = request(ClaimPhase::Outcome { segment: 0, outcome: Outcome::Applied, applied: 1 });
    let receipt = |state, sequence| ClaimReceipt { key: key(), state, sequence, diagnostic: None };
    let intent = request(intend(0, 1));
    let other = || ClaimState::OtherUnfinished(operation("another"));
    let validate = |receipt: &ClaimReceipt| receipt.validate_for(&intent);
    check(
        &receipt(ClaimState::Intended, 7),
        validate,
        &[
            ("state", &|r| r.state = ClaimState::Recorded),
            ("sequence", &|r| r.sequence = 0),
            ("sequence", &|r| r.state = ClaimState::Already),
            ("diagnostic", &|r| r.diagnostic = Some("all is well".to_owned())),
        ],
    );
    for (field, other) in other_keys() {
        check(&receipt(ClaimState::Intended, 7), validate, &[(field, &|r| r.key = other.clone())]);
    }
    for state in [ClaimState::Already, other(), ClaimState::NotWritten, ClaimState::Unknown] {
        check(
            &receipt(state, 0),
            validate,
            &[("sequence", &|r| r.sequence = 1), ("diagnostic", &|r| r.diagnostic = Some("a\u{2028}b".to_owned()))],
        );
    }
    let validate = |receipt: &ClaimReceipt| receipt.validate_for(&outcome);
    check(
        &receipt(ClaimState::Recorded, 7),
        validate,
        &[
            ("state", &|r| r.state = ClaimState::Intended),
            ("state", &|r| (r.state, r.sequence) = (ClaimState::Already, 0)),
            ("state", &|r| (r.state, r.sequence) = (other(), 0)),
            ("sequence", &|r| r.sequence = 0),
        ],
    );
}

fn record(id: &str, settled: Option<Verdict>) -> OperationRecord {
    let (before, after) = (fingerprint("before"), fingerprint("after"));
    let segment = SegmentRecord { transactional: true, before, after, outcome: None };
    OperationRecord {
        operation: operation(id),
        plan: digest("plan"),
        segments: 1,
        intents: vec![segment],
        settled,
        at_us: 0,
    }
}

#[test]
fn a_reading_of_claims_with_any_field_corrupted_is_refused() {
    let asked = ReadClaimsRequest { session: session(), limit: 1 };
    let validate = |reading: &ClaimsReading| reading.validate_for(&asked);
    let good = ClaimsReading {
        identity: identity(),
        latest: 7,
        operations: vec![record("a", None), record("b", Some(Verdict::Applied))],
        proofs: Vec::new(),
        renames: Vec::new(),
    };
    check(
        &good,
        validate,
        &[
            ("identity", &|r| r.identity.uuid = None),
            ("identity", &|r| r.identity.recorded_physical = None),
            ("latest", &|r| r.latest = 0),
            ("operations.operation_id", &|r| r.operations.push(record("a", None))),
            ("operations.intents", &|r| r.operations[0].intents.clear()),
            ("operations.intents", &|r| r.operations[0].segments = 0),
            ("operations", &|r| r.operations.push(record("c", Some(Verdict::Applied)))),
        ],
    );
    let nothing = ClaimsReading { latest: 0, operations: Vec::new(), ..good };
    let state = fingerprint("x");
    let proof = Proof { sources: digest("a"), settings: digest("b"), state };
    let word = str::to_owned;
    let rename = RenameRecord { kind: word("table"), owner: None, from: word("a"), to: word("b") };
    check(
        &nothing,
        validate,
        &[
            ("latest", &|r| r.operations.push(record("a", None))),
            ("latest", &|r| r.proofs.push(proof.clone())),
            ("latest", &|r| r.renames.push(rename.clone())),
        ],
    );
}

#[test]
fn an_adoption_or_a_forgetting_with_any_field_corrupted_is_refused() {
    let asked = AdoptRequest { key: key(), adoption: Adoption::Moved, at_us: 0 };
    let adopted = AdoptReply { key: key(), identity: identity() };
    check(
        &adopted,
        |reply| reply.validate_for(&asked),
        &[
            ("identity", &|r| r.identity.physical = "another".to_owned()),
            ("identity", &|r| r.identity.uuid = None),
            ("identity", &|r| r.identity.recorded_physical = None),
        ],
    );
    for (field, other) in other_keys() {
        check(&adopted, |reply| reply.validate_for(&asked), &[(field, &|r| r.key = other.clone())]);
    }
    let asked = ForgetRequest { key: key() };
    for (field, other) in other_keys() {
        check(&ForgetReply { key: key() }, |reply| reply.validate_for(&asked), &[(field, &|r| r.key = other.clone())]);
    }
}
