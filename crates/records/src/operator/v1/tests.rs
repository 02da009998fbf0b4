//! What every status record promises: the same bytes for the same content, nothing unknown, nothing contradictory.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::fixtures::*;
use super::*;
use crate::operator::check::Record;
use crate::to_bytes;

/// The record as the golden file has it, read back as it was, and refused with a field more or with one that is missing.
fn keeps<R>(file: &str, record: &R, golden: &str)
where
    R: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let text = String::from_utf8(to_bytes(record)).unwrap();
    assert_eq!(text, golden, "{file}");
    assert_eq!(&serde_json::from_str::<R>(golden).unwrap(), record);
    let value: Value = serde_json::from_str(golden).unwrap();
    for pointer in objects(&value, "") {
        let mut changed = value.clone();
        changed.pointer_mut(&pointer).unwrap()["unknown"] = Value::Bool(true);
        assert!(serde_json::from_value::<R>(changed).is_err(), "{file}: an unknown field at {pointer} was taken");
    }
    assert!(serde_json::from_str::<R>("{}").is_err());
}

/// Where the objects in a value are.
fn objects(value: &Value, at: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Value::Object(fields) = value {
        found.push(at.to_owned());
        found.extend(fields.iter().flat_map(|(name, inner)| objects(inner, &format!("{at}/{name}"))));
    }
    if let Value::Array(entries) = value {
        found.extend(entries.iter().enumerate().flat_map(|(index, inner)| objects(inner, &format!("{at}/{index}"))));
    }
    found
}

/// Compares a record with its golden file.
macro_rules! golden {
    ($record:expr, $file:literal) => {
        keeps($file, &$record, include_str!(concat!("golden/", $file, ".json")));
    };
}

#[test]
fn every_status_record_is_kept_as_its_golden_file_has_it() {
    golden!(refresh(), "claim-refresh");
    golden!(apply(), "claim-apply");
    golden!(settle(), "claim-settle");
    golden!(pending_observation(), "pending-observation");
    golden!(unresolved_run(), "unresolved-run");
    golden!(resolved_run(), "resolved-run");
    golden!(owed_release(), "owed-release");
    golden!(current_schema_plan(), "current-schema-plan");
    golden!(current_migration_plan(), "current-migration-plan");
    golden!(applied(), "applied");
    golden!(last_run(), "last-run");
    golden!(execution_binding(), "execution-binding");
    golden!(schema_plan(), "schema-plan");
    golden!(migration_plan(), "migration-plan");
}

#[test]
fn what_is_whole_passes_its_checks() {
    for claim in [refresh(), apply(), settle()] {
        assert_eq!(claim.check(), Ok(()));
    }
    assert_eq!(pending_observation().check(), Ok(()));
    assert_eq!(unresolved_run().check(), Ok(()));
    assert_eq!(resolved_run().check(), Ok(()));
    assert_eq!(owed_release().check(), Ok(()));
    assert_eq!(schema_plan().check(), Ok(()));
    assert_eq!(migration_plan().check(), Ok(()));
}

#[test]
fn a_claim_that_contradicts_itself_is_refused_by_the_rule_that_it_breaks() {
    let broken = [
        (Claim { purpose: Some(ReadPurpose::Refresh), ..apply() }, "a Read has a purpose and an Apply has none"),
        (Claim { plan: None, ..apply() }, "an Apply, and nothing else, has a plan"),
        (Claim { settles: None, ..settle() }, "a Settle, and nothing else, names the run that it settles"),
        (Claim { source: refresh().source, ..apply() }, "a Refresh, and nothing else, has an artifact"),
        (Claim { approval_ref: apply().approval_ref, ..settle() }, "only an Apply spends an approval"),
        (Claim { target_identity: None, ..apply() }, "all but a Refresh know their database"),
        (Claim { tenure: Some(tenure()), ..refresh() }, "a Refresh holds no Lease"),
        (Claim { attempt: whole(2), ..apply() }, "an Apply is attempted once"),
        (Claim { execution_not_after: None, ..settle() }, "all but a Refresh have both deadlines"),
        (Claim { dispatch_not_after: Some(moment(961)), ..apply() }, "a run starts before it ends"),
        (Claim { job_digest: None, ..apply() }, "a Job is built before the dispatch"),
        (Claim { tenure: None, ..apply() }, "both Leases are held before the dispatch"),
        (Claim { dispatch_started: false, ..apply() }, "a Job has a UID after the dispatch"),
        (Claim { dispatch_started: false, job_uid: None, ..apply() }, "a permit comes after the dispatch"),
    ];
    for (claim, rule) in broken {
        assert_eq!(claim.check().unwrap_err().rule, rule);
    }
}

#[test]
fn a_record_that_contradicts_itself_is_refused() {
    let believed = PendingObservation { outcome: Outcome::Applied, ..pending_observation() };
    assert_eq!(believed.check().unwrap_err().rule, "what is only reported stands beside an unknown outcome");
    let many = RunEvidence { pod_count: whole(2), ..evidence() };
    let many = UnresolvedRun { outcome: Outcome::Applied, reported: None, evidence: many, ..unresolved_run() };
    assert_eq!(many.check().unwrap_err().rule, "more than one Pod makes the outcome unknown");
    let mut short = unresolved_run();
    short.basis.planned = list(steps()[..1].to_vec());
    assert_eq!(short.check().unwrap_err().rule, "every planned migration is listed");
    let nobody = ResolvedRun { acknowledged: None, ..resolved_run() };
    assert!(nobody.check().is_err());
    let mut alone = resolved_run();
    if let Some(found) = alone.acknowledged.as_mut() {
        found.second_person = Some(found.acknowledged_by.clone());
    }
    assert_eq!(alone.check().unwrap_err().rule, "the second person is not the first");
    let nowhere = OwedRelease { database_identity: None, ..owed_release() };
    assert!(nowhere.check().is_err());
}

#[test]
fn whatever_a_plan_is_bound_to_changes_its_fingerprint() {
    let plan = schema_plan();
    let mut changed = vec![SchemaPlan { destructive: true, ..plan.clone() }];
    changed.push(SchemaPlan { schema_ref: ObjectRef { name: name("billing"), uid: uid(0x09) }, ..plan.clone() });
    changed.push(SchemaPlan { actual_state_fingerprint: sha(1), ..plan.clone() });
    changed.push(SchemaPlan { desired_state_fingerprint: sha(1), ..plan.clone() });
    changed.push(SchemaPlan { statement_count: whole(3), ..plan.clone() });
    changed.push(SchemaPlan { privilege_changes: list(vec![]), ..plan.clone() });
    let bindings = [
        PlanBinding { artifact_digest: sha(1), ..binding() },
        PlanBinding { coordination_digest: sha(1), ..binding() },
        PlanBinding { target_identity: TargetIdentity { route_digest: sha(1), ..identity() }, ..binding() },
        PlanBinding { target_identity: TargetIdentity { database_identity: sha(1), ..identity() }, ..binding() },
        PlanBinding { policy_fingerprint: sha(1), ..binding() },
        PlanBinding { verification_policy: PolicyBinding { uid: uid(9), digest: sha(0xe4) }, ..binding() },
        PlanBinding { verification_policy: PolicyBinding { uid: uid(1), digest: sha(1) }, ..binding() },
        PlanBinding { execution_binding_id: epoch(1), ..binding() },
        PlanBinding { runner_protocol_version: whole(2), ..binding() },
    ];
    changed.extend(bindings.into_iter().map(|binding| SchemaPlan { binding, ..plan.clone() }));
    for other in changed {
        assert_ne!(other.own_fingerprint(), plan.fingerprint);
        assert_eq!(other.check().unwrap_err().rule, "the fingerprint is not the one of what it says");
    }
    let same = ObjectRef { name: name("renamed"), uid: uid(0x08) };
    let same = SchemaPlan { schema_ref: same, created_at: moment(9), ..plan.clone() };
    assert_eq!(same.own_fingerprint(), plan.fingerprint);
}

#[test]
fn the_order_of_migrations_is_a_part_of_the_fingerprint_and_their_description_is_not() {
    let plan = migration_plan();
    let mut reversed = steps();
    reversed.reverse();
    assert_ne!(MigrationPlan { migrations: list(reversed), ..plan.clone() }.own_fingerprint(), plan.fingerprint);
    let mut described = steps();
    described[0].description = None;
    assert_eq!(MigrationPlan { migrations: list(described), ..plan.clone() }.own_fingerprint(), plan.fingerprint);
    let one = MigrationPlan { migrations: list(steps()[..1].to_vec()), ..plan.clone() };
    assert_eq!(one.check().unwrap_err().rule, "the number of steps is the length of the list");
}

#[test]
fn content_with_a_gap_or_a_wrong_sum_is_refused() {
    let content = schema_plan().content;
    assert_eq!(content.check(), Ok(()));
    let gap = StoredContent { chunks: list(content.chunks.as_slice()[1..].to_vec()), ..content.clone() };
    assert_eq!(gap.check().unwrap_err().rule, "the pieces are counted from 0 without a gap");
    let short = StoredContent { stored_size: whole(1), ..content.clone() };
    assert_eq!(short.check().unwrap_err().rule, "the pieces add up to what is stored");
    let plain = StoredContent { encoding: Encoding::Identity, ..content.clone() };
    assert_eq!(plain.check().unwrap_err().rule, "what is not packed is stored as large as it is");
    let none = StoredContent { chunks: list(vec![]), ..content };
    assert_eq!(none.check().unwrap_err().rule, "there is at least one piece");
}
