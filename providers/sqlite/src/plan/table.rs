//! One table that stays and changes: in place where this SQLite has a way for every change, else one rebuild for all.

use ptah_provider_api::plan::Refusal;
use ptah_provider_api::step::ChangeId;

use super::case::Case;
use super::draft::Draft;
use super::refusal::Because;
use super::{in_place, rebuild};

/// Why a table is made anew: which facet of which member has no way in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Forced {
    /// The end of the rule's name, after `rebuild.`.
    pub(super) rule: &'static str,
    /// What it is that SQLite cannot do, as the start of a sentence.
    pub(super) cannot: String,
}

/// Why there are no steps in place.
pub(super) enum Stop {
    /// There is no way in place.
    Forced(Forced),
    /// There is no way at all.
    Refused(Because),
}

impl Stop {
    pub(super) fn forced<T>(rule: &'static str, cannot: impl Into<String>) -> Result<T, Self> {
        Err(Self::Forced(Forced { rule, cannot: cannot.into() }))
    }
}

impl From<Because> for Stop {
    fn from(because: Because) -> Self {
        Self::Refused(because)
    }
}

/// The steps of one table, or a refusal of all its changes.
pub(super) fn plan(case: &Case<'_>) -> Result<Vec<Draft>, Vec<Refusal>> {
    let refused = |because: Because| case.changes.iter().map(|change| because.of(*change)).collect::<Vec<_>>();
    let drafts = match in_place::plan(case) {
        Ok(drafts) => drafts,
        Err(Stop::Refused(because)) => return Err(refused(because)),
        Err(Stop::Forced(forced)) => vec![rebuild::plan(case, &forced).map_err(refused)?],
    };
    let position = case.scene.table_position(&case.name.normalized);
    Ok(drafts.into_iter().map(|draft| Draft { position, ..draft }).collect())
}

/// The refusal of changes to a table that is not described on one side.
pub(super) fn not_described(changes: &[ChangeId], name: &str) -> Vec<Refusal> {
    let reason = format!("the table `{name}` could not be read on both sides, so it is not changed");
    let because = Because::new("object.not-described", reason);
    changes.iter().map(|change| because.of(*change)).collect()
}
