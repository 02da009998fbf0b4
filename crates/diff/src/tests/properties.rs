//! Properties over made-up schemas, with a small interpreter that carries changes out on a model.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use ptah_model::{Member, Object, SchemaModel};

use super::build::*;
use super::renames::{hint, run};
use crate::{Action, Change, ColumnOrder, CompareOptions, compare};

const EXACT: CompareOptions = CompareOptions { column_order: ColumnOrder::Exact };

/// Carries one change out. Panics when it cannot be made, such as a rename to a name that is taken.
fn carry_out(model: &mut SchemaModel, change: &Change, desired: &SchemaModel) {
    let Some(member) = &change.member else {
        return carry_out_object(model, change, desired);
    };
    let mut object = model.remove(&change.object).expect("the object is there");
    let place = object.members.iter().position(|m| m.id == *member);
    match &change.action {
        Action::Create => {
            assert_eq!(place, None);
            let wanted = desired.get(&change.object).and_then(|o| o.member(member));
            object.members.push(wanted.expect("it is wanted").clone());
        }
        Action::Drop => drop(object.members.remove(place.expect("it is there"))),
        Action::Alter(facets) => {
            let there = &mut object.members[place.expect("it is there")].facets;
            for facet in facets {
                assert_eq!(there.remove(&facet.name), facet.from);
                if let Some(to) = &facet.to {
                    there.insert(facet.name.clone(), to.clone());
                }
            }
        }
        Action::Rename { to } => {
            assert!(object.members.iter().all(|m| m.id.name != *to), "the name is taken");
            object.members[place.expect("it is there")].id.name = to.clone();
        }
        Action::Reorder => panic!("members are reordered through their object"),
    }
    model.insert(object);
}

fn carry_out_object(model: &mut SchemaModel, change: &Change, desired: &SchemaModel) {
    let id = &change.object;
    let owned: Vec<Object> =
        model.objects().filter(|o| id.owner.is_none() && o.id.owner.as_ref() == Some(&id.name)).cloned().collect();
    match &change.action {
        Action::Create => assert!(model.insert(desired.get(id).expect("it is wanted").clone())),
        Action::Drop => {
            assert!(model.remove(id).is_some());
            for owned in &owned {
                model.remove(&owned.id);
            }
        }
        Action::Alter(facets) => {
            let mut object = model.remove(id).expect("it is there");
            for facet in facets {
                object.facets.remove(&facet.name);
                object.facets.extend(facet.to.clone().map(|to| (facet.name.clone(), to)));
            }
            model.insert(object);
        }
        Action::Rename { to } => {
            let mut object = model.remove(id).expect("it is there");
            object.id.name = to.clone();
            assert!(model.insert(object), "the name is taken");
            for mut moved in owned {
                model.remove(&moved.id);
                moved.id.owner = Some(to.clone());
                model.insert(moved);
            }
        }
        Action::Reorder => {
            let mut object = model.remove(id).expect("it is there");
            let wanted = desired.get(id).expect("it is wanted");
            let place = |m: &Member| wanted.members.iter().position(|w| w.id == m.id);
            object.members.sort_by_key(place);
            model.insert(object);
        }
    }
}

fn some_columns() -> impl Strategy<Value = Vec<Member>> {
    let types = proptest::sample::select(vec!["int", "text", "blob"]);
    proptest::collection::btree_map(0_u8..5, types, 0..5)
        .prop_map(|c| c.into_iter().map(|(n, t)| column(&format!("c{n}"), t)).collect::<Vec<_>>())
        .prop_shuffle()
}

fn some_model() -> impl Strategy<Value = SchemaModel> {
    let tables = proptest::collection::btree_map(0_u8..5, some_columns(), 0..5);
    let owned = proptest::collection::btree_set((0_u8..3, 0_u8..5), 0..5);
    let views = proptest::collection::btree_map(0_u8..3, 0_u8..2, 0..3);
    (tables, owned, views).prop_map(|(tables, owned, views)| {
        let owned: Vec<_> = owned.into_iter().filter(|(_, t)| tables.contains_key(t)).collect();
        let tables = tables.into_iter().map(|(n, columns)| table(&format!("t{n}"), columns));
        let owned = owned.into_iter().map(|(n, t)| index(&format!("i{n}"), &format!("t{t}")));
        let views = views.into_iter().map(|(n, q)| view(&format!("v{n}"), &format!("select {q}")));
        model(tables.chain(owned).chain(views))
    })
}

/// What a schema reads as when the order of columns is no difference.
fn unordered(model: &SchemaModel) -> SchemaModel {
    let mut sorted = SchemaModel::default();
    for object in model.objects() {
        let mut copy = object.clone();
        copy.members.sort_by(|a, b| a.id.cmp(&b.id));
        sorted.insert(copy);
    }
    sorted
}

/// A renaming of `names` that keeps them distinct: each gets one of `n0` to `n7`.
fn some_renaming(names: Vec<String>) -> impl Strategy<Value = BTreeMap<String, String>> {
    let targets: Vec<String> = (0..8).map(|n| format!("n{n}")).collect();
    Just(targets).prop_shuffle().prop_map(move |targets| names.iter().cloned().zip(targets).collect())
}

fn named_tables() -> impl Strategy<Value = (BTreeSet<u8>, BTreeMap<String, String>)> {
    proptest::collection::btree_set(0_u8..6, 0..6).prop_flat_map(|names| {
        let texts = names.iter().map(|n| format!("n{n}")).collect();
        (Just(names), some_renaming(texts))
    })
}

proptest! {
    #[test]
    fn a_model_equals_itself(model in some_model()) {
        let found = compare(&model, &model, &kinds(), &EXACT).unwrap();
        prop_assert_eq!(found, crate::Comparison::default());
    }

    #[test]
    fn the_changes_carried_out_on_one_model_give_the_other(a in some_model(), b in some_model()) {
        for (options, exact) in [(EXACT, true), (CompareOptions::default(), false)] {
            let found = compare(&a, &b, &kinds(), &options).unwrap();
            let mut after = a.clone();
            for change in &found.changes {
                carry_out(&mut after, change, &b);
            }
            if exact {
                prop_assert_eq!(&after, &b);
            }
            prop_assert_eq!(unordered(&after), unordered(&b));
        }
    }

    #[test]
    fn changes_are_numbered_by_their_place_and_owners_come_first(a in some_model(), b in some_model()) {
        let found = compare(&a, &b, &kinds(), &EXACT).unwrap();
        let ids: Vec<u32> = found.changes.iter().map(|c| c.id.0).collect();
        prop_assert_eq!(ids, (0..).take(found.changes.len()).collect::<Vec<u32>>());
        let mut created = BTreeSet::new();
        for change in found.changes.iter().filter(|c| c.member.is_none() && c.action == Action::Create) {
            let owner_is_new = change.object.owner.as_ref().is_some_and(|o| a.get(&table(&o.source, []).id).is_none());
            prop_assert!(!owner_is_new || created.contains(change.object.owner.as_ref().unwrap()));
            created.insert(change.object.name.clone());
        }
    }

    #[test]
    fn renames_of_tables_reach_the_wanted_names_step_by_step_and_only_once((names, to) in named_tables()) {
        let build = |named: &dyn Fn(&str) -> String| {
            model(names.iter().flat_map(|n| {
                let name = named(&format!("n{n}"));
                [table(&name, [column("id", &n.to_string())]), index(&format!("i{n}"), &name)]
            }))
        };
        let (current, desired) = (build(&|n| n.to_owned()), build(&|n| to[n].clone()));
        let moved = to.iter().filter(|(from, to)| from != to);
        let hints: Vec<_> = moved.map(|(from, to)| hint(to, from)).collect();
        let found = run(&current, &desired, &hints, &[]);
        prop_assert_eq!(&found.findings, &vec![]);
        let mut after = current.clone();
        for change in &found.changes {
            carry_out(&mut after, change, &desired);
        }
        prop_assert_eq!(&after, &desired);
        prop_assert_eq!(run(&after, &desired, &hints, &found.applied), crate::Renames::default());
    }

    #[test]
    fn renames_of_columns_reach_the_wanted_names_step_by_step((names, to) in named_tables()) {
        let build = |named: &dyn Fn(&str) -> String| {
            model([table("t", names.iter().map(|n| column(&named(&format!("n{n}")), &n.to_string())))])
        };
        let (current, desired) = (build(&|n| n.to_owned()), build(&|n| to[n].clone()));
        let moved = to.iter().filter(|(from, to)| from != to);
        let hints: Vec<_> = moved.map(|(from, to)| hint(&format!("t.{to}"), from)).collect();
        let found = run(&current, &desired, &hints, &[]);
        let mut after = current.clone();
        for change in &found.changes {
            carry_out(&mut after, change, &desired);
        }
        prop_assert_eq!(&after, &desired);
    }
}
