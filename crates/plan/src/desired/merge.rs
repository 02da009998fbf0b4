//! What several sources say about one object: the same twice is fine, two different things are not.

use std::collections::{BTreeMap, BTreeSet};

use ptah_model::{Diagnostic, Digest, ObjectId, Position};
use ptah_provider_api::sql::{Statement, StatementRole};

use super::{code, error};

/// The statements that are run, in the order of the sources. Findings are added.
pub(super) fn merge(statements: Vec<Statement>, findings: &mut Vec<Diagnostic>) -> Vec<Statement> {
    let last_definition = last_definitions(&statements);
    let mut defined: BTreeMap<ObjectId, (Digest, Position)> = BTreeMap::new();
    let mut extended: BTreeMap<(ObjectId, String), Position> = BTreeMap::new();
    let mut kept = Vec::new();
    for (place, statement) in statements.into_iter().enumerate() {
        let here = &statement.position;
        let finding = match &statement.role {
            StatementRole::DropIfExists { object } => {
                let defined_later = last_definition.get(object).is_some_and(|last| *last > place);
                Some(drop_if_exists(object, defined_later, here))
            }
            StatementRole::Define { object, definition } => match defined.get(object) {
                Some((known, there)) if known == definition => Some(same_twice(object, here, there)),
                Some((_, there)) => Some(defined_twice(object, here, there)),
                None => {
                    defined.insert(object.clone(), (*definition, here.clone()));
                    None
                }
            },
            StatementRole::Extend { object } => {
                let key = (object.clone(), statement.text.clone());
                let known = extended.get(&key).map(|there| same_twice(object, here, there));
                extended.entry(key).or_insert_with(|| here.clone());
                known
            }
        };
        match finding {
            Some(finding) => findings.push(finding),
            None => kept.push(statement),
        }
    }
    extends_nothing(&kept, &defined, findings);
    kept
}

/// The place of the last definition of each object.
fn last_definitions(statements: &[Statement]) -> BTreeMap<ObjectId, usize> {
    let places = statements.iter().enumerate();
    places
        .filter_map(|(place, statement)| match &statement.role {
            StatementRole::Define { object, .. } => Some((object.clone(), place)),
            StatementRole::Extend { .. } | StatementRole::DropIfExists { .. } => None,
        })
        .collect()
}

fn extends_nothing(
    kept: &[Statement],
    defined: &BTreeMap<ObjectId, (Digest, Position)>,
    findings: &mut Vec<Diagnostic>,
) {
    let mut told = BTreeSet::new();
    for statement in kept {
        let StatementRole::Extend { object } = &statement.role else {
            continue;
        };
        if !defined.contains_key(object) && told.insert(object) {
            let summary = format!("{object} is added to, and no source defines it");
            findings.push(error(code::EXTENDS_NOTHING, summary, &statement.position));
        }
    }
}

fn drop_if_exists(object: &ObjectId, defined_later: bool, here: &Position) -> Diagnostic {
    if defined_later {
        let summary = format!("the drop of {object} stands before its definition and is not run");
        Diagnostic::note(code::DROP, summary).at(here.clone())
    } else {
        let summary = format!("the drop of {object} is followed by no definition of it");
        error(code::DROP, summary, here).hint("remove it: what no source defines is dropped anyway")
    }
}

fn same_twice(object: &ObjectId, here: &Position, there: &Position) -> Diagnostic {
    let summary = format!("this says about {object} what {there} says");
    Diagnostic::note(code::SAME_TWICE, summary).at(here.clone())
}

fn defined_twice(object: &ObjectId, here: &Position, there: &Position) -> Diagnostic {
    let summary = format!("{object} is defined here and, in another way, at {there}");
    error(code::DEFINED_TWICE, summary, here).hint("keep one of the two definitions")
}
