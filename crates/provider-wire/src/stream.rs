//! Streams: a reading, an analysis or a rendering cut into parts, and the parts put together again.
//!
//! Pure. Cutting is lazy, so that a large reading never exists twice; putting together takes one part after another, so
//! that the receiver holds no more than the result and one part. Parts are small (about [`PART_SIZE`]) and only an
//! entry that is larger by itself makes a larger part; one above the message limit cannot be sent at all.

mod analysis;
mod reading;
mod rendering;

pub use analysis::{AnalysisCollector, analysis_parts};
pub use reading::{ReadingCollector, reading_parts};
pub use rendering::{RenderingCollector, rendering_parts};

use std::iter::{FusedIterator, Peekable};

use prost::Message;

use crate::WireError;

/// How many bytes of entries go into one part. Small enough that the scan never mistakes the densest honest part for a
/// bomb, and large enough that the cost of a message is lost in it.
pub const PART_SIZE: usize = 256 * 1024;

/// The most bytes that the parts of one stream may have together: about 400,000 tables of 1.2 kB.
pub const STREAM_LIMIT: usize = 512 * 1024 * 1024;

/// The bytes that a part adds around its entries: two keys and two lengths, rounded up.
const AROUND: usize = 16;

/// An entry that is larger than a message may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("one entry takes {size} bytes, and a message may have {limit}")]
pub struct EntryTooLarge {
    /// The size of its message, in bytes.
    pub size: usize,
    /// The limit, in bytes.
    pub limit: usize,
}

/// Takes entries until the next one would make the part larger than wanted; `None` when there is none left.
fn take_part<T: Message>(
    entries: &mut Peekable<impl Iterator<Item = T>>,
    limit: usize,
) -> Option<Result<Vec<T>, EntryTooLarge>> {
    let wanted = PART_SIZE.min(limit);
    let mut size = AROUND;
    let mut part = Vec::new();
    while let Some(next) = entries.peek() {
        let grown = size + AROUND + next.encoded_len();
        if part.is_empty() && grown > limit {
            return Some(Err(EntryTooLarge { size: grown, limit }));
        }
        if !part.is_empty() && grown > wanted {
            break;
        }
        size = grown;
        part.extend(entries.next());
    }
    (!part.is_empty()).then_some(Ok(part))
}

/// The parts that a function makes, up to and with the first that cannot be sent: what is not whole has no end.
fn stop_at_error<T>(
    mut next: impl FnMut() -> Option<Result<T, EntryTooLarge>>,
) -> impl FusedIterator<Item = Result<T, EntryTooLarge>> {
    let mut failed = false;
    std::iter::from_fn(move || {
        let part = if failed { None } else { next() };
        failed |= part.as_ref().is_some_and(Result::is_err);
        part
    })
    .fuse()
}

/// How much has arrived of a stream.
#[derive(Debug, Default)]
struct Received {
    bytes: usize,
    ended: bool,
}

impl Received {
    /// Accounts for one part; none may follow the end, and all together keep [`STREAM_LIMIT`].
    fn part(&mut self, part: &impl Message, message: &'static str) -> Result<(), WireError> {
        WireError::unless(!self.ended, message, "part", "follows no end")?;
        self.bytes = self.bytes.saturating_add(part.encoded_len());
        WireError::unless(self.bytes <= STREAM_LIMIT, message, "part", "keeps the limit of a stream")
    }

    /// Refuses a stream that broke off.
    fn whole(&self, message: &'static str) -> Result<(), WireError> {
        WireError::unless(self.ended, message, "end", "is required")
    }
}

#[cfg(test)]
mod tests;
