//! Titles and explanations.

use ptah_diff::{Action, Change};
use ptah_model::{Kind, Loss, Risk};
use ptah_provider_api::step::LockTaken;

use super::build::*;
use crate::desired::Locations;
use crate::title::title;
use crate::{Draft, Phase, PhaseKind, TxMode};

#[test]
fn a_title_says_what_is_done_in_words_that_no_engine_owns() {
    let check = |changes: &[Change], expected: &str| {
        assert_eq!(title(&changes.iter().collect::<Vec<_>>()), expected);
    };
    let users = table("users");
    let email = column("email");
    let one = |object, member, action| [change(0, object, member, action)];
    check(&one(&users, None, Action::Create), "create table users");
    check(&one(&users, Some(&email), Action::Create), "add column email to users");
    check(&one(&users, Some(&email), Action::Drop), "drop column email from users");
    let by_age = index("i", "users");
    check(&one(&by_age, None, Action::Drop), "drop index i on users");
    check(&one(&users, None, Action::Reorder), "reorder the members of table users");
    let to = Action::Rename { to: name("mail") };
    check(&one(&users, Some(&email), to), "rename column email of users to mail");
    let (add, alter) = (
        change(0, &users, Some(&email), Action::Create),
        change(1, &users, Some(&column("age")), new_type("int", "text")),
    );
    check(
        &[add.clone(), alter.clone()],
        "change table users: add column email to users, change type of column age of users",
    );
    check(&[add.clone(), alter, add.clone(), add], "change table users: 4 changes");
}

#[test]
fn a_title_names_the_schema_where_there_is_one() {
    let mut users = table("users");
    users.schema = Some(name("app"));
    let add = change(0, &users, Some(&column("email")), Action::Create);
    assert_eq!(title(&[&add]), "add column email to app.users");
}

#[test]
fn an_explanation_has_both_spellings_the_asking_line_and_the_steps_it_waits_for() {
    let users = table("users");
    let changes = vec![
        change(0, &users, Some(&column("age")), new_type("int", "text")),
        change(1, &index("by_age", "users"), None, Action::Create),
        change(2, &table("old"), None, Action::Drop),
    ];
    let steps = vec![step("age", &[0]).after(&["index"]), step("index", &[1]), step("old", &[2]).after_commit("age")];
    let phase = Phase { kind: PhaseKind::Changes, changes, steps };
    let locations = Locations::from([((users.clone(), None), at(1)), ((users, Some(column("age"))), at(2))]);
    let draft = Draft::new(head(TxMode::File), vec![phase], &locations).unwrap();
    let told = draft.explanations();
    let titles: Vec<(u32, &str)> = told.iter().map(|e| (e.number, e.title.as_str())).collect();
    assert_eq!(
        titles,
        [(1, "create index by_age on users"), (2, "change type of column age of users"), (3, "drop table old"),]
    );
    assert_eq!(told[1].why[0].asked, Some(at(2)));
    assert_eq!(told[1].why[0].change.action, new_type("int", "text"));
    assert_eq!((told[1].after[0].number, told[1].after[0].committed), (1, false));
    assert_eq!((told[2].after[0].number, told[2].after[0].committed), (2, true));
    assert_eq!(told[2].why[0].asked, None);
    assert_eq!((told[2].risk, told[2].loss), (Risk::Destructive, Some(Loss::Rows)));
    assert_eq!(told[0].statements, ["do index"]);
}

#[test]
fn what_was_renamed_is_asked_for_by_its_new_name() {
    let users = table("users");
    let renames = Phase {
        kind: PhaseKind::Renames,
        changes: vec![change(0, &table("people"), None, Action::Rename { to: name("users") })],
        steps: vec![step("rename", &[0])],
    };
    let locations = Locations::from([((users, None), at(9))]);
    let draft = Draft::new(head(TxMode::File), vec![renames], &locations).unwrap();
    assert_eq!(draft.explanations()[0].why[0].asked, Some(at(9)));
}

#[test]
fn only_what_deviates_from_harmless_is_shown_in_the_short_form() {
    let harmless = |steps, mode| {
        let draft = Draft::new(head(mode), vec![creations(steps)], &Locations::new()).unwrap();
        draft.explanations()[0].is_harmless()
    };
    assert!(harmless(vec![step("a", &[0])], TxMode::File));
    assert!(!harmless(vec![step("a", &[0])], TxMode::None));
    assert!(!harmless(vec![step("a", &[0]).checks("nulls", false)], TxMode::File));
    let mut scanning = step("a", &[0]);
    scanning.locks.push(LockTaken {
        object: object(Kind::table(), None, "t0"),
        mode: "shared".to_owned(),
        rewrites: false,
        scans: true,
    });
    assert!(!harmless(vec![scanning], TxMode::File));
}

#[test]
fn a_step_that_serves_a_change_nobody_asked_for_makes_no_plan() {
    let phase = creations(vec![step("a", &[7])]);
    let error = Draft::new(head(TxMode::File), vec![phase], &Locations::new()).unwrap_err();
    assert_eq!(error.to_string(), "a step serves the change 7, which was not asked for");
}
