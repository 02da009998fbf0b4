//! Plans: a step or a refusal for each change. The host orders the steps and puts them into transactions.

use ptah_model::{Loss, MemberId, Risk};
use ptah_provider_api::plan::{PlanReply, PlanRequest, PlannedAction, PlannedChange, Refusal};
use ptah_provider_api::step::{ChangeId, Rule, Step, StepId, TransactionRule, Unit};

use crate::language::create_text;
use crate::reading::Reading;

/// The same request on the same readings gives the same reply.
pub(crate) fn plan(request: &PlanRequest, desired: &Reading) -> PlanReply {
    let mut reply = PlanReply::default();
    for (change, number) in request.changes.iter().zip(0..) {
        match spelled(change, desired) {
            Some((text, rule)) => reply.steps.push(step(number, text, rule)),
            None => reply.refusals.push(Refusal {
                change: ChangeId(number),
                code: "{{name}}.change".to_owned(),
                reason: "the engine cannot make this change".to_owned(),
                hint: None,
            }),
        }
    }
    reply
}

/// The rules, each with what it loses.
type Spelling = (&'static str, &'static str, Option<Loss>);

const CREATE: Spelling = ("table.create", "a table is made in one statement", None);
const DROP: Spelling = ("table.drop", "a table goes with its rows", Some(Loss::Rows));
const ADD: Spelling = ("column.add", "a column is added in place", None);

fn spelled(change: &PlannedChange, desired: &Reading) -> Option<(String, Spelling)> {
    let table: &str = &change.object.name.source;
    let columns = desired.tables.get(table);
    match (&change.action, &change.member) {
        (PlannedAction::Create, None) => Some((create_text(table, columns?), CREATE)),
        (PlannedAction::Drop, None) => Some((format!("DROP TABLE {table}"), DROP)),
        (PlannedAction::Create, Some(MemberId { name, .. })) => {
            let column: &str = &name.source;
            let sort = columns?.get(column)?;
            Some((format!("ALTER TABLE {table} ADD COLUMN {column} {sort}"), ADD))
        }
        _ => None,
    }
}

fn step(number: u32, text: String, (name, sentence, loss): Spelling) -> Step {
    Step {
        id: StepId(format!("change-{number}")),
        changes: vec![ChangeId(number)],
        unit: Unit::Sql { text },
        after: Vec::new(),
        after_commit: Vec::new(),
        atomic_group: None,
        needs: Vec::new(),
        transaction: TransactionRule::Any,
        risk: if loss.is_some() { Risk::Destructive } else { Risk::Safe },
        loss,
        hazards: Vec::new(),
        locks: Vec::new(),
        checks: Vec::new(),
        rule: Rule { name: name.to_owned(), sentence: sentence.to_owned() },
    }
}
