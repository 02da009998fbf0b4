//! What the Pod of an operation is told: of the claim, of what was stored with it, and of nothing else.
//!
//! The claim keeps how the database is reached; a settling reading takes what it compares with from the record. What is taken
//! from the spec for a refresh or a run stands in the inputs of the claim, so an edit ends the claim.

use ptah_crds::{MigrationTransactionMode, PtahMigration, PtahSchema, RunClaim, SchemaTransactionMode};
use ptah_records::operator::check::Record as _;
use ptah_records::operator::latest::{
    ApplyContent, ArtifactAccess, Claim, Delivery, Family, ObjectRef, OperationSpec, ReadPurpose, RefreshReading,
    RunLimits, SchemaTransactions, SettleBasis, StepTransaction, WantedArtifact, Work,
};
use ptah_records::operator::list::List;
use ptah_records::operator::text::{LabelName, ObjectName, OperationId, ShortText, Uid};

use crate::object::Object;
use crate::plan::StoredPlan;
use crate::write::{Components, Unwritable};

/// What an operation is told that its resource does not say.
#[derive(Clone, Debug)]
pub struct Around<'a> {
    /// What the manager runs work with.
    pub components: &'a Components,
    /// Where the result goes.
    pub delivery: &'a Delivery,
    /// The cluster, by the UID of its namespace `kube-system`.
    pub cluster: &'a Uid,
    /// The plan that the claim names, or that of the record which it settles; nothing where it is gone.
    pub plan: Option<&'a StoredPlan>,
    /// What the database's Lease lists as settled, oldest first; at most 16.
    pub settled: &'a [OperationId],
}

/// The operation under way, as its Pod reads it.
///
/// # Errors
/// [`Unwritable`]: no Job may be made, because it would not do what was decided.
pub fn spec(object: &Object, around: &Around<'_>) -> Result<OperationSpec, Unwritable> {
    let claim = object.claim().ok_or(Unwritable::Plan)?;
    let metadata = object.metadata();
    let name = metadata.name.as_deref().and_then(|name| ObjectName::new(name).ok()).ok_or(Unwritable::Name)?;
    let uid = metadata.uid.as_deref().and_then(|uid| Uid::new(uid).ok()).ok_or(Unwritable::Name)?;
    let namespace = metadata.namespace.as_deref().and_then(|namespace| LabelName::new(namespace).ok());
    let written = OperationSpec {
        operation_id: claim.id.clone(),
        namespace: namespace.ok_or(Unwritable::Name)?,
        resource: ObjectRef { name, uid },
        coordination_digest: claim.coordination_digest.clone(),
        engine: claim.access.target.engine.clone(),
        ptah_version: around.components.ptah_version.clone(),
        runner_protocol_version: around.components.protocol,
        limits: limits(claim),
        delivery: around.delivery.clone(),
        work: match claim.purpose {
            Some(ReadPurpose::Refresh) => refresh(object, claim)?,
            Some(ReadPurpose::Settle) => settle(object, claim, around)?,
            None => apply(object, claim, around)?,
        },
    };
    written.check().map_err(|_| Unwritable::Plan)?;
    Ok(written)
}

fn limits(claim: &Claim) -> RunLimits {
    let access = &claim.access;
    RunLimits {
        window_seconds: access.window_seconds,
        dispatch_not_after: claim.dispatch_not_after,
        execution_not_after: claim.execution_not_after,
        connect_timeout_milliseconds: access.connect_timeout_milliseconds,
        lock_timeout_milliseconds: access.lock_timeout_milliseconds,
    }
}

fn refresh(object: &Object, claim: &Claim) -> Result<Work, Unwritable> {
    let ArtifactAccess { reference, transport, verification_policy, .. } =
        claim.source.as_ref().ok_or(Unwritable::Plan)?;
    let artifact = WantedArtifact {
        reference: reference.clone(),
        plain_http: transport.plain_http,
        verification_policy_digest: verification_policy.digest.clone(),
    };
    let reading = match object {
        Object::Schema(schema) => RefreshReading::Schema {
            exclude: exclude(schema)?,
            protected_tables: protected(schema)?,
            drift_severity: schema.spec.policy.drift_severity,
            allow_destructive: schema.spec.policy.allow_destructive,
            transaction_mode: match schema.spec.policy.transaction_mode {
                SchemaTransactionMode::All => SchemaTransactions::All,
                SchemaTransactionMode::File => SchemaTransactions::File,
                SchemaTransactionMode::None => SchemaTransactions::None,
            },
            dev: schema.spec.dev.is_some(),
        },
        Object::Migration(migration) => {
            let mode = migration.spec.policy.transaction_mode.map(|mode| match mode {
                MigrationTransactionMode::File => StepTransaction::File,
                MigrationTransactionMode::None => StepTransaction::None,
            });
            RefreshReading::Migration { transaction_mode: mode }
        }
    };
    Ok(Work::Refresh { artifact, reading })
}

/// What a reading settles, by the rule of the run's own family, whichever family the resource is of.
fn settle(object: &Object, claim: &Claim, around: &Around<'_>) -> Result<Work, Unwritable> {
    let basis = match object {
        Object::Schema(schema) => {
            let record = schema.status.as_ref().and_then(|status| status.pending_observation.as_ref());
            let record = record.filter(|record| Some(&record.operation_id) == claim.settles.as_ref());
            let record = record.ok_or(Unwritable::Plan)?;
            let basis = record.basis.as_ref();
            let exclude = basis.map_or_else(|| exclude(schema), |basis| Ok(basis.exclude.clone()))?;
            let fingerprint = basis.map(|basis| basis.plan.desired_state_fingerprint.clone());
            of_schema(record.family, exclude, fingerprint, basis.map(|basis| &basis.plan.uid), around)?
        }
        Object::Migration(migration) => of_migration(migration, claim, around)?,
    };
    Ok(Work::Settle {
        settles: claim.settles.clone().ok_or(Unwritable::Plan)?,
        target_identity: claim.target_identity.clone().ok_or(Unwritable::Plan)?,
        basis,
    })
}

fn of_migration(migration: &PtahMigration, claim: &Claim, around: &Around<'_>) -> Result<SettleBasis, Unwritable> {
    let record = migration.status.as_ref().and_then(|status| status.unresolved_run.as_ref());
    let record = record.filter(|record| Some(&record.operation_id) == claim.settles.as_ref());
    let record = record.ok_or(Unwritable::Plan)?;
    match (&record.basis, record.family) {
        (Some(basis), Family::Migration) => Ok(SettleBasis::Migration {
            planned: basis.planned.clone(),
            sequence_digest: basis.plan.sequence_digest.clone(),
            applied_rows_digest: basis.plan.applied_rows_digest.clone(),
        }),
        (_, family) => of_schema(family, List::default(), None, None, around),
    }
}

/// A schema's run. A migration's without its plan has nothing that a reading could be compared with: a person settles it.
fn of_schema(
    family: Family,
    exclude: List<ShortText, 128>,
    desired_state_fingerprint: Option<ptah_records::operator::text::Sha256>,
    plan: Option<&Uid>,
    around: &Around<'_>,
) -> Result<SettleBasis, Unwritable> {
    if family == Family::Migration {
        return Err(Unwritable::Plan);
    }
    let desired = match around.plan {
        Some(StoredPlan::Schema(stored))
            if plan.is_some_and(|uid| stored.metadata.uid.as_deref() == Some(uid.as_str())) =>
        {
            Some(stored.spec.0.desired.clone())
        }
        Some(_) | None => None,
    };
    Ok(SettleBasis::Schema { exclude, desired_state_fingerprint, desired })
}

fn apply(object: &Object, claim: &Claim, around: &Around<'_>) -> Result<Work, Unwritable> {
    let plan = claim.plan.clone().ok_or(Unwritable::Plan)?;
    let stored = around.plan.filter(|stored| stored.metadata().uid.as_deref() == Some(plan.uid.as_str()));
    let (content, run_claim) = match (object, stored.ok_or(Unwritable::Plan)?) {
        (Object::Schema(schema), StoredPlan::Schema(stored)) => {
            let content = ApplyContent::Schema {
                content: stored.spec.0.content.clone(),
                actual_state_fingerprint: stored.spec.0.actual_state_fingerprint.clone(),
                protected_tables: protected(schema)?,
            };
            (content, schema.spec.policy.run_claim)
        }
        (Object::Migration(migration), StoredPlan::Migration(stored)) => {
            (sequence(migration, stored), migration.spec.policy.run_claim)
        }
        (Object::Schema(_) | Object::Migration(_), _) => return Err(Unwritable::Plan),
    };
    Ok(Work::Apply {
        plan,
        target_identity: claim.target_identity.clone().ok_or(Unwritable::Plan)?,
        cluster_uid: around.cluster.clone(),
        run_claim: run_claim == RunClaim::Table,
        settled: List::new(around.settled.to_vec()).map_err(|_| Unwritable::NoText)?,
        content,
    })
}

/// The files come with the artifact, by the digest that was planned, whatever its tag says by now.
fn sequence(migration: &PtahMigration, stored: &ptah_crds::PtahMigrationPlan) -> ApplyContent {
    let (plan, source) = (&stored.spec.0, &migration.spec.artifact);
    ApplyContent::Migration {
        artifact: WantedArtifact {
            reference: source.oci_ref.clone(),
            plain_http: source.transport.plain_http,
            verification_policy_digest: plan.binding.verification_policy.digest.clone(),
        },
        artifact_digest: plan.binding.artifact_digest.clone(),
        planned: plan.migrations.clone(),
        history_fingerprint: plan.history_fingerprint.clone(),
        sequence_digest: plan.sequence_digest.clone(),
    }
}

fn exclude(schema: &PtahSchema) -> Result<List<ShortText, 128>, Unwritable> {
    texts(schema.spec.policy.exclude.as_slice().iter().map(ptah_crds::NamePattern::as_str))
}

fn protected(schema: &PtahSchema) -> Result<List<ShortText, 128>, Unwritable> {
    texts(schema.spec.policy.protected_tables.as_slice().iter().map(ptah_crds::TableName::as_str))
}

fn texts<'a>(all: impl Iterator<Item = &'a str>) -> Result<List<ShortText, 128>, Unwritable> {
    let all = all.map(|text| ShortText::new(text).map_err(|_| Unwritable::NoText)).collect::<Result<Vec<_>, _>>()?;
    List::new(all).map_err(|_| Unwritable::NoText)
}

#[cfg(test)]
mod tests;
