//! Between the typed changes of `diff` and the words of the provider contract.

use ptah_diff::{Action, Change, RenameRecord};
use ptah_model::Kind;
use ptah_provider_api::claim;
use ptah_provider_api::plan::{FacetChange, PlannedAction, PlannedChange};

/// The changes as a provider is asked for them, in their order.
pub fn planned_changes(changes: &[Change]) -> Vec<PlannedChange> {
    changes.iter().map(planned_change).collect()
}

fn planned_change(change: &Change) -> PlannedChange {
    PlannedChange {
        object: change.object.clone(),
        member: change.member.clone(),
        action: match &change.action {
            Action::Create => PlannedAction::Create,
            Action::Drop => PlannedAction::Drop,
            Action::Alter(facets) => PlannedAction::Alter(facets.iter().map(facet_change).collect()),
            Action::Rename { to } => PlannedAction::Rename(to.clone()),
            Action::Reorder => PlannedAction::Reorder,
        },
    }
}

fn facet_change(change: &ptah_diff::FacetChange) -> FacetChange {
    FacetChange { name: change.name.clone(), from: change.from.clone(), to: change.to.clone() }
}

/// The renames that a database remembers, as `diff` reads them. One whose kind is no kind's word is left out: no hint
/// can be about it.
pub fn known_renames(ledger: &[claim::RenameRecord]) -> Vec<RenameRecord> {
    let known = |r: &claim::RenameRecord| {
        Some(RenameRecord {
            kind: Kind::new(r.kind.clone())?,
            owner: r.owner.clone(),
            from: r.from.clone(),
            to: r.to.clone(),
        })
    };
    ledger.iter().filter_map(known).collect()
}

/// A rename as the database will remember it.
pub fn ledger_record(record: &RenameRecord) -> claim::RenameRecord {
    claim::RenameRecord {
        kind: record.kind.as_str().to_owned(),
        owner: record.owner.clone(),
        from: record.from.clone(),
        to: record.to.clone(),
    }
}
