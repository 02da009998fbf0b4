//! The kinds of objects of SQLite, and how an object of it is named.

use ptah_model::{Comparison, Holds, Kind, KindModel, Name, ObjectId};

/// A table that a module provides. Its rows may be anywhere, so it counts as one that holds rows.
pub(crate) fn virtual_table() -> Kind {
    // The word keeps the rules of a kind, so the table that stands in can never be needed.
    Kind::new("virtual-table").unwrap_or_else(Kind::table)
}

/// A name under SQLite's rules.
pub(crate) fn name(text: &str) -> Name {
    Name::new(text, Comparison::AsciiFold)
}

/// The identity of an object; `owner` for an index or a trigger.
pub(crate) fn object_id(kind: Kind, owner: Option<&str>, text: &str) -> ObjectId {
    ObjectId { kind, schema: None, owner: owner.map(name), name: name(text) }
}

/// All kinds, as the description declares them.
pub(crate) fn models() -> Vec<KindModel> {
    let object =
        |kind, holds, renamable| KindModel { kind, parent: None, member: false, holds, ordered: false, renamable };
    let owned = |kind, holds| KindModel {
        kind,
        parent: Some(Kind::table()),
        member: false,
        holds,
        ordered: false,
        renamable: false,
    };
    let member = |kind, holds, ordered| KindModel {
        kind,
        parent: Some(Kind::table()),
        member: true,
        holds,
        ordered,
        renamable: ordered,
    };
    vec![
        object(Kind::table(), Holds::Rows, true),
        object(virtual_table(), Holds::Rows, false),
        object(Kind::view(), Holds::Definition, false),
        owned(Kind::index(), Holds::Nothing),
        owned(Kind::trigger(), Holds::Definition),
        member(Kind::column(), Holds::Values, true),
        member(Kind::primary_key(), Holds::Protection, false),
        member(Kind::unique(), Holds::Protection, false),
        member(Kind::check(), Holds::Protection, false),
        member(Kind::foreign_key(), Holds::Protection, false),
    ]
}
