//! Each rule: what it tells and what it does not.

use ptah_diff::{CompareOptions, compare};
use ptah_model::{Comparison, Facet, Facets, KindModel, Loss, Member, Name, Object, Risk, SourceName};
use ptah_provider_api::step::{self, Check, LockTaken, StepId, TransactionRule, Unit};

use super::*;

fn name(text: &str) -> Name {
    Name::new(text, Comparison::AsciiFold)
}

fn kinds() -> KindCatalog {
    let kind = |kind: Kind, member: bool, holds: Holds| KindModel {
        kind,
        parent: None,
        member,
        holds,
        ordered: false,
        renamable: true,
    };
    KindCatalog::new([
        kind(Kind::table(), false, Holds::Rows),
        kind(Kind::column(), true, Holds::Values),
        kind(Kind::check(), true, Holds::Protection),
        kind(Kind::index(), false, Holds::Nothing),
        kind(Kind::view(), false, Holds::Definition),
        kind(Kind::trigger(), false, Holds::Definition),
    ])
}

fn facets(names: &[&str]) -> Facets {
    names.iter().map(|n| ((*n).to_owned(), Facet::plain("yes"))).collect()
}

fn object(kind: Kind, owner: Option<&str>, text: &str, facet_names: &[&str], members: Vec<Member>) -> Object {
    Object {
        id: ObjectId { kind, schema: None, owner: owner.map(name), name: name(text) },
        facets: facets(facet_names),
        members,
    }
}

fn member(kind: Kind, text: &str, facet_names: &[&str]) -> Member {
    Member { id: MemberId { kind, name: name(text) }, facets: facets(facet_names) }
}

fn column(text: &str, facet_names: &[&str]) -> Member {
    member(Kind::column(), text, facet_names)
}

fn users(members: Vec<Member>) -> Object {
    object(Kind::table(), None, "users", &[], members)
}

fn index(text: &str, facet_names: &[&str]) -> Object {
    object(Kind::index(), Some("users"), text, facet_names, Vec::new())
}

fn step(changes: &[u32]) -> Step {
    Step {
        id: StepId("s".to_owned()),
        changes: changes.iter().map(|c| step::ChangeId(*c)).collect(),
        unit: Unit::Sql { text: "do".to_owned() },
        after: Vec::new(),
        after_commit: Vec::new(),
        atomic_group: None,
        needs: Vec::new(),
        transaction: TransactionRule::Any,
        risk: Risk::Safe,
        loss: None::<Loss>,
        hazards: Vec::new(),
        locks: Vec::new(),
        checks: Vec::new(),
        rule: step::Rule { name: "plain".to_owned(), sentence: "it is done as it is said".to_owned() },
    }
}

fn locked(changes: &[u32], rewrites: bool, scans: bool) -> Step {
    let mut step = step(changes);
    step.locks.push(LockTaken { object: users(Vec::new()).id, mode: "exclusive".to_owned(), rewrites, scans });
    step
}

/// Compares two models, lints the changes, and states the findings, one a line.
fn check(current: Vec<Object>, desired: Vec<Object>, steps: &[Step]) -> String {
    let model = |objects: Vec<Object>| {
        let mut model = SchemaModel::default();
        for object in objects {
            assert!(model.insert(object));
        }
        model
    };
    let (current, desired, kinds) = (model(current), model(desired), kinds());
    let compared = compare(&current, &desired, &kinds, &CompareOptions::default()).unwrap();
    let at = Position { source: SourceName::new("schema.sql"), offset: 0, length: 5, line: 3, column: 1 };
    let findings = lint(&Subject {
        changes: &compared.changes,
        findings: &compared.findings,
        steps,
        kinds: &kinds,
        desired: &desired,
        locations: &BTreeMap::from([((users(Vec::new()).id, None), at)]),
    });
    let told = findings.iter().map(|d| format!("{:?} {}: {d}", d.severity, d.code));
    told.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_is_dropped_is_told_by_what_it_held() {
    let current = vec![
        users(vec![column("a", &[]), column("b", &["default"]), member(Kind::check(), "a > 0", &[])]),
        object(Kind::table(), None, "old", &[], Vec::new()),
        index("by_a", &[]),
    ];
    insta::assert_snapshot!(check(current, vec![users(vec![column("a", &[])])], &[]), @r"
    Warning DS101: table old is dropped with its rows
    Warning DS102: schema.sql:3:1: column b of table users is dropped with its value in every row
    Warning DS103: schema.sql:3:1: check a > 0 of table users no longer keeps wrong rows out
    ");
}

#[test]
fn a_view_that_becomes_a_table_is_made_again_and_a_trigger_that_goes_is_not() {
    let view = |text| object(Kind::view(), None, text, &[], Vec::new());
    let trigger = object(Kind::trigger(), Some("users"), "stamp", &[], Vec::new());
    let desired = vec![users(vec![]), object(Kind::table(), None, "v", &[], Vec::new())];
    insta::assert_snapshot!(check(vec![users(vec![]), view("v"), view("w"), trigger], desired, &[]), @r"
    Warning DS104: trigger stamp on users is dropped and not made again
    Warning DS104: view w is dropped and not made again
    ");
}

#[test]
fn a_constraint_that_says_something_else_is_no_lost_protection() {
    let t = |says| vec![users(vec![member(Kind::check(), says, &[])])];
    insta::assert_snapshot!(check(t("a > 0"), t("a > 1"), &[]), @"Warning DD102: schema.sql:3:1: check a > 1 of table users fails if rows that exist break it");
}

#[test]
fn a_possible_rename_is_passed_on() {
    let t = |text| vec![users(vec![column(text, &["default"])])];
    insta::assert_snapshot!(check(t("mail"), t("email"), &[]), @r"
    Warning DS102: schema.sql:3:1: column mail of table users is dropped with its value in every row
    Warning BC101: column mail of table users may have been renamed to `email`
    ");
}

#[test]
fn a_column_that_cannot_be_filled_is_told_only_where_rows_may_be() {
    let required = || column("a", &["not-null"]);
    let filled = || column("b", &["not-null", "default"]);
    let computed = || column("c", &["not-null", "generated"]);
    let all = || vec![users(vec![required(), filled(), computed(), column("d", &[])])];
    insta::assert_snapshot!(check(vec![users(vec![])], all(), &[]), @"Warning DD101: schema.sql:3:1: column a of table users may not be null, has no default, and the table may have rows");
    insta::assert_snapshot!(check(vec![], all(), &[]), @"");
}

#[test]
fn a_constraint_over_rows_is_told_and_one_of_a_new_table_is_not() {
    let wanted =
        || vec![users(vec![member(Kind::check(), "a > 0", &[])]), index("by_a", &["unique"]), index("by_b", &[])];
    insta::assert_snapshot!(check(vec![users(vec![])], wanted(), &[]), @r"
    Warning DD102: schema.sql:3:1: check a > 0 of table users fails if rows that exist break it
    Warning DD102: index by_a on users fails if rows that exist break it
    ");
    insta::assert_snapshot!(check(vec![], wanted(), &[]), @"");
}

#[test]
fn a_constraint_whose_rows_are_counted_first_says_so() {
    let mut counting = step(&[0]);
    counting.checks.push(Check {
        code: "rows.check".to_owned(),
        count: "count".to_owned(),
        rows: None,
        sentence: "rows break it".to_owned(),
        lossy: false,
    });
    let wanted = vec![users(vec![member(Kind::check(), "a > 0", &[])])];
    insta::assert_snapshot!(check(vec![users(vec![])], wanted, &[counting]), @"Warning DD102: schema.sql:3:1: check a > 0 of table users fails if rows that exist break it; the plan counts them before anything runs");
}

#[test]
fn a_rewrite_is_told_once_and_hides_the_scan_that_it_makes() {
    let t = |facet| vec![users(vec![column("a", &[facet])])];
    let steps = [locked(&[0], true, true), locked(&[0], true, false), locked(&[0], false, true)];
    insta::assert_snapshot!(check(t("x"), t("y"), &steps), @"Warning LK101: schema.sql:3:1: table users is written again (exclusive lock): alter x, y of column a of table users");
}

#[test]
fn a_scan_of_a_table_that_exists_is_told_and_one_of_a_new_table_is_not() {
    let wanted = || vec![users(vec![]), index("by_a", &[])];
    insta::assert_snapshot!(check(vec![users(vec![])], wanted(), &[locked(&[0], false, true)]), @"Note LK102: schema.sql:3:1: table users is read whole (exclusive lock): create index by_a on users");
    insta::assert_snapshot!(check(vec![], wanted(), &[locked(&[1], false, true)]), @"");
}

#[test]
fn each_code_is_used_once_and_each_rule_says_what_to_do() {
    let codes: std::collections::BTreeSet<&str> = RULES.iter().map(|r| r.code.0).collect();
    assert_eq!(codes.len(), RULES.len());
    assert!(RULES.iter().all(|r| !r.sentence.is_empty() && !r.hint.is_empty()));
}
