//! Version 1 of the plan file.

mod step;

pub use step::{
    ActionV1, AfterV1, ChangeV1, CheckV1, FacetChangeV1, FacetV1, LockV1, PhaseV1, ServedV1, StepV1, TransactionRuleV1,
    UnitV1,
};

use serde::{Deserialize, Serialize};

/// The file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFileV1 {
    /// Always 1, and always first.
    pub format_version: u64,
    /// The digest over `plan`, as it would be written alone.
    pub digest: String,
    /// The plan.
    pub plan: PlanV1,
}

/// The plan: all that carrying it out needs, and all that explains it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanV1 {
    /// Its operation ID: spent in the database by the first run. Differs between two plans that say the same.
    pub plan_id: String,
    /// The engine's name.
    pub engine: String,
    /// Which database it is for.
    pub target: TargetV1,
    /// The fingerprint of the state that it was computed from.
    pub from: String,
    /// The fingerprint of the state that it leads to, as the proof on a copy read it.
    pub to: String,
    /// The digest of the desired sources and of the policy that shapes how they are read.
    pub sources: String,
    /// What the caller permitted.
    pub policy: PolicyV1,
    /// The renames that the ledger has to keep afterwards; may be empty.
    pub renames: Vec<RenameV1>,
    /// What is run, in order; at least one.
    pub segments: Vec<SegmentV1>,
}

/// Which database a plan is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetV1 {
    /// Its UUID; null for a database that Ptah never changed.
    pub uuid: Option<String>,
    /// Its physical identity.
    pub physical: String,
    /// The route that led to it; never an address with a credential.
    pub route: String,
}

/// What the caller permitted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyV1 {
    /// Whether the order of columns is a difference.
    pub column_order: ColumnOrderV1,
    /// Whether something may be lost.
    pub allow_destructive: bool,
    /// Whether the desired state may be empty or drop every table.
    pub allow_empty: bool,
    /// Tables that may not lose anything, as they were given; may be empty.
    pub protected_tables: Vec<String>,
    /// How steps were put into transactions.
    pub tx_mode: TxModeV1,
}

/// Whether the order of columns is a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnOrderV1 {
    /// It is none.
    Ignore,
    /// It is one.
    Exact,
}

/// How steps were put into transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TxModeV1 {
    /// As few transactions as the rules allow.
    File,
    /// The same, over everything that runs.
    All,
    /// No transaction but where the rules ask for one.
    None,
}

/// A rename.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RenameV1 {
    /// The kind's word.
    pub kind: String,
    /// The object it is in, by its new name; null for an object.
    pub owner: Option<String>,
    /// The old name, normalised.
    pub from: String,
    /// The new name, normalised.
    pub to: String,
}

/// What is run together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SegmentV1 {
    /// Whether it is one transaction; otherwise it has one step.
    pub transaction: bool,
    /// Named session settings that hold for it, sorted; may be empty.
    pub settings: Vec<String>,
    /// The fingerprint on which it begins.
    pub before: String,
    /// The fingerprint after it.
    pub after: String,
    /// Its steps, in order; 1 to 1,000.
    pub steps: Vec<StepV1>,
}
