//! What an owner asks for, as the core sees it: the semantic fields, each group as the digest of a versioned list.
//!
//! Every field of a spec stands either in one of these lists or in the table of those that move nothing; a test asks which.
//! Moving nothing: `suspend`, `interval`, `execution` but for its timeouts (where Pods run is no part of a plan), and
//! `target.sharedRealm`, `policy.apply` and `policy.allowDestructive`, which the core reads by themselves.

use ptah_crds::{
    ApplyPolicy, ArtifactSource, Execution, MigrationPolicy, PtahMigrationSpec, PtahSchemaSpec, RunClaim, SchemaPolicy,
    Target,
};
use ptah_lifecycle::{self as core, Inputs, PolicyObject, Spec};
use ptah_model::{Digest, DigestBuilder};
use ptah_records::operator::latest::{ConfigMapKey, DriftSeverity, RegistryAuth, RegistryAuthMode, SecretKey};
use ptah_records::operator::text::DataKey;

use crate::object::Object;

/// The verification policy as it is now: the `ConfigMap` that the spec names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyState {
    /// Its UID; nothing while there is no such object, or no such key in it.
    pub uid: Option<core::Uid>,
    /// The digest of the selected key's bytes; of none where there is none.
    pub digest: Digest,
}

impl PolicyState {
    /// There is none. A reading then fails, and what was planned under one is not run.
    pub fn absent() -> Self {
        Self { uid: None, digest: Digest::of(b"") }
    }

    pub(crate) fn object(self) -> PolicyObject {
        PolicyObject { uid: self.uid.unwrap_or(core::Uid(0)), digest: self.digest }
    }
}

/// The spec of a resource in this namespace.
pub(crate) fn of(object: &Object, namespace: &str, policy: PolicyState) -> Spec {
    match object {
        Object::Schema(schema) => of_schema(&schema.spec, namespace, policy),
        Object::Migration(migration) => of_migration(&migration.spec, namespace, policy),
    }
}

fn of_schema(spec: &PtahSchemaSpec, namespace: &str, verification: PolicyState) -> Spec {
    let dev = spec.dev.as_ref().map(|dev| &dev.url_from);
    Spec {
        apply: apply(spec.policy.apply),
        allow_destructive: spec.policy.allow_destructive,
        inputs: Inputs {
            artifact: artifact(&spec.desired),
            target: target(spec.target.engine.as_str(), &spec.target.url_from),
            scope: schema_scope(&spec.policy, dev),
            execution: schema_execution(&spec.policy, &spec.execution),
            verification: verification.object(),
        },
        suspended: spec.suspend,
        interval: seconds(spec.interval.milliseconds()),
        ..common(&spec.target, namespace, &spec.execution)
    }
}

fn of_migration(spec: &PtahMigrationSpec, namespace: &str, verification: PolicyState) -> Spec {
    Spec {
        apply: apply(spec.policy.apply),
        inputs: Inputs {
            artifact: artifact(&spec.artifact),
            target: target(spec.target.engine.as_str(), &spec.target.url_from),
            scope: DigestBuilder::new("ptah.operator.migration-scope.v1").finish(),
            execution: migration_execution(&spec.policy, &spec.execution),
            verification: verification.object(),
        },
        suspended: spec.suspend,
        interval: seconds(spec.interval.milliseconds()),
        ..common(&spec.target, namespace, &spec.execution)
    }
}

/// What both families have in common; the rest is filled in by each.
fn common(target: &Target, namespace: &str, execution: &Execution) -> Spec {
    let empty = Digest::of(b"");
    Spec {
        coordination: coordination(target, namespace),
        shared: target.shared_realm,
        suspended: true,
        apply: core::ApplyPolicy::Never,
        // A migration is written by hand: what it does to data is its author's, and a person approves it.
        allow_destructive: true,
        window: i64::try_from(execution.active_deadline_seconds.get()).unwrap_or(i64::MAX),
        interval: 0,
        retry: seconds(execution.failure_retry_interval.milliseconds()),
        inputs: Inputs {
            artifact: empty,
            target: empty,
            scope: empty,
            execution: empty,
            verification: PolicyState::absent().object(),
        },
    }
}

/// Whole seconds; every duration of a spec has at least one.
fn seconds(milliseconds: u64) -> i64 {
    i64::try_from(milliseconds / 1_000).unwrap_or(i64::MAX)
}

/// What the resource's policy permits, as one digest: when a plan may run, what it may lose, what is compared, and how it runs.
pub(crate) fn policy(spec: &Spec) -> Digest {
    let apply = match spec.apply {
        core::ApplyPolicy::Never => "never",
        core::ApplyPolicy::OnApproval => "on-approval",
        core::ApplyPolicy::Always => "always",
    };
    DigestBuilder::new("ptah.operator.policy.v1")
        .text(apply)
        .number(u64::from(spec.allow_destructive))
        .bytes(spec.inputs.scope.as_bytes())
        .bytes(spec.inputs.execution.as_bytes())
        .finish()
}

/// The realm's name: the engine with the namespace and the key, or with the `PtahRealm`. It is hashed, because a key may
/// say more than others should read.
pub(crate) fn coordination(target: &Target, namespace: &str) -> Digest {
    let engine = target.engine.as_str().to_ascii_lowercase();
    match (&target.realm_ref, &target.coordination_key) {
        (Some(realm), _) => {
            DigestBuilder::new("ptah.operator.realm.v1").text(&engine).text(realm.name.as_str()).finish()
        }
        (None, key) => DigestBuilder::new("ptah.operator.key.v1")
            .text(&engine)
            .text(namespace)
            .optional(key.as_ref().map(ptah_crds::CoordinationKey::as_str))
            .finish(),
    }
}

fn apply(policy: ApplyPolicy) -> core::ApplyPolicy {
    match policy {
        ApplyPolicy::Never => core::ApplyPolicy::Never,
        ApplyPolicy::OnApproval => core::ApplyPolicy::OnApproval,
        ApplyPolicy::Always => core::ApplyPolicy::Always,
    }
}

fn artifact(source: &ArtifactSource) -> Digest {
    let auth = source.registry_auth_from.as_ref();
    let mode = auth.map(|auth| match auth.mode {
        RegistryAuthMode::Environment => "environment",
        RegistryAuthMode::DockerConfigJSON => "docker-config-json",
    });
    let key = |key: fn(&RegistryAuth) -> Option<&str>| auth.and_then(key);
    let ConfigMapKey { name, key: policy_key } = &source.verification_policy_from;
    let ca = source.transport.ca_from.as_ref();
    DigestBuilder::new("ptah.operator.artifact.v1")
        .text(source.oci_ref.as_str())
        .optional(auth.map(|auth| auth.name.as_str()))
        .optional(mode)
        .optional(key(|auth| auth.username_key.as_ref().map(DataKey::as_str)))
        .optional(key(|auth| auth.password_key.as_ref().map(DataKey::as_str)))
        .optional(key(|auth| auth.token_key.as_ref().map(DataKey::as_str)))
        .optional(key(|auth| auth.docker_config_json_key.as_ref().map(DataKey::as_str)))
        .number(u64::from(source.transport.plain_http))
        .optional(ca.map(|ca| ca.name.as_str()))
        .optional(ca.map(|ca| ca.key.as_str()))
        .text(name.as_str())
        .text(policy_key.as_str())
        .finish()
}

/// Which database: the engine, and where its address is.
pub(crate) fn target(engine: &str, url: &SecretKey) -> Digest {
    DigestBuilder::new("ptah.operator.target.v1").text(engine).text(url.name.as_str()).text(url.key.as_str()).finish()
}

fn schema_scope(policy: &SchemaPolicy, dev: Option<&SecretKey>) -> Digest {
    let drift = match policy.drift_severity {
        DriftSeverity::All => "all",
        DriftSeverity::Destructive => "destructive",
    };
    let mut scope = DigestBuilder::new("ptah.operator.schema-scope.v1")
        .text(drift)
        .optional(dev.map(|dev| dev.name.as_str()))
        .optional(dev.map(|dev| dev.key.as_str()));
    let (exclude, protected) = (policy.exclude.as_slice(), policy.protected_tables.as_slice());
    scope = scope.number(u64::try_from(exclude.len()).unwrap_or(u64::MAX));
    for pattern in exclude {
        scope = scope.text(pattern.as_str());
    }
    for table in protected {
        scope = scope.text(table.as_str());
    }
    scope.finish()
}

fn schema_execution(policy: &SchemaPolicy, execution: &Execution) -> Digest {
    use ptah_crds::SchemaTransactionMode as Mode;
    let mode = match policy.transaction_mode {
        Mode::All => "all",
        Mode::File => "file",
        Mode::None => "none",
    };
    timeouts("ptah.operator.schema-execution.v1", policy.lock_timeout.milliseconds(), execution, policy.run_claim)
        .text(mode)
        .finish()
}

fn migration_execution(policy: &MigrationPolicy, execution: &Execution) -> Digest {
    use ptah_crds::MigrationTransactionMode as Mode;
    let mode = policy.transaction_mode.map(|mode| match mode {
        Mode::File => "file",
        Mode::None => "none",
    });
    timeouts("ptah.operator.migration-execution.v1", policy.lock_timeout.milliseconds(), execution, policy.run_claim)
        .optional(mode)
        .finish()
}

fn timeouts(domain: &str, lock: u64, execution: &Execution, claim: RunClaim) -> DigestBuilder {
    DigestBuilder::new(domain)
        .number(execution.active_deadline_seconds.get())
        .number(execution.connect_timeout.milliseconds())
        .number(lock)
        .text(match claim {
            RunClaim::Table => "table",
            RunClaim::None => "none",
        })
}

#[cfg(test)]
mod tests;
