//! Receipts of what changes something: executions, transactions, locks.

use ptah_provider_api::execute::{ExecuteReply, ExecuteRequest, Outcome, TransactionId};
use ptah_provider_api::lock::{LockCall, LockReceipt, LockRequest, LockState};
use ptah_provider_api::step::{NativeOperation, Unit};
use ptah_provider_api::transaction::{BeginRequest, EndRequest, TransactionReceipt, TransactionState as T};

use crate::check;
use crate::good::{fingerprint, key, other_keys};

fn execution(units: usize) -> ExecuteRequest {
    let unit = Unit::Sql { text: "select 1".to_owned() };
    ExecuteRequest { key: key(), units: vec![unit; units], transaction: None, statement_timeout_ms: None }
}

#[test]
fn an_execution_with_any_field_corrupted_is_refused() {
    let asked = execution(3);
    let good = ExecuteReply {
        key: key(),
        outcome: Outcome::Partial,
        applied_count: 2,
        diagnostic: Some("the third was refused".to_owned()),
        engine_code: Some("ZORP_1".to_owned()),
    };
    let validate = |reply: &ExecuteReply| reply.validate_for(&asked);
    check(
        &good,
        validate,
        &[
            ("applied_count", &|r| r.outcome = Outcome::Applied),
            ("applied_count", &|r| r.outcome = Outcome::NotStarted),
            ("applied_count", &|r| r.outcome = Outcome::NotApplied),
            ("applied_count", &|r| r.applied_count = 0),
            ("applied_count", &|r| r.applied_count = 3),
            ("applied_count", &|r| r.applied_count = u32::MAX),
            ("applied_count", &|r| (r.outcome, r.applied_count) = (Outcome::Unknown, 3)),
            ("diagnostic", &|r| r.diagnostic = Some(String::new())),
            ("diagnostic", &|r| r.diagnostic = Some("two\nlines".to_owned())),
            ("diagnostic", &|r| r.diagnostic = Some("x".repeat(513))),
            ("engine_code", &|r| r.engine_code = Some(String::new())),
            ("engine_code", &|r| r.engine_code = Some("zorp".to_owned())),
            ("engine_code", &|r| r.engine_code = Some("A B".to_owned())),
            ("engine_code", &|r| r.engine_code = Some("A".repeat(33))),
        ],
    );
    for (field, other) in other_keys() {
        check(&good, validate, &[(field, &|r| r.key = other.clone())]);
    }
    let applied =
        ExecuteReply { outcome: Outcome::Applied, applied_count: 3, diagnostic: None, engine_code: None, ..good };
    check(
        &applied,
        validate,
        &[
            ("diagnostic", &|r| r.diagnostic = Some("all is well".to_owned())),
            ("engine_code", &|r| r.engine_code = Some("OK".to_owned())),
            ("applied_count", &|r| r.applied_count = 2),
        ],
    );
    check(&ExecuteReply::unknown(key()), validate, &[("applied_count", &|r| r.applied_count = 3)]);
}

#[test]
fn a_request_to_execute_nothing_too_much_or_what_nobody_planned_is_refused() {
    let native = NativeOperation::new("rebuild", 1, b"{}".to_vec(), vec!["select 1".to_owned()]);
    check(
        &execution(1_000),
        ExecuteRequest::validate,
        &[
            ("units", &|r| r.units.clear()),
            ("units", &|r| r.units.push(r.units[0].clone())),
            ("statements", &|r| r.units[7] = Unit::Sql { text: " \n".to_owned() }),
        ],
    );
    let good = ExecuteRequest { units: vec![Unit::Native(native.clone())], ..execution(1) };
    let changed = |change: &dyn Fn(&mut NativeOperation)| {
        let mut operation = native.clone();
        change(&mut operation);
        vec![Unit::Native(operation)]
    };
    check(
        &good,
        ExecuteRequest::validate,
        &[
            ("digest", &|r| r.units = changed(&|o| o.kind.push('x'))),
            ("digest", &|r| r.units = changed(&|o| o.version = 2)),
            ("digest", &|r| r.units = changed(&|o| o.payload.push(0))),
            ("digest", &|r| r.units = changed(&|o| o.statements.push("select 2".to_owned()))),
            ("digest", &|r| r.units = changed(&|o| o.digest = crate::good::digest("another"))),
            ("statements", &|r| r.units = changed(&|o| o.statements.clear())),
        ],
    );
}

fn receipt(state: T, transaction: &str) -> TransactionReceipt {
    let transaction = TransactionId(transaction.to_owned());
    TransactionReceipt { key: key(), transaction, state, found_state: None, diagnostic: None }
}

#[test]
fn a_begin_with_any_field_corrupted_is_refused() {
    let (settings, expect_state, expect_claim) = (Vec::new(), None, None);
    let asked = BeginRequest { key: key(), settings, expect_state, expect_claim, lock_timeout_ms: 0 };
    let validate = |receipt: &TransactionReceipt| receipt.validate_for_begin(&asked);
    check(
        &receipt(T::Begun, "t"),
        validate,
        &[
            ("state", &|r| r.state = T::Committed),
            ("state", &|r| r.state = T::RolledBack),
            ("state", &|r| r.state = T::Unknown),
            ("transaction_id", &|r| r.transaction.0.clear()),
            ("transaction_id", &|r| r.state = T::Busy),
            ("found_state", &|r| r.found_state = Some(fingerprint("x"))),
            ("diagnostic", &|r| r.diagnostic = Some("all is well".to_owned())),
        ],
    );
    for (field, other) in other_keys() {
        check(&receipt(T::Begun, "t"), validate, &[(field, &|r| r.key = other.clone())]);
    }
    for state in [T::Busy, T::ClaimChanged, T::NotStarted] {
        check(
            &receipt(state, ""),
            validate,
            &[
                ("transaction_id", &|r| r.transaction.0.push('t')),
                ("found_state", &|r| r.found_state = Some(fingerprint("x"))),
                ("diagnostic", &|r| r.diagnostic = Some(" edge".to_owned())),
            ],
        );
    }
    let changed = TransactionReceipt { found_state: Some(fingerprint("x")), ..receipt(T::StateChanged, "") };
    check(&changed, validate, &[("found_state", &|r| r.found_state = None)]);
}

#[test]
fn an_end_with_any_field_corrupted_is_refused() {
    let asked = EndRequest { key: key(), transaction: TransactionId("t".to_owned()), lock_timeout_ms: 0 };
    let validate = |receipt: &TransactionReceipt| receipt.validate_for_end(&asked);
    for state in [T::RolledBack, T::Unknown, T::Committed] {
        check(
            &receipt(state, "t"),
            validate,
            &[
                ("state", &|r| r.state = T::Begun),
                ("state", &|r| r.state = T::Busy),
                ("state", &|r| r.state = T::StateChanged),
                ("state", &|r| r.state = T::ClaimChanged),
                ("state", &|r| r.state = T::NotStarted),
                ("transaction_id", &|r| r.transaction.0.push('x')),
                ("found_state", &|r| r.found_state = Some(fingerprint("x"))),
                ("diagnostic", &|r| r.diagnostic = Some("two\rlines".to_owned())),
            ],
        );
        for (field, other) in other_keys() {
            check(&receipt(state, "t"), validate, &[(field, &|r| r.key = other.clone())]);
        }
    }
    let told = TransactionReceipt { diagnostic: Some("busy".to_owned()), ..receipt(T::RolledBack, "t") };
    check(&told, validate, &[("diagnostic", &|r| r.state = T::Committed)]);
}

#[test]
fn a_lock_receipt_with_any_field_corrupted_is_refused() {
    let asked = LockRequest { key: key() };
    let good = |state| LockReceipt { key: key(), state, diagnostic: None };
    let table: [(LockCall, &[LockState], &[LockState]); 3] = [
        (LockCall::Try, &[LockState::Acquired, LockState::Busy, LockState::Lost], &[LockState::Released]),
        (LockCall::Check, &[LockState::Acquired, LockState::Lost], &[LockState::Busy, LockState::Released]),
        (LockCall::Release, &[LockState::Released, LockState::Lost], &[LockState::Acquired, LockState::Busy]),
    ];
    for (call, allowed, refused) in table {
        let validate = |receipt: &LockReceipt| receipt.validate_for(&asked, call);
        for state in allowed {
            for wrong in refused {
                check(&good(*state), validate, &[("state", &|r| r.state = *wrong)]);
            }
            check(&good(*state), validate, &[("diagnostic", &|r| r.diagnostic = Some("\u{1b}[2J".to_owned()))]);
            for (field, other) in other_keys() {
                check(&good(*state), validate, &[(field, &|r| r.key = other.clone())]);
            }
        }
    }
    let told = LockReceipt { diagnostic: Some("another run holds it".to_owned()), ..good(LockState::Busy) };
    let validate = |receipt: &LockReceipt| receipt.validate_for(&asked, LockCall::Try);
    check(&told, validate, &[("diagnostic", &|r| r.state = LockState::Acquired)]);
}
