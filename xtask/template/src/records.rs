//! What the database remembers of runs. Rows are only ever added: an intent spends the operation, an outcome stands beside
//! its work in the same file, and a settlement closes the operation. A proof is a row that is no operation.

use std::collections::BTreeSet;

use ptah_model::OperationId;
use ptah_provider_api::claim::{
    Adoption, ClaimPhase, ClaimRequest, ClaimState, ClaimsReading, OperationRecord, Proof, RenameRecord,
    SegmentRecord, Verdict,
};
use ptah_provider_api::execute::Outcome;
use ptah_provider_api::reason::Reason;
use ptah_provider_api::session::DatabaseIdentity;
use serde::{Deserialize, Serialize};

use crate::store::{Content, Store};

/// How many proofs are kept; a proof is only a shortcut.
const PROOFS_KEPT: usize = 64;

const OUTCOMES: [Outcome; 5] =
    [Outcome::Applied, Outcome::NotStarted, Outcome::NotApplied, Outcome::Partial, Outcome::Unknown];
const VERDICTS: [Verdict; 4] = [Verdict::Applied, Verdict::NotApplied, Verdict::Partial, Verdict::Diverged];

/// All of it.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Records {
    uuid: String,
    physical: String,
    rows: Vec<Row>,
    /// Sources, settings and state of each proof, newest first.
    proofs: Vec<[String; 3]>,
    /// Kind, owner, old name and new name.
    renames: Vec<(String, Option<String>, String, String)>,
}

/// One phase of one operation, under the UUID that the database had then.
#[derive(Clone, Serialize, Deserialize)]
struct Row {
    uuid: String,
    operation: String,
    plan: String,
    at_us: i64,
    phase: Phase,
}

#[derive(Clone, Serialize, Deserialize)]
enum Phase {
    Intend { segment: u32, segments: u32, transactional: bool, before: String, after: String },
    Outcome { segment: u32, outcome: usize, applied: u32 },
    Settle { verdict: usize },
    Prove,
}

/// Which database this is. It has a UUID from the first intent on.
pub(crate) fn identity(store: &Store, ours: Option<&Records>) -> DatabaseIdentity {
    DatabaseIdentity {
        uuid: ours.map(|ours| ours.uuid.clone()),
        recorded_physical: ours.map(|ours| ours.physical.clone()),
        physical: store.physical(),
        route: store.physical(),
    }
}

/// The sequence of the latest row.
pub(crate) fn latest(ours: Option<&Records>) -> u64 {
    ours.map_or(0, |ours| ours.rows.len() as u64)
}

/// Adds the row of a request: the state, the row's sequence, and why there is none.
pub(crate) fn record(
    store: &Store,
    content: &mut Content,
    asked: &ClaimRequest,
) -> (ClaimState, u64, Option<Reason>) {
    let refused = |state, why: &str| (state, 0, Some(Reason::or_malformed(why)));
    let physical = store.physical();
    if content.ptah.is_none() && !matches!(asked.phase, ClaimPhase::Intend { segment: 0, .. }) {
        return refused(ClaimState::NotWritten, "no operation was begun in this database");
    }
    let ours = content.ptah.get_or_insert_with(|| Records {
        uuid: uuid::Uuid::new_v4().to_string(),
        physical: physical.clone(),
        rows: Vec::new(),
        proofs: Vec::new(),
        renames: Vec::new(),
    });
    if ours.physical != physical {
        let why = "the database was moved or copied, and nobody has said which yet";
        return refused(ClaimState::NotWritten, why);
    }
    if let Err((state, why)) = ours.judge(asked) {
        return refused(state, why);
    }
    ours.rows.push(Row {
        uuid: ours.uuid.clone(),
        operation: asked.operation.as_str().to_owned(),
        plan: asked.plan.to_string(),
        at_us: asked.at_us,
        phase: Phase::of(&asked.phase),
    });
    ours.remember(&asked.phase);
    let intends = matches!(asked.phase, ClaimPhase::Intend { .. });
    let state = if intends { ClaimState::Intended } else { ClaimState::Recorded };
    (state, ours.rows.len() as u64, None)
}

/// Says that the database is the same at another place, or a copy with a life of its own. The rows stay, under the UUID
/// that they were written under.
pub(crate) fn adopt(store: &Store, ours: &mut Records, adoption: Adoption) {
    if adoption == Adoption::Copy {
        ours.uuid = uuid::Uuid::new_v4().to_string();
        ours.proofs.clear();
    }
    ours.physical = store.physical();
}

/// Every unfinished operation, and the newest finished ones up to the limit. `None`: what is there cannot be read.
pub(crate) fn read(identity: DatabaseIdentity, ours: Option<&Records>, limit: u32) -> Option<ClaimsReading> {
    let (operations, proofs, renames) = (Vec::new(), Vec::new(), Vec::new());
    let mut reading = ClaimsReading { identity, latest: latest(ours), operations, proofs, renames };
    let Some(ours) = ours else { return Some(reading) };
    let mut finished = 0;
    let mut seen = BTreeSet::new();
    // From the newest row backwards, so that the newest come first.
    for row in ours.own().collect::<Vec<_>>().into_iter().rev() {
        if !seen.insert(&row.operation) {
            continue;
        }
        let operation = ours.operation(&row.operation)?;
        finished += u32::from(operation.settled.is_some());
        if operation.settled.is_none() || finished <= limit {
            reading.operations.push(operation);
        }
    }
    for [sources, settings, state] in &ours.proofs {
        let proof = Proof {
            sources: sources.parse().ok()?,
            settings: settings.parse().ok()?,
            state: state.parse().ok()?,
        };
        reading.proofs.push(proof);
    }
    let rename = |(kind, owner, from, to): &(String, Option<String>, String, String)| RenameRecord {
        kind: kind.clone(),
        owner: owner.clone(),
        from: from.clone(),
        to: to.clone(),
    };
    reading.renames.extend(ours.renames.iter().map(rename));
    Some(reading)
}

impl Phase {
    fn of(phase: &ClaimPhase) -> Self {
        match phase {
            ClaimPhase::Intend { segment, segments, transactional, before, after } => Self::Intend {
                segment: *segment,
                segments: *segments,
                transactional: *transactional,
                before: before.to_string(),
                after: after.to_string(),
            },
            ClaimPhase::Outcome { segment, outcome, applied } => {
                let outcome = OUTCOMES.iter().position(|known| known == outcome).unwrap_or_default();
                Self::Outcome { segment: *segment, outcome, applied: *applied }
            }
            ClaimPhase::Settle { verdict, .. } => {
                let verdict = VERDICTS.iter().position(|known| known == verdict).unwrap_or_default();
                Self::Settle { verdict }
            }
            ClaimPhase::Prove { .. } => Self::Prove,
        }
    }
}

impl Records {
    /// The rows of operations that this database wrote under the name that it has now.
    fn own(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.uuid == self.uuid && !matches!(row.phase, Phase::Prove))
    }

    fn of<'a>(&'a self, operation: &'a str) -> impl Iterator<Item = &'a Phase> {
        self.own().filter(move |row| row.operation == operation).map(|row| &row.phase)
    }

    fn is_settled(&self, operation: &str) -> bool {
        self.of(operation).any(|phase| matches!(phase, Phase::Settle { .. }))
    }

    /// The oldest operation that was begun and not settled.
    pub(crate) fn unfinished(&self) -> Option<OperationId> {
        let open = self.own().find(|row| !self.is_settled(&row.operation))?;
        OperationId::new(open.operation.clone()).ok()
    }

    /// Why a row is not added.
    fn judge(&self, asked: &ClaimRequest) -> Result<(), (ClaimState, &'static str)> {
        let operation = asked.operation.as_str();
        let begun = |wanted: u32| {
            self.of(operation).any(|phase| matches!(phase, Phase::Intend { segment, .. } if *segment == wanted))
        };
        let ended = |wanted: u32| {
            self.of(operation).find_map(|phase| match phase {
                Phase::Outcome { segment, outcome, .. } if *segment == wanted => OUTCOMES.get(*outcome).copied(),
                _ => None,
            })
        };
        let refuse = |why| Err((ClaimState::NotWritten, why));
        match &asked.phase {
            ClaimPhase::Intend { segment: 0, .. } => self.judge_first(operation),
            ClaimPhase::Intend { segment, .. } if begun(*segment) => {
                Err((ClaimState::Already, "this segment was begun before, and a segment runs at most once"))
            }
            ClaimPhase::Intend { segment, .. } if ended(segment - 1) != Some(Outcome::Applied) => {
                refuse("the segment before it is not recorded as applied")
            }
            ClaimPhase::Outcome { segment, .. } if !begun(*segment) => refuse("the segment was never begun"),
            ClaimPhase::Outcome { segment, .. } if ended(*segment).is_some() => {
                refuse("the segment has an outcome already")
            }
            ClaimPhase::Settle { .. } if !begun(0) => refuse("the operation was never begun in this database"),
            ClaimPhase::Prove { .. } => Ok(()),
            _ if self.is_settled(operation) => refuse("the operation is settled"),
            _ => Ok(()),
        }
    }

    /// An operation is begun once, whichever database wrote that, and while no other is open. A proof spends nothing.
    fn judge_first(&self, operation: &str) -> Result<(), (ClaimState, &'static str)> {
        let spends = |row: &Row| row.operation == operation && !matches!(row.phase, Phase::Prove);
        if self.rows.iter().any(spends) {
            return Err((ClaimState::Already, "this operation was begun before, and an operation runs at most once"));
        }
        match self.unfinished() {
            Some(other) => {
                let why = "another operation was begun in this database and is not settled";
                Err((ClaimState::OtherUnfinished(other), why))
            }
            None => Ok(()),
        }
    }

    /// Keeps a proof, and the renames that were carried out.
    fn remember(&mut self, phase: &ClaimPhase) {
        let proof = match phase {
            ClaimPhase::Settle { proof, renames, .. } => {
                let rename = |r: &RenameRecord| (r.kind.clone(), r.owner.clone(), r.from.clone(), r.to.clone());
                self.renames.extend(renames.iter().map(rename));
                proof.as_ref()
            }
            ClaimPhase::Prove { proof } => Some(proof),
            ClaimPhase::Intend { .. } | ClaimPhase::Outcome { .. } => None,
        };
        if let Some(proof) = proof {
            let row = [proof.sources.to_string(), proof.settings.to_string(), proof.state.to_string()];
            self.proofs.retain(|known| known[..2] != row[..2]);
            self.proofs.insert(0, row);
            self.proofs.truncate(PROOFS_KEPT);
        }
    }

    /// One operation, put together from its rows.
    fn operation(&self, id: &str) -> Option<OperationRecord> {
        let first = self.own().find(|row| row.operation == id)?;
        let Phase::Intend { segments, .. } = first.phase else { return None };
        let mut record = OperationRecord {
            operation: OperationId::new(id).ok()?,
            plan: first.plan.parse().ok()?,
            segments,
            intents: Vec::new(),
            settled: None,
            at_us: first.at_us,
        };
        for phase in self.of(id) {
            match phase {
                Phase::Intend { transactional, before, after, .. } => record.intents.push(SegmentRecord {
                    transactional: *transactional,
                    before: before.parse().ok()?,
                    after: after.parse().ok()?,
                    outcome: None,
                }),
                Phase::Outcome { segment, outcome, applied } => {
                    let outcome = *OUTCOMES.get(*outcome)?;
                    record.intents.get_mut(*segment as usize)?.outcome = Some((outcome, *applied));
                }
                Phase::Settle { verdict } => record.settled = Some(*VERDICTS.get(*verdict)?),
                Phase::Prove => {}
            }
        }
        Some(record)
    }
}
