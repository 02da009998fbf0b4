//! A sequence of migrations against a history.

use anyhow::Result;
use ptah_model::{Digest, DigestBuilder};
use ptah_records::operator::text::{MigrationKey, Sha256};

use super::database::{Database, HistoryRow};
use super::registry::Migration;

/// What a history says about a sequence.
pub(super) struct Found<'a> {
    /// What is to be run, in order.
    pub(super) pending: Vec<&'a Migration>,
    /// How many are applied.
    pub(super) applied: usize,
    pub(super) modified: Vec<MigrationKey>,
    pub(super) out_of_order: Vec<MigrationKey>,
    pub(super) ahead: bool,
    pub(super) rows_digest: Sha256,
    pub(super) sequence_digest: Sha256,
    pub(super) fingerprint: Sha256,
}

/// Compares a sequence with a history. An empty history begins with the last checkpoint; any other never runs one.
pub(super) fn compare<'a>(history: &[HistoryRow], sequence: &'a [Migration]) -> Result<Found<'a>> {
    let row = |version: &MigrationKey| history.iter().find(|row| row.version == *version);
    let is_applied = |one: &Migration| row(&one.version).is_some_and(|row| !row.dirty);
    let start = sequence.iter().rposition(|one| one.checkpoint && (history.is_empty() || is_applied(one)));
    let is_pending = |(index, one): &(usize, &Migration)| {
        *index >= start.unwrap_or(0) && !is_applied(one) && (!one.checkpoint || history.is_empty())
    };
    let pending: Vec<_> = sequence.iter().enumerate().filter(is_pending).collect();
    let last = sequence.iter().rposition(is_applied);
    let mut modified = Vec::new();
    for one in sequence.iter().filter(|one| is_applied(one)) {
        let checksum = one.checksum()?;
        if row(&one.version).is_some_and(|row| row.checksum != checksum) {
            modified.push(one.version.clone());
        }
    }
    let rows = Database::digest_of(history.iter());
    let whole = sequence_digest(sequence)?;
    let both = DigestBuilder::new("ptah.scripted.fingerprint.v1").bytes(rows.as_bytes()).bytes(whole.as_bytes());
    Ok(Found {
        applied: sequence.iter().filter(|one| is_applied(one)).count(),
        out_of_order: pending
            .iter()
            .filter(|(index, _)| last.is_some_and(|last| *index < last))
            .map(|(_, one)| one.version.clone())
            .collect(),
        pending: pending.into_iter().map(|(_, one)| one).collect(),
        modified,
        ahead: history.iter().any(|row| !sequence.iter().any(|one| one.version == row.version)),
        rows_digest: Sha256::from(&rows),
        sequence_digest: Sha256::from(&whole),
        fingerprint: Sha256::from(&both.finish()),
    })
}

fn sequence_digest(sequence: &[Migration]) -> Result<Digest> {
    let mut digest = DigestBuilder::new("ptah.scripted.sequence.v1");
    for one in sequence {
        digest = digest.text(one.version.as_str()).text(one.checksum()?.as_str()).number(u64::from(one.checkpoint));
    }
    Ok(digest.finish())
}
