//! What a fingerprint sees and what it does not.

use super::*;
use crate::facets::Facet;
use crate::identifier::Comparison;
use crate::kind::Kind;
use crate::object::{Member, MemberId, NotDescribed};

fn name(text: &str) -> Name {
    Name::new(text, Comparison::AsciiFold)
}

fn table(columns: &[(&str, Facet)]) -> Object {
    Object {
        id: ObjectId { kind: Kind::table(), schema: None, owner: None, name: name("users") },
        facets: Facets::new(),
        members: columns
            .iter()
            .map(|(column, facet)| Member {
                id: MemberId { kind: Kind::column(), name: name(column) },
                facets: Facets::from([("type".to_owned(), facet.clone())]),
            })
            .collect(),
    }
}

fn model(object: Object) -> SchemaModel {
    let mut model = SchemaModel::default();
    assert!(model.insert(object));
    model
}

#[test]
fn a_spelling_is_no_difference_and_a_canonical_form_is() {
    let of = |facet: Facet| Fingerprint::of(&model(table(&[("id", facet)])));
    assert_eq!(of(Facet::new("INTEGER", "integer")), of(Facet::new("Integer", "integer")));
    assert_ne!(of(Facet::new("INTEGER", "integer")), of(Facet::new("INTEGER", "int")));
}

#[test]
fn the_order_of_members_is_seen() {
    let a = ("a", Facet::plain("t"));
    let b = ("b", Facet::plain("t"));
    assert_ne!(Fingerprint::of(&model(table(&[a.clone(), b.clone()]))), Fingerprint::of(&model(table(&[b, a]))));
}

#[test]
fn what_could_not_be_read_counts_by_its_identity() {
    let mut seen = model(table(&[]));
    let without = Fingerprint::of(&seen);
    let id = ObjectId { kind: Kind::view(), schema: None, owner: None, name: name("broken") };
    seen.insert_not_described(NotDescribed { id, reason: "it names a table that is not there".to_owned() });
    assert_ne!(Fingerprint::of(&seen), without);
}

#[test]
fn the_same_identity_cannot_be_inserted_twice() {
    let mut seen = model(table(&[]));
    assert!(!seen.insert(table(&[("id", Facet::plain("t"))])));
    assert_eq!(seen.objects().len(), 1);
}
