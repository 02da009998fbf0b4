//! What each kind of operation is told, of both families.

use ptah_records::operator::latest::Outcome;
use ptah_records::operator::seal;
use serde_json::{Value, json};

use super::*;
use crate::fixtures::{self, golden};

/// The plan of the golden claims, and of the golden records.
const PLAN: &str = "11111111-1111-4111-8111-111111111102";
/// The run that the golden settling claim settles.
const RUN: &str = "01890a5d-ac96-774b-bcce-b302099a8009";

fn told(object: &Object, plan: Option<&StoredPlan>) -> Result<OperationSpec, Unwritable> {
    let components = fixtures::components();
    let cluster = Uid::new("c1").unwrap();
    let settled = [OperationId::new(RUN).unwrap()];
    let delivery = fixtures::delivery();
    let around = Around { components: &components, delivery: &delivery, cluster: &cluster, plan, settled: &settled };
    let told = spec(object, &around)?;
    let bytes = seal::write(&told).unwrap();
    assert_eq!(seal::read::<OperationSpec>(&bytes).unwrap(), told, "and it can be read");
    assert_eq!(told.limits.window_seconds.get(), 900, "as the claim says");
    Ok(told)
}

/// A record of the golden file, about the run that is settled.
fn record(mut golden: Value) -> Value {
    golden["operationID"] = RUN.into();
    golden
}

#[test]
fn a_refresh_is_told_the_artifact_of_its_claim() {
    let claim = json!({ "activeOperation": golden!("claim-refresh.json") });
    let wanted = claim["activeOperation"]["source"].clone();
    for object in [fixtures::schema(claim.clone()), fixtures::migration(claim)] {
        let Work::Refresh { artifact, reading } = told(&object, None).unwrap().work else { panic!() };
        assert_eq!(artifact.reference.as_str(), wanted["reference"].as_str().unwrap(), "and not the spec's of now");
        assert_eq!(
            artifact.verification_policy_digest.as_str(),
            wanted["verificationPolicy"]["digest"].as_str().unwrap()
        );
        match (object, reading) {
            (Object::Schema(_), RefreshReading::Schema { exclude, protected_tables, dev, .. }) => {
                assert_eq!((exclude.as_slice()[0].as_str(), dev), ("audit.*", false));
                assert_eq!(protected_tables.as_slice()[0].as_str(), "core.tenants");
            }
            (Object::Migration(_), RefreshReading::Migration { transaction_mode: None }) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_run_is_told_its_own_plan_and_no_other() {
    let claim = json!({ "activeOperation": golden!("claim-apply.json") });
    let schema = fixtures::schema(claim.clone());
    let plan = fixtures::schema_plan(PLAN);
    let Work::Apply { content: ApplyContent::Schema { content, .. }, run_claim, settled, .. } =
        told(&schema, Some(&plan)).unwrap().work
    else {
        panic!()
    };
    let StoredPlan::Schema(stored) = &plan else { panic!() };
    assert_eq!((content, run_claim), (stored.spec.0.content.clone(), true));
    assert_eq!(settled.as_slice()[0].as_str(), RUN);
    let migration = fixtures::migration(claim);
    let plan = fixtures::migration_plan(PLAN);
    let Work::Apply { content: ApplyContent::Migration { planned, artifact_digest, .. }, .. } =
        told(&migration, Some(&plan)).unwrap().work
    else {
        panic!()
    };
    let StoredPlan::Migration(stored) = &plan else { panic!() };
    assert_eq!(planned, stored.spec.0.migrations);
    assert_eq!(artifact_digest, stored.spec.0.binding.artifact_digest);
    let again = fixtures::schema_plan("11111111-1111-4111-8111-111111111199");
    for (object, plan) in [
        (&schema, None),
        (&schema, Some(&again)),
        (&schema, Some(&fixtures::migration_plan(PLAN))),
        (&migration, Some(&fixtures::schema_plan(PLAN))),
    ] {
        assert_eq!(told(object, plan), Err(Unwritable::Plan));
    }
}

#[test]
fn a_settling_reading_is_told_what_the_record_keeps() {
    let pending = record(golden!("pending-observation.json"));
    let fingerprint = pending["basis"]["plan"]["desiredStateFingerprint"].clone();
    let schema = fixtures::schema(json!({
        "activeOperation": golden!("claim-settle.json"), "pendingObservation": pending,
    }));
    let (plan, other) = (fixtures::schema_plan(PLAN), fixtures::schema_plan("11111111-1111-4111-8111-111111111199"));
    for (plan, whole) in [(Some(&plan), true), (Some(&other), false), (None, false)] {
        let Work::Settle { basis: SettleBasis::Schema { desired_state_fingerprint, desired, .. }, settles, .. } =
            told(&schema, plan).unwrap().work
        else {
            panic!()
        };
        assert_eq!(desired_state_fingerprint.unwrap().as_str(), fingerprint.as_str().unwrap());
        assert_eq!((desired.is_some(), settles.as_str()), (whole, RUN), "the document only while it is there");
    }
    let migration = fixtures::migration(json!({
        "activeOperation": golden!("claim-settle.json"), "unresolvedRun": record(golden!("unresolved-run.json")),
    }));
    let Work::Settle { basis: SettleBasis::Migration { planned, .. }, .. } = told(&migration, None).unwrap().work
    else {
        panic!()
    };
    assert_eq!(planned.as_slice().len(), 2);
}

/// A run that was taken over, of this family, without its plan.
fn taken_over(golden: Value, family: &str) -> Value {
    let mut record = record(golden);
    let fields = record.as_object_mut().unwrap();
    for field in ["basis", "access", "jobName", "reported", "reportedUnits", "coordinationEpoch", "databaseEpoch"] {
        fields.remove(field);
    }
    (record["family"], record["inherited"], record["outcome"]) = (family.into(), true.into(), json!(Outcome::Unknown));
    record
}

#[test]
fn a_run_without_its_plan_is_read_only_where_reading_settles_it() {
    let claim = golden!("claim-settle.json");
    for (family, settles) in [("Schema", true), ("Migration", false)] {
        let pending = taken_over(golden!("pending-observation.json"), family);
        let schema = fixtures::schema(json!({ "activeOperation": claim, "pendingObservation": pending }));
        let unresolved = taken_over(golden!("unresolved-run.json"), family);
        let migration = fixtures::migration(json!({ "activeOperation": claim, "unresolvedRun": unresolved }));
        for object in [schema, migration] {
            match told(&object, None) {
                Ok(OperationSpec { work: Work::Settle { basis, .. }, .. }) => {
                    let SettleBasis::Schema { desired_state_fingerprint: None, desired: None, .. } = basis else {
                        panic!()
                    };
                    assert!(settles);
                }
                Err(Unwritable::Plan) => assert!(!settles, "a person settles it"),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn a_claim_for_another_run_than_the_records_is_not_carried_out() {
    let pending = golden!("pending-observation.json");
    let schema =
        fixtures::schema(json!({ "activeOperation": golden!("claim-settle.json"), "pendingObservation": pending }));
    assert_eq!(told(&schema, None), Err(Unwritable::Plan));
    assert_eq!(told(&fixtures::schema(json!({})), None), Err(Unwritable::Plan), "nothing is under way");
}
