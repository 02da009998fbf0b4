//! What a comparison and the renames promise: examples here, properties in `tests/properties.rs`.

mod build;
mod properties;
mod renames;

use ptah_model::{KindCatalog, NotDescribed, SchemaModel};

use crate::{ColumnOrder, CompareOptions, Comparison, compare};
use build::*;

fn compared(current: &SchemaModel, desired: &SchemaModel) -> Comparison {
    compare(current, desired, &kinds(), &CompareOptions::default()).unwrap()
}

/// Compares two models and states the changes with their danger, the notes and the findings, one a line.
fn check(current: &SchemaModel, desired: &SchemaModel, expected: &str) {
    assert_eq!(told(&compared(current, desired)), expected);
}

fn told(found: &Comparison) -> String {
    let changes = found.changes.iter().map(|c| match c.loss {
        Some(loss) => format!("{}: {c} ({}, loses {loss})", c.id.0, c.risk),
        None => format!("{}: {c} ({})", c.id.0, c.risk),
    });
    let notes = found.notes.iter().map(|d| format!("note: {d}"));
    let findings = found.findings.iter().map(|d| format!("{}: {d}", d.code));
    changes.chain(notes).chain(findings).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_drop_states_what_is_lost_and_takes_what_it_owns_along() {
    let current = model([
        table("users", [column("id", "int"), check_member("id > 0")]),
        index("by_id", "users"),
        view("active", "select 1"),
    ]);
    check(
        &current,
        &SchemaModel::default(),
        "0: drop view active (warning, loses definition)\n1: drop table users (destructive, loses rows)",
    );
}

#[test]
fn a_new_owner_brings_its_members_and_not_what_it_owns() {
    let desired = model([table("users", [column("id", "int")]), index("by_id", "users")]);
    check(&SchemaModel::default(), &desired, "0: create table users (safe)\n1: create index by_id on users (safe)");
}

#[test]
fn members_are_dropped_added_and_altered_one_by_one() {
    let current = model([table("t", [column("a", "int"), column("b", "int"), check_member("a > 0")])]);
    let desired = model([table("t", [column("a", "text"), column("c", "blob"), check_member("a > 1")])]);
    check(
        &current,
        &desired,
        "0: drop column b of table t (destructive, loses values)\n\
         1: drop check a > 0 of table t (destructive, loses protection)\n\
         2: alter type of column a of table t (warning)\n\
         3: create column c of table t (safe)\n\
         4: create check a > 1 of table t (warning)",
    );
}

#[test]
fn a_trigger_that_goes_with_its_view_is_made_again_on_the_table_that_takes_the_name() {
    let current = model([view("v", "select 1"), trigger("tr", "v")]);
    let desired = model([table("v", [column("a", "int")]), trigger("tr", "v")]);
    check(
        &current,
        &desired,
        "0: create table v (safe)\n1: create trigger tr on v (safe)\n2: drop view v (warning, loses definition)",
    );
}

#[test]
fn what_could_not_be_read_is_never_dropped_and_never_altered() {
    let mut current = model([index("by_id", "odd")]);
    let odd = table("odd", []).id;
    current.insert_not_described(NotDescribed { id: odd.clone(), reason: "an unknown module".to_owned() });
    check(&current, &SchemaModel::default(), "");
    let finding = "compare.not-described: table odd is declared, exists, and could not be read";
    check(&current, &model([table("odd", [column("a", "int")])]), finding);
}

#[test]
fn a_definition_that_could_not_be_read_is_left_to_the_proof_when_something_changes() {
    let mut current = SchemaModel::default();
    current.insert_not_described(NotDescribed { id: view("v", "").id, reason: "a missing table".to_owned() });
    let finding = "compare.not-described: view v is declared, exists, and could not be read";
    check(&current, &model([view("v", "select a from t")]), finding);
    let desired = model([view("v", "select a from t"), table("t", [column("a", "int")])]);
    let note = "note: view v is declared, exists, and cannot be read now; the plan has to make it readable";
    check(&current, &desired, &format!("0: create table t (safe)\n{note}"));
}

#[test]
fn what_was_declared_and_not_read_back_is_a_finding_and_no_drop() {
    let mut desired = SchemaModel::default();
    desired.insert_not_described(NotDescribed { id: table("t", []).id, reason: "an unknown module".to_owned() });
    check(
        &model([table("t", [column("a", "int")])]),
        &desired,
        "compare.not-described: table t was declared and could not be read back",
    );
}

#[test]
fn the_order_of_columns_is_a_note_unless_it_is_asked_for() {
    let current = model([table("t", [column("a", "int"), column("b", "text")])]);
    let desired = model([table("t", [column("b", "text"), column("c", "blob"), column("a", "int")])]);
    check(
        &current,
        &desired,
        "0: create column c of table t (safe)\n\
         note: the order of the column members of table t differs and is left alone",
    );
    let exact = CompareOptions { column_order: ColumnOrder::Exact };
    let found = compare(&current, &desired, &kinds(), &exact).unwrap();
    assert_eq!(told(&found), "0: create column c of table t (safe)\n1: reorder the members of table t (warning)");
}

#[test]
fn the_order_of_constraints_is_nothing_to_tell() {
    let t = |first: &str, second: &str| model([table("t", [check_member(first), check_member(second)])]);
    check(&t("a > 0", "b > 0"), &t("b > 0", "a > 0"), "");
}

#[test]
fn a_drop_and_an_addition_alike_are_told_as_a_possible_rename() {
    let current = model([table("t", [column("mail", "text"), column("n", "int")])]);
    let desired = model([table("t", [column("email", "text"), column("m", "text"), column("n", "int")])]);
    let found = compared(&current, &desired);
    let finding = &found.findings[0];
    assert_eq!(finding.summary, "column mail of table t may have been renamed to `email` or `m`");
    assert_eq!(found.findings.len(), 1);
    let tables = compared(
        &model([table("old", [column("a", "int"), column("b", "int")])]),
        &model([table("new", [column("b", "int"), column("a", "int")])]),
    );
    assert_eq!(
        tables.findings[0].hint.as_deref(),
        Some("to keep what is in it, write `-- ptah:renamed from=old` directly above the definition of `new`")
    );
}

#[test]
fn what_keeps_no_rows_or_is_made_differently_is_no_possible_rename() {
    let column_type = compared(&model([table("t", [column("a", "int")])]), &model([table("t", [column("b", "text")])]));
    assert_eq!(column_type.findings, []);
    let index_name = compared(&model([table("t", []), index("a", "t")]), &model([table("t", []), index("b", "t")]));
    assert_eq!(index_name.findings, []);
}

#[test]
fn a_kind_that_nobody_declared_is_an_error_on_either_side() {
    let some = model([view("v", "select 1")]);
    let none = SchemaModel::default();
    for (current, desired) in [(&some, &none), (&none, &some)] {
        let error = compare(current, desired, &KindCatalog::default(), &CompareOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), "the kind `view` is not one that the provider declared");
    }
}

#[test]
fn a_spelling_is_no_difference() {
    let spelled = |text: &str| {
        let mut t = table("t", [column("a", "int")]);
        t.members[0].facets.get_mut("type").unwrap().text = text.to_owned();
        model([t])
    };
    check(&spelled("INT"), &spelled("Int"), "");
}
