//! Whether a list of SQL files is a declared schema, and what it declares; all findings at once.
//!
//! Accepted: CREATE TABLE, INDEX, VIEW, TRIGGER and VIRTUAL TABLE in the main database, with or without IF NOT EXISTS;
//! ALTER TABLE with ADD COLUMN, ADD CONSTRAINT, ADD CHECK, RENAME TO and RENAME COLUMN; and DROP … IF EXISTS before a
//! CREATE of the same object, which says nothing about a schema and is noted. Everything else is refused by name:
//! a file that is only half understood would declare less than its author meant.

mod definitions;
mod refusal;

use std::sync::Arc;

use super::ast::{Alter, Declaration};
use super::classify::{Class, Classified, Definition, classify};
use super::directive::{self, Directive};
use super::error::TextError;
use super::position::{Position, Span};
use super::split::{Script, Statement, split};

/// One file of a source.
#[derive(Clone, Copy, Debug)]
pub struct SourceText<'s> {
    /// Its name, for findings.
    pub file: &'s str,
    /// Its text.
    pub text: &'s str,
}

/// A place in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index of the file in the list.
    pub file: usize,
    /// Line and column.
    pub position: Position,
    /// Bytes of the file.
    pub span: Span,
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The source is refused.
    Error,
    /// Worth knowing.
    Note,
}

/// The kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The text is no SQL.
    Text,
    /// A statement that cannot be part of a declared schema.
    NotSchema,
    /// A temporary object.
    Temporary,
    /// An object in another database.
    OtherDatabase,
    /// A statement whose definition cannot be read.
    Unreadable,
    /// Two definitions of one object that differ.
    Conflict,
    /// The same object declared twice in the same way.
    Repeated,
    /// DROP … IF EXISTS before a CREATE.
    DropBeforeCreate,
    /// A directive that cannot be followed.
    Directive,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its kind.
    pub rule: Rule,
    /// Its weight.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to do; empty when the message says it.
    pub hint: &'static str,
    /// Where.
    pub place: Place,
    /// The other place that it is about.
    pub other: Option<Place>,
}

/// One declared object.
#[derive(Clone, Debug)]
pub struct SourceObject {
    /// The definition. An index has been read with the columns of its table where the source declares it.
    pub declaration: Arc<Declaration>,
    /// The place of its name.
    pub place: Place,
    /// Index of the statement in its file.
    pub statement: usize,
}

/// An ALTER TABLE of the source, to be carried out after what stands before it.
#[derive(Clone, Debug)]
pub struct SourceAlter {
    /// What it does.
    pub alter: Alter,
    /// The place of the statement.
    pub place: Place,
    /// Index of the statement in its file.
    pub statement: usize,
}

/// One statement of a file.
#[derive(Clone, Debug)]
pub struct SourceStatement {
    /// What it is.
    pub class: Class,
    /// Where it is.
    pub place: Place,
    /// Part of the schema: to be run, in this order, to build it. Not so for what is refused, for a DROP and for a
    /// repeated definition.
    pub builds: bool,
    /// What was found out about it, members and their places included.
    pub classified: Classified,
}

/// A directive of a file.
#[derive(Clone, Debug)]
pub struct SourceDirective {
    /// Index of the file.
    pub file: usize,
    /// The directive; its target counts the statements of that file.
    pub directive: Directive,
}

/// All that a list of files declares.
#[derive(Clone, Debug, Default)]
pub struct SchemaSource {
    /// Declared objects in order, each once.
    pub objects: Vec<SourceObject>,
    /// ALTER TABLE statements in order.
    pub alters: Vec<SourceAlter>,
    /// All statements in order, file by file.
    pub statements: Vec<SourceStatement>,
    /// All directives that can be followed.
    pub directives: Vec<SourceDirective>,
    /// All findings, in the order of files and lines.
    pub findings: Vec<Finding>,
}

impl SchemaSource {
    /// Whether nothing stands against using it.
    pub fn is_accepted(&self) -> bool {
        self.findings.iter().all(|finding| finding.severity == Severity::Note)
    }
}

/// Reads a list of files as one declared schema.
pub fn schema_source(files: &[SourceText<'_>]) -> SchemaSource {
    schema_source_by(files, |text, statements| statements.iter().map(|s| classify(text, s)).collect())
}

/// The same with another way to call [`classify`] on each statement of a text, such as on several threads.
pub(crate) fn schema_source_by(
    files: &[SourceText<'_>],
    classify_all: impl Fn(&str, &[Statement]) -> Vec<Classified>,
) -> SchemaSource {
    let mut source = SchemaSource::default();
    let mut read = Vec::new();
    for (file, text) in files.iter().enumerate() {
        match split(text.text) {
            Ok(script) => {
                let classified = classify_all(text.text, &script.statements);
                read_directives(&mut source, file, &script, &classified);
                read.push((file, script, classified));
            }
            Err(error) => source.findings.push(text_finding(file, &error)),
        }
    }
    let mut collected = definitions::Definitions::default();
    for (file, script, classified) in read {
        for (index, (statement, classified)) in script.statements.iter().zip(classified).enumerate() {
            let place = place(file, &script, statement.span);
            let entry = Entry {
                place,
                name_place: classified.name_span.map(|span| self::place(file, &script, span)),
                statement: index,
                classified,
            };
            collected.take(&mut source, entry);
        }
    }
    collected.finish(&mut source, files);
    source.findings.sort_by_key(|finding| (finding.place.file, finding.place.span.start));
    source
}

/// One statement on its way into the source.
pub(crate) struct Entry {
    place: Place,
    name_place: Option<Place>,
    statement: usize,
    classified: Classified,
}

fn place(file: usize, script: &Script<'_>, span: Span) -> Place {
    Place { file, position: script.lines.position(span.start), span }
}

fn text_finding(file: usize, error: &TextError) -> Finding {
    Finding {
        rule: Rule::Text,
        severity: Severity::Error,
        message: error.kind.to_string(),
        hint: "",
        place: Place { file, position: error.position, span: Span::new(error.offset, error.offset) },
        other: None,
    }
}

fn read_directives(source: &mut SchemaSource, file: usize, script: &Script<'_>, classified: &[Classified]) {
    let (directives, faults) = directive::read(script, classified);
    let found = directives.into_iter().map(|directive| SourceDirective { file, directive });
    source.directives.extend(found);
    source.findings.extend(faults.into_iter().map(|fault| Finding {
        rule: Rule::Directive,
        severity: Severity::Error,
        message: fault.kind.to_string(),
        hint: "",
        place: place(file, script, fault.span),
        other: None,
    }));
}

/// The definition of a statement that was not refused.
enum Accepted {
    Object(Arc<Declaration>),
    Alter(Box<Alter>),
    Drop,
}

fn accepted(entry: &Entry) -> Result<Accepted, Box<Finding>> {
    refusal::check(entry)?;
    match &entry.classified.definition {
        Definition::Declaration(declaration) => Ok(Accepted::Object(Arc::clone(declaration))),
        Definition::Alter(alter) => Ok(Accepted::Alter(alter.clone())),
        Definition::None => Ok(Accepted::Drop),
        Definition::Unread(error) => Err(Box::new(refusal::unreadable(entry, error))),
    }
}

#[cfg(test)]
mod tests;
