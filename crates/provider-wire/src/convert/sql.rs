//! What an analysis says of a source. Positions travel without the name of the source, which the request has.

use ptah_model::{Diagnostic, EngineName, MemberId, ObjectId, Severity, SourceName};
use ptah_provider_api::sql::{AnalyzeSqlRequest, Definition, Directive, Statement, StatementRole};

use super::common::{position, span};
use super::{Numbered, OnWire, WireError, digest, from_list, numbered, parsed, required, to_list};
use crate::pb;
use crate::pb::statement::Role;

numbered!(ptah_model::Severity, Severity, Note, Warning, Error);

impl OnWire for AnalyzeSqlRequest {
    type Message = pb::AnalyzeSqlRequest;

    fn to_wire(self) -> pb::AnalyzeSqlRequest {
        let Self { engine, source, text } = self;
        pb::AnalyzeSqlRequest { engine: engine.as_str().to_owned(), source: source.as_str().to_owned(), text }
    }

    fn from_wire(message: pb::AnalyzeSqlRequest) -> Result<Self, WireError> {
        Ok(Self {
            engine: parsed(EngineName::new(message.engine), "AnalyzeSqlRequest", "engine")?,
            source: SourceName::new(&message.source),
            text: message.text,
        })
    }
}

/// What an analysis is made of: a message that needs the source to be a value again.
pub(crate) trait InSource: Sized {
    /// The message.
    type Message;

    /// The message of this value.
    fn to_wire(self) -> Self::Message;

    /// The value of a message about `source`.
    fn from_wire(message: Self::Message, source: &SourceName) -> Result<Self, WireError>;
}

impl InSource for Statement {
    type Message = pb::Statement;

    fn to_wire(self) -> pb::Statement {
        let Self { position, text, role, needs } = self;
        pb::Statement {
            position: Some(span(position)),
            text,
            role: Some(match role {
                StatementRole::Define { object, definition } => {
                    Role::Define(pb::DefineRole { object: Some(object.to_wire()), definition: definition.to_string() })
                }
                StatementRole::Extend { object } => Role::Extend(object.to_wire()),
                StatementRole::DropIfExists { object } => Role::DropIfExists(object.to_wire()),
            }),
            needs: to_list(needs),
        }
    }

    fn from_wire(message: pb::Statement, source: &SourceName) -> Result<Self, WireError> {
        const M: &str = "Statement";
        Ok(Self {
            position: position(required(message.position, M, "position")?, source),
            text: message.text,
            role: match required(message.role, M, "role")? {
                Role::Define(define) => StatementRole::Define {
                    object: ObjectId::from_wire(required(define.object, "DefineRole", "object")?)?,
                    definition: digest(&define.definition, "DefineRole", "definition")?,
                },
                Role::Extend(object) => StatementRole::Extend { object: ObjectId::from_wire(object)? },
                Role::DropIfExists(object) => StatementRole::DropIfExists { object: ObjectId::from_wire(object)? },
            },
            needs: from_list(message.needs)?,
        })
    }
}

impl InSource for Definition {
    type Message = pb::Definition;

    fn to_wire(self) -> pb::Definition {
        let Self { object, member, position } = self;
        pb::Definition {
            object: Some(object.to_wire()),
            member: member.map(OnWire::to_wire),
            position: Some(span(position)),
        }
    }

    fn from_wire(message: pb::Definition, source: &SourceName) -> Result<Self, WireError> {
        const M: &str = "Definition";
        Ok(Self {
            object: ObjectId::from_wire(required(message.object, M, "object")?)?,
            member: message.member.map(MemberId::from_wire).transpose()?,
            position: position(required(message.position, M, "position")?, source),
        })
    }
}

impl InSource for Directive {
    type Message = pb::Directive;

    fn to_wire(self) -> pb::Directive {
        let Self { name, arguments, position, object, member } = self;
        let argument = |(name, value)| pb::Argument { name, value };
        pb::Directive {
            name,
            arguments: arguments.into_iter().map(argument).collect(),
            position: Some(span(position)),
            object: Some(object.to_wire()),
            member: member.map(OnWire::to_wire),
        }
    }

    fn from_wire(message: pb::Directive, source: &SourceName) -> Result<Self, WireError> {
        const M: &str = "Directive";
        Ok(Self {
            name: message.name,
            arguments: message.arguments.into_iter().map(|a| (a.name, a.value)).collect(),
            position: position(required(message.position, M, "position")?, source),
            object: ObjectId::from_wire(required(message.object, M, "object")?)?,
            member: message.member.map(MemberId::from_wire).transpose()?,
        })
    }
}

impl InSource for Diagnostic {
    type Message = pb::Diagnostic;

    fn to_wire(self) -> pb::Diagnostic {
        let Self { code, severity, summary, position, hint } = self;
        pb::Diagnostic { code, severity: severity.number(), summary, position: position.map(span), hint }
    }

    fn from_wire(message: pb::Diagnostic, source: &SourceName) -> Result<Self, WireError> {
        Ok(Self {
            code: message.code,
            severity: Severity::numbered(message.severity, "Diagnostic", "severity")?,
            summary: message.summary,
            position: message.position.map(|span| position(span, source)),
            hint: message.hint,
        })
    }
}
