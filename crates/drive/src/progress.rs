//! What the work is at, for people who wait.

/// One phase of the work. A phase ends when the next one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The sources are analysed and created in a dev database.
    LoadingSources,
    /// The lock is held by another run.
    WaitingForLock,
    /// Other writers hold the database.
    WaitingForWriters,
    /// The catalogue is read.
    Reading,
    /// The changes are planned.
    Planning,
    /// The plan is carried out on a copy of the current schema.
    Proving,
    /// The rows are asked whether they allow the change.
    AskingRows,
    /// A segment is carried out; its place from 1, and how many there are.
    Applying(usize, usize),
}

/// Is told of each phase. Must not block.
pub trait Progress {
    /// The work is at this phase now.
    fn at(&self, phase: Phase);
}

/// Tells nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn at(&self, _: Phase) {}
}
