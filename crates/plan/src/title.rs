//! What a step does, in words that no engine owns: `add column email to users`.

use ptah_diff::{Action, Change};
use ptah_model::{MemberId, ObjectId};

/// How many changes a title names one by one.
const NAMED: usize = 3;

/// The title of a step that serves these changes.
pub(crate) fn title(changes: &[&Change]) -> String {
    match changes {
        [] => "serve no change".to_owned(),
        [one] => change_title(one),
        [first, ..] => {
            let one_object = changes.iter().all(|c| c.object == first.object);
            let subject = if one_object { first.object.to_string() } else { "several objects".to_owned() };
            if changes.len() > NAMED {
                return format!("change {subject}: {} changes", changes.len());
            }
            let titles: Vec<String> = changes.iter().map(|c| change_title(c)).collect();
            format!("change {subject}: {}", titles.join(", "))
        }
    }
}

/// The title of one change.
pub(crate) fn change_title(change: &Change) -> String {
    let object = &change.object;
    match (&change.action, &change.member) {
        (Action::Create, None) => format!("create {object}"),
        (Action::Drop, None) => format!("drop {object}"),
        (Action::Create, Some(member)) => format!("add {member} to {}", place(object)),
        (Action::Drop, Some(member)) => format!("drop {member} from {}", place(object)),
        (Action::Alter(facets), member) => {
            let names: Vec<&str> = facets.iter().map(|f| f.name.as_str()).collect();
            format!("change {} of {}", names.join(", "), subject(object, member.as_ref()))
        }
        (Action::Rename { to }, member) => {
            format!("rename {} to {}", subject(object, member.as_ref()), to.shown())
        }
        (Action::Reorder, _) => format!("reorder the members of {object}"),
    }
}

fn subject(object: &ObjectId, member: Option<&MemberId>) -> String {
    match member {
        Some(member) => format!("{member} of {}", place(object)),
        None => object.to_string(),
    }
}

/// An object as the place of a member: without its kind, which the sentence makes plain.
fn place(object: &ObjectId) -> String {
    match &object.schema {
        Some(schema) => format!("{}.{}", schema.shown(), object.name.shown()),
        None => object.name.shown().to_owned(),
    }
}
