//! What every status record promises: the same bytes for the same content, nothing unknown, nothing contradictory.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::fixtures::*;
use super::*;
use crate::operator::check::Record;
use crate::operator::text::{OciReference, ShortText};
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
    let realm_only = Tenure { database_epoch: None, ..tenure() };
    let database_only = Tenure { coordination_epoch: None, ..tenure() };
    let broken = [
        (Claim { purpose: Some(ReadPurpose::Refresh), ..apply() }, "a Read has a purpose and an Apply has none"),
        (Claim { plan: None, ..apply() }, "an Apply has a plan"),
        (Claim { plan: apply().plan, ..refresh() }, "a Refresh has no plan"),
        (Claim { settles: None, ..settle() }, "a Settle, and nothing else, names the run that it settles"),
        (Claim { source: refresh().source, ..apply() }, "a Refresh, and nothing else, has an artifact"),
        (Claim { approval_ref: apply().approval_ref, ..settle() }, "only an Apply spends an approval"),
        (Claim { target_identity: None, ..apply() }, "all but a Refresh know their database"),
        (Claim { tenure: tenure(), ..refresh() }, "a Refresh holds no Lease"),
        (Claim { tenure: realm_only, ..apply() }, "both Leases are held before the dispatch"),
        (Claim { tenure: database_only, ..apply() }, "the realm's Lease is taken before the database's"),
        (Claim { dispatch_not_after: moment(961), ..apply() }, "a run starts before it ends"),
        (Claim { job_digest: None, ..apply() }, "a Job is built before the dispatch"),
        (Claim { dispatch_started: false, ..apply() }, "a Job has a UID after the dispatch"),
        (Claim { dispatch_started: false, job_uid: None, ..apply() }, "a permit comes after the dispatch"),
    ];
    for (claim, rule) in broken {
        assert_eq!(claim.check().unwrap_err().rule, rule);
    }
}

#[test]
fn a_record_that_contradicts_itself_is_refused() {
    let run = pending_observation();
    let believed = PendingObservation { outcome: Outcome::Applied, ..run.clone() };
    assert_eq!(believed.check().unwrap_err().rule, "what is only reported stands beside an unknown outcome");
    let two = [uid(5), uid(6)].map(|uid| PodEvidence { uid, stopped: true });
    let (reported, reported_units) = (None, None);
    let evidence = RunEvidence { pods: list(two.to_vec()) };
    let many = PendingObservation { outcome: Outcome::Applied, reported, reported_units, evidence, ..run.clone() };
    assert_eq!(many.check().unwrap_err().rule, "more than one Pod makes the outcome unknown");
    let uncounted = PendingObservation { reported_units: None, ..run.clone() };
    assert_eq!(uncounted.check().unwrap_err().rule, "a partial report, and no other, counts its units");
    let told = "only of a run that was taken over something is not known";
    let bare = [
        PendingObservation { access: None, ..run.clone() },
        PendingObservation { job_name: None, ..run.clone() },
        PendingObservation { coordination_epoch: None, ..run.clone() },
        PendingObservation { database_epoch: None, ..run.clone() },
    ];
    for run in bare {
        assert_eq!(run.check().unwrap_err().rule, told);
        assert_eq!(PendingObservation { inherited: true, ..run }.check(), Ok(()));
    }
    assert_eq!(PendingObservation { basis: None, ..run.clone() }.check(), Ok(()), "its plan may be gone");
    let another = "the other family's run has no basis here";
    let migrations = PendingObservation { family: Family::Migration, ..run.clone() };
    assert_eq!(migrations.check().unwrap_err().rule, another);
    assert_eq!(PendingObservation { basis: None, ..migrations }.check(), Ok(()), "it is taken over without one");
    let schemas = UnresolvedRun { family: Family::Schema, ..unresolved_run() };
    assert_eq!(schemas.check().unwrap_err().rule, another);
    assert_eq!(UnresolvedRun { basis: None, ..schemas }.check(), Ok(()), "it is taken over without one");
    let mut short = unresolved_run();
    if let Some(basis) = short.basis.as_mut() {
        basis.planned = list(steps()[..1].to_vec());
    }
    assert_eq!(short.check().unwrap_err().rule, "every planned migration is listed");
    assert!(ResolvedRun { acknowledged: None, ..resolved_run() }.check().is_err());
    let by_reading = ResolvedRun { reading_id: Some(operation(9)), ..resolved_run() };
    assert_eq!(by_reading.check().unwrap_err().rule, "only what a reading settled names one");
    let nowhere = OwedRelease { database_identity: None, database_epoch: None, ..owed_release() };
    assert_eq!(nowhere.check().unwrap_err().rule, "a hold is dropped from a database's Lease");
}

#[test]
fn the_order_of_migrations_is_a_part_of_the_content_and_their_description_is_not() {
    let plan = migration_plan();
    let mut reversed = steps();
    reversed.reverse();
    let other = MigrationPlan { migrations: list(reversed), ..plan.clone() };
    assert_eq!(other.check().unwrap_err().rule, "the content's digest is not the one of the sequence");
    let mut described = steps();
    described[0].description = None;
    assert_eq!(MigrationPlan { migrations: list(described), ..plan.clone() }.check(), Ok(()));
    let one = MigrationPlan { migrations: list(steps()[..1].to_vec()), ..plan };
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

/// How many bytes a record has in the API server, in KiB, rounded up.
fn size<R: Serialize>(record: &R) -> usize {
    serde_json::to_vec(record).unwrap().len().div_ceil(1024)
}

#[test]
fn the_largest_records_are_no_larger_than_they_say() {
    let long = |length: usize| "x".repeat(length);
    let text = || ShortText::new(long(256)).unwrap();
    let step = || MigrationStep {
        version: key(&long(128)),
        description: Some(text()),
        checksum: key(&long(128)),
        checkpoint: true,
        transaction_mode: Some(StepTransaction::File),
    };
    let mut observation = pending_observation();
    if let Some(basis) = observation.basis.as_mut() {
        basis.exclude = list(vec![text(); 128]);
    }
    assert!(size(&observation) < 64, "{}", size(&observation));
    let mut run = unresolved_run();
    if let Some(basis) = run.basis.as_mut() {
        basis.planned = list(vec![step(); 256]);
        basis.reported_versions = list(vec![key(&long(128)); 256]);
    }
    assert!(size(&run) < 256, "{}", size(&run));
    let sequence = MigrationPlan { migrations: list(vec![step(); 256]), ..migration_plan() };
    assert!(size(&sequence) < 256, "{}", size(&sequence));
    let chunk = ChunkRef { name: name(&long(253)), ..schema_plan().content.chunks.as_slice()[0].clone() };
    let content = StoredContent { chunks: list(vec![chunk; 16]), ..schema_plan().content };
    let plan = SchemaPlan { content: content.clone(), desired: content, ..schema_plan() };
    assert!(size(&plan) < 24, "{}", size(&plan));
    let reference = OciReference::new(format!("oci://{}", long(1018))).unwrap();
    let source = refresh().source.map(|source| ArtifactAccess { reference, ..source });
    let pods = list((0..8).map(|seed| PodEvidence { uid: uid(seed), stopped: true }).collect());
    let claim = Claim { source, evidence: RunEvidence { pods }, job_name: job(&long(63)), ..refresh() };
    assert!(size(&claim) < 12, "{}", size(&claim));
}
