//! Asking the rows whether they allow a change: counted before anything is recorded, and again in the transaction.

use std::collections::BTreeMap;

use ptah_diff::RenameRecord;
use ptah_model::Diagnostic;
use ptah_plan::PlannedStep;
use ptah_plan::draft::Draft;
use ptah_plan::gate::CheckId;
use ptah_provider_api::execute::TransactionId;
use ptah_provider_api::step::Check;
use ptah_provider_host::Session;

use crate::code::ASKED_LATER;
use crate::failure::Failure;

/// How many keys of offending rows are shown.
const KEYS_SHOWN: u32 = 20;

/// Keys of rows that stand against a change. Values of users: for the terminal of the person who asked, nowhere else.
#[derive(Clone, PartialEq, Eq)]
pub struct OffendingRows {
    /// What they mean.
    pub sentence: String,
    /// How many there are.
    pub count: u64,
    /// The names of the key's columns.
    pub columns: Vec<String>,
    /// Some of the keys.
    pub keys: Vec<Vec<Option<String>>>,
}

impl std::fmt::Debug for OffendingRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OffendingRows({} of {})", self.keys.len(), self.count)
    }
}

/// What the rows said.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    pub(crate) counts: BTreeMap<CheckId, u64>,
    pub(crate) rows: Vec<OffendingRows>,
    /// What could not be asked yet.
    pub(crate) later: Vec<Diagnostic>,
}

/// The names that a plan gives. A question that uses one of them cannot be asked before the rename: it is asked in the
/// transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// These, in lower case.
    Names(Vec<String>),
    /// Some that are not known, so that every question waits.
    Unknown,
}

impl Given {
    /// What these renames give; `renamed` says whether anything is renamed at all.
    pub(super) fn by(renames: &[RenameRecord], renamed: bool) -> Self {
        if renamed && renames.is_empty() {
            return Self::Unknown;
        }
        Self::Names(renames.iter().map(|rename| rename.to.to_lowercase()).collect())
    }

    /// Whether a question may use one of them. Any text that looks like one counts: asking later is right too.
    fn may_be_in(&self, query: &str) -> bool {
        match self {
            Self::Unknown => true,
            Self::Names(names) => {
                let query = query.to_lowercase();
                names.iter().any(|name| query.contains(name))
            }
        }
    }
}

/// Asks the checks of a plan, outside a transaction: all that use no name which the plan itself gives.
pub(super) async fn counts(target: &Session, draft: &Draft, given: &Given, show: bool) -> Result<Counted, Failure> {
    let mut counted = Counted::default();
    for step in draft.steps() {
        for (place, check) in step.step.checks.iter().enumerate() {
            if given.may_be_in(&check.count) {
                let summary = format!("{}: whether {} is asked in the transaction", step.title, check.sentence);
                let hint = "the question uses a name that the plan itself gives; a run that it stops changes nothing";
                counted.later.push(Diagnostic::note(ASKED_LATER, summary).hint(hint));
                continue;
            }
            let count = ask(target, check, None).await?;
            counted.counts.insert((step.phase, step.step.id.clone(), place), count);
            if count > 0 && show {
                counted.rows.extend(keys(target, step, place, count).await?);
            }
        }
    }
    Ok(counted)
}

/// Asks the checks of one step, in their order.
pub(crate) async fn ask_step(
    target: &Session,
    step: &PlannedStep,
    transaction: Option<&TransactionId>,
) -> Result<Vec<u64>, Failure> {
    let mut counts = Vec::with_capacity(step.step.checks.len());
    for check in &step.step.checks {
        counts.push(ask(target, check, transaction).await?);
    }
    Ok(counts)
}

async fn ask(target: &Session, check: &Check, transaction: Option<&TransactionId>) -> Result<u64, Failure> {
    let reply = target.query_rows(check.count.clone(), transaction, 1).await?;
    reply.count().map_err(Failure::Answer)
}

async fn keys(
    target: &Session,
    step: &PlannedStep,
    place: usize,
    count: u64,
) -> Result<Option<OffendingRows>, Failure> {
    let Some(check) = step.step.checks.get(place) else { return Ok(None) };
    let Some(query) = &check.rows else { return Ok(None) };
    let reply = target.query_rows(query.clone(), None, KEYS_SHOWN).await?;
    Ok(Some(OffendingRows { sentence: check.sentence.clone(), count, columns: reply.columns, keys: reply.rows }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_questions_that_use_a_name_which_the_plan_gives_wait() {
        let rename = RenameRecord {
            kind: ptah_model::Kind::table(),
            owner: None,
            from: "people".to_owned(),
            to: "Persons".to_owned(),
        };
        let given = Given::by(&[rename], true);
        assert!(given.may_be_in(r#"SELECT count(*) FROM "persons" WHERE name IS NULL"#));
        assert!(!given.may_be_in("SELECT count(*) FROM pets WHERE name IS NULL"));
        assert!(!Given::by(&[], false).may_be_in("SELECT count(*) FROM persons"));
        assert!(Given::by(&[], true).may_be_in("SELECT count(*) FROM pets"), "a name that is not known may be any");
    }
}
