//! Sources: what stands where in a text, and texts that nobody should be troubled by.

use prost::Message as _;
use ptah_model::SourceName;
use ptah_provider_api::sql::{AnalyzeSqlRequest, SourceAnalysis};
use ptah_provider_wire::pb;
use ptah_provider_wire::stream::AnalysisCollector;
use tonic::{Code, Response, Status};

use super::table;
use crate::lab::Lab;
use crate::peer::{Peer, whole};
use crate::rule::{Check, Stop, broken, ensure, failed, is_transport, pointless, refusal};

table! { "sources":
    positions_lie_inside_the_text_on_characters =>
        "Positions lie inside the text on UTF-8 boundaries, and statements come in order without overlap.",
    lines_and_columns_are_those_of_the_offset => "Lines count from 1, columns in bytes from 1.",
    a_source_is_analysed_without_a_database => "Offline services, such as rendering and comparison, need no session.",
    the_same_source_is_analysed_the_same => "The same text gives the same bytes.",
    an_empty_source_says_nothing => "A source without a statement has none.",
    a_broken_source_is_told => "A source that is wrong is told by a diagnostic or a failed call.",
    no_text_ends_the_process => "A handler that fails is a failed call, and the process keeps serving.",
    a_source_of_an_engine_that_is_not_there_is_refused => "A source is in the language of an engine that is described.",
}

/// Analyses a text.
async fn analysis(peer: &Peer, engine: String, text: &str) -> Result<Response<Vec<pb::AnalyzeSqlPart>>, Status> {
    let request = pb::AnalyzeSqlRequest { engine, source: "a.sql".to_owned(), text: text.to_owned() };
    whole(peer.client().analyze_sql(request).await).await
}

/// Two definitions between comments and characters of several bytes.
fn source(lab: &Lab<'_>) -> String {
    let (a, b) = (lab.create("a"), lab.create("b"));
    format!("-- zwei Tabellen, für alle → 🦀\n{a};\n\n  -- é\n  {b};\n")
}

async fn understood(lab: &Lab<'_>, peer: &Peer) -> Result<(AnalyzeSqlRequest, SourceAnalysis), Stop> {
    const SENT: &str = "AnalyzeSql of two definitions between comments";
    let text = source(lab);
    let parts = analysis(peer, lab.engine(), &text).await.map_err(|status| broken(SENT, failed(&status)))?;
    let named = |error: &str| broken(SENT, format!("our own request: {error}"));
    let name = SourceName::new("a.sql");
    let mut collector = AnalysisCollector::new(name.clone());
    let taken = parts.into_inner().into_iter().try_for_each(|part| collector.push(part));
    let found = taken.and_then(|()| collector.finish()).map_err(|rule| broken(SENT, rule.to_string()))?;
    let engine = ptah_model::EngineName::new(lab.engine()).map_err(|_| named("the engine"))?;
    Ok((AnalyzeSqlRequest { engine, source: name, text }, found))
}

async fn positions_lie_inside_the_text_on_characters(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let (asked, found) = understood(lab, &peer).await?;
    found.validate_for(&asked).map_err(|rule| broken("AnalyzeSql", rule.to_string()))
}

async fn lines_and_columns_are_those_of_the_offset(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let (asked, found) = understood(lab, &peer).await?;
    let statements = found.statements.iter().map(|s| &s.position);
    let definitions = found.definitions.iter().map(|d| &d.position);
    let diagnostics = found.diagnostics.iter().filter_map(|d| d.position.as_ref());
    let mut any = false;
    for position in statements.chain(definitions).chain(diagnostics) {
        any = true;
        let before = usize::try_from(position.offset).ok().and_then(|offset| asked.text.get(..offset));
        let before = before.ok_or_else(|| broken("AnalyzeSql", "a position outside of the text"))?;
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        let told = (position.line as usize, position.column as usize);
        let what = format!(
            "line {} column {} at offset {}, which is line {line} column {column}",
            told.0, told.1, position.offset
        );
        ensure(told == (line, column), "AnalyzeSql", what)?;
    }
    if any { Ok(()) } else { Err(pointless("the engine finds no position in the source")) }
}

async fn a_source_is_analysed_without_a_database(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    understood(lab, &peer).await.map(drop)
}

async fn the_same_source_is_analysed_the_same(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let text = source(lab);
    let mut bytes = Vec::new();
    for _ in 0..2 {
        let parts =
            analysis(&peer, lab.engine(), &text).await.map_err(|status| broken("AnalyzeSql", failed(&status)))?;
        bytes.push(parts.into_inner().iter().flat_map(prost::Message::encode_to_vec).collect::<Vec<u8>>());
    }
    ensure(bytes.first() == bytes.last(), "AnalyzeSql twice", "two different analyses")
}

async fn an_empty_source_says_nothing(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    for text in ["", "\n \n"] {
        let sent = format!("AnalyzeSql of {text:?}");
        let parts = analysis(&peer, lab.engine(), text).await.map_err(|status| broken(&sent, failed(&status)))?;
        for part in parts.into_inner() {
            if let Some(pb::analyze_sql_part::Part::Statements(chunk)) = part.part {
                ensure(chunk.statements.is_empty(), &sent, "a statement")?;
            }
        }
    }
    Ok(())
}

async fn a_broken_source_is_told(lab: &Lab<'_>) -> Check {
    const SENT: &str = "AnalyzeSql of a source that is no statement";
    let peer = lab.start().await?;
    let Ok(parts) = analysis(&peer, lab.engine(), &format!("{};\n", lab.target.fail)).await else { return Ok(()) };
    let told = parts.into_inner().into_iter().any(|part| match part.part {
        Some(pb::analyze_sql_part::Part::Diagnostics(chunk)) => {
            chunk.diagnostics.iter().any(|found| found.severity() == pb::Severity::Error)
        }
        _ => false,
    });
    ensure(told, SENT, "no diagnostic of an error, and no failed call")
}

async fn no_text_ends_the_process(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let create = lab.create("a");
    let texts = [
        "\0".to_owned(),
        "'".to_owned(),
        "\"".to_owned(),
        "/*".to_owned(),
        "--".to_owned(),
        ";;;;".to_owned(),
        "\u{feff}\u{202e}".to_owned(),
        format!("{create} \0 {create}"),
        "(".repeat(50_000),
        format!("{create}{}", ")".repeat(50_000)),
        format!("SELECT {}1{}", "(".repeat(20_000), ")".repeat(20_000)),
        "🦀'".repeat(1_000),
        create.replace('(', "(\u{0}"),
        create.repeat(500),
    ];
    for text in texts {
        let shown: String = text.chars().take(20).collect();
        let sent = format!("AnalyzeSql of {} bytes that begin with {shown:?}", text.len());
        if let Err(status) = analysis(&peer, lab.engine(), &text).await {
            ensure(!is_transport(&status), &sent, "the connection broke off")?;
            // An engine may not know what to say, and says so; it may not fall over.
            ensure(status.code() != Code::Internal, &sent, "the provider failed unexpectedly (Internal)")?;
        }
    }
    analysis(&peer, lab.engine(), "")
        .await
        .map(drop)
        .map_err(|status| broken("AnalyzeSql after all of these", failed(&status)))
}

async fn a_source_of_an_engine_that_is_not_there_is_refused(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let answer = analysis(&peer, "no-such-engine".to_owned(), "").await;
    refusal("AnalyzeSql for an engine that is not there", answer).map(drop)
}

/// The size of an analysis request of a text, for rules about sizes.
pub(super) fn request_of(engine: String, size: usize) -> pb::AnalyzeSqlRequest {
    let mut request = pb::AnalyzeSqlRequest { engine, source: "a.sql".to_owned(), text: " ".repeat(size) };
    let extra = request.encoded_len().saturating_sub(size);
    request.text.truncate(size.saturating_sub(extra));
    request
}
