//! Objects by name: each declared once, twice in the same way, or in two ways.

use std::collections::HashMap;
use std::sync::Arc;

use super::{
    Accepted, Entry, Finding, Place, Rule, SchemaSource, Severity, SourceAlter, SourceObject, SourceStatement,
    SourceText, accepted,
};
use crate::sql::ast::{Declaration, ObjectKind};
use crate::sql::classify::Class;

/// Triggers have names of their own; tables, views and indexes share theirs.
type Key = (bool, String);

fn key(kind: ObjectKind, folded: &str) -> Key {
    (kind == ObjectKind::Trigger, folded.to_owned())
}

/// A DROP … IF EXISTS that waits for its CREATE.
struct PendingDrop {
    key: Key,
    kind: ObjectKind,
    place: Place,
    /// Whether the object had been declared before.
    late: bool,
}

/// What has been declared so far.
#[derive(Default)]
pub(super) struct Definitions {
    by_name: HashMap<Key, usize>,
    drops: Vec<PendingDrop>,
}

impl Definitions {
    /// Takes one statement, in the order of the source.
    pub(super) fn take(&mut self, source: &mut SchemaSource, entry: Entry) {
        let class = entry.classified.class;
        let place = entry.place.clone();
        let builds = match accepted(&entry) {
            Ok(Accepted::Object(declaration)) => self.object(source, &entry, declaration),
            Ok(Accepted::Alter(alter)) => {
                let place = entry.place.clone();
                source.alters.push(SourceAlter { alter: *alter, place, statement: entry.statement });
                true
            }
            Ok(Accepted::Drop) => {
                self.drop_object(&entry);
                false
            }
            Err(finding) => {
                source.findings.push(*finding);
                false
            }
        };
        source.statements.push(SourceStatement { class, place, builds, classified: entry.classified });
    }

    fn object(&mut self, source: &mut SchemaSource, entry: &Entry, declaration: Arc<Declaration>) -> bool {
        let header = declaration.header();
        let key = key(header.kind, &header.name.folded);
        let place = entry.name_place.as_ref().unwrap_or(&entry.place).clone();
        if let Some(earlier) = self.by_name.get(&key).and_then(|index| source.objects.get(*index)) {
            let same = earlier.declaration.canonical() == declaration.canonical();
            let name = &header.name;
            let (rule, severity, message, hint) = if same {
                let message = format!("{} {name} is declared twice in the same way", header.kind.word());
                (Rule::Repeated, Severity::Note, message, "remove one of the two")
            } else {
                let message = format!("{name} is declared twice, and the declarations differ");
                (Rule::Conflict, Severity::Error, message, "keep one of the two")
            };
            let finding = Finding { rule, severity, message, hint, place, other: Some(earlier.place.clone()) };
            source.findings.push(finding);
            return false;
        }
        self.by_name.insert(key, source.objects.len());
        source.objects.push(SourceObject { declaration, place, statement: entry.statement });
        true
    }

    fn drop_object(&mut self, entry: &Entry) {
        if let (Class::Drop { kind, .. }, Some(name)) = (entry.classified.class, &entry.classified.name) {
            let key = key(kind, &name.folded);
            let late = self.by_name.contains_key(&key);
            self.drops.push(PendingDrop { key, kind, place: entry.place.clone(), late });
        }
    }

    /// What can be said only after the last statement.
    pub(super) fn finish(self, source: &mut SchemaSource, files: &[SourceText<'_>]) {
        for drop in &self.drops {
            let declared = self.by_name.get(&drop.key).and_then(|index| source.objects.get(*index));
            let same_kind = declared.is_some_and(|object| is_dropped_as(object.declaration.header().kind, drop.kind));
            let finding = if same_kind && !drop.late {
                Finding {
                    rule: Rule::DropBeforeCreate,
                    severity: Severity::Note,
                    message: format!("DROP of a {} before its CREATE says nothing about the schema", drop.kind.word()),
                    hint: "remove it; a plan drops only what it must",
                    place: drop.place.clone(),
                    other: declared.map(|object| object.place.clone()),
                }
            } else {
                Finding {
                    rule: Rule::NotSchema,
                    severity: Severity::Error,
                    message: "DROP is not part of a schema".to_owned(),
                    hint: "remove it; what a schema does not declare is dropped by the plan",
                    place: drop.place.clone(),
                    other: None,
                }
            };
            source.findings.push(finding);
        }
        self.read_indexes_again(source, files);
    }

    /// With the columns of its table, a double-quoted text in an index is told from a column.
    fn read_indexes_again(&self, source: &mut SchemaSource, files: &[SourceText<'_>]) {
        for index in 0..source.objects.len() {
            let Declaration::Index(declaration) = &*source.objects[index].declaration else {
                continue;
            };
            let table = self.by_name.get(&(false, declaration.table.folded.clone()));
            let table = table.and_then(|table| source.objects.get(*table));
            let Some(Declaration::Table(table)) = table.map(|object| &*object.declaration) else {
                continue;
            };
            let mut columns: Vec<_> = table.columns.iter().map(|column| column.name.folded.clone()).collect();
            columns.extend(added_columns(source, &declaration.table.folded));
            let span = declaration.header.span;
            let text = files.get(source.objects[index].place.file).map(|file| file.text);
            // The spans must keep counting from the start of the file, so what stands before is blanked, not cut off.
            let Some(text) = text.and_then(|text| text.get(..span.end)) else {
                continue;
            };
            if !depends_on_columns(text.get(span.start..).unwrap_or_default()) {
                continue;
            }
            if let Some(read) = reread(text, span.start, &columns) {
                source.objects[index].declaration = Arc::new(read);
            }
        }
    }
}

/// Whether knowing the columns could make a difference: only for what is in double quotes, and for `true` and `false`.
fn depends_on_columns(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    lower.contains(['"']) || lower.contains("true") || lower.contains("false")
}

fn reread(text: &str, start: usize, columns: &[String]) -> Option<Declaration> {
    let tokens = crate::sql::split::single(text.get(start..)?).ok()?;
    let moved: Vec<_> = tokens
        .into_iter()
        .map(|mut token| {
            token.span.start += start;
            token.span.end += start;
            token
        })
        .collect();
    Declaration::from_tokens(crate::sql::cursor::Cursor::new(text, &moved), Some(columns)).ok()
}

/// Names that ALTER TABLE gives to columns of a table.
fn added_columns(source: &SchemaSource, table: &str) -> Vec<String> {
    use crate::sql::ast::AlterAction;
    let alters = source.alters.iter().filter(|alter| alter.alter.table.folded == table);
    alters
        .filter_map(|alter| match &alter.alter.action {
            AlterAction::AddColumn { column, .. } => Some(column.name.folded.clone()),
            AlterAction::RenameColumn { new, .. } => Some(new.folded.clone()),
            _ => None,
        })
        .collect()
}

fn is_dropped_as(declared: ObjectKind, dropped: ObjectKind) -> bool {
    declared == dropped || (declared == ObjectKind::VirtualTable && dropped == ObjectKind::Table)
}
