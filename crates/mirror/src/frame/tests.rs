//! Each kind of result as the runner writes it, and what makes it prove less.

use ptah_lifecycle::{Family, Outcome, Reading, Section as Core, StateRefusal};
use ptah_records::operator::latest::{Outcome as Said, TerminationSummary};
use ptah_records::operator::seal;
use serde_json::Value;

use super::*;
use crate::fixtures::golden;

const SENT: Sent = Sent { key: None, state_version: 1 };

fn frame(mut golden: Value, change: impl FnOnce(&mut Value)) -> stored::Frame {
    change(&mut golden["body"]);
    serde_json::from_value(golden["body"].take()).unwrap()
}

fn section(golden: Value, about: &About, change: impl FnOnce(&mut Value)) -> Core {
    read(&frame(golden, change), SENT, about).unwrap().section
}

fn unknown() -> About {
    About { database: None, settles: None }
}

fn digest(of: &Value) -> Digest {
    of.as_str().unwrap().parse().unwrap()
}

fn refreshed(golden: Value, change: impl FnOnce(&mut Value)) -> Result<Reading, ReadFailure> {
    match section(golden, &unknown(), change) {
        Core::Refresh(reading) => reading,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_schemas_reading_proposes_the_plan_that_follows_it() {
    let golden = golden!("frame-refresh-schema.json");
    let body = golden["body"].clone();
    let reading = refreshed(golden, |_| {}).unwrap();
    let state = &body["sections"][2]["state"]["done"];
    let proposal = reading.proposal.unwrap();
    assert_eq!(proposal.content, digest(&body["attachments"][0]["digest"]));
    assert_eq!(
        (proposal.actual, reading.state),
        (digest(&state["stateFingerprint"]), digest(&state["stateFingerprint"]))
    );
    assert_eq!(proposal.artifact, digest(&body["sections"][0]["resolve"]["done"]["digest"]));
    assert_eq!((proposal.destructive, proposal.privileges), (false, true));
    assert_eq!(reading.identity.database, digest(&state["identity"]["databaseIdentity"]));
    assert_eq!(reading.instance, Some(digest(&state["identity"]["instanceIdentity"])));
}

#[test]
fn a_migrations_reading_proposes_its_sequence_on_the_rows_that_are_there() {
    let golden = golden!("frame-refresh-migration.json");
    let history = golden["body"]["sections"][2]["history"]["done"].clone();
    let reading = refreshed(golden, |_| {}).unwrap();
    let proposal = reading.proposal.unwrap();
    assert_eq!((proposal.actual, reading.state), (digest(&history["rowsDigest"]), digest(&history["rowsDigest"])));
    assert_eq!(proposal.desired, digest(&history["sequenceDigest"]));
}

#[test]
fn sections_that_disagree_are_no_reading() {
    let other = "sha256:9999999999999999999999999999999999999999999999999999999999999999";
    let moved = |body: &mut Value| {
        body["sections"][3]["plan"]["done"]["schema"]["actualStateFingerprint"] = other.into();
    };
    assert_eq!(refreshed(golden!("frame-refresh-schema.json"), moved), Err(ReadFailure::Passing));
}

#[test]
fn only_a_refusal_by_the_policy_is_told_as_one() {
    let failed = |at: usize, name: &str, code: &str| {
        refreshed(golden!("frame-refresh-schema.json"), |body| {
            let sections = body["sections"].as_array_mut().unwrap();
            sections.truncate(at + 1);
            sections[at] = serde_json::json!({ name: { "failed": { "code": code, "sentence": "It failed." } } });
            body["attachments"] = serde_json::json!([]);
        })
    };
    assert_eq!(failed(1, "verify", refresh::POLICY_REFUSED), Err(ReadFailure::PolicyRefused));
    for (at, name, code) in [
        (0, "resolve", refresh::POLICY_REFUSED),
        (1, "verify", "registry_down"),
        (2, "state", refresh::POLICY_REFUSED),
        (3, "plan", refresh::POLICY_REFUSED),
    ] {
        assert_eq!(failed(at, name, code), Err(ReadFailure::Passing), "{name} {code}");
    }
}

#[test]
fn a_history_that_must_be_put_right_says_what_comes_first() {
    let with = |changes: &[(&str, Value)]| {
        refreshed(golden!("frame-refresh-migration.json"), |body| {
            let history = &mut body["sections"][2]["history"]["done"];
            for name in ["modifiedVersions", "outOfOrderVersions"] {
                history[name] = serde_json::json!([]);
            }
            (history["dirty"], history["ahead"]) = (false.into(), false.into());
            for (name, value) in changes {
                history[*name] = value.clone();
            }
        })
        .unwrap()
        .refusal
    };
    let (yes, some) = (Value::from(true), serde_json::json!(["7"]));
    assert_eq!(with(&[]), None);
    assert_eq!(with(&[("outOfOrderVersions", some.clone())]), Some(StateRefusal::HistoryOutOfOrder));
    assert_eq!(with(&[("ahead", yes.clone())]), Some(StateRefusal::HistoryAhead));
    assert_eq!(with(&[("modifiedVersions", some), ("ahead", yes.clone())]), Some(StateRefusal::HistoryModified));
    assert_eq!(with(&[("dirty", yes.clone()), ("ahead", yes)]), Some(StateRefusal::HistoryDirty));
}

#[test]
fn a_run_is_of_the_claims_database_only_where_both_are_known_and_equal() {
    let golden = golden!("frame-apply.json");
    let database = digest(&golden["body"]["sections"][0]["run"]["identity"]["databaseIdentity"]);
    let right = |database| match section(golden.clone(), &About { database, settles: None }, |_| {}) {
        Core::Run(said) => said.right_database,
        other => panic!("{other:?}"),
    };
    assert!(right(Some(database)));
    assert!(!right(None) && !right(Some(Digest::of(b"another"))));
    let unnamed = section(golden, &unknown(), |body| {
        let run = body["sections"][0]["run"].as_object_mut().unwrap();
        run.insert("outcome".to_owned(), "Unknown".into());
        run.remove("identity");
        run.remove("appliedUnits");
    });
    assert_eq!(
        unnamed,
        Core::Run(Reported { outcome: Outcome::Unknown, right_database: false }),
        "two that say nothing"
    );
}

#[test]
fn a_settling_reading_compares_with_what_the_record_keeps() {
    let golden = golden!("frame-settle-migration.json");
    let rows = digest(&golden["body"]["sections"][0]["rows"]["done"]["rowsDigest"]);
    let run = &golden["body"]["sections"][0]["rows"]["done"]["runs"]["unfinished"][0]["operationID"];
    let run = ids::operation(&ptah_records::operator::text::OperationId::new(run.as_str().unwrap()).unwrap());
    let facts = |settles| match section(golden.clone(), &About { database: None, settles }, |_| {}) {
        Core::Settle(SettleReading::Read(facts)) => (facts.as_before, facts.unfinished),
        other => panic!("{other:?}"),
    };
    let basis = |before| Some(Basis { planned: rows, desired: rows, before });
    assert_eq!(facts(Some((run, basis(rows)))), (true, true));
    assert_eq!(facts(Some((Operation(1), basis(Digest::of(b"other rows"))))), (false, false));
    assert_eq!(facts(Some((run, None))), (false, true), "without a basis nothing is as before");
    assert_eq!(facts(None), (false, false));
}

#[test]
fn a_lost_desired_document_is_not_as_desired() {
    let as_desired = |value: Value| {
        let section = section(golden!("frame-settle-schema.json"), &unknown(), |body| {
            let found = body["sections"][0]["compare"]["done"].as_object_mut().unwrap();
            found.remove("asDesired");
            if !value.is_null() {
                found.insert("asDesired".to_owned(), value);
            }
        });
        match section {
            Core::Settle(SettleReading::Read(facts)) => facts.as_desired,
            other => panic!("{other:?}"),
        }
    };
    assert!(as_desired(true.into()));
    assert!(!as_desired(false.into()) && !as_desired(Value::Null));
}

#[test]
fn a_busy_lock_and_a_reading_that_failed_settle_nothing() {
    let busy = section(golden!("frame-settle-busy.json"), &unknown(), |_| {});
    assert_eq!(busy, Core::Settle(SettleReading::Busy));
    let failed = section(golden!("frame-settle-schema.json"), &unknown(), |body| {
        body["sections"][0] =
            serde_json::json!({ "compare": { "failed": { "code": "no_session", "sentence": "It was down." } } });
    });
    assert!(!matches!(failed, Core::Settle(_)), "{failed:?}");
}

#[test]
fn the_newest_open_run_is_the_one_that_is_remembered() {
    let golden = golden!("frame-refresh-schema.json");
    let rows = read(&frame(golden, |_| {}), SENT, &unknown()).unwrap().rows;
    assert_eq!(rows.sequence, 41);
    assert_eq!(rows.unfinished.unwrap().family, Some(Family::Schema));
}

#[test]
fn a_frame_that_contradicts_itself_proves_nothing() {
    let bad = frame(golden!("frame-apply.json"), |body| body["sections"] = serde_json::json!([]));
    assert_eq!(read(&bad, SENT, &unknown()), Err(Unreadable::Contradiction));
    let pod = frame(golden!("frame-apply.json"), |body| body["podUID"] = "a.pod".into());
    assert_eq!(read(&pod, SENT, &unknown()), Err(Unreadable::Uid));
    assert!(contradicted(Operation(1), core::Uid(2), SENT).conflict);
}

#[test]
fn a_termination_message_speaks_of_its_own_operation_alone() {
    let sealed = include_bytes!("../../../records/src/operator/v1/golden/termination-summary.json");
    let mut said: TerminationSummary = seal::read(sealed.trim_ascii_end()).unwrap();
    (said.outcome, said.applied_units) = (Some(Said::Applied), None);
    let own = ids::operation(&said.operation_id);
    assert_eq!(summary(&said, own, &unknown()).unwrap().outcome, Outcome::Applied);
    assert_eq!(summary(&said, Operation(7), &unknown()), None);
    said.outcome = None;
    assert_eq!(summary(&said, own, &unknown()), None, "a reading says nothing of a run");
}
