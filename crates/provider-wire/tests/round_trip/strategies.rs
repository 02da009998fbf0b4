//! Strategies for every value of the contract.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::{btree_map, btree_set, vec};
use proptest::option::of;
use proptest::prelude::*;
use ptah_model::{Comparison, Diagnostic, Digest, EngineName, Facet, Facets, Fingerprint, Holds, IdentifierRules};
use ptah_model::{Kind, KindModel, Loss, Member, MemberId, Name, NotDescribed, Object, ObjectId, OperationId};
use ptah_model::{Position, ProviderId, Risk, Scope, Severity, SnapshotId, SourceName};
use ptah_provider_api::claim::*;
use ptah_provider_api::contract::ContractVersion;
use ptah_provider_api::describe::{DescribeRequest, Description, Engine};
use ptah_provider_api::dev::{DevContent, DevDatabase, ProvisionDevRequest};
use ptah_provider_api::execute::{ExecuteReply, ExecuteRequest, Outcome, TransactionId};
use ptah_provider_api::key::{Key, RequestId, SessionId};
use ptah_provider_api::lock::{LockReceipt, LockState};
use ptah_provider_api::plan::{
    FacetChange, PlanReply, PlanRequest, PlannedAction, PlannedChange, Refusal, SnapshotRef,
};
use ptah_provider_api::query::{QueryRowsReply, QueryRowsRequest};
use ptah_provider_api::reading::InspectRequest;
use ptah_provider_api::render::{RenderRequest, RenderedDefinition};
use ptah_provider_api::session::{Address, CloseRequest, DatabaseIdentity, DevId, OpenRequest, OpenTarget};
use ptah_provider_api::session::{Purpose, Session};
use ptah_provider_api::sql::{AnalyzeSqlRequest, Definition, Directive, SourceAnalysis, Statement, StatementRole};
use ptah_provider_api::step::{After, ChangeId, Check, Hazard, LockTaken, NativeOperation, Rule, Step, StepId};
use ptah_provider_api::step::{TransactionRule, Unit};
use ptah_provider_api::transaction::{BeginRequest, EndRequest, TransactionReceipt, TransactionState};

/// Any text, empty ones too.
fn text() -> impl Strategy<Value = String> {
    "\\PC{0,12}"
}

fn word() -> impl Strategy<Value = String> {
    "[a-z0-9-]{1,12}"
}

fn opaque() -> impl Strategy<Value = String> {
    "[A-Za-z0-9_-]{1,64}"
}

fn words() -> impl Strategy<Value = BTreeSet<String>> {
    btree_set(text(), 0..4)
}

fn facts() -> impl Strategy<Value = BTreeMap<String, bool>> {
    btree_map(text(), any::<bool>(), 0..4)
}

fn digest() -> impl Strategy<Value = Digest> {
    any::<[u8; 32]>().prop_map(Digest::from_bytes)
}

fn fingerprint() -> impl Strategy<Value = Fingerprint> {
    digest().prop_map(|d| d.to_string().parse().unwrap())
}

pub(crate) fn request() -> impl Strategy<Value = RequestId> {
    opaque().prop_map(|t| RequestId::new(t).unwrap())
}

fn session_id() -> impl Strategy<Value = SessionId> {
    opaque().prop_map(|t| SessionId::new(t).unwrap())
}

fn snapshot() -> impl Strategy<Value = SnapshotRef> {
    (session_id(), opaque())
        .prop_map(|(session, snapshot)| SnapshotRef { session, snapshot: SnapshotId::new(snapshot).unwrap() })
}

fn engine_name() -> impl Strategy<Value = EngineName> {
    word().prop_map(|t| EngineName::new(t).unwrap())
}

fn transaction() -> impl Strategy<Value = TransactionId> {
    opaque().prop_map(TransactionId)
}

pub(crate) fn key() -> impl Strategy<Value = Key> {
    (session_id(), "\\PC{1,12}", request()).prop_map(|(session, scope, request)| Key {
        session,
        scope: Scope::new(scope).unwrap(),
        request,
    })
}

fn version() -> impl Strategy<Value = ContractVersion> {
    (1_u32.., any::<u32>()).prop_map(|(major, minor)| ContractVersion { major, minor })
}

fn kind() -> impl Strategy<Value = Kind> {
    "[a-z./_-]{1,12}".prop_map(|t| Kind::new(t).unwrap())
}

fn name() -> impl Strategy<Value = Name> {
    let named = |rule| move |t: String| Name::new(t, rule);
    prop_oneof![
        "\\PC{1,8}".prop_map(named(Comparison::Exact)),
        "\\PC{1,8}".prop_map(named(Comparison::AsciiFold)),
        "\\PC{1,8}".prop_map(Name::unnamed),
    ]
}

fn object_id() -> impl Strategy<Value = ObjectId> {
    (kind(), of(name()), of(name()), name()).prop_map(|(kind, schema, owner, name)| ObjectId {
        kind,
        schema,
        owner,
        name,
    })
}

fn member_id() -> impl Strategy<Value = MemberId> {
    (kind(), name()).prop_map(|(kind, name)| MemberId { kind, name })
}

fn facet() -> impl Strategy<Value = Facet> {
    prop_oneof![
        text().prop_map(Facet::plain),
        (text(), text()).prop_map(|(text, canonical)| Facet::new(text, canonical)),
    ]
}

fn facets() -> impl Strategy<Value = Facets> {
    btree_map(text(), facet(), 0..4).prop_map(|facets| facets.into_iter().collect())
}

pub(crate) fn member() -> impl Strategy<Value = Member> {
    (member_id(), facets()).prop_map(|(id, facets)| Member { id, facets })
}

pub(crate) fn object() -> impl Strategy<Value = Object> {
    (object_id(), facets(), vec(member(), 0..4)).prop_map(|(id, facets, mut members)| {
        let mut seen = BTreeSet::new();
        members.retain(|m| seen.insert(m.id.clone()));
        Object { id, facets, members }
    })
}

pub(crate) fn not_described() -> impl Strategy<Value = NotDescribed> {
    (object_id(), text()).prop_map(|(id, reason)| NotDescribed { id, reason })
}

pub(crate) fn identifier_rules() -> impl Strategy<Value = IdentifierRules> {
    let comparison = || prop_oneof![Just(Comparison::Exact), Just(Comparison::AsciiFold)];
    let rules = (comparison(), comparison(), comparison(), of(text()), of(any::<u32>()));
    rules.prop_map(|(table, column, index, default_schema, max_bytes)| IdentifierRules {
        table,
        column,
        index,
        default_schema,
        max_bytes,
    })
}

pub(crate) fn kind_model() -> impl Strategy<Value = KindModel> {
    let holds =
        prop::sample::select(vec![Holds::Rows, Holds::Values, Holds::Protection, Holds::Definition, Holds::Nothing]);
    let bools = (any::<bool>(), any::<bool>(), any::<bool>());
    (kind(), of(kind()), holds, bools).prop_map(|(kind, parent, holds, (member, ordered, renamable))| KindModel {
        kind,
        parent,
        member,
        holds,
        ordered,
        renamable,
    })
}

pub(crate) fn describe_request() -> impl Strategy<Value = DescribeRequest> {
    (version(), words(), words(), text()).prop_map(|(contract, host_features, required_features, host)| {
        DescribeRequest { contract, host_features, required_features, host }
    })
}

fn engine() -> impl Strategy<Value = Engine> {
    let names = || vec(engine_name(), 0..3);
    let rules = of(identifier_rules());
    let parts = (engine_name(), names(), names(), words(), rules, facts(), vec(kind_model(), 0..3));
    parts.prop_map(|(name, aliases, url_schemes, features, identifier_rules, default_capabilities, models)| Engine {
        name,
        aliases,
        url_schemes,
        features,
        identifier_rules,
        default_capabilities,
        models,
    })
}

pub(crate) fn description() -> impl Strategy<Value = Description> {
    let head = ("[!-~]{1,20}", text(), text(), of(text()));
    let parts = (head, version(), of(version()), words(), vec(engine(), 0..3));
    parts.prop_map(|((id, display_name, version, build_id), contract, min_contract, features, engines)| Description {
        provider_id: ProviderId::new(id).unwrap(),
        display_name,
        version,
        build_id,
        contract,
        min_contract,
        features,
        engines,
    })
}

pub(crate) fn open_request() -> impl Strategy<Value = OpenRequest> {
    let target = prop_oneof![
        text().prop_map(|t| OpenTarget::Address(Address::new(t))),
        (text(), text()).prop_map(|(t, folder)| OpenTarget::Address(Address::new(t).relative_to(folder))),
        text().prop_map(|t| OpenTarget::Dev(DevId(t))),
    ];
    let purpose = prop::sample::select(vec![Purpose::Read, Purpose::Apply, Purpose::Dev]);
    let bools = (any::<bool>(), any::<bool>());
    let parts = (request(), engine_name(), target, purpose, bools, words(), any::<u64>());
    parts.prop_map(|(request, engine, target, purpose, (create, recover), accept, lock_timeout_ms)| OpenRequest {
        request,
        engine,
        target,
        purpose,
        create,
        recover,
        accept,
        lock_timeout_ms,
    })
}

fn identity() -> impl Strategy<Value = DatabaseIdentity> {
    (of(text()), of(text()), text(), text()).prop_map(|(uuid, recorded_physical, physical, route)| DatabaseIdentity {
        uuid,
        recorded_physical,
        physical,
        route,
    })
}

pub(crate) fn session() -> impl Strategy<Value = Session> {
    let ids = (request(), session_id(), engine_name());
    let texts = (text(), of(text()), text(), vec(text(), 0..3));
    let facts = (words(), facts(), any::<bool>());
    let parts = (ids, texts, facts, identifier_rules(), digest(), identity());
    parts.prop_map(|(ids, texts, facts, identifier_rules, settings_digest, identity)| Session {
        request: ids.0,
        session: ids.1,
        engine: ids.2,
        database: texts.0,
        default_schema: texts.1,
        server_version: texts.2,
        identifier_rules,
        features: facts.0,
        capabilities: facts.1,
        settings_digest,
        identity,
        exists: facts.2,
        notes: texts.3,
    })
}

pub(crate) fn close_request() -> impl Strategy<Value = CloseRequest> {
    (session_id(), request()).prop_map(|(session, request)| CloseRequest { session, request })
}

pub(crate) fn inspect_request() -> impl Strategy<Value = InspectRequest> {
    (session_id(), any::<u64>(), any::<bool>()).prop_map(|(session, lock_timeout_ms, fingerprint_only)| {
        InspectRequest { session, lock_timeout_ms, fingerprint_only }
    })
}

pub(crate) fn render_request() -> impl Strategy<Value = RenderRequest> {
    (engine_name(), snapshot()).prop_map(|(engine, snapshot)| RenderRequest { engine, snapshot })
}

pub(crate) fn rendered_definition() -> impl Strategy<Value = RenderedDefinition> {
    (object_id(), text()).prop_map(|(object, text)| RenderedDefinition { object, text })
}

pub(crate) fn analyze_request() -> impl Strategy<Value = AnalyzeSqlRequest> {
    (engine_name(), text(), text()).prop_map(|(engine, source, text)| AnalyzeSqlRequest {
        engine,
        source: SourceName::new(&source),
        text,
    })
}

/// The source of every position here.
pub(crate) fn source() -> SourceName {
    SourceName::new("schema.sql")
}

fn position() -> impl Strategy<Value = Position> {
    let parts = (any::<u64>(), any::<u32>(), any::<u32>(), any::<u32>());
    parts.prop_map(|(offset, length, line, column)| Position { source: source(), offset, length, line, column })
}

fn statement() -> impl Strategy<Value = Statement> {
    let role = prop_oneof![
        (object_id(), digest()).prop_map(|(object, definition)| StatementRole::Define { object, definition }),
        object_id().prop_map(|object| StatementRole::Extend { object }),
        object_id().prop_map(|object| StatementRole::DropIfExists { object }),
    ];
    (position(), text(), role, vec(object_id(), 0..3)).prop_map(|(position, text, role, needs)| Statement {
        position,
        text,
        role,
        needs,
    })
}

fn directive() -> impl Strategy<Value = Directive> {
    let arguments = vec((text(), text()), 0..3);
    let parts = (text(), arguments, position(), object_id(), of(member_id()));
    parts.prop_map(|(name, arguments, position, object, member)| Directive {
        name,
        arguments,
        position,
        object,
        member,
    })
}

fn diagnostic() -> impl Strategy<Value = Diagnostic> {
    let severity = prop::sample::select(vec![Severity::Note, Severity::Warning, Severity::Error]);
    let parts = (text(), severity, text(), of(position()), of(text()));
    parts.prop_map(|(code, severity, summary, position, hint)| Diagnostic { code, severity, summary, position, hint })
}

pub(crate) fn analysis() -> impl Strategy<Value = SourceAnalysis> {
    let definition = (object_id(), of(member_id()), position()).prop_map(|(object, member, position)| Definition {
        object,
        member,
        position,
    });
    let lists = (vec(statement(), 0..4), vec(definition, 0..4), vec(directive(), 0..4), vec(diagnostic(), 0..4));
    lists.prop_map(|(statements, definitions, directives, diagnostics)| SourceAnalysis {
        statements,
        definitions,
        directives,
        diagnostics,
    })
}

fn change() -> impl Strategy<Value = PlannedChange> {
    let sides = prop_oneof![
        facet().prop_map(|f| (Some(f), None)),
        facet().prop_map(|f| (None, Some(f))),
        (facet(), facet()).prop_map(|(a, b)| (Some(a), Some(b))),
    ];
    let facet_change = (text(), sides).prop_map(|(name, (from, to))| FacetChange { name, from, to });
    let action = prop_oneof![
        Just(PlannedAction::Create),
        Just(PlannedAction::Drop),
        vec(facet_change, 0..3).prop_map(PlannedAction::Alter),
        name().prop_map(PlannedAction::Rename),
        Just(PlannedAction::Reorder),
    ];
    (object_id(), of(member_id()), action).prop_map(|(object, member, action)| PlannedChange { object, member, action })
}

pub(crate) fn plan_request() -> impl Strategy<Value = PlanRequest> {
    let parts = (engine_name(), snapshot(), snapshot(), vec(change(), 0..4));
    parts.prop_map(|(engine, current, desired, changes)| PlanRequest { engine, current, desired, changes })
}

fn unit() -> impl Strategy<Value = Unit> {
    let native = (text(), any::<u32>(), vec(any::<u8>(), 0..9), vec(text(), 0..3), digest());
    prop_oneof![
        text().prop_map(|text| Unit::Sql { text }),
        native.prop_map(|(kind, version, payload, statements, digest)| Unit::Native(NativeOperation {
            kind,
            version,
            payload,
            statements,
            digest,
        })),
    ]
}

fn check() -> impl Strategy<Value = Check> {
    let parts = (text(), text(), of(text()), text(), any::<bool>());
    parts.prop_map(|(code, count, rows, sentence, lossy)| Check { code, count, rows, sentence, lossy })
}

fn lock_taken() -> impl Strategy<Value = LockTaken> {
    (object_id(), text(), any::<bool>(), any::<bool>()).prop_map(|(object, mode, rewrites, scans)| LockTaken {
        object,
        mode,
        rewrites,
        scans,
    })
}

fn step() -> impl Strategy<Value = Step> {
    let rules = vec![TransactionRule::Any, TransactionRule::Inside, TransactionRule::Outside, TransactionRule::Alone];
    let losses = vec![Loss::Rows, Loss::Values, Loss::Protection, Loss::Definition];
    let class = (
        prop::sample::select(rules),
        prop::sample::select(vec![Risk::Safe, Risk::Warning, Risk::Destructive]),
        of(prop::sample::select(losses)),
    );
    let after = (text(), text()).prop_map(|(step, rule)| After { step: StepId(step), rule });
    let bonds = (vec(after, 0..3), vec(text().prop_map(StepId), 0..3), of(text()), vec(text(), 0..3));
    let hazard = (text(), text()).prop_map(|(code, text)| Hazard { code, text });
    let lists = (vec(hazard, 0..3), vec(lock_taken(), 0..3), vec(check(), 0..3));
    let head = (text(), vec(any::<u32>().prop_map(ChangeId), 0..4), unit());
    (head, bonds, class, lists, (text(), text())).prop_map(|(head, bonds, class, lists, rule)| Step {
        id: StepId(head.0),
        changes: head.1,
        unit: head.2,
        after: bonds.0,
        after_commit: bonds.1,
        atomic_group: bonds.2,
        needs: bonds.3,
        transaction: class.0,
        risk: class.1,
        loss: class.2,
        hazards: lists.0,
        locks: lists.1,
        checks: lists.2,
        rule: Rule { name: rule.0, sentence: rule.1 },
    })
}

pub(crate) fn plan_reply() -> impl Strategy<Value = PlanReply> {
    let refusal = (any::<u32>(), text(), text(), of(text())).prop_map(|(change, code, reason, hint)| Refusal {
        change: ChangeId(change),
        code,
        reason,
        hint,
    });
    (vec(step(), 0..3), vec(refusal, 0..3)).prop_map(|(steps, refusals)| PlanReply { steps, refusals })
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop::sample::select(vec![
        Outcome::Applied,
        Outcome::NotStarted,
        Outcome::NotApplied,
        Outcome::Partial,
        Outcome::Unknown,
    ])
}

pub(crate) fn execute_request() -> impl Strategy<Value = ExecuteRequest> {
    let parts = (key(), vec(unit(), 0..4), of(transaction()), of(any::<u64>()));
    parts.prop_map(|(key, units, transaction, statement_timeout_ms)| ExecuteRequest {
        key,
        units,
        transaction,
        statement_timeout_ms,
    })
}

pub(crate) fn execute_reply() -> impl Strategy<Value = ExecuteReply> {
    let parts = (key(), outcome(), any::<u32>(), of(text()), of("[A-Z0-9_]{1,32}"));
    parts.prop_map(|(key, outcome, applied_count, diagnostic, engine_code)| ExecuteReply {
        key,
        outcome,
        applied_count,
        diagnostic,
        engine_code,
    })
}

pub(crate) fn begin_request() -> impl Strategy<Value = BeginRequest> {
    let expected = (of(fingerprint()), of(any::<u64>()));
    (key(), vec(text(), 0..3), expected, any::<u64>()).prop_map(|(key, settings, expected, lock_timeout_ms)| {
        BeginRequest { key, settings, expect_state: expected.0, expect_claim: expected.1, lock_timeout_ms }
    })
}

pub(crate) fn end_request() -> impl Strategy<Value = EndRequest> {
    (key(), transaction(), any::<u64>()).prop_map(|(key, transaction, lock_timeout_ms)| EndRequest {
        key,
        transaction,
        lock_timeout_ms,
    })
}

pub(crate) fn transaction_receipt() -> impl Strategy<Value = TransactionReceipt> {
    let state = prop::sample::select(vec![
        TransactionState::Begun,
        TransactionState::Busy,
        TransactionState::StateChanged,
        TransactionState::ClaimChanged,
        TransactionState::NotStarted,
        TransactionState::Committed,
        TransactionState::RolledBack,
        TransactionState::Unknown,
    ]);
    let parts = (key(), text(), state, of(fingerprint()), of(text()));
    parts.prop_map(|(key, transaction, state, found_state, diagnostic)| TransactionReceipt {
        key,
        transaction: TransactionId(transaction),
        state,
        found_state,
        diagnostic,
    })
}

pub(crate) fn lock_receipt() -> impl Strategy<Value = LockReceipt> {
    let state = prop::sample::select(vec![LockState::Acquired, LockState::Busy, LockState::Lost, LockState::Released]);
    (key(), state, of(text())).prop_map(|(key, state, diagnostic)| LockReceipt { key, state, diagnostic })
}

fn operation() -> impl Strategy<Value = OperationId> {
    opaque().prop_map(|t| OperationId::new(t).unwrap())
}

fn verdict() -> impl Strategy<Value = Verdict> {
    prop::sample::select(vec![Verdict::Applied, Verdict::NotApplied, Verdict::Partial, Verdict::Diverged])
}

fn proof() -> impl Strategy<Value = Proof> {
    (digest(), digest(), fingerprint()).prop_map(|(sources, settings, state)| Proof { sources, settings, state })
}

fn rename() -> impl Strategy<Value = RenameRecord> {
    (text(), of(text()), text(), text()).prop_map(|(kind, owner, from, to)| RenameRecord { kind, owner, from, to })
}

pub(crate) fn claim_request() -> impl Strategy<Value = ClaimRequest> {
    let intend = (any::<u32>(), any::<u32>(), any::<bool>(), fingerprint(), fingerprint()).prop_map(
        |(segment, segments, transactional, before, after)| ClaimPhase::Intend {
            segment,
            segments,
            transactional,
            before,
            after,
        },
    );
    let ended = (any::<u32>(), outcome(), any::<u32>()).prop_map(|(segment, outcome, applied)| ClaimPhase::Outcome {
        segment,
        outcome,
        applied,
    });
    let settle = (verdict(), fingerprint(), of(proof()), vec(rename(), 0..3))
        .prop_map(|(verdict, found, proof, renames)| ClaimPhase::Settle { verdict, found, proof, renames });
    let prove = proof().prop_map(|proof| ClaimPhase::Prove { proof });
    let phase = prop_oneof![intend, ended, settle, prove];
    let parts = (key(), operation(), digest(), phase, of(transaction()), any::<i64>());
    parts.prop_map(|(key, operation, plan, phase, transaction, at_us)| ClaimRequest {
        key,
        operation,
        plan,
        phase,
        transaction,
        at_us,
    })
}

pub(crate) fn claim_receipt() -> impl Strategy<Value = ClaimReceipt> {
    let state = prop_oneof![
        Just(ClaimState::Intended),
        Just(ClaimState::Recorded),
        Just(ClaimState::Already),
        operation().prop_map(ClaimState::OtherUnfinished),
        Just(ClaimState::NotWritten),
        Just(ClaimState::Unknown),
    ];
    (key(), state, any::<u64>(), of(text())).prop_map(|(key, state, sequence, diagnostic)| ClaimReceipt {
        key,
        state,
        sequence,
        diagnostic,
    })
}

pub(crate) fn read_claims_request() -> impl Strategy<Value = ReadClaimsRequest> {
    (session_id(), any::<u32>()).prop_map(|(session, limit)| ReadClaimsRequest { session, limit })
}

fn operation_record() -> impl Strategy<Value = OperationRecord> {
    let segment = (any::<bool>(), fingerprint(), fingerprint(), of((outcome(), any::<u32>())))
        .prop_map(|(transactional, before, after, outcome)| SegmentRecord { transactional, before, after, outcome });
    let parts = (operation(), digest(), any::<u32>(), vec(segment, 0..3), of(verdict()), any::<i64>());
    parts.prop_map(|(operation, plan, segments, intents, settled, at_us)| OperationRecord {
        operation,
        plan,
        segments,
        intents,
        settled,
        at_us,
    })
}

pub(crate) fn claims_reading() -> impl Strategy<Value = ClaimsReading> {
    let lists = (vec(operation_record(), 0..3), vec(proof(), 0..3), vec(rename(), 0..3));
    (identity(), any::<u64>(), lists).prop_map(|(identity, latest, lists)| ClaimsReading {
        identity,
        latest,
        operations: lists.0,
        proofs: lists.1,
        renames: lists.2,
    })
}

pub(crate) fn adopt_request() -> impl Strategy<Value = AdoptRequest> {
    let adoption = prop::sample::select(vec![Adoption::Moved, Adoption::Copy]);
    (key(), adoption, any::<i64>()).prop_map(|(key, adoption, at_us)| AdoptRequest { key, adoption, at_us })
}

pub(crate) fn adopt_reply() -> impl Strategy<Value = AdoptReply> {
    (key(), identity()).prop_map(|(key, identity)| AdoptReply { key, identity })
}

pub(crate) fn query_rows_request() -> impl Strategy<Value = QueryRowsRequest> {
    let parts = (session_id(), text(), of(transaction()), any::<u32>());
    parts.prop_map(|(session, query, transaction, limit)| QueryRowsRequest { session, query, transaction, limit })
}

pub(crate) fn query_rows_reply() -> impl Strategy<Value = QueryRowsReply> {
    let rows = vec(vec(of(text()), 0..4), 0..4);
    (vec(text(), 0..4), rows, any::<bool>()).prop_map(|(columns, rows, more)| QueryRowsReply { columns, rows, more })
}

pub(crate) fn provision_request() -> impl Strategy<Value = ProvisionDevRequest> {
    let content = prop_oneof![Just(DevContent::Empty), snapshot().prop_map(DevContent::CopyOf)];
    let parts = (request(), engine_name(), of(session_id()), content);
    parts.prop_map(|(request, engine, session, content)| ProvisionDevRequest { request, engine, session, content })
}

pub(crate) fn dev_database() -> impl Strategy<Value = DevDatabase> {
    (request(), text()).prop_map(|(request, dev)| DevDatabase { request, dev: DevId(dev) })
}
