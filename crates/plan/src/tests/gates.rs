//! What the policy does not permit.

use std::collections::BTreeMap;

use ptah_diff::Action;
use ptah_model::{Diagnostic, Kind, Loss, MemberId, Name, SchemaModel};
use ptah_provider_api::plan::Refusal;
use ptah_provider_api::step::{ChangeId, StepId};

use super::build::*;
use crate::desired::Locations;
use crate::gate::{Case, CheckId, judge, permits_loss, refused};
use crate::{Phase, PhaseKind, Policy};

struct World {
    current: SchemaModel,
    desired: SchemaModel,
    policy: Policy,
    phases: Vec<Phase>,
    counts: BTreeMap<CheckId, u64>,
}

impl World {
    fn new(phases: Vec<Phase>) -> Self {
        Self {
            current: tables(&["users", "orders"]),
            desired: tables(&["users"]),
            policy: Policy::default(),
            phases,
            counts: BTreeMap::new(),
        }
    }

    fn count(mut self, step: &str, check: usize, rows: u64) -> Self {
        let id = (PhaseKind::Changes, StepId(step.to_owned()), check);
        self.counts.insert(id, rows);
        self
    }

    fn protect(mut self, table: &str) -> Self {
        self.policy.protected_tables.push(table.to_owned());
        self
    }

    fn allow_destructive(mut self) -> Self {
        self.policy.allow_destructive = true;
        self
    }

    fn check(&self, expected: &str) {
        assert_eq!(told(&self.judged()), expected);
    }

    fn judged(&self) -> Vec<Diagnostic> {
        let locations = Locations::from([((table("users"), None), at(3))]);
        judge(&Case {
            current: &self.current,
            desired: &self.desired,
            kinds: &kinds(),
            rules: &rules(),
            policy: &self.policy,
            phases: &self.phases,
            counts: &self.counts,
            locations: &locations,
        })
    }
}

fn told(findings: &[Diagnostic]) -> String {
    let lines = findings.iter().map(|d| format!("{}: {d}", d.code));
    lines.collect::<Vec<_>>().join("\n")
}

fn phase(changes: Vec<ptah_diff::Change>, steps: Vec<ptah_provider_api::step::Step>) -> Phase {
    Phase { kind: PhaseKind::Changes, changes, steps }
}

fn drop_mail() -> Phase {
    let drop = change(0, &table("users"), Some(&column("mail")), Action::Drop);
    phase(vec![drop], vec![step("drop", &[0])])
}

#[test]
fn a_loss_without_leave_is_refused_by_name_and_by_what_is_lost() {
    World::new(vec![drop_mail()]).check("gate.destructive: schema.sql:3:1: drop column mail from users loses values");
    World::new(vec![drop_mail()]).allow_destructive().check("");
}

#[test]
fn a_protected_table_is_refused_under_the_identifier_rules_whatever_is_allowed() {
    let refusal =
        "gate.protected: schema.sql:3:1: drop column mail from users loses values, and the table is protected";
    World::new(vec![drop_mail()]).allow_destructive().protect("USERS").check(refusal);
    World::new(vec![drop_mail()]).allow_destructive().protect("user").check("");
}

#[test]
fn a_protected_table_stays_protected_under_its_new_name() {
    let rename = Phase {
        kind: PhaseKind::Renames,
        changes: vec![change(0, &table("people"), None, Action::Rename { to: name("users") })],
        steps: vec![step("rename", &[0])],
    };
    let judged = World::new(vec![rename, drop_mail()]).allow_destructive().protect("people").judged();
    assert_eq!(judged.len(), 1);
    assert_eq!(judged[0].code, "gate.protected");
}

#[test]
fn a_rebuild_that_loses_nothing_is_no_breach_though_its_text_has_a_drop() {
    let alter = change(0, &table("users"), Some(&column("age")), new_type("int", "text"));
    let mut rebuild = step("rebuild", &[0]);
    rebuild.unit = ptah_provider_api::step::Unit::Sql { text: "drop table users".to_owned() };
    World::new(vec![phase(vec![alter], vec![rebuild])]).protect("users").check("");
}

#[test]
fn what_a_step_says_it_loses_counts_for_the_changes_it_serves() {
    let alter = change(0, &table("users"), Some(&column("age")), new_type("text", "int"));
    let narrow = step("narrow", &[0]).loses(Loss::Values);
    World::new(vec![phase(vec![alter], vec![narrow])])
        .check("gate.destructive: schema.sql:3:1: change type of column age of users loses values");
}

#[test]
fn a_step_of_several_changes_loses_by_the_one_that_loses_by_itself() {
    let changes = vec![
        change(0, &table("users"), Some(&column("mail")), Action::Drop),
        change(1, &table("users"), Some(&column("age")), new_type("int", "text")),
    ];
    let rebuild = step("rebuild", &[0, 1]).loses(Loss::Values);
    World::new(vec![phase(changes, vec![rebuild])])
        .check("gate.destructive: schema.sql:3:1: drop column mail from users loses values");
}

#[test]
fn counted_rows_make_a_lossy_check_destructive_and_a_failing_one_final() {
    let world = || {
        let alter = change(0, &table("users"), Some(&column("age")), new_type("text", "int"));
        let convert = step("convert", &[0]).checks("values", true).checks("nulls", false);
        World::new(vec![phase(vec![alter], vec![convert])])
    };
    world().count("convert", 0, 0).count("convert", 1, 0).check("");
    world().count("convert", 0, 3).check(
        "gate.destructive: schema.sql:3:1: change type of column age of users loses values: rows offend values (3 rows)",
    );
    world().count("convert", 0, 3).allow_destructive().check("");
    world()
        .count("convert", 1, 1)
        .allow_destructive()
        .check("gate.rows: schema.sql:3:1: cannot change type of column age of users: rows offend nulls (1 row)");
    let protected = world().count("convert", 0, 3).allow_destructive().protect("users").judged();
    assert_eq!(protected[0].code, "gate.protected");
}

#[test]
fn nothing_declared_and_every_table_dropped_need_leave_of_their_own() {
    let drop_all = || {
        let drops = ["users", "orders"].iter().zip(0..);
        let changes = drops.map(|(t, id)| change(id, &table(t), None, Action::Drop)).collect();
        World::new(vec![phase(changes, vec![step("drop", &[0, 1])])]).allow_destructive()
    };
    drop_all().check("gate.drops-every-table: the plan drops every table (2 of 2)");
    let mut empty = drop_all();
    empty.desired = SchemaModel::default();
    empty.check("gate.empty: the sources declare nothing at all");
    empty.policy.allow_empty = true;
    empty.check("");
    // Allowing it is no leave to lose anything.
    empty.policy.allow_destructive = false;
    assert_eq!(empty.judged().len(), 2);
}

#[test]
fn one_table_of_two_may_go_with_leave() {
    let drop = change(0, &table("orders"), None, Action::Drop);
    World::new(vec![phase(vec![drop], vec![step("drop", &[0])])]).allow_destructive().check("");
}

#[test]
fn a_lost_protection_needs_leave_and_a_lost_definition_does_not() {
    let check_member = MemberId { kind: Kind::check(), name: Name::unnamed("age > 0") };
    let view = object(Kind::view(), None, "active");
    let changes =
        vec![change(0, &table("users"), Some(&check_member), Action::Drop), change(1, &view, None, Action::Drop)];
    World::new(vec![phase(changes, vec![step("a", &[0]), step("b", &[1])])])
        .check("gate.destructive: schema.sql:3:1: drop check age > 0 from users loses protection");
}

#[test]
fn what_a_provider_cannot_do_is_told_in_its_words_at_our_place() {
    let changes = vec![change(0, &table("users"), Some(&column("age")), new_type("text", "int"))];
    let refusal = Refusal {
        change: ChangeId(0),
        code: "zorp.frozen".to_owned(),
        reason: "the column is frozen".to_owned(),
        hint: Some("thaw it".to_owned()),
    };
    let locations = Locations::from([((table("users"), Some(column("age"))), at(5))]);
    let findings = refused(&[refusal], &changes, &locations);
    assert_eq!(
        told(&findings),
        "zorp.frozen: schema.sql:5:1: cannot change type of column age of users: the column is frozen"
    );
    assert_eq!(findings[0].hint.as_deref(), Some("thaw it"));
}

#[test]
fn rows_met_during_the_run_may_lose_values_only_with_leave_and_never_of_a_protected_table() {
    let may_lose = |allowed: bool, protected: &[&str]| {
        let rename = change(0, &table("people"), None, Action::Rename { to: name("users") });
        let renames = Phase { kind: PhaseKind::Renames, changes: vec![rename], steps: vec![step("rename", &[0])] };
        let alter = change(0, &table("users"), Some(&column("age")), new_type("text", "int"));
        let changes = phase(vec![alter], vec![step("convert", &[0]).checks("values", true)]);
        let mut head = head(crate::TxMode::File);
        head.policy.allow_destructive = allowed;
        head.policy.protected_tables = protected.iter().map(|t| (*t).to_owned()).collect();
        let draft = crate::Draft::new(head, vec![renames, changes], &Locations::new()).unwrap();
        let plan = draft.with_proof(vec![point(1)]).unwrap();
        let convert = plan.steps().last().unwrap();
        permits_loss(&plan, convert, &rules())
    };
    assert!(may_lose(true, &["orders"]));
    assert!(!may_lose(false, &[]));
    assert!(!may_lose(true, &["Users"]));
    assert!(!may_lose(true, &["people"]), "by the name that it had");
}
