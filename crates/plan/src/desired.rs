//! The desired state out of several analysed sources: what to run on a dev database, in which order, and what is asked
//! for where.
//!
//! All findings at once. Nothing here knows whether a statement is good: the dev database says that.

mod directives;
mod merge;
mod sequence;

use std::collections::BTreeMap;

use ptah_diff::RenameHint;
use ptah_model::{Code, Diagnostic, Digest, IdentifierRules, MemberId, ObjectId, Position, Severity, SourceName};
use ptah_provider_api::sql::SourceAnalysis;

/// The codes of what is found in sources.
pub(crate) mod code {
    use ptah_model::Code;

    /// Defined again in the same words.
    pub(crate) const SAME_TWICE: Code = Code("source.same-twice");
    /// Defined twice, differently.
    pub(crate) const DEFINED_TWICE: Code = Code("source.defined-twice");
    /// A drop before a definition, as dumps have it.
    pub(crate) const DROP: Code = Code("source.drop");
    /// A statement that extends an object which no source defines.
    pub(crate) const EXTENDS_NOTHING: Code = Code("source.extends-nothing");
    /// A directive that cannot be used.
    pub(crate) const DIRECTIVE: Code = Code("source.directive");
}

/// Where each declared object and member is defined. An absent key means that no source says where.
pub type Locations = BTreeMap<(ObjectId, Option<MemberId>), Position>;

/// What the sources ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Desired {
    /// The statements to run on a dev database, in order. May be empty.
    pub statements: Vec<DesiredStatement>,
    /// Where everything is defined.
    pub locations: Locations,
    /// The renames that the sources ask for; no two are equal.
    pub renames: Vec<RenameHint>,
    /// What is worth knowing and stops nothing.
    pub notes: Vec<Diagnostic>,
}

/// One statement of the desired state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DesiredStatement {
    /// The object that it defines or adds to.
    pub object: ObjectId,
    /// The text without a separator.
    pub text: String,
    /// The digest of what it defines; absent for a statement that adds to an object. Equal digests say the same.
    pub definition: Option<Digest>,
    /// Where it stands.
    pub position: Position,
}

/// Puts the sources together.
///
/// # Errors
///
/// Every finding, in the order of the sources, when at least one has the severity of an error.
pub fn assemble(
    sources: Vec<(SourceName, SourceAnalysis)>,
    rules: &IdentifierRules,
) -> Result<Desired, Vec<Diagnostic>> {
    let mut notes: Vec<Diagnostic> = Vec::new();
    let mut locations = Locations::new();
    let mut renames = Vec::new();
    let mut statements = Vec::new();
    for (_, mut source) in sources {
        notes.append(&mut source.diagnostics);
        for definition in source.definitions {
            locations.entry((definition.object, definition.member)).or_insert(definition.position);
        }
        directives::read(&source.directives, rules, &mut renames, &mut notes);
        statements.append(&mut source.statements);
    }
    let kept = merge::merge(statements, &mut notes);
    if notes.iter().any(|d| d.severity == Severity::Error) {
        return Err(notes);
    }
    let statements = sequence::in_order(kept);
    Ok(Desired { statements, locations, renames, notes })
}

/// A finding at a place that stops the command.
fn error(code: Code, summary: String, position: &Position) -> Diagnostic {
    Diagnostic::error(code, summary).at(position.clone())
}

#[cfg(test)]
mod tests;
