//! Other names: the first request of a plan.

use ptah_model::{Comparison, Kind, MemberId, Name};
use ptah_provider_api::plan::{PlannedAction, PlannedChange};
use ptah_provider_sdk::FailureCode;

use super::lab::{Lab, answer, declared, request, texts};

fn name(text: &str) -> Name {
    Name::new(text, Comparison::AsciiFold)
}

fn rename(table: &str, column: Option<&str>, to: &str) -> PlannedChange {
    PlannedChange {
        object: crate::kinds::object_id(Kind::table(), None, table),
        member: column.map(|column| MemberId { kind: Kind::column(), name: name(column) }),
        action: PlannedAction::Rename(name(to)),
    }
}

#[test]
fn names_change_one_after_the_other_by_the_names_that_then_hold() {
    let lab = Lab::new(
        "CREATE TABLE users (id INTEGER PRIMARY KEY, mail TEXT); CREATE INDEX i ON users (mail);
         CREATE VIEW v AS SELECT mail FROM users; CREATE TABLE c (u REFERENCES users (id));
         CREATE TRIGGER r AFTER UPDATE OF mail ON users BEGIN SELECT new.mail; END; INSERT INTO users VALUES (1, 'x')",
    );
    let reply = answer(
        vec![
            rename("users", None, "order"),
            rename("order", Some("mail"), "e mail"),
            rename("order", Some("id"), "key"),
        ],
        &lab.read(),
        &declared(""),
    );
    assert_eq!(reply.refusals, []);
    assert_eq!(
        texts(&reply),
        [
            "rename-table:users: ALTER TABLE users RENAME TO \"order\"",
            "rename-column:order.mail: ALTER TABLE \"order\" RENAME COLUMN mail TO \"e mail\"",
            "rename-column:order.id: ALTER TABLE \"order\" RENAME COLUMN id TO \"key\"",
        ]
    );
    assert!(reply.steps.iter().all(|step| step.needs.is_empty()));
    assert_eq!(reply.steps[2].after[0].step, reply.steps[1].id);
    lab.run(&reply, true).unwrap();
    assert_eq!(lab.rows("SELECT \"e mail\" FROM v"), ["'x'"]);
    assert_eq!(lab.rows("SELECT \"table\", \"to\" FROM pragma_foreign_key_list('c')"), ["'order' 'key'"]);
}

#[test]
fn a_name_that_is_taken_is_refused() {
    let lab = Lab::new("CREATE TABLE a (x, y); CREATE TABLE b (x); CREATE INDEX i ON b (x)");
    for (change, code) in [
        (rename("a", None, "B"), "rename.name-taken"),
        (rename("a", None, "i"), "rename.name-taken"),
        (rename("a", Some("x"), "Y"), "rename.name-taken"),
        (rename("a", Some("z"), "w"), "action.unsupported"),
        (rename("c", None, "d"), "action.unsupported"),
    ] {
        let reply = answer(vec![change], &lab.read(), &lab.read());
        assert_eq!(reply.refusals[0].code, code);
    }
    let freed = vec![rename("b", None, "c"), rename("a", None, "b")];
    let reply = answer(freed, &lab.read(), &lab.read());
    assert_eq!(reply.refusals, []);
    lab.run(&reply, false).unwrap();
}

#[test]
fn an_unrelated_broken_view_or_trigger_blocks_a_rename() {
    for (blocker, told) in [
        ("CREATE VIEW v AS SELECT x FROM missing", "the view `v`"),
        ("CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM missing; END", "the trigger `r`"),
    ] {
        let current = declared(&format!("CREATE TABLE t (a); {blocker}"));
        let reply = answer(vec![rename("t", None, "u"), rename("u", Some("a"), "b")], &current, &current);
        assert_eq!(reply.steps, []);
        assert_eq!(reply.refusals.len(), 2);
        assert_eq!(reply.refusals[0].code, "rename.blocked");
        assert!(reply.refusals[0].reason.contains(told));
    }
}

#[test]
fn renames_are_asked_for_alone() {
    let current = declared("CREATE TABLE t (a); CREATE TABLE u (a)");
    let drop = PlannedChange {
        object: crate::kinds::object_id(Kind::table(), None, "u"),
        member: None,
        action: PlannedAction::Drop,
    };
    let mixed = request(vec![rename("t", None, "v"), drop]);
    assert_eq!(crate::plan::plan(&mixed, &current, &current).unwrap_err().code, FailureCode::InvalidArgument);
}
