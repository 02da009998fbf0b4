//! Small models for the tests, in invented kinds of a usual shape.

use ptah_model::{
    Comparison, Facet, Facets, Holds, Kind, KindCatalog, KindModel, Member, MemberId, Name, Object, ObjectId,
    SchemaModel,
};

pub(super) fn name(text: &str) -> Name {
    Name::new(text, Comparison::AsciiFold)
}

pub(super) fn kinds() -> KindCatalog {
    let kind = |kind: Kind, parent: Option<Kind>, member: bool, holds: Holds| KindModel {
        ordered: holds == Holds::Values,
        renamable: holds != Holds::Protection,
        kind,
        parent,
        member,
        holds,
    };
    let table = || Some(Kind::table());
    KindCatalog::new([
        kind(Kind::table(), None, false, Holds::Rows),
        kind(Kind::column(), table(), true, Holds::Values),
        kind(Kind::check(), table(), true, Holds::Protection),
        kind(Kind::index(), table(), false, Holds::Nothing),
        kind(Kind::trigger(), table(), false, Holds::Definition),
        kind(Kind::view(), None, false, Holds::Definition),
    ])
}

pub(super) fn model(objects: impl IntoIterator<Item = Object>) -> SchemaModel {
    let mut model = SchemaModel::default();
    for object in objects {
        assert!(model.insert(object));
    }
    model
}

fn facets(facet: &str, text: &str) -> Facets {
    Facets::from([(facet.to_owned(), Facet::plain(text))])
}

fn object(kind: Kind, owner: Option<&str>, text: &str, facets: Facets) -> Object {
    Object {
        id: ObjectId { kind, schema: None, owner: owner.map(name), name: name(text) },
        facets,
        members: Vec::new(),
    }
}

pub(super) fn table(text: &str, members: impl IntoIterator<Item = Member>) -> Object {
    Object { members: members.into_iter().collect(), ..object(Kind::table(), None, text, Facets::new()) }
}

pub(super) fn index(text: &str, owner: &str) -> Object {
    object(Kind::index(), Some(owner), text, facets("columns", "a"))
}

pub(super) fn trigger(text: &str, owner: &str) -> Object {
    object(Kind::trigger(), Some(owner), text, facets("body", "begin end"))
}

pub(super) fn view(text: &str, query: &str) -> Object {
    object(Kind::view(), None, text, facets("query", query))
}

pub(super) fn column(text: &str, kind: &str) -> Member {
    Member { id: MemberId { kind: Kind::column(), name: name(text) }, facets: facets("type", kind) }
}

pub(super) fn check_member(says: &str) -> Member {
    Member { id: MemberId { kind: Kind::check(), name: Name::unnamed(says) }, facets: Facets::new() }
}
