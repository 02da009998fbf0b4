//! One typed difference between two schema models, with the host's own class of its danger.

use std::fmt;

use ptah_model::{Facet, FacetName, Loss, MemberId, Name, ObjectId, Risk};

/// The ID of a change within its list; its place, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChangeId(pub u32);

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its place in the list.
    pub id: ChangeId,
    /// The object it is about, by the identity that it has when this change begins.
    pub object: ObjectId,
    /// The member it is about; absent for the object itself.
    pub member: Option<MemberId>,
    /// What is to be done.
    pub action: Action,
    /// The class that the kinds alone give; a provider's step may raise it, never lower it.
    pub risk: Risk,
    /// What is lost for good; absent when nothing is.
    pub loss: Option<Loss>,
}

/// What is to be done with an object or a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Make it as the desired model has it, with its members. Owned objects are changes of their own.
    Create,
    /// Remove it. Owned objects go with it and are no changes of their own.
    Drop,
    /// Change these facets; all others stay. At least one, in the order of their names.
    Alter(Vec<FacetChange>),
    /// Give it another name. Everything that refers to it follows.
    Rename {
        /// The new name.
        to: Name,
    },
    /// Bring the members of the ordered kinds into the order of the desired model.
    Reorder,
}

/// A facet that differs. At least one side is present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetChange {
    /// Which.
    pub name: FacetName,
    /// What is there, or absent.
    pub from: Option<Facet>,
    /// What is wanted, or absent.
    pub to: Option<Facet>,
}

impl Change {
    /// A change without an ID yet; [`number`] gives it one.
    pub(crate) fn unnumbered(
        object: &ObjectId,
        member: Option<&MemberId>,
        action: Action,
        risk: Risk,
        loss: Option<Loss>,
    ) -> Self {
        Self { id: ChangeId(0), object: object.clone(), member: member.cloned(), action, risk, loss }
    }

    /// What it is about, for people: `column email of table users`.
    pub fn subject(&self) -> String {
        match &self.member {
            Some(member) => format!("{member} of {}", self.object),
            None => self.object.to_string(),
        }
    }
}

impl fmt::Display for Change {
    /// `drop column email of table users`: for people, never to be parsed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = self.subject();
        match &self.action {
            Action::Create => write!(f, "create {subject}"),
            Action::Drop => write!(f, "drop {subject}"),
            Action::Alter(facets) => {
                let names: Vec<&str> = facets.iter().map(|c| c.name.as_str()).collect();
                write!(f, "alter {} of {subject}", names.join(", "))
            }
            Action::Rename { to } => write!(f, "rename {subject} to {}", to.shown()),
            Action::Reorder => write!(f, "reorder the members of {subject}"),
        }
    }
}

/// Gives each change its place as its ID.
pub(crate) fn number(changes: &mut [Change]) {
    for (place, change) in (0..).zip(changes) {
        change.id = ChangeId(place);
    }
}
