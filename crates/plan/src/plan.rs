//! The plan: immutable, ordered units with everything that carrying them out needs, and its checker.

mod check;

use ptah_model::{Digest, Fingerprint};
use ptah_records::plan_file;

pub use check::PlanFault;

use crate::document;
use crate::draft::{Draft, Head, PlannedStep, Segment};

/// A plan with its proof.
///
/// There is no way to change one: it is made from a [`Draft`] and what a copy read as, or from its document, and both
/// ways run the checker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub(crate) head: Head,
    pub(crate) to: Fingerprint,
    pub(crate) segments: Vec<PlanSegment>,
    digest: Digest,
}

/// A segment with the states around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanSegment {
    /// The fingerprint on which it begins.
    pub before: Fingerprint,
    /// The fingerprint after it, as the proof on a copy read it.
    pub after: Fingerprint,
    /// What is run.
    pub segment: Segment,
}

impl Draft {
    /// Makes the plan. `points` are the fingerprints that a copy read as after each segment, in order.
    ///
    /// # Errors
    ///
    /// [`PlanFault::Points`] when there is not one point for each segment, and everything that [`Plan::check`] finds.
    pub fn with_proof(self, points: Vec<Fingerprint>) -> Result<Plan, PlanFault> {
        if points.len() != self.segments.len() {
            return Err(PlanFault::Points { points: points.len(), segments: self.segments.len() });
        }
        let befores = std::iter::once(self.head.from).chain(points.iter().copied());
        let segments: Vec<PlanSegment> = self
            .segments
            .into_iter()
            .zip(befores.zip(&points))
            .map(|(segment, (before, after))| PlanSegment { before, after: *after, segment })
            .collect();
        let to = points.last().copied().ok_or(PlanFault::NoSegments)?;
        Plan::new(self.head, to, segments)
    }
}

impl Plan {
    /// Checks and wraps.
    pub(crate) fn new(head: Head, to: Fingerprint, segments: Vec<PlanSegment>) -> Result<Self, PlanFault> {
        let mut plan = Self { head, to, segments, digest: Digest::from_bytes([0; 32]) };
        plan.check()?;
        plan.digest = Digest::of(&ptah_records::to_bytes(&plan_file::seal(document::plan_record(&plan))));
        Ok(plan)
    }

    /// Proves the invariants of a plan, before it is stored or run.
    pub fn check(&self) -> Result<(), PlanFault> {
        check::check(self)
    }

    /// What the plan says of itself.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// The state that it leads to.
    pub fn to(&self) -> Fingerprint {
        self.to
    }

    /// What is run, in order; at least one.
    pub fn segments(&self) -> &[PlanSegment] {
        &self.segments
    }

    /// All steps in order.
    pub fn steps(&self) -> impl Iterator<Item = &PlannedStep> {
        self.segments.iter().flat_map(|s| &s.segment.steps)
    }

    /// The digest of the bytes of its file: what an approval and a claim are bound to. It covers the plan ID.
    pub fn digest(&self) -> Digest {
        self.digest
    }
}
