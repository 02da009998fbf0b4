//! What a Job's Pod is told to do. Nothing in it is secret: addresses and credentials come from Secrets alone.

use serde::{Deserialize, Serialize};

use super::migration_plan::{MigrationStep, StepTransaction};
use super::parts::{ObjectRef, PlanRef, TargetIdentity};
use super::plan_content::StoredContent;
use super::unsettled_run::DriftSeverity;
use crate::operator::check::{Contradiction, Record, rule};
use crate::operator::limits::{MIGRATIONS, OPERATION, POLICY_ENTRIES, SETTLED, WINDOW_MOST};
use crate::operator::list::List;
use crate::operator::seal::Document;
use crate::operator::text::{
    EngineText, HostName, LabelName, OciReference, OperationId, Pem, Sha256, ShortText, Uid, VersionText,
};
use crate::operator::time::Moment;
use crate::operator::whole::Whole;

/// One operation, as its Pod reads it.
///
/// - **Who writes it:** the manager, when it builds the Job; the Job's digest covers it.
/// - **Who reads it:** the containers of the Pod, at their start; they refuse one of another version.
/// - **When it is removed:** with the Job.
/// - **Size:** at most 256 KiB.
/// - **An old reader:** refused by its version, before anything is opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OperationSpec {
    /// The operation.
    #[serde(rename = "operationID")]
    pub operation_id: OperationId,
    /// The namespace of the resource and of the Job.
    pub namespace: LabelName,
    /// The resource.
    pub resource: ObjectRef,
    /// The digest of the realm's name.
    pub coordination_digest: Sha256,
    /// The engine, as the resource names it.
    pub engine: EngineText,
    /// The version of Ptah that has to carry it out.
    pub ptah_version: VersionText,
    /// The version of the documents that manager and runner exchange.
    pub runner_protocol_version: Whole<1, 1_000_000>,
    /// How long things may take.
    pub limits: RunLimits,
    /// Where the result goes.
    pub delivery: Delivery,
    /// What is to be done.
    pub work: Work,
}

/// How long things may take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunLimits {
    /// How long the whole may take, in seconds from the permit or, without one, from the start.
    pub window_seconds: Whole<1, WINDOW_MOST>,
    /// Until when a permit may be asked for; a bound for people and for a clock that is right, the permit decides.
    pub dispatch_not_after: Moment,
    /// When the run is ended at the latest.
    pub execution_not_after: Moment,
    /// How long connecting may take, in milliseconds.
    pub connect_timeout_milliseconds: Whole<1, 3_600_000>,
    /// How long waiting for the database's lock may take, in milliseconds.
    pub lock_timeout_milliseconds: Whole<1, 3_600_000>,
}

/// Where the result goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Delivery {
    /// The name of the manager's Service.
    pub host: HostName,
    /// Its port.
    pub port: Whole<1, 65_535>,
    /// The name that its certificate must have; one for each generation of the authority.
    pub server_name: HostName,
    /// The authority's certificate. It is public.
    pub authority: Pem,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Work {
    /// Fetch the artifact, read the database, plan.
    #[serde(rename_all = "camelCase")]
    Refresh {
        /// The artifact, for the container that fetches.
        artifact: WantedArtifact,
        /// What is read and planned, for the container that has the database.
        reading: RefreshReading,
    },
    /// Learn under the database's lock what a run did.
    #[serde(rename_all = "camelCase")]
    Settle {
        /// The run.
        settles: OperationId,
        /// The database that it must be.
        target_identity: TargetIdentity,
        /// What the reading is compared with.
        basis: SettleBasis,
    },
    /// Carry a plan out.
    #[serde(rename_all = "camelCase")]
    Apply {
        /// The plan.
        plan: PlanRef,
        /// The database that it must be.
        target_identity: TargetIdentity,
        /// The cluster, for the row in the database that spends the run.
        #[serde(rename = "clusterUID")]
        cluster_uid: Uid,
        /// Whether the run is spent in the database.
        run_claim: bool,
        /// Earlier runs that are settled: rows about them that are not finished do not stop this one.
        settled: List<OperationId, SETTLED>,
        /// What is carried out.
        content: ApplyContent,
    },
}

/// The artifact that is wanted, without credentials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WantedArtifact {
    /// Where it is.
    pub reference: OciReference,
    /// Whether the registry is spoken to without TLS.
    #[serde(rename = "plainHTTP")]
    pub plain_http: bool,
    /// The digest of the verification policy. Other bytes are refused.
    pub verification_policy_digest: Sha256,
}

/// What a refresh reads and plans.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum RefreshReading {
    /// A schema.
    #[serde(rename_all = "camelCase")]
    Schema {
        /// What is left out; may be empty.
        exclude: List<ShortText, POLICY_ENTRIES>,
        /// Tables that may not lose anything; may be empty.
        protected_tables: List<ShortText, POLICY_ENTRIES>,
        /// Which findings count as drift.
        drift_severity: DriftSeverity,
        /// Whether a plan that can lose something is permitted.
        allow_destructive: bool,
        /// How steps are put into transactions.
        transaction_mode: SchemaTransactions,
        /// Whether a dev database is given.
        dev: bool,
    },
    /// A history.
    #[serde(rename_all = "camelCase")]
    Migration {
        /// How migrations are put into transactions; absent where the engine chooses.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        transaction_mode: Option<StepTransaction>,
    },
}

/// How the steps of a schema's plan are put into transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SchemaTransactions {
    /// One over everything that can run in one.
    All,
    /// As few as the rules allow.
    File,
    /// None but where the rules ask for one.
    None,
}

/// What a settling reading is compared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum SettleBasis {
    /// A schema: the desired document.
    #[serde(rename_all = "camelCase")]
    Schema {
        /// What is left out; may be empty.
        exclude: List<ShortText, POLICY_ENTRIES>,
        /// The fingerprint of the state that the plan led to; absent when the plan is gone: then what is read settles the run,
        /// and says nothing of how it ended.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        desired_state_fingerprint: Option<Sha256>,
        /// The desired document; absent when its pieces are lost: then the reading settles without a comparison.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        desired: Option<StoredContent>,
    },
    /// A migration: every planned version, and the rows that were there before.
    #[serde(rename_all = "camelCase")]
    Migration {
        /// Every planned migration, in order; at least one.
        planned: List<MigrationStep, MIGRATIONS>,
        /// The digest over the artifact's whole sequence.
        sequence_digest: Sha256,
        /// The digest over the rows of the history that were there before.
        applied_rows_digest: Sha256,
    },
}

/// What an Apply carries out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum ApplyContent {
    /// A plan file.
    #[serde(rename_all = "camelCase")]
    Schema {
        /// Its pieces, as they are mounted.
        content: StoredContent,
        /// The fingerprint of the state that it was computed from: asserted in the database.
        actual_state_fingerprint: Sha256,
        /// Tables that may not lose anything; may be empty.
        protected_tables: List<ShortText, POLICY_ENTRIES>,
    },
    /// A sequence of migrations. Their files come with the artifact, by digest, through the container that fetches.
    #[serde(rename_all = "camelCase")]
    Migration {
        /// The artifact that has the files.
        artifact: WantedArtifact,
        /// The artifact's digest.
        artifact_digest: Sha256,
        /// What is run, in order; at least one.
        planned: List<MigrationStep, MIGRATIONS>,
        /// The fingerprint of the history that the sequence was chosen against.
        history_fingerprint: Sha256,
        /// The digest over the artifact's whole sequence.
        sequence_digest: Sha256,
    },
}

impl OperationSpec {
    /// Whether the runner has to have a permit before it opens a database.
    pub fn needs_permit(&self) -> bool {
        match self.work {
            Work::Refresh { .. } => false,
            Work::Settle { .. } | Work::Apply { .. } => true,
        }
    }
}

impl Record for OperationSpec {
    const NAME: &'static str = "operation";

    fn check(&self) -> Result<(), Contradiction> {
        let in_order = self.limits.dispatch_not_after <= self.limits.execution_not_after;
        rule::<Self>(in_order, "a run starts before it ends")?;
        let planned = match &self.work {
            Work::Settle { settles, basis, .. } => {
                rule::<Self>(*settles != self.operation_id, "an operation does not settle itself")?;
                match basis {
                    SettleBasis::Migration { planned, .. } => Some(planned),
                    SettleBasis::Schema { desired, .. } => {
                        desired.as_ref().map_or(Ok(()), Record::check)?;
                        None
                    }
                }
            }
            Work::Apply { content: ApplyContent::Migration { planned, .. }, .. } => Some(planned),
            Work::Apply { content: ApplyContent::Schema { content, .. }, .. } => {
                content.check()?;
                None
            }
            Work::Refresh { .. } => None,
        };
        rule::<Self>(planned.is_none_or(|planned| !planned.is_empty()), "a sequence has at least one migration")
    }
}

impl Document for OperationSpec {
    const CONTRACT_VERSION: u32 = 1;
    const LIMIT: usize = OPERATION;
}
