//! Places in a text: byte spans, and lines and columns for people.
//!
//! Spans are kept everywhere; lines and columns are computed from them when something is reported.

use std::fmt;

/// A line and a column, both counted from 1; the column counts bytes. A byte order mark at the start is not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1. Lines end with a line feed.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

impl Position {
    /// The position of a byte offset; counts from the start of the text, so use [`LineIndex`] for many.
    pub fn of(text: &str, offset: usize) -> Self {
        let offset = offset.min(text.len());
        let before = &text.as_bytes()[..offset];
        let line = before.split(|byte| *byte == b'\n').skip(1).count();
        let start = before
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or_else(|| first_line_start(text).min(offset), |at| at + 1);
        Self { line: from_one(line), column: from_one(offset - start) }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Bytes `start..end` of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The span from `start` up to, and without, `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The smallest span that holds both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// The text of the span; empty when the span does not lie in `text`.
    pub fn text(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// Where the lines of one text start, for many look-ups.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<usize>,
}

impl LineIndex {
    /// Reads the line ends of a text once.
    pub fn new(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(first_line_start(text)).chain(ends.map(|(at, _)| at + 1));
        Self { starts: starts.collect() }
    }

    /// The position of a byte offset of that text.
    pub fn position(&self, offset: usize) -> Position {
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or_default();
        Position { line: from_one(line), column: from_one(offset.saturating_sub(start)) }
    }
}

/// Editors do not show a byte order mark, so the first column is the byte after it.
fn first_line_start(text: &str) -> usize {
    if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

fn from_one(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX - 1).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_find_a_position_agree_at_every_byte() {
        for text in ["", "a", "a\nb\r\n\nc", "\u{feff}a\nb", "é\nü x"] {
            let index = LineIndex::new(text);
            for offset in 0..=text.len() {
                assert_eq!(index.position(offset), Position::of(text, offset), "{text:?} at {offset}");
            }
        }
    }

    #[test]
    fn a_byte_order_mark_does_not_move_the_first_column() {
        let text = "\u{feff}SELECT";
        assert_eq!(Position::of(text, 3), Position { line: 1, column: 1 });
    }
}
