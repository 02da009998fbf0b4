//! Writes one phase of an operation. Runs inside a transaction that the session began and ends.

use ptah_model::OperationId;
use ptah_provider_api::claim::{ClaimPhase, ClaimRequest, ClaimState, Proof, RenameRecord};
use rusqlite::{Connection, OptionalExtension as _};

use super::tables::{self, Meta};
use super::text;

/// How many proofs are remembered; the oldest go first. A proof is only a shortcut, so losing one costs time alone.
const PROOFS_KEPT: i64 = 64;

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recorded {
    /// The state; a row was written only with `Intended` and `Recorded`.
    pub(crate) state: ClaimState,
    /// The sequence of the row; 0 when none was written.
    pub(crate) sequence: u64,
    /// Why no row was written.
    pub(crate) reason: Option<&'static str>,
}

impl Recorded {
    /// No row was written, for a reason.
    pub(crate) fn refused(reason: &'static str) -> Self {
        Self::without_row(ClaimState::NotWritten, reason)
    }

    fn without_row(state: ClaimState, reason: &'static str) -> Self {
        Self { state, sequence: 0, reason: Some(reason) }
    }

    fn written(state: ClaimState, sequence: i64) -> Self {
        Self { state, sequence: u64::try_from(sequence).unwrap_or(0), reason: None }
    }
}

/// Writes the phase; `meta` is what the database says it is, `physical` what it is now.
pub(crate) fn record(
    connection: &Connection,
    request: &ClaimRequest,
    meta: Option<Meta>,
    physical: &str,
) -> rusqlite::Result<Recorded> {
    let meta = match (meta, &request.phase) {
        (Some(meta), _) => meta,
        (None, ClaimPhase::Intend { segment: 0, .. }) => tables::make(connection, physical, request.at_us)?,
        (None, _) => return Ok(Recorded::refused("no operation was begun in this database")),
    };
    if meta.physical != physical {
        return Ok(Recorded::refused("the database was moved or copied, and nobody has said which yet"));
    }
    let writer = Writer { connection, request, uuid: &meta.uuid };
    match &request.phase {
        ClaimPhase::Intend { segment, .. } => writer.intend(*segment),
        ClaimPhase::Outcome { segment, .. } => writer.outcome(*segment),
        ClaimPhase::Settle { proof, renames, .. } => writer.settle(proof.as_ref(), renames),
        ClaimPhase::Prove { proof } => writer.prove(proof),
    }
}

struct Writer<'a> {
    connection: &'a Connection,
    request: &'a ClaimRequest,
    uuid: &'a str,
}

impl Writer<'_> {
    fn intend(&self, segment: u32) -> rusqlite::Result<Recorded> {
        if segment == 0 {
            // Whichever database wrote it, a copy included. A proof spends nothing.
            if self.count("operation = ?1 AND phase <> 'prove'")? > 0 {
                let reason = "this operation was begun before, and an operation runs at most once";
                return Ok(Recorded::without_row(ClaimState::Already, reason));
            }
            if let Some(other) = self.unfinished()? {
                let reason = "another operation was begun in this database and is not settled";
                return Ok(Recorded::without_row(ClaimState::OtherUnfinished(other), reason));
            }
        } else {
            if self.own_count("phase = 'intend' AND segment = ?2", segment)? > 0 {
                let reason = "this segment was begun before, and a segment runs at most once";
                return Ok(Recorded::without_row(ClaimState::Already, reason));
            }
            if self.own_count("phase = 'outcome' AND outcome = 'applied' AND segment = ?2", segment - 1)? == 0 {
                return Ok(Recorded::refused("the segment before it is not recorded as applied"));
            }
            if self.is_settled()? {
                return Ok(Recorded::refused("the operation is settled"));
            }
        }
        self.insert().map(|sequence| Recorded::written(ClaimState::Intended, sequence))
    }

    fn outcome(&self, segment: u32) -> rusqlite::Result<Recorded> {
        if self.own_count("phase = 'intend' AND segment = ?2", segment)? == 0 {
            return Ok(Recorded::refused("the segment was never begun in this database"));
        }
        if self.own_count("phase = 'outcome' AND segment = ?2", segment)? > 0 {
            return Ok(Recorded::refused("the segment has an outcome already"));
        }
        if self.is_settled()? {
            return Ok(Recorded::refused("the operation is settled"));
        }
        self.insert().map(|sequence| Recorded::written(ClaimState::Recorded, sequence))
    }

    fn settle(&self, proof: Option<&Proof>, renames: &[RenameRecord]) -> rusqlite::Result<Recorded> {
        if self.own_count("phase = 'intend' AND ?2 = 0", 0)? == 0 {
            return Ok(Recorded::refused("the operation was never begun in this database"));
        }
        if self.is_settled()? {
            return Ok(Recorded::refused("the operation is settled already"));
        }
        let sequence = self.insert()?;
        if let Some(proof) = proof {
            self.remember(sequence, proof)?;
        }
        let insert =
            "INSERT INTO _ptah_renames (sequence, kind, owner, from_name, to_name) VALUES (?1, ?2, ?3, ?4, ?5)";
        for rename in renames {
            let row = (sequence, &rename.kind, &rename.owner, &rename.from, &rename.to);
            self.connection.execute(insert, row)?;
        }
        Ok(Recorded::written(ClaimState::Recorded, sequence))
    }

    /// The row says that the proof was made by a run of its own, and which; nothing is open after it.
    fn prove(&self, proof: &Proof) -> rusqlite::Result<Recorded> {
        let sequence = self.insert()?;
        self.remember(sequence, proof)?;
        Ok(Recorded::written(ClaimState::Recorded, sequence))
    }

    fn remember(&self, sequence: i64, proof: &Proof) -> rusqlite::Result<()> {
        let (sources, settings) = (proof.sources.to_string(), proof.settings.to_string());
        self.connection
            .execute("DELETE FROM _ptah_proofs WHERE sources = ?1 AND settings = ?2", (&sources, &settings))?;
        self.connection.execute(
            "INSERT INTO _ptah_proofs (sequence, uuid, sources, settings, state) VALUES (?1, ?2, ?3, ?4, ?5)",
            (sequence, self.uuid, &sources, &settings, proof.state.to_string()),
        )?;
        self.connection.execute(
            "DELETE FROM _ptah_proofs WHERE sequence NOT IN
               (SELECT sequence FROM _ptah_proofs ORDER BY sequence DESC LIMIT ?1)",
            [PROOFS_KEPT],
        )?;
        Ok(())
    }

    /// Adds the row of the request; its sequence is one more than the largest.
    fn insert(&self) -> rusqlite::Result<i64> {
        let mut row = Row::default();
        match &self.request.phase {
            ClaimPhase::Intend { segment, segments, transactional, before, after } => {
                row.phase = "intend";
                row.segment = Some(*segment);
                row.segments = Some(*segments);
                row.transactional = Some(*transactional);
                row.before = Some(before.to_string());
                row.after = Some(after.to_string());
            }
            ClaimPhase::Outcome { segment, outcome, applied } => {
                row.phase = "outcome";
                row.segment = Some(*segment);
                row.outcome = Some(text::outcome_word(*outcome));
                row.applied = Some(*applied);
            }
            ClaimPhase::Settle { verdict, found, .. } => {
                row.phase = "settle";
                row.outcome = Some(text::verdict_word(*verdict));
                row.after = Some(found.to_string());
            }
            ClaimPhase::Prove { proof } => {
                row.phase = "prove";
                row.after = Some(proof.state.to_string());
            }
        }
        self.connection.query_row(
            "INSERT INTO _ptah_runs (sequence, uuid, operation, plan, phase, segment, segments, transactional,
                                     state_before, state_after, outcome, applied, at_us)
             VALUES ((SELECT coalesce(max(sequence), 0) + 1 FROM _ptah_runs), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
             RETURNING sequence",
            rusqlite::params![
                self.uuid,
                self.request.operation.as_str(),
                self.request.plan.to_string(),
                row.phase,
                row.segment,
                row.segments,
                row.transactional,
                row.before,
                row.after,
                row.outcome,
                row.applied,
                self.request.at_us,
            ],
            |row| row.get(0),
        )
    }

    fn is_settled(&self) -> rusqlite::Result<bool> {
        Ok(self.own_count("phase = 'settle' AND ?2 = 0", 0)? > 0)
    }

    /// Rows of this operation, whichever database wrote them.
    fn count(&self, condition: &str) -> rusqlite::Result<i64> {
        let query = format!("SELECT count(*) FROM _ptah_runs WHERE {condition}");
        self.connection.query_row(&query, [self.request.operation.as_str()], |row| row.get(0))
    }

    /// Rows of this operation that this database wrote.
    fn own_count(&self, condition: &str, segment: u32) -> rusqlite::Result<i64> {
        let query = format!("SELECT count(*) FROM _ptah_runs WHERE operation = ?1 AND {condition} AND uuid = ?3");
        let values = (self.request.operation.as_str(), segment, self.uuid);
        self.connection.query_row(&query, values, |row| row.get(0))
    }

    fn unfinished(&self) -> rusqlite::Result<Option<OperationId>> {
        unfinished(self.connection, self.uuid)
    }
}

/// An operation of this database that was begun and not settled.
pub(super) fn unfinished(connection: &Connection, uuid: &str) -> rusqlite::Result<Option<OperationId>> {
    let query = "SELECT operation FROM _ptah_runs AS begun WHERE phase = 'intend' AND uuid = ?1 AND NOT EXISTS
        (SELECT 1 FROM _ptah_runs AS settled WHERE settled.operation = begun.operation AND settled.phase = 'settle'
         AND settled.uuid = begun.uuid) ORDER BY sequence LIMIT 1";
    let found: Option<String> = connection.query_row(query, [uuid], |row| row.get(0)).optional()?;
    // An ID that is not one was written by somebody else; it still is unfinished, so it stands for itself.
    Ok(found.map(|id| OperationId::new(id).unwrap_or_else(|_| unnamed_operation())))
}

/// Stands for an operation whose ID cannot be read.
#[expect(clippy::expect_used, reason = "the text is a constant that keeps the rules of an operation ID")]
fn unnamed_operation() -> OperationId {
    OperationId::new("unreadable").expect("`unreadable` is made of letters")
}

#[derive(Default)]
struct Row {
    phase: &'static str,
    segment: Option<u32>,
    segments: Option<u32>,
    transactional: Option<bool>,
    before: Option<String>,
    after: Option<String>,
    outcome: Option<&'static str>,
    applied: Option<u32>,
}
