//! Two desired states, compared by what their sources say: what can be known without a session.
//!
//! Weaker than a comparison of readings, and said to be: the engine made neither of them, so a definition that the server
//! would refuse, spell differently or read as the same is not seen. Nothing is guessed from a text either: equality is
//! that of the digests that the provider gives to definitions.

use std::collections::{BTreeMap, BTreeSet};

use ptah_model::{Digest, KindCatalog, ObjectId, Risk};

use crate::desired::Desired;

/// What differs of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Only the second state defines it.
    Create,
    /// Only the first state defines it.
    Drop,
    /// Both define it, in different ways.
    Redefine,
    /// The second state says that it is an object of the first under another name, or that a member of it is.
    Rename,
}

/// One object that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfflineChange {
    /// The object; with [`Difference::Rename`] by its new name.
    pub object: ObjectId,
    /// What differs.
    pub difference: Difference,
    /// How dangerous it is to end the difference, as far as the kind says.
    pub risk: Risk,
}

/// What is known without a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offline {
    /// The objects that differ, in the order of their identities.
    pub changes: Vec<OfflineChange>,
    /// The statements that end the differences, in order; `None` when a change is among them whose statements only a
    /// plan could tell.
    pub statements: Option<Vec<String>>,
}

/// Which kinds are in the states and not among the declared ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undeclared(pub ObjectId);

/// What a state says of one object.
#[derive(Debug, Default, PartialEq, Eq)]
struct Said<'a> {
    definition: Option<Digest>,
    additions: BTreeSet<&'a str>,
}

/// Compares two states.
///
/// # Errors
///
/// [`Undeclared`] when the provider defined an object of a kind that it did not declare: what dropping it costs is then
/// not known.
pub fn compare(from: &Desired, to: &Desired, kinds: &KindCatalog) -> Result<Offline, Undeclared> {
    let (before, after) = (said(from), said(to));
    let renamed: BTreeSet<&ObjectId> = to.renames.iter().map(|hint| &hint.object).collect();
    let mut changes = Vec::new();
    for object in before.keys().chain(after.keys()).copied().collect::<BTreeSet<_>>() {
        let model = kinds.get(&object.kind).ok_or_else(|| Undeclared(object.clone()))?;
        let (difference, risk) = match (before.get(object), after.get(object)) {
            (Some(one), Some(other)) if one == other => continue,
            (_, Some(_)) if renamed.contains(object) => (Difference::Rename, Risk::Warning),
            (None, _) => (Difference::Create, Risk::Safe),
            (Some(_), None) => (Difference::Drop, model.holds.drop_risk()),
            // What of it differs is not known, so neither is what ending that would lose.
            (Some(_), Some(_)) => (Difference::Redefine, model.holds.drop_risk()),
        };
        changes.push(OfflineChange { object: object.clone(), difference, risk });
    }
    let created: BTreeSet<&ObjectId> = changes.iter().map(|change| &change.object).collect();
    let spelled = changes.iter().all(|change| change.difference == Difference::Create);
    let statements = spelled.then(|| {
        let wanted = to.statements.iter().filter(|statement| created.contains(&statement.object));
        wanted.map(|statement| statement.text.clone()).collect()
    });
    Ok(Offline { changes, statements })
}

fn said(state: &Desired) -> BTreeMap<&ObjectId, Said<'_>> {
    let mut all: BTreeMap<&ObjectId, Said<'_>> = BTreeMap::new();
    for statement in &state.statements {
        let said = all.entry(&statement.object).or_default();
        match statement.definition {
            Some(definition) => said.definition = Some(definition),
            None => {
                said.additions.insert(&statement.text);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use ptah_diff::RenameHint;
    use ptah_model::{Kind, Position, SourceName};

    use super::*;
    use crate::desired::DesiredStatement;
    use crate::tests::build::{kinds, name, object, table};

    fn place() -> Position {
        Position { source: SourceName::new("a.sql"), offset: 0, length: 1, line: 1, column: 1 }
    }

    fn state(says: &[(&ObjectId, &str, bool)]) -> Desired {
        let statement = |(object, text, defines): &(&ObjectId, &str, bool)| DesiredStatement {
            object: (*object).clone(),
            text: format!("{object} {text}"),
            definition: defines.then(|| Digest::of(text.as_bytes())),
            position: place(),
        };
        Desired { statements: says.iter().map(statement).collect(), ..Desired::default() }
    }

    fn told(offline: &Offline) -> Vec<(String, Difference, Risk)> {
        let told = |c: &OfflineChange| (c.object.name.shown().to_owned(), c.difference.clone(), c.risk);
        offline.changes.iter().map(told).collect()
    }

    #[test]
    fn equal_digests_are_no_difference_and_an_addition_is_one() {
        let a = table("a");
        let same = compare(&state(&[(&a, "x", true)]), &state(&[(&a, "x", true)]), &kinds()).unwrap();
        assert_eq!((same.changes, same.statements), (vec![], Some(vec![])));
        let more = state(&[(&a, "x", true), (&a, "and y", false)]);
        let found = compare(&state(&[(&a, "x", true)]), &more, &kinds()).unwrap();
        assert_eq!(told(&found), [("a".to_owned(), Difference::Redefine, Risk::Destructive)]);
        assert_eq!(found.statements, None, "what the server would have to do is not known");
    }

    #[test]
    fn what_is_only_created_is_spelled_in_the_order_of_the_sources() {
        let (a, b) = (table("a"), table("b"));
        let to = state(&[(&b, "1", true), (&a, "2", true), (&b, "more", false)]);
        let found = compare(&state(&[(&a, "2", true)]), &to, &kinds()).unwrap();
        assert_eq!(found.statements, Some(vec![format!("{b} 1"), format!("{b} more")]));
    }

    #[test]
    fn a_drop_costs_what_the_kind_holds_and_is_not_spelled() {
        let (a, v) = (table("a"), object(Kind::view(), None, "v"));
        let found = compare(&state(&[(&a, "1", true), (&v, "2", true)]), &Desired::default(), &kinds()).unwrap();
        let risks: Vec<Risk> = found.changes.iter().map(|change| change.risk).collect();
        assert_eq!(risks, [Risk::Destructive, Risk::Warning]);
        assert_eq!(found.statements, None);
    }

    #[test]
    fn an_object_that_is_renamed_is_not_taken_for_a_new_one() {
        let (a, b) = (table("a"), table("b"));
        let mut to = state(&[(&b, "1", true)]);
        to.renames = vec![RenameHint { object: b, member: None, from: name("a"), position: place() }];
        let found = compare(&state(&[(&a, "1", true)]), &to, &kinds()).unwrap();
        let differences: Vec<_> = found.changes.into_iter().map(|change| change.difference).collect();
        assert_eq!(differences, [Difference::Drop, Difference::Rename]);
        assert_eq!(found.statements, None);
    }

    #[test]
    fn a_kind_that_nobody_declared_is_no_guess() {
        let odd = object(Kind::new("odd").unwrap(), None, "o");
        let found = compare(&Desired::default(), &state(&[(&odd, "1", true)]), &kinds());
        assert_eq!(found, Err(Undeclared(odd)));
    }
}
