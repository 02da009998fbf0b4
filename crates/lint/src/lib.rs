//! Hazards in changes and in the steps that serve them, one rule per file.
//!
//! A rule only tells: what is refused is the gate's business, in `plan`. Rules read what the kinds and the steps say;
//! of facets they see whether one is there, under the few names in [`facet`], never what it holds. To add a rule, add a
//! file in `rules/` and a line in [`RULES`].

#![deny(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::wildcard_enum_match_arm
)]

mod rules;

use std::collections::BTreeMap;

use ptah_diff::{Action, Change};
use ptah_model::{Code, Diagnostic, Holds, Kind, KindCatalog, MemberId, ObjectId, Position, SchemaModel, Severity};
use ptah_provider_api::step::Step;

pub use rules::RULES;

/// The names of facets whose presence a rule asks for. A provider that has the attribute calls it so; one that does not
/// is asked in vain and told nothing.
pub mod facet {
    /// A column that refuses to be empty.
    pub const NOT_NULL: &str = "not-null";
    /// What a column holds when nothing is given.
    pub const DEFAULT: &str = "default";
    /// A column that is computed.
    pub const GENERATED: &str = "generated";
    /// An index that refuses duplicates.
    pub const UNIQUE: &str = "unique";
}

/// What is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The changes in the order of their IDs.
    pub changes: &'a [Change],
    /// What the comparison found beside them: the possible renames are passed on, the rest is not. Empty where they are
    /// told elsewhere.
    pub findings: &'a [Diagnostic],
    /// The steps that serve the changes; their change IDs are places in `changes`. Empty before there are any: the
    /// rules about locks then have nothing to say.
    pub steps: &'a [Step],
    /// The kinds of the provider.
    pub kinds: &'a KindCatalog,
    /// What is wanted.
    pub desired: &'a SchemaModel,
    /// Where each declared object and member is defined. An absent key means that no source says where.
    pub locations: &'a BTreeMap<(ObjectId, Option<MemberId>), Position>,
}

/// One rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its code: the family in capitals, and a number. Never reused.
    pub code: Code,
    /// How much its findings weigh.
    pub severity: Severity,
    /// What it is about, as one sentence for the list of rules.
    pub sentence: &'static str,
    /// What to do about it.
    pub hint: &'static str,
    /// Finds what breaks it.
    check: fn(&Subject<'_>, &Rule) -> Vec<Diagnostic>,
}

/// Runs every rule. The findings come in the order of [`RULES`], and within one in the order of changes or steps.
pub fn lint(subject: &Subject<'_>) -> Vec<Diagnostic> {
    RULES.iter().flat_map(|rule| (rule.check)(subject, rule)).collect()
}

impl Rule {
    /// A finding of this rule about a change.
    fn about(&self, change: &Change, subject: &Subject<'_>, summary: String) -> Diagnostic {
        self.finding(summary, subject.place(&change.object, change.member.as_ref()))
    }

    /// A finding of this rule.
    fn finding(&self, summary: String, position: Option<&Position>) -> Diagnostic {
        Diagnostic {
            code: self.code.to_string(),
            severity: self.severity,
            summary,
            position: position.cloned(),
            hint: Some(self.hint.to_owned()),
        }
    }
}

impl Subject<'_> {
    /// Where something is defined, or else the object that it is in.
    fn place(&self, object: &ObjectId, member: Option<&MemberId>) -> Option<&Position> {
        let exact = self.locations.get(&(object.clone(), member.cloned()));
        exact.or_else(|| self.locations.get(&(object.clone(), None)))
    }

    /// What a kind holds; absent for one that the provider did not declare.
    fn holds(&self, kind: &Kind) -> Option<Holds> {
        self.kinds.get(kind).map(|model| model.holds)
    }

    /// The changes with this action about something that holds this, with what it is.
    fn with<'a>(&'a self, action: &'a Action, holds: Holds) -> impl Iterator<Item = &'a Change> {
        self.changes.iter().filter(move |c| c.action == *action && self.holds(kind(c)) == Some(holds))
    }

    /// Whether the object is there already, as far as the changes tell: none of them creates it.
    fn exists(&self, object: &ObjectId) -> bool {
        let creates = |c: &Change| c.member.is_none() && c.action == Action::Create && c.object == *object;
        !self.changes.iter().any(creates)
    }

    /// Whether the owner of an object is there already, as far as the changes tell.
    fn owner_exists(&self, object: &ObjectId) -> bool {
        let Some(owner) = &object.owner else {
            return false;
        };
        let creates = |c: &Change| {
            let id = &c.object;
            let whole = c.member.is_none() && c.action == Action::Create;
            whole && id.owner.is_none() && id.schema == object.schema && id.name == *owner
        };
        !self.changes.iter().any(creates)
    }

    /// Whether a wanted thing has a facet.
    fn wants(&self, change: &Change, facet: &str) -> bool {
        let Some(object) = self.desired.get(&change.object) else {
            return false;
        };
        match &change.member {
            Some(member) => object.member(member).is_some_and(|m| m.facets.contains_key(facet)),
            None => object.facets.contains_key(facet),
        }
    }

    /// Whether a step that serves the change counts offending rows before it runs.
    fn is_checked(&self, change: &Change) -> bool {
        let serves = |step: &Step| step.changes.iter().any(|id| id.0 == change.id.0);
        self.steps.iter().any(|step| serves(step) && !step.checks.is_empty())
    }

    /// The changes that a step serves, for people.
    fn served(&self, step: &Step) -> String {
        let changes = step.changes.iter().filter_map(|id| self.changes.get(id.0 as usize));
        let names: Vec<String> = changes.map(ToString::to_string).collect();
        match names.as_slice() {
            [] => step.rule.sentence.clone(),
            [one] => one.clone(),
            [first, rest @ ..] => format!("{first} (and {} more)", rest.len()),
        }
    }
}

/// The kind of what a change is about.
fn kind(change: &Change) -> &Kind {
    change.member.as_ref().map_or(&change.object.kind, |m| &m.kind)
}

#[cfg(test)]
mod tests;
