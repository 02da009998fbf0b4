//! Version 1 of the shared parts of `--json` documents.

use serde::Serialize;

use crate::shared::{HazardV1, LossV1, PositionV1, RiskV1, RuleV1, SeverityV1};

/// What `schema plan` found out, and what an apply is about to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanReportV1 {
    /// Always 1.
    pub contract_version: u64,
    /// What came of it.
    pub outcome: PlanOutcomeV1,
    /// The plan; null when there is none.
    pub plan: Option<PlanSummaryV1>,
    /// Its steps in order; empty when there is no plan.
    pub steps: Vec<ExplanationV1>,
    /// What was found; the highest severity first where the command sorts them. May be empty.
    pub diagnostics: Vec<DiagnosticV1>,
}

/// What came of planning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PlanOutcomeV1 {
    /// There is something to do.
    Changes,
    /// The database is as it is wanted.
    NoChanges,
    /// The plan may not be run; the diagnostics say why.
    Refused,
}

/// The head of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanSummaryV1 {
    /// Its operation ID.
    pub plan_id: String,
    /// The digest of its file's bytes.
    pub plan_digest: String,
    /// The engine's name.
    pub engine: String,
    /// The fingerprint of the state that it was computed from.
    pub from: String,
    /// The fingerprint of the state that it leads to.
    pub to: String,
    /// The digest of the desired sources and the policy that shapes their reading.
    pub sources: String,
    /// The highest class of its steps.
    pub highest_risk: RiskV1,
    /// Its segments in order; at least one.
    pub segments: Vec<SegmentSummaryV1>,
}

/// One segment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SegmentSummaryV1 {
    /// Whether it is one transaction.
    pub transaction: bool,
    /// Session settings that hold for it; may be empty.
    pub settings: Vec<String>,
    /// The number of its first step.
    pub first_step: u32,
    /// The number of its last step.
    pub last_step: u32,
    /// The fingerprint after it.
    pub after: String,
}

/// Why one step is there, and what it does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplanationV1 {
    /// Its number in the plan, from 1.
    pub number: u32,
    /// What it does, for people.
    pub title: String,
    /// The class that counts.
    pub risk: RiskV1,
    /// What is lost, or null.
    pub loss: Option<LossV1>,
    /// Whether it runs in a transaction.
    pub transaction: bool,
    /// The statements, exactly as they are sent.
    pub statements: Vec<String>,
    /// The changes that it serves; at least one.
    pub why: Vec<WhyV1>,
    /// The rule that made it what it is.
    pub rule: RuleV1,
    /// The steps that it waits for; may be empty.
    pub after: Vec<EarlierV1>,
    /// What can go wrong; may be empty.
    pub hazards: Vec<HazardV1>,
    /// What it locks; may be empty.
    pub locks: Vec<LockSummaryV1>,
    /// What has to hold of the rows; may be empty.
    pub checks: Vec<CheckSummaryV1>,
}

/// A change that a step serves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WhyV1 {
    /// The change, for people.
    pub change: String,
    /// The facets that differ; empty for what is created, dropped or renamed.
    pub differs: Vec<DiffersV1>,
    /// What in the sources asked for it; null for what is absent there.
    pub asked: Option<PositionV1>,
}

/// A facet in both spellings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffersV1 {
    /// Which.
    pub facet: String,
    /// As the target has it, in the server's spelling; null when it has none.
    pub from: Option<String>,
    /// As it is wanted, in the server's spelling; null when it shall have none.
    pub to: Option<String>,
}

/// A step that comes earlier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EarlierV1 {
    /// Its number.
    pub number: u32,
    /// Why it comes earlier.
    pub rule: String,
    /// Whether its transaction is committed before.
    pub committed: bool,
}

/// What a step does to an object while it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LockSummaryV1 {
    /// The object, for people.
    pub object: String,
    /// The server's word for the lock.
    pub mode: String,
    /// Whether its rows are written again.
    pub rewrites: bool,
    /// Whether its rows are read.
    pub scans: bool,
}

/// What has to hold of the rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckSummaryV1 {
    /// A stable code.
    pub code: String,
    /// What offending rows mean.
    pub sentence: String,
    /// Whether offending rows make the step lose values rather than fail.
    pub lossy: bool,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiagnosticV1 {
    /// The stable code.
    pub code: String,
    /// How much it weighs.
    pub severity: SeverityV1,
    /// What was wrong.
    pub summary: String,
    /// Where, or null.
    pub position: Option<PositionV1>,
    /// What to do, or null.
    pub hint: Option<String>,
}
