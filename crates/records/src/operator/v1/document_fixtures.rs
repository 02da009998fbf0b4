//! Documents for tests: small, with a different value in every field, so that a swap is seen.

use crate::operator::text::{
    EngineText, HostName, LabelName, MediaType, OciReference, Pem, Sentence, ShortText, VersionText,
};
use crate::operator::v1::fixtures::*;
use crate::operator::v1::*;

pub(crate) fn hold() -> Hold {
    Hold {
        operation_id: operation(0x01),
        family: Family::Migration,
        resource_uid: uid(0x0a),
        plan: HeldPlan { uid: uid(0x06), fingerprint: sha(0xf2) },
        sequence_digest: Some(sha(0x26)),
        execution_not_after: moment(960),
    }
}

pub(crate) fn settled() -> Settled {
    Settled { operations: list((1..=16).map(operation).collect()) }
}

pub(crate) fn bound_to() -> BoundTo {
    BoundTo { coordination_digest: sha(0xe2) }
}

pub(crate) fn permit_request() -> PermitRequest {
    PermitRequest { operation_id: operation(0x01), key_digest: sha(0x13) }
}

pub(crate) fn granted() -> PermitAnswer {
    PermitAnswer::Granted { operation_id: operation(0x01), budget_seconds: whole(893) }
}

pub(crate) fn not_yet() -> PermitAnswer {
    PermitAnswer::NotYet {}
}

pub(crate) fn refused() -> PermitAnswer {
    let Failure { code, sentence } = failure("another_pod", "another Pod was let in");
    PermitAnswer::Refused { code, sentence }
}

fn failure(text: &str, sentence: &str) -> Failure {
    Failure { code: code(text), sentence: Sentence::new(sentence).unwrap() }
}

fn artifact() -> WantedArtifact {
    WantedArtifact {
        reference: OciReference::new("oci://registry.test/db/billing:2026.10").unwrap(),
        plain_http: false,
        verification_policy_digest: sha(0xe4),
    }
}

fn spec(work: Work) -> OperationSpec {
    let pem = "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIU\n-----END CERTIFICATE-----\n";
    OperationSpec {
        operation_id: operation(0x01),
        namespace: LabelName::new("finance").unwrap(),
        resource: ObjectRef { name: name("billing"), uid: uid(0x08) },
        coordination_digest: sha(0xe2),
        engine: EngineText::new("PostgreSQL").unwrap(),
        ptah_version: VersionText::new("v0.1.0").unwrap(),
        runner_protocol_version: whole(1),
        limits: RunLimits {
            window_seconds: whole(900),
            dispatch_not_after: moment(60),
            execution_not_after: moment(960),
            connect_timeout_milliseconds: whole(10_000),
            lock_timeout_milliseconds: whole(30_000),
        },
        delivery: Delivery {
            host: HostName::new("ptah-results.ptah-system.svc").unwrap(),
            port: whole(8443),
            server_name: HostName::new("g7.ptah-results.ptah-system.svc").unwrap(),
            authority: Pem::new(pem).unwrap(),
        },
        work,
    }
}

fn excluded<const MOST: usize>(text: &str) -> crate::operator::list::List<ShortText, MOST> {
    list(vec![ShortText::new(text).unwrap()])
}

pub(crate) fn spec_refresh() -> OperationSpec {
    let reading = RefreshReading::Schema {
        exclude: excluded("audit.*"),
        protected_tables: excluded("core.tenants"),
        drift_severity: DriftSeverity::All,
        allow_destructive: false,
        transaction_mode: SchemaTransactions::File,
        dev: true,
    };
    spec(Work::Refresh { artifact: artifact(), reading })
}

pub(crate) fn spec_refresh_migration() -> OperationSpec {
    let reading = RefreshReading::Migration { transaction_mode: Some(StepTransaction::None) };
    spec(Work::Refresh { artifact: artifact(), reading })
}

pub(crate) fn spec_settle() -> OperationSpec {
    let basis =
        SettleBasis::Migration { planned: list(steps()), sequence_digest: sha(0x26), applied_rows_digest: sha(0x27) };
    spec(Work::Settle { settles: operation(0x09), target_identity: identity(), basis })
}

pub(crate) fn spec_settle_schema() -> OperationSpec {
    let basis = SettleBasis::Schema {
        exclude: excluded("audit.*"),
        desired_state_fingerprint: Some(sha(0x24)),
        desired: Some(schema_plan().desired),
    };
    spec(Work::Settle { settles: operation(0x09), target_identity: identity(), basis })
}

pub(crate) fn spec_apply() -> OperationSpec {
    let content = ApplyContent::Schema {
        content: schema_plan().content,
        actual_state_fingerprint: sha(0x23),
        protected_tables: excluded("core.tenants"),
    };
    spec(apply_of(content))
}

pub(crate) fn spec_apply_migration() -> OperationSpec {
    let content = ApplyContent::Migration {
        artifact: artifact(),
        artifact_digest: sha(0xe1),
        planned: list(steps()),
        history_fingerprint: sha(0x25),
        sequence_digest: sha(0x26),
    };
    spec(apply_of(content))
}

fn apply_of(content: ApplyContent) -> Work {
    Work::Apply {
        plan: plan_ref(),
        target_identity: identity(),
        cluster_uid: uid(0x0b),
        run_claim: true,
        settled: list(vec![operation(0x02), operation(0x03)]),
        content,
    }
}

pub(crate) fn resolved() -> Resolved {
    Resolved {
        reference: OciReference::new(format!("oci://registry.test/db/billing@{}", sha(0xe1))).unwrap(),
        digest: sha(0xe1),
        media_type: MediaType::new("application/vnd.oci.image.manifest.v1+json").unwrap(),
        artifact_type: MediaType::new("application/vnd.ptah.schema.v1").ok(),
        size: whole(4_096),
    }
}

pub(crate) fn stage() -> Stage {
    let result = StageResult::Staged {
        resolved: resolved(),
        verification_policy_digest: sha(0xe4),
        content_digest: sha(0x51),
        files: whole(3),
    };
    Stage { operation_id: operation(0x01), result }
}

pub(crate) fn stage_refused() -> Stage {
    let failure = failure("signature_missing", "no signature satisfies the policy");
    Stage { operation_id: operation(0x01), result: StageResult::NotVerified { resolved: resolved(), failure } }
}

pub(crate) fn server() -> ServerIdentity {
    ServerIdentity { route_digest: sha(0xc1), database_identity: sha(0xc2), instance_identity: Some(sha(0xc3)) }
}

fn runs() -> RunRows {
    RunRows {
        sequence: whole(41),
        unfinished: list(vec![UnfinishedRun {
            operation_id: operation(0x09),
            family: Some(Family::Schema),
            plan_digest: sha(0x54),
        }]),
    }
}

pub(crate) fn frame(sections: Vec<Section>) -> Frame {
    Frame {
        operation_id: operation(0x01),
        pod_uid: uid(0x05),
        ptah_version: VersionText::new("v0.1.0").unwrap(),
        runner_protocol_version: whole(1),
        sections: list(sections),
        attachments: list(vec![]),
    }
}

fn drift() -> DriftReport {
    DriftReport {
        report_digest: sha(0x52),
        highest_severity: Some(FindingSeverity::Warning),
        finding_count: whole(3),
        findings: list(vec![DriftFinding {
            category: code("columns_added"),
            count: whole(3),
            severity: FindingSeverity::Warning,
        }]),
        findings_truncated: false,
    }
}

fn attachment(name: AttachmentName, seed: u8) -> Attachment {
    let (stored_size, size) = (whole(u64::from(seed) * 10), whole(u64::from(seed) * 100));
    Attachment { name, stored_size, encoding: Encoding::Gzip, size, digest: sha(seed) }
}

pub(crate) fn frame_refresh() -> Frame {
    let verified = Verified { policy_digest: sha(0xe4), content_digest: sha(0x51) };
    let state = StateRead {
        identity: server(),
        state_fingerprint: sha(0x23),
        began_at: moment(10),
        ended_at: moment(12),
        drift: drift(),
        runs: runs(),
    };
    let plan = Proposed::Schema {
        actual_state_fingerprint: sha(0x23),
        desired_state_fingerprint: sha(0x24),
        destructive: false,
        privilege_changes: list(vec![PrivilegeChange::Grant]),
        statement_count: whole(2),
        protected_table: false,
    };
    let sections = vec![
        Section::Resolve(Answer::Done(resolved())),
        Section::Verify(Answer::Done(verified)),
        Section::State(Answer::Done(state)),
        Section::Plan(Answer::Done(plan)),
    ];
    let attachments = list(vec![attachment(AttachmentName::Plan, 0x31), attachment(AttachmentName::Desired, 0x41)]);
    Frame { attachments, ..frame(sections) }
}

pub(crate) fn frame_refresh_migration() -> Frame {
    let verified = Verified { policy_digest: sha(0xe4), content_digest: sha(0x51) };
    let history = HistoryRead {
        identity: server(),
        fingerprint: sha(0x25),
        rows_digest: sha(0x27),
        sequence_digest: sha(0x26),
        began_at: moment(10),
        ended_at: moment(12),
        current_version: Some(key("6")),
        checkpoint_version: None,
        applied_count: whole(6),
        pending_count: whole(2),
        dirty: false,
        ahead: false,
        modified_versions: list(vec![key("3")]),
        out_of_order_versions: list(vec![key("4")]),
        runs: runs(),
    };
    frame(vec![
        Section::Resolve(Answer::Done(resolved())),
        Section::Verify(Answer::Done(verified)),
        Section::History(Answer::Done(history)),
        Section::Plan(Answer::Done(Proposed::Migration { migrations: list(steps()) })),
    ])
}

pub(crate) fn frame_failed() -> Frame {
    let failed = Answer::Failed(failure("signature_missing", "no signature satisfies the policy"));
    frame(vec![Section::Resolve(Answer::Done(resolved())), Section::Verify(failed)])
}

pub(crate) fn frame_settle() -> Frame {
    let rows = RowsRead {
        identity: server(),
        rows_digest: sha(0x28),
        dirty: false,
        every_planned_applied: true,
        older_unchanged: true,
        nothing_pending: false,
        runs: runs(),
    };
    frame(vec![Section::Rows(Answer::Done(rows))])
}

pub(crate) fn frame_busy() -> Frame {
    let holder = ShortText::new("4711").ok();
    frame(vec![Section::Busy(LockBusy { identity: server(), holder, age_seconds: Some(whole(61)) })])
}

pub(crate) fn frame_settle_schema() -> Frame {
    let compared = Compared { identity: server(), state_fingerprint: sha(0x24), as_desired: Some(true), runs: runs() };
    frame(vec![Section::Compare(Answer::Done(compared))])
}

pub(crate) fn run_report() -> RunReport {
    RunReport {
        outcome: Outcome::Partial,
        applied_units: Some(whole(1)),
        units: Some(whole(2)),
        applied_versions: list(vec![key("7")]),
        identity: Some(server()),
        sequence: Some(whole(42)),
        failure: Some(failure("statement_refused", "the database refused a statement of migration 8")),
        lock_holder: None,
    }
}

pub(crate) fn frame_apply() -> Frame {
    frame(vec![Section::Run(run_report())])
}

pub(crate) fn frame_not_started() -> Frame {
    frame(vec![Section::NotStarted(failure("no_permit", "no permit came in time"))])
}

pub(crate) fn complete() -> Complete {
    Complete {
        operation_id: operation(0x01),
        pod_uid: uid(0x05),
        pieces: whole(3),
        frame_size: whole(2_000),
        size: whole(1_048_577),
        digest: sha(0x53),
    }
}

pub(crate) fn termination_summary() -> TerminationSummary {
    TerminationSummary {
        operation_id: operation(0x01),
        pod_uid: uid(0x05),
        outcome: Some(Outcome::Partial),
        applied_units: Some(whole(1)),
        first_version: Some(key("7")),
        last_version: Some(key("8")),
        identity: Some(server()),
        code: Some(code("statement_refused")),
        delivery_digest: sha(0x53),
    }
}
