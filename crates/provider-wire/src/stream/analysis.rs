//! `AnalyzeSql`: an analysis as parts and back.

use ptah_model::SourceName;
use ptah_provider_api::sql::{Definition, SourceAnalysis};

use super::{EntryTooLarge, Received, stop_at_error, take_part};
use crate::WireError;
use crate::convert::required;
use crate::convert::sql::InSource;
use crate::pb;
use crate::pb::analyze_sql_part::Part;

/// Cuts an analysis into parts of at most `limit` bytes, and the end. Positions lose the name of their source, which
/// the receiver knows; `validate_for` proves beforehand that it is the request's.
pub fn analysis_parts(
    analysis: SourceAnalysis,
    limit: usize,
) -> impl Iterator<Item = Result<pb::AnalyzeSqlPart, EntryTooLarge>> {
    let SourceAnalysis { statements, definitions, directives, diagnostics } = analysis;
    let count = statements.len() + definitions.len() + directives.len() + diagnostics.len();
    let mut statements = statements.into_iter().map(InSource::to_wire).peekable();
    let mut definitions = definitions.into_iter().map(InSource::to_wire).peekable();
    let mut directives = directives.into_iter().map(InSource::to_wire).peekable();
    let mut diagnostics = diagnostics.into_iter().map(InSource::to_wire).peekable();
    let mut end = Some(pb::AnalyzeSqlEnd { count: count as u64 });
    let cut = move || {
        if let Some(part) = take_part(&mut statements, limit) {
            return Some(part.map(|statements| Part::Statements(pb::StatementsChunk { statements })));
        }
        if let Some(part) = take_part(&mut definitions, limit) {
            return Some(part.map(|definitions| Part::Definitions(pb::DefinitionsChunk { definitions })));
        }
        if let Some(part) = take_part(&mut directives, limit) {
            return Some(part.map(|directives| Part::Directives(pb::DirectivesChunk { directives })));
        }
        if let Some(part) = take_part(&mut diagnostics, limit) {
            return Some(part.map(|diagnostics| Part::Diagnostics(pb::DiagnosticsChunk { diagnostics })));
        }
        end.take().map(|end| Ok(Part::End(end)))
    };
    stop_at_error(cut).map(|part| part.map(|part| pb::AnalyzeSqlPart { part: Some(part) }))
}

/// Puts an analysis of one source together. A part after the end and a stream without an end are refused.
#[derive(Debug)]
pub struct AnalysisCollector {
    source: SourceName,
    analysis: SourceAnalysis,
    count: Option<u64>,
    received: Received,
}

const M: &str = "AnalyzeSqlPart";

impl AnalysisCollector {
    /// Starts to put together what the analysis of `source` says.
    pub fn new(source: SourceName) -> Self {
        Self { source, analysis: SourceAnalysis::default(), count: None, received: Received::default() }
    }

    /// Takes the next part.
    pub fn push(&mut self, part: pb::AnalyzeSqlPart) -> Result<(), WireError> {
        self.received.part(&part, M)?;
        let (analysis, source) = (&mut self.analysis, &self.source);
        match required(part.part, M, "part")? {
            Part::Statements(chunk) => extend(&mut analysis.statements, chunk.statements, source),
            Part::Definitions(chunk) => {
                let known = analysis.definitions.len();
                extend(&mut analysis.definitions, chunk.definitions, source)?;
                share_objects(&mut analysis.definitions, known);
                Ok(())
            }
            Part::Directives(chunk) => extend(&mut analysis.directives, chunk.directives, source),
            Part::Diagnostics(chunk) => extend(&mut analysis.diagnostics, chunk.diagnostics, source),
            Part::End(end) => {
                self.received.ended = true;
                self.count = Some(end.count);
                Ok(())
            }
        }
    }

    /// The analysis, once the stream is over.
    pub fn finish(self) -> Result<SourceAnalysis, WireError> {
        self.received.whole(M)?;
        let SourceAnalysis { statements, definitions, directives, diagnostics } = &self.analysis;
        let arrived = statements.len() + definitions.len() + directives.len() + diagnostics.len();
        let whole = self.count == Some(arrived as u64);
        WireError::unless(whole, "AnalyzeSqlEnd", "count", "is the number of entries that arrived")?;
        Ok(self.analysis)
    }
}

/// The members of one object come one after another, and its identity is kept once for all of them.
fn share_objects(definitions: &mut [Definition], from: usize) {
    for place in from.max(1)..definitions.len() {
        let (before, rest) = definitions.split_at_mut(place);
        if let (Some(before), Some(definition)) = (before.last(), rest.first_mut())
            && before.object == definition.object
            && before.object.name.source == definition.object.name.source
        {
            definition.object = before.object.clone();
        }
    }
}

fn extend<T: InSource>(list: &mut Vec<T>, messages: Vec<T::Message>, source: &SourceName) -> Result<(), WireError> {
    for message in messages {
        list.push(T::from_wire(message, source)?);
    }
    Ok(())
}
