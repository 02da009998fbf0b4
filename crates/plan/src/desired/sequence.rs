//! The order in which statements can run: what is needed comes first, and nothing else moves.
//!
//! A need that no source defines is left to the server to judge. Statements that need each other keep the order of the
//! sources, because only the server knows whether that works.

use std::collections::{BTreeMap, BTreeSet};

use ptah_model::{Digest, Name, ObjectId};
use ptah_provider_api::sql::{Statement, StatementRole};

use super::DesiredStatement;

/// Where a name is defined, without the kind: a source that names a table cannot always tell it from a view.
type Nameplate = (Option<Name>, Option<Name>, Name);

/// Puts the statements into the order in which they run.
pub(super) fn in_order(statements: Vec<Statement>) -> Vec<DesiredStatement> {
    let defined = Definitions::of(&statements);
    let mut waits: Vec<BTreeSet<usize>> = statements.iter().map(|s| defined.needed_by(s)).collect();
    for (place, needed) in waits.iter_mut().enumerate() {
        needed.remove(&place);
    }
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); statements.len()];
    for (place, needed) in waits.iter().enumerate() {
        for earlier in needed {
            waiting[*earlier].push(place);
        }
    }
    let mut remaining: BTreeSet<usize> = (0..statements.len()).collect();
    let mut ready: BTreeSet<usize> = remaining.iter().copied().filter(|p| waits[*p].is_empty()).collect();
    let mut order = Vec::with_capacity(statements.len());
    // With nothing ready, the statements that remain need each other: the first of them goes.
    while let Some(place) = ready.pop_first().or_else(|| remaining.first().copied()) {
        remaining.remove(&place);
        order.push(place);
        for later in &waiting[place] {
            waits[*later].remove(&place);
            if waits[*later].is_empty() && remaining.contains(later) {
                ready.insert(*later);
            }
        }
    }
    let mut taken: Vec<Option<Statement>> = statements.into_iter().map(Some).collect();
    let run = order.into_iter().filter_map(|place| taken[place].take());
    run.map(|statement| DesiredStatement {
        object: about(&statement).clone(),
        definition: definition(&statement.role),
        text: statement.text,
        position: statement.position,
    })
    .collect()
}

fn definition(role: &StatementRole) -> Option<Digest> {
    match role {
        StatementRole::Define { definition, .. } => Some(*definition),
        StatementRole::Extend { .. } | StatementRole::DropIfExists { .. } => None,
    }
}

fn about(statement: &Statement) -> &ObjectId {
    match &statement.role {
        StatementRole::Define { object, .. }
        | StatementRole::Extend { object }
        | StatementRole::DropIfExists { object } => object,
    }
}

/// Which statement defines what.
struct Definitions {
    exact: BTreeMap<ObjectId, usize>,
    by_name: BTreeMap<Nameplate, Vec<usize>>,
}

impl Definitions {
    fn of(statements: &[Statement]) -> Self {
        let mut all = Self { exact: BTreeMap::new(), by_name: BTreeMap::new() };
        for (place, statement) in statements.iter().enumerate() {
            if let StatementRole::Define { object, .. } = &statement.role {
                all.exact.insert(object.clone(), place);
                all.by_name.entry(nameplate(object)).or_default().push(place);
            }
        }
        all
    }

    /// The places of what has to exist before a statement runs.
    fn needed_by(&self, statement: &Statement) -> BTreeSet<usize> {
        let object = about(statement);
        let mut places: BTreeSet<usize> = statement.needs.iter().flat_map(|need| self.places(need)).collect();
        if matches!(statement.role, StatementRole::Extend { .. }) {
            places.extend(self.places(object));
        }
        if let Some(owner) = &object.owner {
            let key = (object.schema.clone(), None, owner.clone());
            places.extend(self.by_name.get(&key).into_iter().flatten());
        }
        places
    }

    fn places(&self, need: &ObjectId) -> Vec<usize> {
        match self.exact.get(need) {
            Some(place) => vec![*place],
            None => self.by_name.get(&nameplate(need)).cloned().unwrap_or_default(),
        }
    }
}

fn nameplate(id: &ObjectId) -> Nameplate {
    (id.schema.clone(), id.owner.clone(), id.name.clone())
}
