//! What is told about one decision: values, made before it is carried out and told after. No effects.

use ptah_lifecycle::{Decision, Operation, Snapshot};
use ptah_mirror::ids;
use ptah_records::operator::text::OperationId;

/// What is told about one decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Account {
    /// Why something is written: the word of the core for the step.
    pub(crate) why: String,
    /// The operation that it is about.
    pub(crate) operation: Option<OperationId>,
}

impl Account {
    /// The account of a decision that was made on a snapshot.
    pub(crate) fn of(snapshot: &Snapshot, decision: &Decision) -> Self {
        Self { why: why(decision), operation: operation(snapshot, decision).and_then(ids::operation_text) }
    }
}

fn why(decision: &Decision) -> String {
    let word = match decision {
        Decision::WriteStatus(_, why) | Decision::WriteLease(_, _, _, why) => return format!("{why:?}"),
        Decision::AddFinalizer => "AddFinalizer",
        Decision::RemoveFinalizer => "RemoveFinalizer",
        Decision::Stage => "Stage",
        Decision::CreatePlan(_) => "CreatePlan",
        Decision::Consume(..) => "Consume",
        Decision::MarkStale(..) => "MarkStale",
        Decision::Answer(..) => "Answer",
        Decision::CreateJob(_) => "CreateJob",
        Decision::ReleasePod(_) => "ReleasePod",
        Decision::ExpireJob(_) => "ExpireJob",
        Decision::Wait(..) => "Wait",
        Decision::Refuse(_) => "Refuse",
    };
    word.to_owned()
}

/// The operation under way or begun; else the run that waits for its account; else the one that something is owed for.
fn operation(snapshot: &Snapshot, decision: &Decision) -> Option<Operation> {
    let before = &snapshot.resource.status;
    let after = if let Decision::WriteStatus(status, _) = decision { Some(&**status) } else { None };
    let both = || [Some(before), after].into_iter().flatten();
    let claim = both().find_map(|status| status.claim.as_ref()).map(|claim| claim.operation);
    let record = || both().find_map(|status| status.record.as_ref()).map(|record| record.operation);
    claim.or_else(record).or_else(|| before.owed.map(|owed| owed.operation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manager::fixtures::{claim, snapshot, working, writes};
    use ptah_lifecycle::{Kind, Why};

    #[test]
    fn a_claim_that_begins_and_one_that_ends_are_told_with_their_operation() {
        let idle = snapshot();
        let begins = writes(&idle, Why::ClaimRefresh, |status| status.claim = Some(claim(Kind::Refresh)));
        let reads = working(Kind::Refresh);
        let ends = writes(&reads, Why::ReadFailed, |status| status.claim = None);
        let told = [Account::of(&idle, &begins), Account::of(&reads, &ends)];
        assert_eq!(told.clone().map(|account| account.why), ["ClaimRefresh", "ReadFailed"]);
        let id = OperationId::new("01890a5d-ac96-774b-bcce-b302099a8001").unwrap();
        assert_eq!(told.map(|account| account.operation), [Some(id.clone()), Some(id)]);
    }

    #[test]
    fn what_is_about_no_operation_names_none() {
        let idle = snapshot();
        let account = Account::of(&idle, &Decision::AddFinalizer);
        assert_eq!((account.why.as_str(), account.operation), ("AddFinalizer", None));
    }
}
