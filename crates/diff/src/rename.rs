//! Renames that the sources ask for: `-- ptah:renamed from=<old>` directly above a definition.
//!
//! A hint acts only if the old name exists, the new one does not, and the old one is not declared, where a name that
//! another acting hint frees or fills counts as such: chains and swaps work. Three passes, each on the names that the
//! one before left: objects that stand alone, owned objects, members. So a member's change names its owner by the
//! owner's new name.

mod moves;
mod scope;

use std::collections::BTreeMap;

use ptah_model::{Code, Diagnostic, Kind, KindCatalog, MemberId, Name, ObjectId, Position, Risk, SchemaModel};

use crate::change::{Action, Change, number};
use moves::{Move, Names, resolve};
use scope::{Scope, Tier, rename_all};

/// The codes of what is wrong with a hint.
pub(crate) mod code {
    use ptah_model::Code;

    /// An object or member of a kind that has no names of its own to change.
    pub(crate) const KIND: Code = Code("rename.kind");
    /// The old name is the new one.
    pub(crate) const ITSELF: Code = Code("rename.itself");
    /// What is said to be renamed is not declared.
    pub(crate) const NOT_DECLARED: Code = Code("rename.not-declared");
    /// One of the two could not be read.
    pub(crate) const NOT_DESCRIBED: Code = Code("rename.not-described");
    /// Two hints are about one name.
    pub(crate) const TWICE: Code = Code("rename.twice");
    /// The old and the new name both exist.
    pub(crate) const BOTH_EXIST: Code = Code("rename.both-exist");
    /// The old name is still declared, or cannot be freed.
    pub(crate) const STILL_DECLARED: Code = Code("rename.still-declared");
    /// Two things that read the same would change names: nothing tells afterwards whether they did.
    pub(crate) const SWAP_OF_EQUALS: Code = Code("rename.swap-of-equals");
}

/// A request to rename, as a source states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenameHint {
    /// The object, by its new name.
    pub object: ObjectId,
    /// The member of it, by its new name; absent for the object itself.
    pub member: Option<MemberId>,
    /// The old name.
    pub from: Name,
    /// Where the request stands.
    pub position: Position,
}

/// A rename that was carried out, as the ledger in the database keeps it. Names are normalised.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RenameRecord {
    /// The kind.
    pub kind: Kind,
    /// The object it is in, by the object's name after the rename; for a member only.
    pub owner: Option<String>,
    /// The old name.
    pub from: String,
    /// The new name.
    pub to: String,
}

/// What [`renames`] decides from.
#[derive(Clone, Copy, Debug)]
pub struct RenameInputs<'a> {
    /// What is there.
    pub current: &'a SchemaModel,
    /// What is wanted.
    pub desired: &'a SchemaModel,
    /// What the sources ask for.
    pub hints: &'a [RenameHint],
    /// What was carried out before. A hint that is in it, and whose new name exists, is done, whatever else exists;
    /// without it a swap would be made again by every run.
    pub ledger: &'a [RenameRecord],
    /// The kinds of the provider.
    pub kinds: &'a KindCatalog,
}

/// What is to be renamed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renames {
    /// The changes, each an [`Action::Rename`], in the order in which they can be made one by one.
    pub changes: Vec<Change>,
    /// What is wrong with hints, in the order of the passes.
    pub findings: Vec<Diagnostic>,
    /// What the ledger has to keep once the changes are in the database; steps over a temporary name are left out.
    pub applied: Vec<RenameRecord>,
}

/// Decides which objects and members get another name.
///
/// A hint that was carried out before, or that finds neither name (a new database), is silently fine.
pub fn renames(inputs: &RenameInputs<'_>) -> Renames {
    let mut done = Renames::default();
    let hints: Vec<&RenameHint> = inputs
        .hints
        .iter()
        .filter(|hint| match refuse(hint, inputs) {
            Some(finding) => {
                done.findings.push(finding);
                false
            }
            None => true,
        })
        .collect();
    let mut current = inputs.current.clone();
    for tier in [Tier::Standing, Tier::Owned, Tier::Member] {
        let mut scopes: BTreeMap<Scope, Vec<&RenameHint>> = BTreeMap::new();
        for hint in hints.iter().filter(|h| Tier::of(h) == tier) {
            scopes.entry(Scope::of(hint)).or_default().push(hint);
        }
        let mut net = BTreeMap::new();
        for (scope, hints) in &scopes {
            let acting = one_scope(scope, hints, &current, inputs, &mut done);
            net.extend(acting.into_iter().map(|(from, to)| ((scope.clone(), from), to)));
        }
        if !net.is_empty() {
            current = rename_all(&current, &net);
        }
    }
    number(&mut done.changes);
    done
}

/// Decides the hints about the names of one place. Returns what is renamed, without temporary names.
fn one_scope(
    scope: &Scope,
    hints: &[&RenameHint],
    current: &SchemaModel,
    inputs: &RenameInputs<'_>,
    done: &mut Renames,
) -> Vec<(Name, Name)> {
    let names =
        Names { current: scope.names(current), unread: scope.unread(current), desired: scope.names(inputs.desired) };
    let carried_out = |hint: &RenameHint| {
        let record = scope.record(&hint.from, new_name(hint));
        inputs.ledger.contains(&record)
    };
    let mut resolved = resolve(hints, &names, carried_out);
    done.findings.append(&mut resolved.findings);
    let taken = |name: &Name| scope::is_taken(name, current) || scope::is_taken(name, inputs.desired);
    for cycle in &resolved.cycles {
        if cycle.iter().all(|m| scope.same_on_both(&m.to, current, inputs.desired)) {
            done.findings.push(swap_of_equals(scope, cycle));
        }
    }
    let ordered = moves::in_order(&resolved, taken);
    done.changes.extend(ordered.iter().map(|m| change(scope, m)));
    let acting: Vec<Move> = resolved.paths.into_iter().chain(resolved.cycles).flatten().collect();
    done.applied.extend(acting.iter().map(|m| scope.record(&m.from, &m.to)));
    acting.into_iter().map(|m| (m.from, m.to)).collect()
}

fn change(scope: &Scope, step: &Move) -> Change {
    let (object, member) = scope.identity(&step.from);
    let to = step.to.clone();
    Change::unnumbered(&object, member.as_ref(), Action::Rename { to }, Risk::Warning, None)
}

/// What is wrong with a hint whatever exists.
fn refuse(hint: &RenameHint, inputs: &RenameInputs<'_>) -> Option<Diagnostic> {
    let error = |code: Code, summary: String| Some(Diagnostic::error(code, summary).at(hint.position.clone()));
    let kind = hint.member.as_ref().map_or(&hint.object.kind, |m| &m.kind);
    if !inputs.kinds.get(kind).is_some_and(|m| m.renamable) {
        return error(code::KIND, format!("a {kind} cannot be renamed by a directive"));
    }
    if hint.from == *new_name(hint) {
        return error(code::ITSELF, format!("{} is said to be renamed from its own name", subject(hint)));
    }
    let declared =
        inputs.desired.get(&hint.object).is_some_and(|o| hint.member.as_ref().is_none_or(|m| o.member(m).is_some()));
    if declared {
        None
    } else {
        error(code::NOT_DECLARED, format!("{} is said to be renamed and is not declared", subject(hint)))
    }
}

/// Nothing in the models tells whether such a swap was made: only the ledger does.
fn swap_of_equals(scope: &Scope, cycle: &[Move]) -> Diagnostic {
    let names: Vec<String> = cycle.iter().map(|m| format!("`{}`", m.from.shown())).collect();
    let summary = format!(
        "{} trade names ({}) although each has its wanted definition already",
        scope.plural(),
        names.join(", ")
    );
    Diagnostic::error(code::SWAP_OF_EQUALS, summary)
        .hint(
            "no record says whether it was done: remove the directives if it was, or trade the names in two plans through a \
             third one",
        )
}

fn new_name(hint: &RenameHint) -> &Name {
    hint.member.as_ref().map_or(&hint.object.name, |m| &m.name)
}

fn subject(hint: &RenameHint) -> String {
    match &hint.member {
        Some(member) => format!("{member} of {}", hint.object),
        None => hint.object.to_string(),
    }
}
