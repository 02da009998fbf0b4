//! `AnalyzeSql`: what stands where in a source, and whether it is part of a schema.

use ptah_model::{Diagnostic, Digest, EngineName, MemberId, ObjectId, Position, SourceName};

use crate::Violation;

/// One source to analyse as a schema source. Needs no session and no database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnalyzeSqlRequest {
    /// The engine whose language it is.
    pub engine: EngineName,
    /// What people call the source; positions carry it.
    pub source: SourceName,
    /// The text.
    pub text: String,
}

/// What a source holds. Arrives as a stream of parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceAnalysis {
    /// The statements in the order of the text, without overlap; only comments and separators lie between.
    pub statements: Vec<Statement>,
    /// Where each object and member is defined.
    pub definitions: Vec<Definition>,
    /// What the source asks of Ptah.
    pub directives: Vec<Directive>,
    /// What is wrong with it, all at once. A source with an error is not used.
    pub diagnostics: Vec<Diagnostic>,
}

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Where it stands.
    pub position: Position,
    /// The text without the separator.
    pub text: String,
    /// What it does in a schema source.
    pub role: StatementRole,
    /// Which objects have to exist before it can run.
    pub needs: Vec<ObjectId>,
}

/// What a statement does in a schema source. What is refused is a diagnostic and no statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementRole {
    /// It defines an object. Two definitions of one object with equal digests say the same.
    Define {
        /// The object.
        object: ObjectId,
        /// The digest of the definition's canonical form.
        definition: Digest,
    },
    /// It adds to an object that another statement defines.
    Extend {
        /// The object.
        object: ObjectId,
    },
    /// It drops an object if there is one. Accepted before a definition of the same object, as dumps have it, and
    /// never run.
    DropIfExists {
        /// The object.
        object: ObjectId,
    },
}

/// Where an object, or a member of it, is defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The object.
    pub object: ObjectId,
    /// The member, or the object itself.
    pub member: Option<MemberId>,
    /// Where.
    pub position: Position,
}

/// A request in a comment, directly above what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// The name after `ptah:`, for example `renamed`.
    pub name: String,
    /// The arguments in their order.
    pub arguments: Vec<(String, String)>,
    /// Where it stands.
    pub position: Position,
    /// What it is about.
    pub object: ObjectId,
    /// The member it is about, or the object itself.
    pub member: Option<MemberId>,
}

impl SourceAnalysis {
    /// Proves that positions lie inside the source, on character boundaries, and that statements do not overlap.
    pub fn validate_for(&self, asked: &AnalyzeSqlRequest) -> Result<(), Violation> {
        const M: &str = "SourceAnalysis";
        let statements = self.statements.iter().map(|s| &s.position);
        let definitions = self.definitions.iter().map(|d| &d.position);
        let directives = self.directives.iter().map(|d| &d.position);
        let diagnostics = self.diagnostics.iter().filter_map(|d| d.position.as_ref());
        for position in statements.chain(definitions).chain(directives).chain(diagnostics) {
            Violation::unless(lies_in(position, asked), M, "position", "lies inside the source on characters")?;
        }
        let mut end = 0;
        for statement in &self.statements {
            Violation::unless(statement.position.offset >= end, M, "statements", "do not overlap")?;
            end = statement.position.offset + u64::from(statement.position.length);
            Violation::unless(!statement.text.is_empty(), M, "statements.text", "is not empty")?;
        }
        Ok(())
    }
}

fn lies_in(position: &Position, asked: &AnalyzeSqlRequest) -> bool {
    let Ok(start) = usize::try_from(position.offset) else {
        return false;
    };
    let end = start.saturating_add(position.length as usize);
    position.source == asked.source
        && position.line >= 1
        && position.column >= 1
        && asked.text.is_char_boundary(start)
        && asked.text.is_char_boundary(end)
}
