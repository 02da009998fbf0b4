//! Claims: a run is spent in the database before it begins, and its outcome stays there.

use ptah_model::Digest;
use ptah_provider_api::claim::{ClaimReceipt, ClaimRequest, ClaimsReading};
use ptah_provider_api::feature::{SESSIONS_CLAIMS, SESSIONS_LOCKS, SESSIONS_TRANSACTIONS};
use ptah_provider_wire::{OnWire as _, pb};
use rustix::process::Signal;
use tonic::Code;

use super::table;
use crate::lab::Lab;
use crate::message::fresh;
use crate::peer::{Peer, Session};
use crate::rule::{Check, Stop, broken, ensure, refused_with, reply};

table! { "claims":
    an_intent_spends_its_operation [SESSIONS_CLAIMS] on database =>
        "INTENDED: the intent is stored, and the operation's ID is spent; ALREADY: it was spent before, and nothing was written.",
    an_unfinished_operation_keeps_others_out [SESSIONS_CLAIMS] on database =>
        "OTHER_UNFINISHED names the operation that has an intent and no settlement; nothing was written.",
    a_settled_operation_lets_others_in [SESSIONS_CLAIMS] on database => "A settlement closes the operation.",
    what_was_recorded_is_read_back [SESSIONS_CLAIMS] on database =>
        "A reading has each operation with its segments, their outcomes and its verdict.",
    an_unfinished_operation_is_always_read [SESSIONS_CLAIMS] on database =>
        "Unfinished operations always come, whatever the limit.",
    sequences_only_grow [SESSIONS_CLAIMS] on database => "The sequence grows with each row of the database.",
    an_outcome_of_nothing_is_not_written [SESSIONS_CLAIMS] on database => "NOT_WRITTEN: it is certain that nothing was written.",
    an_outcome_is_rolled_back_with_its_transaction [SESSIONS_CLAIMS, SESSIONS_TRANSACTIONS] on database =>
        "An outcome shares the units' transaction where there is one.",
    an_intent_is_never_part_of_a_transaction [SESSIONS_CLAIMS, SESSIONS_TRANSACTIONS] on database =>
        "An intent commits alone, before anything is sent.",
    an_intent_outlives_the_death_of_the_provider [SESSIONS_CLAIMS] on database =>
        "After a crash an intent without an outcome is there to be read.",
    a_claim_request_id_is_used_once [SESSIONS_CLAIMS] on database => "A request ID that came before is refused.",
    a_run_that_changed_nothing_is_remembered_by_its_proof [SESSIONS_CLAIMS] on database =>
        "PROVE needs no intent and spends nothing: its proof is read back, and it is no operation.",
    records_are_kept_while_an_operation_is_unfinished [SESSIONS_CLAIMS] on database =>
        "Forgetting is refused while an operation is unfinished.",
    forgetting_takes_every_record_away [SESSIONS_CLAIMS] on database =>
        "ForgetRecords takes away everything that Ptah keeps in the database.",
    a_reading_hides_the_records [SESSIONS_CLAIMS] on database =>
        "What Ptah keeps in a database is no part of its schema.",
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

/// A settlement of an operation.
pub(super) fn settlement(key: Option<pb::Key>, operation: &str) -> pb::ClaimRequest {
    let settle = pb::SettlePhase {
        verdict: pb::Verdict::NotApplied.into(),
        found: Digest::of(b"found").to_string(),
        proof: None,
        renames: Vec::new(),
    };
    request(key, operation, pb::claim_request::Phase::Settle(settle))
}

/// A session that holds the run lock, where there is one, because records are written under it.
struct Ledger<'a>(Session<'a>);

impl<'a> Ledger<'a> {
    async fn open(lab: &Lab<'_>, peer: &'a Peer) -> Result<Self, Stop> {
        let session = lab.open(peer).await?;
        if lab.offer.has(SESSIONS_LOCKS) {
            let receipt = session.try_lock(&lab.scope(), &fresh()).await?;
            let held = receipt.state() == pb::LockState::Acquired;
            ensure(held, "TryLock of a free lock", format!("{:?}", receipt.state()))?;
        }
        Ok(Self(session))
    }

    fn key(&self) -> pb::Key {
        self.0.key("conformance")
    }

    fn intent(&self, operation: &str) -> pb::ClaimRequest {
        let intend = pb::IntendPhase {
            segment: 0,
            segments: 1,
            transactional: true,
            before: Digest::of(b"before").to_string(),
            after: Digest::of(b"after").to_string(),
        };
        request(Some(self.key()), operation, pb::claim_request::Phase::Intend(intend))
    }

    fn outcome(&self, operation: &str) -> pb::ClaimRequest {
        let outcome = pb::OutcomePhase { segment: 0, outcome: pb::Outcome::Applied.into(), applied: 1 };
        request(Some(self.key()), operation, pb::claim_request::Phase::Outcome(outcome))
    }

    /// Sends a claim, proves the receipt against the contract, and wants a state.
    async fn claim(
        &self,
        claim: pb::ClaimRequest,
        wanted: pb::ClaimState,
        sent: &str,
    ) -> Result<pb::ClaimReceipt, Stop> {
        let asked = ClaimRequest::from_wire(claim.clone());
        let asked = asked.map_err(|rule| broken(sent, format!("our own request: {rule}")))?;
        let receipt = reply(sent, self.0.client().claim(claim).await)?;
        let proven = ClaimReceipt::from_wire(receipt.clone()).and_then(|value| value.validate_for(&asked));
        proven.map_err(|rule| broken(sent, rule.to_string()))?;
        let state = receipt.state();
        ensure(state == wanted, sent, format!("{state:?}, where {wanted:?} has to come"))?;
        Ok(receipt)
    }

    async fn begin(&self, operation: &str) -> Result<pb::ClaimReceipt, Stop> {
        self.claim(self.intent(operation), pb::ClaimState::Intended, "Claim of an intent").await
    }

    async fn settle(&self, operation: &str) -> Result<pb::ClaimReceipt, Stop> {
        let claim = settlement(Some(self.key()), operation);
        self.claim(claim, pb::ClaimState::Recorded, "Claim of a settlement").await
    }

    async fn read(&self, limit: u32) -> Result<pb::ClaimsReading, Stop> {
        let asked = pb::ReadClaimsRequest { session_id: self.0.id(), limit };
        let reading = reply("ReadClaims", self.0.client().read_claims(asked).await)?;
        let proven = ClaimsReading::from_wire(reading.clone());
        proven.map(|_| reading).map_err(|rule| broken("ReadClaims", rule.to_string()))
    }
}

async fn an_intent_spends_its_operation(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let ledger = Ledger::open(lab, &peer).await?;
    let operation = fresh();
    ledger.begin(&operation).await?;
    let again = "Claim of an intent of an operation that was intended";
    ledger.claim(ledger.intent(&operation), pb::ClaimState::Already, again).await?;
    ledger.settle(&operation).await?;
    let again = "Claim of an intent of an operation that is settled";
    ledger.claim(ledger.intent(&operation), pb::ClaimState::Already, again).await.map(drop)
}

async fn an_unfinished_operation_keeps_others_out(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Claim of an intent while another operation is unfinished";
    let peer = lab.start().await?;
    let ledger = Ledger::open(lab, &peer).await?;
    let operation = fresh();
    ledger.begin(&operation).await?;
    let receipt = ledger.claim(ledger.intent(&fresh()), pb::ClaimState::OtherUnfinished, SENT).await?;
    let named = receipt.other_operation_id.as_ref() == Some(&operation);
    ledger.settle(&operation).await?;
    ensure(named, SENT, "another operation is named")
}

async fn a_settled_operation_lets_others_in(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let ledger = Ledger::open(lab, &peer).await?;
    for _ in 0..2 {
        let operation = fresh();
        ledger.begin(&operation).await?;
        ledger.settle(&operation).await?;
    }
    Ok(())
}

async fn what_was_recorded_is_read_back(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Claim of an intent, an outcome and a settlement, then ReadClaims";
    let peer = lab.start().await?;
    let ledger = Ledger::open(lab, &peer).await?;
    let operation = fresh();
    ledger.begin(&operation).await?;
    ledger.claim(ledger.outcome(&operation), pb::ClaimState::Recorded, "Claim of an outcome").await?;
    let settled = ledger.settle(&operation).await?;
    let reading = ledger.read(10).await?;
    ensure(reading.latest == settled.sequence, SENT, "latest is not the sequence of the last row")?;
    let found = reading.operations.iter().find(|o| o.operation_id == operation);
    let found = found.ok_or_else(|| broken(SENT, "the operation is not there"))?;
    ensure(found.settled() == pb::Verdict::NotApplied && found.settled.is_some(), SENT, "another verdict")?;
    ensure(found.plan_digest == Digest::of(b"plan").to_string(), SENT, "another plan digest")?;
    let segment = found.intents.first().ok_or_else(|| broken(SENT, "the operation has no segment"))?;
    let same = segment.outcome() == pb::Outcome::Applied && segment.applied == 1 && segment.transactional;
    ensure(same && segment.before == Digest::of(b"before").to_string(), SENT, "another segment than was recorded")
}

async fn an_unfinished_operation_is_always_read(lab: &Lab<'_>) -> Check {
    const SENT: &str = "ReadClaims with the limit 0 while an operation is unfinished";
    let peer = lab.start().await?;
    let ledger = Ledger::open(lab, &peer).await?;
    let operation = fresh();
    ledger.begin(&operation).await?;
    let reading = ledger.read(0).await?;
    let found = reading.operations.iter().find(|o| o.operation_id == operation);
    let unfinished = found.is_some_and(|found| found.settled.is_none());
    ledger.settle(&operation).await?;
    ensure(unfinished, SENT, "it is not there, or is settled")
}

async fn sequences_only_grow(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let ledger = Ledger::open(lab, &peer).await?;
    let mut last = ledger.read(0).await?.latest;
    for _ in 0..2 {
        let operation = fresh();
        for receipt in [ledger.begin(&operation).await?, ledger.settle(&operation).await?] {
            let grown = receipt.sequence > last;
            ensure(grown, "Claim", format!("sequence {} after {last}", receipt.sequence))?;
            last = receipt.sequence;
        }
    }
    Ok(())
}

async fn an_outcome_of_nothing_is_not_written(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let ledger = Ledger::open(lab, &peer).await?;
    for _ in 0..2 {
        let stranger = ledger.outcome(&fresh());
        ledger.claim(stranger, pb::ClaimState::NotWritten, "Claim of an outcome that nobody intended").await?;
        // Once in a database without any record, and once in one with some.
        let operation = fresh();
        ledger.begin(&operation).await?;
        ledger.settle(&operation).await?;
    }
    Ok(())
}

async fn an_outcome_is_rolled_back_with_its_transaction(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Claim of an outcome in a transaction, RollbackTransaction, then ReadClaims";
    let peer = lab.start().await?;
    let ledger = Ledger::open(lab, &peer).await?;
    let operation = fresh();
    ledger.begin(&operation).await?;
    let transaction = ledger.0.begin().await?;
    let mut outcome = ledger.outcome(&operation);
    outcome.transaction_id = Some(transaction.clone());
    ledger.claim(outcome, pb::ClaimState::Recorded, "Claim of an outcome in a transaction").await?;
    ledger.0.roll_back(&transaction).await?;
    let reading = ledger.read(10).await?;
    let found = reading.operations.iter().find(|o| o.operation_id == operation);
    let bare = found.and_then(|o| o.intents.first()).is_some_and(|segment| segment.outcome.is_none());
    ledger.settle(&operation).await?;
    ensure(bare, SENT, "the outcome is there, or the intent is not")
}

async fn an_intent_is_never_part_of_a_transaction(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let ledger = Ledger::open(lab, &peer).await?;
    let transaction = ledger.0.begin().await?;
    let mut intent = ledger.intent(&fresh());
    intent.transaction_id = Some(transaction);
    let answer = ledger.0.client().claim(intent).await;
    refused_with("Claim of an intent in a transaction", answer, &[Code::InvalidArgument]).map(drop)
}

async fn an_intent_outlives_the_death_of_the_provider(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Claim of an intent, SIGKILL, then ReadClaims of a new process";
    let operation = fresh();
    {
        let mut peer = lab.start().await?;
        Ledger::open(lab, &peer).await?.begin(&operation).await?;
        peer.process.signal(Signal::KILL);
        peer.process.ended(std::time::Duration::from_secs(2)).await;
    }
    let peer = lab.start().await?;
    let ledger = Ledger::open(lab, &peer).await?;
    let reading = ledger.read(0).await?;
    let there = reading.operations.iter().any(|o| o.operation_id == operation && o.settled.is_none());
    ensure(there, SENT, "the intent is not there")?;
    ledger.settle(&operation).await.map(drop)
}

async fn a_claim_request_id_is_used_once(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let ledger = Ledger::open(lab, &peer).await?;
    let operation = fresh();
    let intent = ledger.intent(&operation);
    ledger.claim(intent.clone(), pb::ClaimState::Intended, "Claim of an intent").await?;
    let answer = ledger.0.client().claim(intent).await;
    let refused = refused_with("Claim with a request ID that came before", answer, &[Code::AlreadyExists]);
    ledger.settle(&operation).await?;
    refused.map(drop)
}

async fn a_run_that_changed_nothing_is_remembered_by_its_proof(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Claim of a proof, then ReadClaims";
    let peer = lab.start().await?;
    let ledger = Ledger::open(lab, &peer).await?;
    // A database that keeps nothing yet may refuse to begin with it.
    let operation = fresh();
    ledger.begin(&operation).await?;
    ledger.settle(&operation).await?;
    let digest = |text: &str| Digest::of(text.as_bytes()).to_string();
    let looked = fresh();
    let proof = pb::Proof { sources: digest(&looked), settings: digest("settings"), state: digest("state") };
    let prove = pb::claim_request::Phase::Prove(pb::ProvePhase { proof: Some(proof.clone()) });
    ledger.claim(request(Some(ledger.key()), &looked, prove), pb::ClaimState::Recorded, "Claim of a proof").await?;
    let reading = ledger.read(100).await?;
    ensure(reading.proofs.contains(&proof), SENT, "the proof is not there")?;
    ensure(reading.operations.iter().all(|o| o.operation_id != looked), SENT, "it is told as an operation")?;
    // Its own ID is as free as any other.
    ledger.begin(&looked).await?;
    ledger.settle(&looked).await.map(drop)
}

async fn records_are_kept_while_an_operation_is_unfinished(lab: &Lab<'_>) -> Check {
    const SENT: &str = "ForgetRecords while an operation is unfinished";
    let peer = lab.start().await?;
    let ledger = Ledger::open(lab, &peer).await?;
    let operation = fresh();
    ledger.begin(&operation).await?;
    let answer = ledger.0.client().forget_records(pb::ForgetRequest { key: Some(ledger.key()) }).await;
    ensure(answer.is_err(), SENT, "it was carried out")?;
    let kept = ledger.read(0).await?.operations.iter().any(|o| o.operation_id == operation);
    ledger.settle(&operation).await?;
    ensure(kept, SENT, "the operation is gone")
}

async fn forgetting_takes_every_record_away(lab: &Lab<'_>) -> Check {
    const SENT: &str = "ForgetRecords, then ReadClaims";
    let peer = lab.start().await?;
    let ledger = Ledger::open(lab, &peer).await?;
    let operation = fresh();
    ledger.begin(&operation).await?;
    ledger.settle(&operation).await?;
    let key = Some(ledger.key());
    let asked = pb::ForgetRequest { key: key.clone() };
    let forgotten = reply("ForgetRecords", ledger.0.client().forget_records(asked).await)?;
    ensure(forgotten.key == key, "ForgetRecords", "a reply with another key")?;
    let reading = ledger.read(10).await?;
    let bare = reading.operations.is_empty() && reading.latest == 0;
    ensure(bare, SENT, "records are still there")?;
    let unnamed = reading.identity.is_some_and(|identity| identity.uuid.is_none());
    ensure(unnamed, SENT, "the database still says which one it is")
}

async fn a_reading_hides_the_records(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Inspect before and after a Claim";
    let peer = lab.start().await?;
    let ledger = Ledger::open(lab, &peer).await?;
    let before = ledger.0.fingerprint().await?;
    let operation = fresh();
    ledger.begin(&operation).await?;
    ledger.settle(&operation).await?;
    let after = ledger.0.fingerprint().await?;
    ensure(before == after, SENT, "the fingerprint of the schema changed")
}
