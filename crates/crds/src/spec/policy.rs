//! What a resource permits.

use ptah_records::operator::latest::DriftSeverity;
use ptah_records::operator::limits::POLICY_ENTRIES;
use ptah_records::operator::list::List;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::duration::Between;
use crate::text::{NamePattern, TableName};

/// Who decides that a plan is carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ApplyPolicy {
    /// Nobody: plans are made and shown.
    Never,
    /// A person, plan by plan.
    #[default]
    OnApproval,
    /// The operator, except for what always needs a person: what can lose something, and what changes rights.
    Always,
}

/// Whether a run is spent in the database itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RunClaim {
    /// In a table of ours, so that no second process can carry the same operation out.
    #[default]
    Table,
    /// Not at all: the account may not create the table. The promise is weaker then, and the status says so.
    None,
}

/// How the steps of a schema's plan are put into transactions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum SchemaTransactionMode {
    /// One transaction over everything that can run in one.
    #[serde(rename = "all")]
    All,
    /// As few transactions as the rules allow.
    #[default]
    #[serde(rename = "file")]
    File,
    /// No transaction but where the rules ask for one.
    #[serde(rename = "none")]
    None,
}

/// How migrations are put into transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum MigrationTransactionMode {
    /// Each file in one of its own.
    #[serde(rename = "file")]
    File,
    /// No transaction.
    #[serde(rename = "none")]
    None,
}

/// What a schema permits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SchemaPolicy {
    /// Who decides that a plan is carried out.
    #[serde(default)]
    pub apply: ApplyPolicy,
    /// Whether a plan that can lose something may be carried out at all; it then still needs a person.
    #[serde(default)]
    pub allow_destructive: bool,
    /// Which findings count as drift.
    #[serde(default)]
    pub drift_severity: DriftSeverity,
    /// What is not managed: patterns over names of objects, each once; may be empty.
    #[serde(default)]
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub exclude: List<NamePattern, POLICY_ENTRIES>,
    /// How long a run waits for the database's lock, from 1s to 10m.
    #[serde(default = "thirty_seconds")]
    pub lock_timeout: Between<1, 600>,
    /// How steps are put into transactions.
    #[serde(default)]
    pub transaction_mode: SchemaTransactionMode,
    /// Tables that may not lose anything, whatever else is permitted, each once; may be empty.
    #[serde(default)]
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub protected_tables: List<TableName, POLICY_ENTRIES>,
    /// Whether a run is spent in the database itself.
    #[serde(default)]
    pub run_claim: RunClaim,
}

/// What a migration permits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MigrationPolicy {
    /// Who decides that a plan is carried out.
    #[serde(default)]
    pub apply: ApplyPolicy,
    /// How long a run waits for the database's lock, from 1s to 1h.
    #[serde(default = "five_minutes")]
    pub lock_timeout: Between<1, 3600>,
    /// How migrations are put into transactions; the engine chooses when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction_mode: Option<MigrationTransactionMode>,
    /// Whether a run is spent in the database itself.
    #[serde(default)]
    pub run_claim: RunClaim,
}

fn thirty_seconds() -> Between<1, 600> {
    Between::seconds(30)
}

fn five_minutes() -> Between<1, 3600> {
    Between::seconds(300)
}

impl Default for SchemaPolicy {
    fn default() -> Self {
        Self {
            apply: ApplyPolicy::default(),
            allow_destructive: false,
            drift_severity: DriftSeverity::default(),
            exclude: List::default(),
            lock_timeout: thirty_seconds(),
            transaction_mode: SchemaTransactionMode::default(),
            protected_tables: List::default(),
            run_claim: RunClaim::default(),
        }
    }
}

impl Default for MigrationPolicy {
    fn default() -> Self {
        Self {
            apply: ApplyPolicy::default(),
            lock_timeout: five_minutes(),
            transaction_mode: None,
            run_claim: RunClaim::default(),
        }
    }
}
