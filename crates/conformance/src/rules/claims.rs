//! Claims: a run is spent in the database before it begins, and its outcome stays there.

use ptah_model::Digest;
use ptah_provider_wire::pb;

/// A settlement of an operation that was never intended.
pub(super) fn settlement(key: Option<pb::Key>, operation: &str) -> pb::ClaimRequest {
    let settle = pb::SettlePhase {
        verdict: pb::Verdict::NotApplied.into(),
        found: Digest::of(b"found").to_string(),
        proof: None,
        renames: Vec::new(),
    };
    request(key, operation, pb::claim_request::Phase::Settle(settle))
}

fn request(key: Option<pb::Key>, operation: &str, phase: pb::claim_request::Phase) -> pb::ClaimRequest {
    pb::ClaimRequest {
        key,
        operation_id: operation.to_owned(),
        plan_digest: Digest::of(b"plan").to_string(),
        phase: Some(phase),
        transaction_id: None,
        at_us: 1_700_000_000_000_000,
    }
}
