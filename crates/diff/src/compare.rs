//! The comparison of two schema models, object by object.
//!
//! What could not be read is never altered or dropped. What an owner takes with it is no change of its own, and what
//! an owner brings along (its members) neither; owned objects, such as indexes, are.

use ptah_model::{Code, Diagnostic, Holds, Kind, KindCatalog, KindModel, Object, ObjectId, Risk, SchemaModel};

use crate::change::{Action, Change, number};
use crate::lookalike;
use crate::members;
use crate::owner::{owner_not_described, owner_of};

/// The codes of what a comparison finds.
pub mod code {
    use ptah_model::Code;

    /// A declared object exists, and could not be read on one side.
    pub const NOT_DESCRIBED: Code = Code("compare.not-described");
    /// The order of members differs and is left alone.
    pub const ORDER: Code = Code("compare.order");
    /// A drop and an addition look like a rename that nobody asked for.
    pub const POSSIBLE_RENAME: Code = Code("rename.possible");
}

/// Whether the order of ordered members, such as columns, is a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnOrder {
    /// It is none: a differing order is a note.
    #[default]
    Ignore,
    /// It is one: a differing order is a [`Action::Reorder`].
    Exact,
}

/// What counts as a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompareOptions {
    /// The order of ordered members.
    pub column_order: ColumnOrder,
}

/// What a comparison found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The differences: what is made and altered in the order of identities, owners before what they own, then whole
    /// objects that go, in the reverse order. Same models, same list.
    pub changes: Vec<Change>,
    /// What is worth knowing and no difference.
    pub notes: Vec<Diagnostic>,
    /// What a person has to look at; one with the severity of an error stops the command.
    pub findings: Vec<Diagnostic>,
}

/// A kind that the catalogue does not have, so that nothing can be said about the danger of a change to it. Not to be
/// tried again: the provider declares too little.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the kind `{kind}` is not one that the provider declared")]
pub struct UnknownKind {
    /// The kind.
    pub kind: Kind,
}

/// Compares what is there with what is wanted.
pub fn compare(
    current: &SchemaModel,
    desired: &SchemaModel,
    kinds: &KindCatalog,
    options: &CompareOptions,
) -> Result<Comparison, UnknownKind> {
    let sides = Sides { current, desired, kinds, options: *options };
    let mut found = Found::default();
    for object in desired.objects() {
        sides.wanted(object, &mut found)?;
    }
    for object in current.objects().filter(|o| desired.get(&o.id).is_none()) {
        sides.unwanted(object, &mut found)?;
    }
    for unread in desired.not_described() {
        found.findings.push(not_described(&unread.id, "was declared and could not be read back"));
    }
    Ok(found.finish(&sides))
}

/// Both models and what counts.
pub(crate) struct Sides<'a> {
    pub(crate) current: &'a SchemaModel,
    pub(crate) desired: &'a SchemaModel,
    pub(crate) kinds: &'a KindCatalog,
    pub(crate) options: CompareOptions,
}

/// What was found so far.
#[derive(Default)]
pub(crate) struct Found {
    /// What is made or altered.
    pub(crate) changes: Vec<Change>,
    /// Whole objects that go.
    pub(crate) drops: Vec<Change>,
    pub(crate) notes: Vec<Diagnostic>,
    pub(crate) findings: Vec<Diagnostic>,
    /// What is declared, is there, and may become readable by the changes.
    pub(crate) for_proof: Vec<ObjectId>,
}

impl Sides<'_> {
    /// What the provider declared about a kind.
    pub(crate) fn kind(&self, kind: &Kind) -> Result<&KindModel, UnknownKind> {
        self.kinds.get(kind).ok_or_else(|| UnknownKind { kind: kind.clone() })
    }

    /// An object that is wanted.
    fn wanted(&self, object: &Object, found: &mut Found) -> Result<(), UnknownKind> {
        self.kind(&object.id.kind)?;
        for member in &object.members {
            self.kind(&member.id.kind)?;
        }
        if self.current.is_not_described(&object.id) && self.is_only_a_definition(object)? {
            found.for_proof.push(object.id.clone());
            return Ok(());
        }
        if self.current.is_not_described(&object.id) || owner_not_described(self.current, &object.id, self.kinds) {
            found.findings.push(not_described(&object.id, "is declared, exists, and could not be read"));
            return Ok(());
        }
        match self.current.get(&object.id) {
            // Its owner goes and takes it along, and what has the owner's name afterwards is another object.
            Some(_) if self.goes_with_owner(&object.id) => {
                found.changes.push(created(&object.id));
                Ok(())
            }
            Some(current) => members::compare_object(self, current, object, found),
            None => {
                found.changes.push(created(&object.id));
                Ok(())
            }
        }
    }

    /// Whether an object stands alone and holds nothing but its text, as a view does: what cannot be read because
    /// something is missing can be read once it is there, and no row was ever in it.
    fn is_only_a_definition(&self, object: &Object) -> Result<bool, UnknownKind> {
        Ok(object.id.owner.is_none() && self.kind(&object.id.kind)?.holds == Holds::Definition)
    }

    /// An object that is there and not wanted.
    fn unwanted(&self, object: &Object, found: &mut Found) -> Result<(), UnknownKind> {
        let holds = self.kind(&object.id.kind)?.holds;
        let unsure =
            self.desired.is_not_described(&object.id) || owner_not_described(self.current, &object.id, self.kinds);
        if !unsure && !self.goes_with_owner(&object.id) {
            let (risk, loss) = (holds.drop_risk(), holds.drop_loss());
            found.drops.push(Change::unnumbered(&object.id, None, Action::Drop, risk, loss));
        }
        Ok(())
    }

    /// Whether the object's owner is there now and not wanted, so that it takes the object with it.
    fn goes_with_owner(&self, id: &ObjectId) -> bool {
        owner_of(self.current, id, self.kinds)
            .is_some_and(|o| self.desired.get(&o.id).is_none() && !self.desired.is_not_described(&o.id))
    }
}

impl Found {
    /// Sorts and numbers the changes, and looks for renames that nobody asked for.
    fn finish(mut self, sides: &Sides<'_>) -> Comparison {
        // Stable sorts: the changes of one object keep the order in which they were found.
        self.changes.sort_by(|a, b| (a.object.owner.is_some(), &a.object).cmp(&(b.object.owner.is_some(), &b.object)));
        self.drops.sort_by(|a, b| (b.object.owner.is_some(), &b.object).cmp(&(a.object.owner.is_some(), &a.object)));
        self.changes.append(&mut self.drops);
        number(&mut self.changes);
        for id in &self.for_proof {
            // Without any change nothing would become of it.
            if self.changes.is_empty() {
                self.findings.push(not_described(id, "is declared, exists, and could not be read"));
            } else {
                let told =
                    format!("{id} is declared, exists, and cannot be read now; the plan has to make it readable");
                self.notes.push(Diagnostic::note(code::NOT_DESCRIBED, told));
            }
        }
        self.findings.extend(lookalike::find(sides, &self.changes));
        Comparison { changes: self.changes, notes: self.notes, findings: self.findings }
    }
}

fn created(id: &ObjectId) -> Change {
    Change::unnumbered(id, None, Action::Create, Risk::Safe, None)
}

fn not_described(id: &ObjectId, what: &str) -> Diagnostic {
    const CODE: Code = code::NOT_DESCRIBED;
    Diagnostic::error(CODE, format!("{id} {what}")).hint("leave it out of the sources, or make it readable first")
}
