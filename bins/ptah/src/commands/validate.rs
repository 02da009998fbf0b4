//! `ptah schema validate`: whether the sources make a schema, without anybody's database.

use ptah_drive::desired::{Loaded, load};
use ptah_drive::{Engine, Failure as DriveFailure};
use ptah_model::Severity;
use ptah_sources::Sources;

use super::Context;
use super::engine::engine;
use super::phases::Phases;
use crate::arguments::SchemaValidate;
use crate::failure::{Exit, Failure};
use crate::output::{Page, style};
use crate::settings::{EngineChoice, required_sources};
use crate::view::failure::diagnostics;
use crate::view::schema::ValidationDocument;

pub(super) async fn run(context: &Context, flags: &SchemaValidate) -> Result<Exit, Failure> {
    let paths = required_sources(&flags.sources, &context.around.environment)?;
    let choice = EngineChoice::resolve(&flags.engine, &context.around)?;
    let sources = context.read(&paths)?;
    let engine = engine(&choice, None).await?;
    let loaded = load_sources(context, &engine, &sources).await;
    let (objects, mut findings) = match loaded {
        Ok(loaded) => (loaded.reading.count, loaded.desired.notes.clone()),
        Err(DriveFailure::Sources(findings)) => (0, findings),
        Err(failure) => return Err(failure.into()),
    };
    engine.end().await;
    context.tell_findings(&findings);
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    let mut page = Page::new();
    if errors == 0 {
        page.paint(style::GOOD, "valid").line(&format!(": objects: {objects}"));
    } else {
        page.paint(style::BAD, "not valid").line(&format!(": errors: {errors}"));
    }
    context.output.tell(&page);
    if context.output.json() {
        findings.extend(sources.notes.iter().cloned());
        context.output.document(&ValidationDocument::new(errors == 0, objects, diagnostics(&findings)));
    }
    Ok(if errors == 0 { Exit::Done } else { Exit::Finding })
}

/// The desired state, created in a dev database that needs no server.
pub(super) async fn load_sources(
    context: &Context,
    engine: &Engine,
    sources: &Sources,
) -> Result<Loaded, DriveFailure> {
    load(engine, None, sources, &Phases::new(&context.output)).await
}
