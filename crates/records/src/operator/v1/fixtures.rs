//! Records for tests: small, with a different value in every field, so that a swap is seen.

use crate::operator::list::List;
use crate::operator::text::{
    Code, DataKey, EngineText, Epoch, Image, LabelName, MigrationKey, ObjectName, OciReference, OperationId, Sentence,
    Sha256, ShortText, Uid, UserName, VersionText,
};
use crate::operator::time::Moment;
use crate::operator::v1::*;
use crate::operator::whole::Whole;

pub(crate) fn sha(seed: u8) -> Sha256 {
    Sha256::new(format!("sha256:{}", format!("{seed:02x}").repeat(32))).unwrap()
}

pub(crate) fn operation(seed: u8) -> OperationId {
    OperationId::new(format!("01890a5d-ac96-774b-bcce-b302099a80{seed:02x}")).unwrap()
}

pub(crate) fn epoch(seed: u8) -> Epoch {
    Epoch::new(format!("v1-{}", format!("{seed:02x}").repeat(16))).unwrap()
}

pub(crate) fn uid(seed: u8) -> Uid {
    Uid::new(format!("11111111-1111-4111-8111-1111111111{seed:02x}")).unwrap()
}

pub(crate) fn name(text: &str) -> ObjectName {
    ObjectName::new(text).unwrap()
}

pub(crate) fn job(text: &str) -> LabelName {
    LabelName::new(text).unwrap()
}

pub(crate) fn moment(seconds: u64) -> Moment {
    Moment::from_milliseconds(1_796_000_000_000 + seconds * 1_000).unwrap()
}

pub(crate) fn whole<const LEAST: u64, const MOST: u64>(number: u64) -> Whole<LEAST, MOST> {
    Whole::new(number).unwrap()
}

pub(crate) fn list<T, const MOST: usize>(entries: Vec<T>) -> List<T, MOST> {
    List::new(entries).map_err(|_| "too many").unwrap()
}

pub(crate) fn key(text: &str) -> MigrationKey {
    MigrationKey::new(text).unwrap()
}

pub(crate) fn code(text: &str) -> Code {
    Code::new(text).unwrap()
}

fn image(text: &str, seed: u8) -> Image {
    Image::new(format!("registry.test/{text}@{}", sha(seed))).unwrap()
}

pub(crate) fn manager() -> ManagerRecord {
    ManagerRecord {
        controller_image: image("operator", 0xa1),
        controller_revision: VersionText::new("7f3c2a1").unwrap(),
        runner_image: image("runner", 0xa2),
    }
}

pub(crate) fn execution_binding() -> ExecutionBinding {
    ExecutionBinding {
        epoch: epoch(0xb1),
        controller_state_version: whole(1),
        ptah_version: VersionText::new("v0.1.0").unwrap(),
        executor_image: image("executor", 0xa3),
        runner_protocol_version: whole(1),
    }
}

pub(crate) fn access() -> Access {
    let url_from = SecretKey { name: name("billing-db"), key: DataKey::new("dsn").unwrap() };
    Access {
        target: TargetAccess { engine: EngineText::new("PostgreSQL").unwrap(), url_from },
        connect_timeout_milliseconds: whole(10_000),
        lock_timeout_milliseconds: whole(30_000),
        window_seconds: whole(900),
        scope_digest: sha(0xc3),
        execution_digest: sha(0xc4),
    }
}

pub(crate) fn identity() -> TargetIdentity {
    TargetIdentity {
        route_digest: sha(0xc1),
        database_identity: sha(0xc2),
        source: IdentitySource::Reported,
        apart: None,
    }
}

pub(crate) fn tenure() -> Tenure {
    Tenure {
        coordination_epoch: Some(epoch(0xd1)),
        database_epoch: Some(epoch(0xd2)),
        lease_duration_seconds: whole(1200),
        continuity_lost: false,
    }
}

pub(crate) fn binding() -> PlanBinding {
    PlanBinding {
        artifact_digest: sha(0xe1),
        coordination_digest: sha(0xe2),
        target_identity: identity(),
        policy_fingerprint: sha(0xe3),
        verification_policy: PolicyBinding { uid: uid(0x01), digest: sha(0xe4) },
        execution_binding_id: epoch(0xb1),
        ptah_version: VersionText::new("v0.1.0").unwrap(),
        executor_image: image("executor", 0xa3),
        runner_protocol_version: whole(1),
    }
}

pub(crate) fn plan_ref() -> PlanRef {
    PlanRef { name: name("ptah-plan-0a1b2c"), uid: uid(0x02), fingerprint: sha(0xf1) }
}

fn claim(operation_type: OperationType, purpose: Option<ReadPurpose>) -> Claim {
    Claim {
        controller_state_version: whole(1),
        operation: operation_type,
        purpose,
        id: operation(0x01),
        input_fingerprint: sha(0x11),
        execution_binding_id: epoch(0xb1),
        dispatched_by: manager(),
        started_at: moment(0),
        access: access(),
        coordination_digest: sha(0xe2),
        target_identity: None,
        last_database_epoch: None,
        source: None,
        plan: None,
        approval_ref: None,
        settles: None,
        tenure: Tenure { coordination_epoch: None, database_epoch: None, ..tenure() },
        job_name: job("ptah-apply-billing-0123456789abcdef"),
        job_digest: Some(sha(0x12)),
        dispatch_started: true,
        dispatch_not_after: moment(60),
        execution_not_after: moment(960),
        job_uid: Some(uid(0x03)),
        started_by: None,
        evidence: RunEvidence::default(),
    }
}

pub(crate) fn refresh() -> Claim {
    let policy = ConfigMapKey { name: name("billing-verify-v3"), key: DataKey::new("policy.yaml").unwrap() };
    let source = ArtifactAccess {
        reference: OciReference::new("oci://registry.test/db/billing:2026.10").unwrap(),
        digest: Some(sha(0xe1)),
        registry_auth_from: Some(RegistryAuth {
            name: name("billing-pull"),
            mode: RegistryAuthMode::Environment,
            username_key: Some(DataKey::new("user").unwrap()),
            password_key: None,
            token_key: None,
            docker_config_json_key: None,
        }),
        transport: Transport::default(),
        verification_policy_from: policy,
        verification_policy: PolicyBinding { uid: uid(0x01), digest: sha(0xe4) },
    };
    let claim = claim(OperationType::Read, Some(ReadPurpose::Refresh));
    Claim { source: Some(source), last_database_epoch: Some(epoch(0xd3)), ..claim }
}

pub(crate) fn apply() -> Claim {
    Claim {
        target_identity: Some(identity()),
        plan: Some(plan_ref()),
        approval_ref: Some(ObjectRef { name: name("billing-2026-10"), uid: uid(0x04) }),
        tenure: tenure(),
        started_by: Some(started_by()),
        evidence: evidence(),
        ..claim(OperationType::Apply, None)
    }
}

pub(crate) fn settle() -> Claim {
    Claim {
        purpose: Some(ReadPurpose::Settle),
        operation: OperationType::Read,
        approval_ref: None,
        settles: Some(operation(0x09)),
        ..apply()
    }
}

pub(crate) fn started_by() -> StartedBy {
    StartedBy { pod_uid: uid(0x05), key_digest: sha(0x13) }
}

pub(crate) fn evidence() -> RunEvidence {
    RunEvidence { pods: list(vec![PodEvidence { uid: uid(0x05), stopped: true }]) }
}

fn approval() -> RecordedApproval {
    RecordedApproval {
        name: name("billing-2026-10"),
        uid: uid(0x04),
        approver: UserName::new("dana@acme.test").unwrap(),
        approved_at: moment(5),
    }
}

pub(crate) fn current_schema_plan() -> CurrentSchemaPlan {
    CurrentSchemaPlan {
        name: name("ptah-plan-0a1b2c"),
        uid: uid(0x02),
        fingerprint: sha(0xf1),
        controller_state_version: whole(1),
        binding: binding(),
        content_digest: sha(0x21),
        desired_digest: sha(0x22),
        actual_state_fingerprint: sha(0x23),
        desired_state_fingerprint: sha(0x24),
        destructive: true,
        privilege_changes: list(vec![PrivilegeChange::Grant, PrivilegeChange::Ownership]),
        statement_count: whole(2),
        created_at: moment(1),
        recorded_by: manager(),
        approval: Some(approval()),
    }
}

pub(crate) fn current_migration_plan() -> CurrentMigrationPlan {
    CurrentMigrationPlan {
        name: name("ptah-mplan-112233"),
        uid: uid(0x06),
        fingerprint: sha(0xf2),
        controller_state_version: whole(1),
        binding: binding(),
        history_fingerprint: sha(0x25),
        sequence_digest: sha(0x26),
        applied_rows_digest: sha(0x27),
        step_count: whole(2),
        created_at: moment(2),
        recorded_by: manager(),
        approval: None,
    }
}

pub(crate) fn steps() -> Vec<MigrationStep> {
    let step = |version: &str, checksum: &str, mode| MigrationStep {
        version: key(version),
        description: ShortText::new("Add due date").ok(),
        checksum: key(checksum),
        checkpoint: false,
        transaction_mode: mode,
    };
    vec![step("7", "h1:Zm9v", Some(StepTransaction::None)), step("8", "h1:YmFy", None)]
}

fn unsettled<Basis>(family: Family, basis: Basis) -> UnsettledRun<Basis> {
    UnsettledRun {
        controller_state_version: whole(1),
        operation_id: operation(0x01),
        family,
        outcome: Outcome::Unknown,
        applied_units: None,
        reported: Some(Outcome::Partial),
        reported_units: Some(whole(1)),
        plan_ref: HeldPlan { uid: uid(0x02), fingerprint: sha(0xf1) },
        basis: Some(basis),
        access: Some(access()),
        coordination_digest: sha(0xe2),
        coordination_epoch: Some(epoch(0xd1)),
        database_epoch: Some(epoch(0xd2)),
        target_identity: identity(),
        job_name: Some(job("ptah-apply-billing-0123456789abcdef")),
        job_uid: Some(uid(0x03)),
        evidence: evidence(),
        components_digest: Some(sha(0xb2)),
        dispatched_by: Some(manager()),
        execution_not_after: moment(960),
        settle_not_before: moment(1020),
        recorded_at: moment(970),
        attempts: Some(Failures { count: whole(2), since: moment(1030), last: moment(1060) }),
        last_answer: Some(LastAnswer {
            code: code("lock_busy"),
            lock_holder: ShortText::new("4711").ok(),
            lock_age_seconds: Some(whole(61)),
        }),
        inherited: false,
    }
}

pub(crate) fn pending_observation() -> PendingObservation {
    let basis = ObservationBasis {
        plan: current_schema_plan(),
        exclude: list(vec![ShortText::new("audit.*").unwrap()]),
        drift_severity: DriftSeverity::Destructive,
    };
    unsettled(Family::Schema, basis)
}

pub(crate) fn unresolved_run() -> UnresolvedRun {
    let basis = SequenceBasis {
        plan: current_migration_plan(),
        planned: list(steps()),
        reported_versions: list(vec![key("7")]),
    };
    unsettled(Family::Migration, basis)
}

pub(crate) fn resolved_run() -> ResolvedRun {
    ResolvedRun {
        controller_state_version: whole(1),
        operation_id: operation(0x01),
        outcome: Some(Outcome::Partial),
        resolution: Resolution::Acknowledged,
        reading_id: None,
        acknowledged: Some(Acknowledged {
            acknowledgment_ref: ObjectRef { name: name("invoices-run-17"), uid: uid(0x07) },
            acknowledged_by: UserName::new("dana@acme.test").unwrap(),
            finding: Finding::Repaired,
            reason: Sentence::new("the index of migration 8 was dropped by hand").unwrap(),
        }),
        resolved_at: moment(2000),
    }
}

pub(crate) fn owed_release() -> OwedRelease {
    OwedRelease {
        controller_state_version: whole(1),
        operation_id: operation(0x01),
        coordination_digest: sha(0xe2),
        database_identity: Some(sha(0xc2)),
        coordination_epoch: Some(epoch(0xd1)),
        database_epoch: Some(epoch(0xd2)),
        drop_hold: Some(operation(0x09)),
    }
}

pub(crate) fn applied() -> Applied {
    Applied {
        controller_state_version: whole(1),
        operation_id: operation(0x01),
        plan_ref: plan_ref(),
        binding: binding(),
        dispatched_by: manager(),
        completed_at: moment(3000),
    }
}

pub(crate) fn last_run() -> LastRun {
    LastRun {
        operation_id: operation(0x01),
        outcome: Outcome::Partial,
        plan_ref: plan_ref(),
        job_name: job("ptah-m-apply-invoices-0123456789abcdef"),
        job_uid: Some(uid(0x03)),
        started_at: moment(0),
        finished_at: moment(100),
        applied_versions: list(vec![key("7")]),
        dispatched_by: manager(),
        code: Some(code("statement_refused")),
        message: Sentence::new("the database refused a statement of migration 8").ok(),
    }
}

fn stored(seed: u8) -> StoredContent {
    let chunk = |index: u64, size: u64| ChunkRef {
        name: name(&format!("ptah-plan-0a1b2c-{seed}-{index}")),
        index: whole(index),
        digest: sha(seed + u8::try_from(index).unwrap()),
        size: whole(size),
    };
    StoredContent {
        digest: sha(seed),
        size: whole(9_000_000),
        encoding: Encoding::Gzip,
        stored_size: whole(524_388),
        chunks: list(vec![chunk(0, 524_288), chunk(1, 100)]),
    }
}

pub(crate) fn schema_plan() -> SchemaPlan {
    SchemaPlan {
        contract_version: whole(1),
        controller_state_version: whole(1),
        schema_ref: ObjectRef { name: name("billing"), uid: uid(0x08) },
        fingerprint: sha(0xf1),
        input_fingerprint: sha(0x11),
        binding: binding(),
        engine: EngineText::new("PostgreSQL").unwrap(),
        actual_state_fingerprint: sha(0x23),
        desired_state_fingerprint: sha(0x24),
        destructive: false,
        privilege_changes: list(vec![PrivilegeChange::Revoke]),
        statement_count: whole(2),
        content: stored(0x31),
        desired: stored(0x41),
        recorded_by: manager(),
        created_at: moment(1),
    }
}

pub(crate) fn migration_plan() -> MigrationPlan {
    MigrationPlan {
        contract_version: whole(1),
        controller_state_version: whole(1),
        migration_ref: ObjectRef { name: name("invoices"), uid: uid(0x0a) },
        fingerprint: sha(0xf2),
        input_fingerprint: sha(0x11),
        content_digest: MigrationPlan::content_digest_of(&steps()),
        binding: binding(),
        history_fingerprint: sha(0x25),
        current_version: Some(key("6")),
        migrations: list(steps()),
        step_count: whole(2),
        sequence_digest: sha(0x26),
        applied_rows_digest: sha(0x27),
        recorded_by: manager(),
        created_at: moment(2),
    }
}
