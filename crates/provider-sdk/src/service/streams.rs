//! Replies in parts. They are cut on a thread that may block, a few ahead of the transport and never all at once.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::Stream;
use ptah_model::SnapshotId;
use ptah_provider_api::render::RenderReply;
use ptah_provider_api::sql::SourceAnalysis;
use ptah_provider_wire::pb;
use ptah_provider_wire::stream::{EntryTooLarge, analysis_parts, reading_parts, rendering_parts};
use tokio::sync::mpsc;
use tonic::Status;

use super::sessions::clean;
use crate::engine::Snapshot;
use crate::negotiation::Negotiation;
use crate::status::{status, too_large};

/// How many parts may wait for the transport.
const AHEAD: usize = 2;

/// A stream of parts.
#[derive(Debug)]
pub struct Parts<T>(mpsc::Receiver<Result<T, Status>>);

impl<T> Stream for Parts<T> {
    type Item = Result<T, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(cx)
    }
}

/// Sends parts until there is none left or nobody wants them.
fn send<T>(
    parts: impl Iterator<Item = Result<T, EntryTooLarge>>,
    sender: &mpsc::Sender<Result<T, Status>>,
    reasons: bool,
) {
    for part in parts {
        let part = part.map_err(|e| status(too_large("an entry of a reply", e.size, e.limit), reasons));
        if sender.blocking_send(part).is_err() {
            return;
        }
    }
}

impl Parts<pb::InspectPart> {
    /// A reading, or only its end.
    pub(super) fn reading(
        snapshot: Arc<impl Snapshot>,
        id: SnapshotId,
        fingerprint_only: bool,
        negotiation: Arc<Negotiation>,
    ) -> Self {
        let (sender, receiver) = mpsc::channel(AHEAD);
        tokio::task::spawn_blocking(move || {
            let limit = negotiation.message_limit();
            let parts = reading_parts(snapshot.schema(), snapshot.fingerprint(), &id, fingerprint_only, limit);
            send(parts.map(|part| part.map(cleaned)), &sender, negotiation.reasons());
        });
        Self(receiver)
    }
}

/// A part whose reasons keep their rules.
fn cleaned(mut part: pb::InspectPart) -> pb::InspectPart {
    if let Some(pb::inspect_part::Part::NotDescribed(chunk)) = &mut part.part {
        chunk.not_described.iter_mut().for_each(|unread| clean(&mut unread.reason));
    }
    part
}

impl Parts<pb::RenderPart> {
    /// A rendering.
    pub(super) fn rendering(rendering: RenderReply, negotiation: Arc<Negotiation>) -> Self {
        let (sender, receiver) = mpsc::channel(AHEAD);
        tokio::task::spawn_blocking(move || {
            let parts = rendering_parts(rendering, negotiation.message_limit());
            send(parts, &sender, negotiation.reasons());
        });
        Self(receiver)
    }
}

impl Parts<pb::AnalyzeSqlPart> {
    /// An analysis.
    pub(super) fn analysis(analysis: SourceAnalysis, negotiation: Arc<Negotiation>) -> Self {
        let (sender, receiver) = mpsc::channel(AHEAD);
        tokio::task::spawn_blocking(move || {
            let parts = analysis_parts(analysis, negotiation.message_limit());
            send(parts, &sender, negotiation.reasons());
        });
        Self(receiver)
    }
}
