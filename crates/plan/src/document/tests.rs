//! A plan survives its file, and a file that holds no plan is refused by the field.

use ptah_diff::{Action, RenameRecord};
use ptah_model::{Diagnostic, Kind, Loss};
use ptah_provider_api::step::{Hazard, LockTaken, NativeOperation, TransactionRule, Unit};
use ptah_records::plan_file::v1::{PlanV1, UnitV1};
use ptah_records::report::v1::PlanOutcomeV1;
use ptah_records::to_bytes;

use super::*;
use crate::desired::Locations;
use crate::tests::build::*;
use crate::{Draft, Phase, PhaseKind, TxMode};

/// A plan that has something of everything.
fn full_plan() -> Plan {
    let users = table("Users");
    let rename = Phase {
        kind: PhaseKind::Renames,
        changes: vec![change(0, &table("people"), None, Action::Rename { to: name("Users") })],
        steps: vec![step("same", &[0])],
    };
    let mut native = step("same", &[1, 0])
        .needs("refs=off")
        .in_group("g")
        .loses(Loss::Values)
        .checks("values", true)
        .runs(TransactionRule::Inside);
    native.unit = Unit::Native(NativeOperation::new(
        "rebuild-table",
        3,
        vec![0, 255, 10],
        vec!["copy".to_owned(), "drop 'é'".to_owned()],
    ));
    native.hazards.push(Hazard { code: "slow".to_owned(), text: "it takes long".to_owned() });
    native.locks.push(LockTaken {
        object: index("by_age", "users"),
        mode: "exclusive".to_owned(),
        rewrites: true,
        scans: true,
    });
    let changes = Phase {
        kind: PhaseKind::Changes,
        changes: vec![
            change(0, &users, Some(&column("Age")), new_type("int", "text")),
            change(1, &users, Some(&column("mail")), Action::Drop),
            change(2, &users, None, Action::Reorder),
        ],
        steps: vec![native, step("late", &[2]).after(&["same"]).after_commit("same")],
    };
    let mut head = head(TxMode::File);
    head.policy.protected_tables.push("orders".to_owned());
    head.renames.push(RenameRecord {
        kind: Kind::table(),
        owner: None,
        from: "people".to_owned(),
        to: "users".to_owned(),
    });
    let locations = Locations::from([((users.clone(), None), at(1)), ((users, Some(column("age"))), at(2))]);
    let draft = Draft::new(head, vec![rename, changes], &locations).unwrap();
    let points = (1..=draft.segments().len()).map(point).collect();
    draft.with_proof(points).unwrap()
}

#[test]
fn a_plan_is_read_back_as_it_was_written() {
    let plan = full_plan();
    let bytes = write_file(&plan).unwrap();
    let again = read_file(&bytes).unwrap();
    assert_eq!(again, plan);
    assert_eq!(write_file(&again).unwrap(), bytes);
    assert_eq!(plan.digest(), ptah_model::Digest::of(&bytes));
}

#[test]
fn a_field_that_cannot_hold_its_text_is_named() {
    let check = |change: fn(&mut PlanV1), expected: &str| {
        let mut record = plan_record(&full_plan());
        change(&mut record);
        assert_eq!(super::plan(record).unwrap_err().to_string(), expected);
    };
    check(|p| p.plan_id.clear(), "the field `plan_id` holds no identifier");
    check(|p| p.engine.push('!'), "the field `engine` holds no identifier");
    check(|p| p.from.clear(), "the field `from` holds no digest");
    check(|p| p.to.push('0'), "the field `to` holds no digest");
    check(|p| p.sources.clear(), "the field `sources` holds no digest");
    check(|p| p.segments[0].before.clear(), "the field `segments.before` holds no digest");
    check(|p| p.renames[0].kind = "Table".to_owned(), "the field `kind` holds what does not belong there");
    check(
        |p| {
            let served = &mut p.segments[0].steps[1].why[0];
            served.asked.as_mut().unwrap().offset = "-1".to_owned();
        },
        "the field `offset` holds what does not belong there",
    );
    check(
        |p| {
            if let UnitV1::Native { payload, .. } = &mut p.segments[0].steps[1].unit {
                payload.push('x');
            }
        },
        "the field `unit.payload` holds what does not belong there",
    );
    check(|p| p.segments.clear(), "the plan contradicts itself");
}

#[test]
fn a_plan_whose_statement_was_changed_is_refused_even_when_the_file_is_sealed_anew() {
    let mut record = plan_record(&full_plan());
    if let UnitV1::Native { statements, .. } = &mut record.segments[0].steps[1].unit {
        statements[0].push('x');
    }
    let bytes = plan_file::write(&plan_file::seal(record)).unwrap();
    let error = read_file(&bytes).unwrap_err();
    assert!(matches!(error, ReadError::Document(DocumentError::Fault(_))), "{error:?}");
}

#[test]
fn a_report_says_everything_of_each_step() {
    let finding = Diagnostic::note(ptah_model::Code("some.note"), "a thing to know").at(at(4)).hint("know it");
    let report = plan_report(PlanOutcomeV1::Changes, Some(&full_plan()), &[finding]);
    let text = String::from_utf8(to_bytes(&report)).unwrap();
    insta::assert_snapshot!("report", text);
}

#[test]
fn a_refusal_has_no_plan_and_no_null_list() {
    let report = plan_report(PlanOutcomeV1::Refused, None, &[]);
    insta::assert_snapshot!(String::from_utf8(to_bytes(&report)).unwrap(), @r#"
    {
      "contract_version": 1,
      "outcome": "refused",
      "plan": null,
      "steps": [],
      "diagnostics": []
    }
    "#);
}
