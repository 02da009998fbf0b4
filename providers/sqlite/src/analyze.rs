//! One source as the contract has it: statements with their roles, places of objects and members, directives, findings.
//!
//! What a text means is decided in `sql`; this file only says it in the contract's words, with the identities that the
//! catalogue gives the same objects and members.

mod members;

use std::collections::HashMap;

use ptah_model::{Code, Diagnostic, Digest, Kind, ObjectId, Position, SourceName};
use ptah_provider_api::sql::{AnalyzeSqlRequest, Definition, Directive, SourceAnalysis, Statement, StatementRole};

use crate::claims::is_ours;
use crate::kinds;
use crate::parallel::in_parts;
use crate::sql::ast::{Declaration, ObjectKind};
use crate::sql::classify::{Class, Classified, classify};
use crate::sql::directive::{DirectiveKind, Target};
use crate::sql::position::{Position as At, Span};
use crate::sql::schema_source::Severity as FindingSeverity;
use crate::sql::schema_source::{Finding, Place, Rule, SchemaSource, SourceStatement, SourceText, schema_source_by};
use crate::sql::split::{Script, split};
use members::{placed_member, placed_members};

/// How many statements make a thread worth its start: some milliseconds of work.
const STATEMENTS_OF_WORKER: usize = 1_000;

/// Analyses one source.
pub(crate) fn analyze(request: &AnalyzeSqlRequest) -> SourceAnalysis {
    let file = SourceText { file: request.source.as_str(), text: &request.text };
    let mut source = schema_source_by(&[file], |text, statements| {
        in_parts(statements, STATEMENTS_OF_WORKER, |part| part.iter().map(|s| classify(text, s)).collect())
    });
    let mut analysis = SourceAnalysis {
        diagnostics: source.findings.iter().map(|finding| diagnostic(finding, &request.source)).collect(),
        ..SourceAnalysis::default()
    };
    // A text that cannot be cut into statements is one finding and nothing else.
    let Ok(script) = split(&request.text) else {
        return analysis;
    };
    let tables = tables_and_views(&source);
    // What was read of each statement goes as soon as it is said in the contract's words: of a large source, both are
    // large.
    source.objects.clear();
    let statements = std::mem::take(&mut source.statements);
    let reader = Reader { request, source: &source, script: &script, tables };
    reader.directives(&statements, &mut analysis);
    reader.statements(statements, &mut analysis);
    analysis.diagnostics.sort_by_key(|found| found.position.as_ref().map(|at| at.offset));
    analysis
}

struct Reader<'a> {
    request: &'a AnalyzeSqlRequest,
    source: &'a SchemaSource,
    script: &'a Script<'a>,
    /// The tables and views of this source by their folded names. Kept, because every statement asks for one.
    tables: HashMap<String, ObjectId>,
}

fn tables_and_views(source: &SchemaSource) -> HashMap<String, ObjectId> {
    let headers = source.objects.iter().map(|object| object.declaration.header());
    let tables = headers.filter(|header| !matches!(header.kind, ObjectKind::Index | ObjectKind::Trigger));
    let named = tables
        .map(|header| (header.name.folded.clone(), kinds::object_id(kind_of(header.kind), None, &header.name.text)));
    named.collect()
}

impl Reader<'_> {
    fn statements(&self, statements: Vec<SourceStatement>, analysis: &mut SourceAnalysis) {
        for (read, statement) in statements.into_iter().zip(&self.script.statements) {
            let classified = &read.classified;
            let Some(object) = object_of(classified) else {
                continue;
            };
            let position = self.position(statement.span);
            if is_ours(&object.name.source) || object.owner.as_ref().is_some_and(|owner| is_ours(&owner.source)) {
                analysis.diagnostics.push(ours(&position));
                continue;
            }
            let Some(role) = self.role(&read, &object) else {
                continue;
            };
            if let StatementRole::Define { .. } | StatementRole::Extend { .. } = role {
                self.definitions(classified, &object, &role, analysis);
            }
            analysis.statements.push(Statement {
                needs: self.needs(classified),
                text: statement.span.text(&self.request.text).to_owned(),
                position,
                role,
            });
        }
    }

    /// What an accepted statement does; `None` for one that was refused, which is a finding.
    fn role(&self, read: &SourceStatement, object: &ObjectId) -> Option<StatementRole> {
        use crate::sql::classify::Definition as D;
        let SourceStatement { classified, builds, place, .. } = read;
        let refused = || {
            let errors = self.source.findings.iter().filter(|f| f.severity == FindingSeverity::Error);
            // A finding stands at the statement or within it.
            errors.into_iter().any(|f| within(&f.place, place))
        };
        match (&classified.definition, classified.class) {
            (D::Declaration(declaration), Class::Create(_)) if *builds || !refused() => Some(StatementRole::Define {
                object: object.clone(),
                definition: Digest::of(declaration.canonical().text.as_bytes()),
            }),
            (D::Alter(_), Class::AlterTable) if *builds => Some(StatementRole::Extend { object: object.clone() }),
            (_, Class::Drop { if_exists: true, .. }) if !refused() => {
                Some(StatementRole::DropIfExists { object: object.clone() })
            }
            _ => None,
        }
    }

    fn definitions(
        &self,
        classified: &Classified,
        object: &ObjectId,
        role: &StatementRole,
        analysis: &mut SourceAnalysis,
    ) {
        let defines = matches!(role, StatementRole::Define { .. });
        if let Some(span) = classified.name_span.filter(|_| defines) {
            analysis.definitions.push(Definition {
                object: object.clone(),
                member: None,
                position: self.position(span),
            });
        }
        for (member, span) in placed_members(classified) {
            analysis.definitions.push(Definition {
                object: object.clone(),
                member: Some(member),
                position: self.position(span),
            });
        }
    }

    /// What has to be there first: the table or view that an index or trigger belongs to, the table that is altered,
    /// and what a view may read. SQLite itself takes views and foreign keys before what they name. What no source
    /// defines, such as the name of a common table expression, is left to the host, which passes over it.
    fn needs(&self, classified: &Classified) -> Vec<ObjectId> {
        use crate::sql::classify::Definition as D;
        let mut needs = Vec::new();
        if let Some((owner, _)) = &classified.owner {
            needs.push(self.table_or_view(&owner.folded, &owner.text));
        }
        match &classified.definition {
            D::Declaration(declaration) => {
                if let Declaration::View(view) = declaration.as_ref() {
                    let read = view.select.canonical.references.tables.iter();
                    let others = read.filter(|name| **name != view.header.name.folded);
                    needs.extend(others.map(|name| self.table_or_view(name, name)));
                }
            }
            D::Alter(alter) => needs.push(self.table_or_view(&alter.table.folded, &alter.table.text)),
            D::None | D::Unread(_) => {}
        }
        needs
    }

    /// The table or view of that name; another source declares it where this one does not, and most names are tables.
    fn table_or_view(&self, folded: &str, text: &str) -> ObjectId {
        let declared = self.tables.get(folded).cloned();
        declared.unwrap_or_else(|| kinds::object_id(Kind::table(), None, text))
    }

    fn directives(&self, statements: &[SourceStatement], analysis: &mut SourceAnalysis) {
        for directive in self.source.directives.iter().map(|found| &found.directive) {
            let (statement, member) = match directive.target {
                Target::Statement(statement) => (statement, None),
                Target::Member { statement, member } => (statement, Some(member)),
            };
            let Some(classified) = statements.get(statement).map(|read| &read.classified) else {
                continue;
            };
            let Some(object) = object_of(classified) else {
                continue;
            };
            let position = self.position(directive.span);
            let member = match member {
                None => None,
                Some(index) => {
                    let Some(found) = placed_member(classified, index) else {
                        // What has no identity in the catalogue, such as a NOT NULL, can carry no request.
                        analysis.diagnostics.push(no_target(&position));
                        continue;
                    };
                    Some(found)
                }
            };
            let (name, arguments) = said(&directive.kind);
            analysis.directives.push(Directive { name: name.to_owned(), arguments, position, object, member });
        }
    }

    fn position(&self, span: Span) -> Position {
        position(&self.request.source, self.script.lines.position(span.start), span)
    }
}

fn said(kind: &DirectiveKind) -> (&'static str, Vec<(String, String)>) {
    let pair = |name: &str, value: &String| (name.to_owned(), value.clone());
    match kind {
        DirectiveKind::Renamed { from } => ("renamed", vec![pair("from", from)]),
        DirectiveKind::NoLint { codes } => ("nolint", codes.iter().map(|code| pair("code", code)).collect()),
        DirectiveKind::Using { expression } => ("using", vec![pair("expression", expression)]),
    }
}

/// The identity of what a statement makes, alters or drops.
fn object_of(classified: &Classified) -> Option<ObjectId> {
    let name = classified.name.as_ref()?;
    let kind = match classified.class {
        Class::Create(kind) | Class::Drop { kind, .. } => kind,
        Class::AlterTable => ObjectKind::Table,
        _ => return None,
    };
    let owner = classified.owner.as_ref().map(|(owner, _)| owner.text.as_str());
    Some(kinds::object_id(kind_of(kind), owner, &name.text))
}

fn kind_of(kind: ObjectKind) -> Kind {
    match kind {
        ObjectKind::Table => Kind::table(),
        ObjectKind::VirtualTable => kinds::virtual_table(),
        ObjectKind::Index => Kind::index(),
        ObjectKind::View => Kind::view(),
        ObjectKind::Trigger => Kind::trigger(),
    }
}

fn within(inner: &Place, outer: &Place) -> bool {
    inner.file == outer.file && inner.span.start >= outer.span.start && inner.span.start <= outer.span.end
}

fn position(source: &SourceName, at: At, span: Span) -> Position {
    Position {
        source: source.clone(),
        offset: span.start as u64,
        length: u32::try_from(span.end.saturating_sub(span.start)).unwrap_or(u32::MAX),
        line: at.line,
        column: at.column,
    }
}

fn diagnostic(finding: &Finding, source: &SourceName) -> Diagnostic {
    let code = match finding.rule {
        Rule::Text => "source.text",
        Rule::NotSchema => "source.not-schema",
        Rule::Temporary => "source.temporary",
        Rule::OtherDatabase => "source.other-database",
        Rule::Unreadable => "source.definition",
        Rule::Conflict => "source.defined-twice",
        Rule::Repeated => "source.same-twice",
        Rule::DropBeforeCreate => "source.drop",
        Rule::Directive => "source.directive",
    };
    let mut diagnostic = match finding.severity {
        FindingSeverity::Error => Diagnostic::error(Code(code), finding.message.as_str()),
        FindingSeverity::Note => Diagnostic::note(Code(code), finding.message.as_str()),
    };
    if !finding.hint.is_empty() {
        diagnostic = diagnostic.hint(finding.hint);
    }
    diagnostic.at(position(source, finding.place.position, finding.place.span))
}

fn ours(position: &Position) -> Diagnostic {
    let summary = "names that start with `_ptah_` are Ptah's own records and no part of a schema";
    Diagnostic::error(Code("source.reserved-name"), summary).at(position.clone()).hint("choose another name")
}

fn no_target(position: &Position) -> Diagnostic {
    let summary = "the directive is above nothing that it can belong to";
    Diagnostic::error(Code("source.directive"), summary).at(position.clone())
}
