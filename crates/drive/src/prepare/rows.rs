//! Asking the rows whether they allow a change: counted before anything is recorded, and again in the transaction.

use std::collections::BTreeMap;

use ptah_plan::PlannedStep;
use ptah_plan::draft::Draft;
use ptah_plan::gate::CheckId;
use ptah_provider_api::execute::TransactionId;
use ptah_provider_host::Session;

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
}

/// Asks every check of a plan, outside a transaction.
pub(super) async fn counts(target: &Session, draft: &Draft, show: bool) -> Result<Counted, Failure> {
    let mut counted = Counted::default();
    for step in draft.steps() {
        for (place, count) in ask_step(target, step, None).await?.into_iter().enumerate() {
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
        let reply = target.query_rows(check.count.clone(), transaction, 1).await?;
        counts.push(reply.count().map_err(Failure::Answer)?);
    }
    Ok(counts)
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
