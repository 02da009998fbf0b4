//! Both forms of a plan with one step of each class.

use ptah_diff::{Action, Change, ChangeId, FacetChange};
use ptah_model::{Comparison, Facet, Kind, MemberId, Name, ObjectId, Position, SourceName};
use ptah_plan::{Earlier, Served};
use ptah_provider_api::step::{Check, Hazard, Rule};

use super::*;

fn table(name: &str) -> ObjectId {
    ObjectId { kind: Kind::table(), schema: None, owner: None, name: Name::new(name, Comparison::AsciiFold) }
}

fn column(name: &str) -> MemberId {
    MemberId { kind: Kind::column(), name: Name::new(name, Comparison::AsciiFold) }
}

fn served(member: Option<MemberId>, action: Action, line: Option<u32>) -> Served {
    let object = table("users");
    let change = Change { id: ChangeId(0), object, member, action, risk: Risk::Safe, loss: None };
    let source = SourceName::new("schema.sql");
    let asked = line.map(|line| Position { source, offset: 0, length: 1, line, column: 5 });
    Served { change, asked }
}

fn step(number: u32, title: &str, statement: &str, why: Served) -> Explanation {
    Explanation {
        number,
        title: title.to_owned(),
        risk: Risk::Safe,
        loss: None,
        transaction: true,
        statements: vec![statement.to_owned()],
        why: vec![why],
        rule: Rule { name: "create".to_owned(), sentence: "what is missing is created".to_owned() },
        after: Vec::new(),
        hazards: Vec::new(),
        locks: Vec::new(),
        checks: Vec::new(),
    }
}

fn altered() -> Explanation {
    let facet = FacetChange {
        name: "type".to_owned(),
        from: Some(Facet::plain("text")),
        to: Some(Facet::new("INTEGER", "integer")),
    };
    let why = served(Some(column("age")), Action::Alter(vec![facet]), Some(3));
    Explanation {
        risk: Risk::Warning,
        transaction: false,
        statements: vec!["create table users_new (\n  age INTEGER\n)".to_owned(), "drop table users".to_owned()],
        rule: Rule { name: "rebuild.type".to_owned(), sentence: "a type is changed by a copy of the table".to_owned() },
        after: vec![Earlier { number: 1, rule: "the table is read by it".to_owned(), committed: true }],
        hazards: vec![Hazard { code: "rebuild.slow".to_owned(), text: "every row is copied".to_owned() }],
        locks: vec![LockTaken { object: table("users"), mode: "exclusive".to_owned(), rewrites: true, scans: true }],
        checks: vec![Check {
            code: "rows.type".to_owned(),
            count: "select count(*) from users where age is text".to_owned(),
            rows: None,
            sentence: "a value would change its type".to_owned(),
            lossy: true,
        }],
        ..step(2, "change type of column age of users", "", why)
    }
}

fn dropped() -> Explanation {
    Explanation {
        risk: Risk::Destructive,
        loss: Some(Loss::Values),
        ..step(
            3,
            "drop column nick from users",
            "alter table users drop column nick",
            served(Some(column("nick")), Action::Drop, None),
        )
    }
}

fn plain(explain: bool, exists: bool) -> String {
    let created = step(1, "create table posts", "create table posts (id)", served(None, Action::Create, Some(9)));
    let steps = [created, altered(), dropped()];
    PlanView { database: "app.db", exists, steps: &steps, segments: Some(2), explain }.page().plain()
}

#[test]
fn the_short_form_shows_statements_and_what_deviates_from_harmless() {
    insta::assert_snapshot!(plain(false, true));
}

#[test]
fn the_long_form_shows_everything() {
    insta::assert_snapshot!(plain(true, true));
}

#[test]
fn a_database_that_is_not_there_is_announced() {
    assert!(plain(false, false).contains("app.db does not exist; it will be created\n"));
}

#[test]
fn what_is_destructive_is_red_and_says_so_without_colour() {
    let view = PlanView { database: "app.db", exists: true, steps: &[dropped()], segments: Some(1), explain: false };
    assert!(view.page().as_str().contains("\u{1b}[1m\u{1b}[31m!! "), "{:?}", view.page().as_str());
    assert!(view.page().plain().contains("destructive: values in rows that stay are lost for good"));
}
