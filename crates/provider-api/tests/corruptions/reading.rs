//! Readings, renderings, analyses, plans, rows.

use ptah_model::{Digest, Facets, Fingerprint, Object, Risk, SchemaModel, SnapshotId, SourceName};
use ptah_provider_api::plan::{PlanReply, PlanRequest, PlannedAction, PlannedChange, Refusal, SnapshotRef};
use ptah_provider_api::query::{QueryRowsReply, QueryRowsRequest};
use ptah_provider_api::reading::{InspectRequest, Reading};
use ptah_provider_api::render::{RenderReply, RenderedDefinition};
use ptah_provider_api::sql::{AnalyzeSqlRequest, Definition, Directive, SourceAnalysis, Statement, StatementRole};
use ptah_provider_api::step::{After, ChangeId, Rule, Step, StepId, TransactionRule, Unit};

use crate::check;
use crate::good::{engine, fingerprint, position, session, table};

fn object(name: &str) -> Object {
    Object { id: table(name), facets: Facets::default(), members: Vec::new() }
}

#[test]
fn a_reading_with_any_field_corrupted_is_refused() {
    let mut schema = SchemaModel::default();
    schema.insert(object("a"));
    let asked = |fingerprint_only| InspectRequest { session: session(), lock_timeout_ms: 0, fingerprint_only };
    let snapshot = SnapshotId::new("s").unwrap();
    let good = Reading { count: 1, fingerprint: Fingerprint::of(&schema), schema, snapshot };
    check(
        &good,
        |reading| reading.validate_for(&asked(false)),
        &[
            ("count", &|r| r.count = 2),
            ("count", &|r| assert!(r.schema.insert(object("b")))),
            ("fingerprint", &|r| r.fingerprint = fingerprint("another")),
        ],
    );
    let end = Reading { schema: SchemaModel::default(), ..good };
    check(
        &end,
        |reading| reading.validate_for(&asked(true)),
        &[("objects", &|r| assert!(r.schema.insert(object("a"))))],
    );
}

#[test]
fn a_rendering_with_an_empty_text_is_refused() {
    let definition = |text: &str| RenderedDefinition { object: table("a"), text: text.to_owned() };
    check(
        &RenderReply { definitions: vec![definition("create table a")] },
        RenderReply::validate,
        &[
            ("definitions.text", &|r| r.definitions.push(definition(""))),
            ("definitions.text", &|r| r.definitions.insert(0, definition(" \n"))),
        ],
    );
}

/// Two statements of `é;\nb;`, of 2 bytes, 1 byte, a line break, and 2 bytes.
fn analysis() -> SourceAnalysis {
    let statement = |offset, length, text: &str| Statement {
        position: position(offset, length),
        text: text.to_owned(),
        role: StatementRole::Define { object: table(text), definition: Digest::of(text.as_bytes()) },
        needs: Vec::new(),
    };
    SourceAnalysis {
        statements: vec![statement(0, 2, "é"), statement(4, 1, "b")],
        definitions: vec![Definition { object: table("b"), member: None, position: position(4, 1) }],
        directives: vec![Directive {
            name: "renamed".to_owned(),
            arguments: Vec::new(),
            position: position(6, 0),
            object: table("b"),
            member: None,
        }],
        diagnostics: vec![finding(Some(0))],
    }
}

fn finding(at: Option<u64>) -> ptah_model::Diagnostic {
    ptah_model::Diagnostic {
        code: "zorp.no".to_owned(),
        severity: ptah_model::Severity::Note,
        summary: "no".to_owned(),
        position: at.map(|at| position(at, 2)),
        hint: None,
    }
}

#[test]
fn a_position_outside_of_its_source_is_refused() {
    let text = "é;\nb;".to_owned();
    let asked = AnalyzeSqlRequest { engine: engine(), source: SourceName::new("a.sql"), text };
    check(
        &analysis(),
        |analysis| analysis.validate_for(&asked),
        &[
            ("position", &|a| a.statements[0].position.offset = 1),
            ("position", &|a| a.statements[0].position.length = 1),
            ("position", &|a| a.statements[1].position.offset = 7),
            ("position", &|a| a.statements[1].position.offset = u64::MAX),
            ("position", &|a| a.statements[1].position.length = u32::MAX),
            ("position", &|a| a.statements[0].position.line = 0),
            ("position", &|a| a.statements[0].position.column = 0),
            ("position", &|a| a.statements[0].position.source = SourceName::new("b.sql")),
            ("position", &|a| a.definitions[0].position.length = 3),
            ("position", &|a| a.directives[0].position.offset = 7),
            ("position", &|a| a.diagnostics[0] = finding(Some(1))),
            ("statements", &|a| a.statements.swap(0, 1)),
            ("statements", &|a| a.statements[0].position.length = 5),
            ("statements.text", &|a| a.statements[1].text.clear()),
        ],
    );
    let silent = SourceAnalysis { diagnostics: vec![finding(None)], ..SourceAnalysis::default() };
    check(&silent, |analysis| analysis.validate_for(&asked), &[]);
}

fn step(id: &str, change: u32) -> Step {
    Step {
        id: StepId(id.to_owned()),
        changes: vec![ChangeId(change)],
        unit: Unit::Sql { text: "zorp".to_owned() },
        after: Vec::new(),
        after_commit: Vec::new(),
        atomic_group: None,
        needs: Vec::new(),
        transaction: TransactionRule::Any,
        risk: Risk::Safe,
        loss: None,
        hazards: Vec::new(),
        locks: Vec::new(),
        checks: Vec::new(),
        rule: Rule { name: "zorp".to_owned(), sentence: "a zorp is zorped".to_owned() },
    }
}

fn after(id: &str) -> After {
    After { step: StepId(id.to_owned()), rule: "x".to_owned() }
}

#[test]
fn a_plan_with_any_field_corrupted_is_refused() {
    let change = |name: &str| PlannedChange { object: table(name), member: None, action: PlannedAction::Create };
    let snapshot = || SnapshotRef { session: session(), snapshot: SnapshotId::new("s").unwrap() };
    let changes = vec![change("a"), change("b"), change("c")];
    let asked = PlanRequest { engine: engine(), current: snapshot(), desired: snapshot(), changes };
    let refusal = |change| {
        let (code, reason) = ("zorp.no".to_owned(), "no".to_owned());
        Refusal { change: ChangeId(change), code, reason, hint: None }
    };
    let second = Step { after: vec![after("s0")], after_commit: vec![StepId("s0".to_owned())], ..step("s1", 1) };
    let good = PlanReply { steps: vec![step("s0", 0), second], refusals: vec![refusal(2)] };
    check(
        &good,
        |plan| plan.validate_for(&asked),
        &[
            ("steps.step_id", &|p| p.steps[1].id.0 = "s0".to_owned()),
            ("steps.step_id", &|p| p.steps[0].id.0.clear()),
            ("steps.change_ids", &|p| p.steps[0].changes.clear()),
            ("steps.change_ids", &|p| p.steps[0].changes.push(ChangeId(3))),
            ("steps.after", &|p| p.steps[0].after.push(after("s7"))),
            ("steps.after", &|p| p.steps[0].after.push(after("s0"))),
            ("steps.after", &|p| p.steps[1].after_commit.push(StepId("s1".to_owned()))),
            ("steps.after", &|p| p.steps[1].after_commit.push(StepId("s7".to_owned()))),
            ("statements", &|p| p.steps[1].unit = Unit::Sql { text: String::new() }),
            ("refusals", &|p| p.refusals.push(refusal(3))),
            ("steps", &|p| p.refusals.clear()),
            ("steps", &|p| assert!(p.steps.pop().is_some())),
        ],
    );
}

#[test]
fn rows_that_are_too_many_or_too_wide_are_refused() {
    let query = "select 1".to_owned();
    let asked = QueryRowsRequest { session: session(), query, transaction: None, limit: 2 };
    let row = || vec![Some("1".to_owned()), None];
    let columns = vec!["a".to_owned(), "b".to_owned()];
    let good = QueryRowsReply { columns, rows: vec![row(), row()], more: true };
    check(
        &good,
        |rows| rows.validate_for(&asked),
        &[
            ("rows", &|r| r.rows.push(row())),
            ("rows", &|r| assert!(r.rows[1].pop().is_some())),
            ("rows", &|r| r.rows[0].push(None)),
            ("rows", &|r| assert!(r.columns.pop().is_some())),
        ],
    );
    let count = |rows: Vec<Vec<Option<&str>>>| {
        let rows = rows.into_iter().map(|row| row.into_iter().map(|v| v.map(str::to_owned)).collect()).collect();
        QueryRowsReply { columns: vec!["n".to_owned()], rows, more: false }.count()
    };
    assert_eq!(count(vec![vec![Some("7")]]), Ok(7));
    for wrong in [vec![], vec![vec![None]], vec![vec![Some("x")]], vec![vec![Some("-1")]], vec![vec![Some("1")]; 2]] {
        assert_eq!(count(wrong).unwrap_err().field, "rows");
    }
}
