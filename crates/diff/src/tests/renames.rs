//! Which rename hints act, in which order, and which contradict what is there.

use ptah_model::{MemberId, Position, SchemaModel, SourceName};

use super::build::*;
use crate::{RenameHint, RenameInputs, RenameRecord, Renames, renames};

/// `table.column` or `table`, and the old name.
pub(super) fn hint(about: &str, from: &str) -> RenameHint {
    let (object, member) = match about.split_once('.') {
        Some((object, member)) => (object, Some(member)),
        None => (about, None),
    };
    RenameHint {
        object: table(object, []).id,
        member: member.map(|m| column(m, "int").id),
        from: name(from),
        position: Position { source: SourceName::new("schema.sql"), offset: 0, length: 0, line: 3, column: 1 },
    }
}

pub(super) fn run(
    current: &SchemaModel,
    desired: &SchemaModel,
    hints: &[RenameHint],
    ledger: &[RenameRecord],
) -> Renames {
    renames(&RenameInputs { current, desired, hints, ledger, kinds: &kinds() })
}

/// Tables of one column each.
fn tables(names: &[&str]) -> SchemaModel {
    model(names.iter().map(|n| table(n, [column("id", n)])))
}

fn check(current: &[&str], desired: &[&str], hints: &[RenameHint], expected: &str) {
    let found = run(&tables(current), &tables(desired), hints, &[]);
    assert_eq!(told(&found), expected);
}

fn told(found: &Renames) -> String {
    let changes = found.changes.iter().map(ToString::to_string);
    let findings = found.findings.iter().map(|d| format!("{}: {d}", d.code));
    changes.chain(findings).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_hint_acts_only_while_the_old_name_is_there_and_the_new_one_is_not() {
    let hints = [hint("b", "a")];
    check(&["a"], &["b"], &hints, "rename table a to b");
    check(&["b"], &["b"], &hints, "");
    check(&[], &["b"], &hints, "");
    check(
        &["a", "b"],
        &["b"],
        &hints,
        "rename.both-exist: schema.sql:3:1: table b is renamed from `a`, and both names exist",
    );
    check(
        &["a"],
        &["a", "b"],
        &hints,
        "rename.still-declared: schema.sql:3:1: table b is renamed from `a`, which is still declared or cannot be freed",
    );
}

#[test]
fn a_chain_frees_each_name_before_it_is_given() {
    let hints = [hint("b", "a"), hint("c", "b"), hint("d", "c")];
    check(&["a", "b", "c"], &["b", "c", "d"], &hints, "rename table c to d\nrename table b to c\nrename table a to b");
}

#[test]
fn a_swap_goes_through_a_name_that_is_free_in_both_models() {
    let hints = [hint("a", "b"), hint("b", "a")];
    check(
        &["a", "b", "ptah_swap_1"],
        &["a", "b"],
        &hints,
        "rename table b to ptah_swap_2\nrename table a to b\nrename table ptah_swap_2 to a\n\
         rename.swap-of-equals: objects of the kind table trade names (`b`, `a`) although each has its wanted \
         definition already",
    );
}

#[test]
fn a_swap_in_the_ledger_is_not_made_again_and_leaves_no_temporary_name_there() {
    let hints = [hint("a", "b"), hint("b", "a")];
    let (current, desired) = (tables(&["a", "b"]), tables(&["a", "b"]));
    let first = run(&current, &desired, &hints, &[]);
    assert_eq!(first.applied.len(), 2);
    assert!(first.applied.iter().all(|r| !r.to.starts_with("ptah")));
    assert_eq!(run(&current, &desired, &hints, &first.applied), Renames::default());
}

#[test]
fn the_old_name_may_be_declared_anew_once_the_ledger_knows_the_rename() {
    let ledger = run(&tables(&["a"]), &tables(&["b"]), &[hint("b", "a")], &[]).applied;
    let both = tables(&["a", "b"]);
    assert_eq!(run(&both, &both, &[hint("b", "a")], &ledger), Renames::default());
}

#[test]
fn a_rename_that_was_undone_by_hand_is_made_again_whatever_the_ledger_says() {
    let hints = [hint("b", "a")];
    let ledger = run(&tables(&["a"]), &tables(&["b"]), &hints, &[]).applied;
    let again = run(&tables(&["a"]), &tables(&["b"]), &hints, &ledger);
    assert_eq!(told(&again), "rename table a to b");
}

#[test]
fn a_column_of_a_renamed_table_is_renamed_after_it_and_named_by_the_new_owner() {
    let current = model([table("users", [column("mail", "text")]), index("by_mail", "users")]);
    let desired = model([table("people", [column("email", "text")]), index("by_mail", "people")]);
    let found = run(&current, &desired, &[hint("people.email", "mail"), hint("people", "users")], &[]);
    assert_eq!(told(&found), "rename table users to people\nrename column mail of table people to email");
    assert_eq!(found.applied[1].owner.as_deref(), Some("people"));
}

#[test]
fn an_index_of_a_renamed_table_can_be_renamed_too() {
    let current = model([table("users", []), index("by_mail", "users")]);
    let desired = model([table("people", []), index("by_email", "people")]);
    let mut index_hint = hint("people", "by_mail");
    index_hint.object = index("by_email", "people").id;
    let found = run(&current, &desired, &[index_hint, hint("people", "users")], &[]);
    assert_eq!(told(&found), "rename table users to people\nrename index by_mail on people to by_email");
}

#[test]
fn several_old_names_are_fine_while_only_one_of_them_exists() {
    let hints = [hint("c", "a"), hint("c", "b")];
    check(&["b"], &["c"], &hints, "rename table b to c");
    let found = run(&tables(&["a", "b"]), &tables(&["c"]), &hints, &[]);
    let codes: Vec<&str> = found.findings.iter().map(|d| d.code.as_str()).collect();
    assert_eq!(codes, ["rename.twice", "rename.twice"]);
    assert_eq!(found.changes, []);
}

#[test]
fn a_broken_chain_renames_nothing_of_it() {
    // `c` stays, so `b` cannot become it, so `a` cannot become `b`.
    let found = run(&tables(&["a", "b", "c"]), &tables(&["b", "c"]), &[hint("b", "a"), hint("c", "b")], &[]);
    assert_eq!(found.changes, []);
    assert_eq!(found.findings.len(), 2);
}

#[test]
fn a_hint_about_nothing_is_told() {
    let check_one = |hint: RenameHint, code: &str| {
        let found = run(&tables(&["a"]), &tables(&["b"]), &[hint], &[]);
        assert_eq!(found.findings[0].code, code);
        assert_eq!(found.changes, []);
    };
    check_one(hint("x", "a"), "rename.not-declared");
    check_one(hint("b", "B"), "rename.itself");
    let mut unrenamable = hint("b", "a");
    unrenamable.member = Some(MemberId { kind: check_member("1").id.kind, name: name("c") });
    check_one(unrenamable, "rename.kind");
}

#[test]
fn what_could_not_be_read_is_not_renamed() {
    let mut current = tables(&[]);
    current.insert_not_described(ptah_model::NotDescribed {
        id: table("a", []).id,
        reason: "an unknown module".to_owned(),
    });
    let found = run(&current, &tables(&["b"]), &[hint("b", "a")], &[]);
    assert_eq!(found.findings[0].code, "rename.not-described");
    assert_eq!(found.changes, []);
}
