//! A refresh: artifact, database and plan as one reading, or why there is none.

use ptah_lifecycle::{Identity, IdentitySource, Proposal, ReadFailure, Reading, StateRefusal};
use ptah_model::Digest;
use ptah_records::operator::latest::{
    Answer, HistoryRead, MigrationPlan, Proposed, Resolved, RunRows, Section, ServerIdentity, StateRead,
};

use crate::ids;

/// The code of a failed verification that no second attempt changes: the artifact is not what the policy wants.
pub(super) const POLICY_REFUSED: &str = "policy_refused";

/// What the sections amount to, and what the database remembers of runs. `content` is the digest of the plan file that
/// follows them.
pub(super) fn read(sections: &[Section], content: Option<Digest>) -> (Result<Reading, ReadFailure>, Option<&RunRows>) {
    match sections {
        [
            Section::Resolve(Answer::Done(resolved)),
            Section::Verify(Answer::Done(_)),
            found,
            Section::Plan(Answer::Done(plan)),
        ] => match found {
            Section::State(Answer::Done(state)) => (of_state(resolved, state, plan, content), Some(&state.runs)),
            Section::History(Answer::Done(history)) => (of_history(resolved, history, plan), Some(&history.runs)),
            _ => (Err(ReadFailure::Passing), None),
        },
        [_, Section::Verify(Answer::Failed(failure))] if failure.code.as_str() == POLICY_REFUSED => {
            (Err(ReadFailure::PolicyRefused), None)
        }
        _ => (Err(ReadFailure::Passing), None),
    }
}

fn of_state(
    resolved: &Resolved,
    state: &StateRead,
    plan: &Proposed,
    content: Option<Digest>,
) -> Result<Reading, ReadFailure> {
    let actual = ids::digest(&state.state_fingerprint);
    let (proposal, refusal) = match plan {
        Proposed::Nothing {} => (None, None),
        Proposed::Schema {
            actual_state_fingerprint,
            desired_state_fingerprint,
            destructive,
            privilege_changes,
            protected_table,
            ..
        } if ids::digest(actual_state_fingerprint) == actual => {
            let proposal = Proposal {
                content: content.ok_or(ReadFailure::Passing)?,
                desired: ids::digest(desired_state_fingerprint),
                actual,
                artifact: ids::digest(&resolved.digest),
                destructive: *destructive,
                privileges: !privilege_changes.is_empty(),
            };
            (Some(proposal), protected_table.then_some(StateRefusal::ProtectedTable))
        }
        Proposed::Schema { .. } | Proposed::Migration { .. } => return Err(ReadFailure::Passing),
    };
    Ok(reading(&state.identity, actual, proposal, refusal))
}

fn of_history(resolved: &Resolved, history: &HistoryRead, plan: &Proposed) -> Result<Reading, ReadFailure> {
    let rows = ids::digest(&history.rows_digest);
    let proposal = match plan {
        Proposed::Nothing {} => None,
        Proposed::Migration { migrations } => Some(Proposal {
            content: ids::digest(&MigrationPlan::content_digest_of(migrations.as_slice())),
            desired: ids::digest(&history.sequence_digest),
            actual: rows,
            artifact: ids::digest(&resolved.digest),
            // A migration is written by hand: what it does to data and rights is its author's.
            destructive: false,
            privileges: false,
        }),
        Proposed::Schema { .. } => return Err(ReadFailure::Passing),
    };
    Ok(reading(&history.identity, rows, proposal, refusal(history)))
}

/// Why nothing may be planned on a history; of several reasons the one that has to be put right first.
fn refusal(history: &HistoryRead) -> Option<StateRefusal> {
    let reasons = [
        (history.dirty, StateRefusal::HistoryDirty),
        (!history.modified_versions.is_empty(), StateRefusal::HistoryModified),
        (history.ahead, StateRefusal::HistoryAhead),
        (!history.out_of_order_versions.is_empty(), StateRefusal::HistoryOutOfOrder),
    ];
    reasons.into_iter().find_map(|(holds, reason)| holds.then_some(reason))
}

fn reading(
    server: &ServerIdentity,
    state: Digest,
    proposal: Option<Proposal>,
    refusal: Option<StateRefusal>,
) -> Reading {
    Reading {
        identity: Identity {
            database: ids::digest(&server.database_identity),
            route: ids::digest(&server.route_digest),
            source: IdentitySource::Reported,
            apart: None,
        },
        instance: server.instance_identity.as_ref().map(ids::digest),
        state,
        proposal,
        refusal,
    }
}
