//! Render: definitions as parts and back.

use ptah_provider_api::render::{RenderReply, RenderedDefinition};

use super::{EntryTooLarge, Received, stop_at_error, take_part};
use crate::pb;
use crate::{OnWire, WireError};

/// Cuts a rendering into parts of at most `limit` bytes. The stream's own end is its end.
pub fn rendering_parts(
    rendering: RenderReply,
    limit: usize,
) -> impl Iterator<Item = Result<pb::RenderPart, EntryTooLarge>> {
    let RenderReply { definitions } = rendering;
    let mut definitions = definitions.into_iter().map(OnWire::to_wire).peekable();
    stop_at_error(move || {
        let part = take_part(&mut definitions, limit)?;
        Some(part.map(|definitions| pb::RenderPart { definitions }))
    })
}

/// Puts a rendering together.
#[derive(Debug, Default)]
pub struct RenderingCollector {
    rendering: RenderReply,
    received: Received,
}

impl RenderingCollector {
    /// Takes the next part.
    pub fn push(&mut self, part: pb::RenderPart) -> Result<(), WireError> {
        self.received.part(&part, "RenderPart")?;
        for definition in part.definitions {
            let definition = RenderedDefinition::from_wire(definition)?;
            self.rendering.definitions.push(definition);
        }
        Ok(())
    }

    /// The rendering, once the stream is over.
    pub fn finish(self) -> Result<RenderReply, WireError> {
        Ok(self.rendering)
    }
}
