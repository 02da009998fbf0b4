//! `ptah schema render`: the desired schema as the engine reads it back.

use ptah_drive::look;
use ptah_provider_api::render::RenderReply;

use super::engine::engine;
use super::validate::load_sources;
use super::{Context, offline};
use crate::arguments::SchemaRender;
use crate::failure::{Exit, Failure};
use crate::settings::{EngineChoice, required_sources};
use crate::view::schema::{SqlDocument, sql};

pub(super) async fn run(context: &Context, flags: &SchemaRender) -> Result<Exit, Failure> {
    let paths = required_sources(&flags.sources, &context.around.environment)?;
    let choice = EngineChoice::resolve(&flags.engine, &context.around)?;
    let sources = context.read(&paths)?;
    let engine = engine(&choice, None).await?;
    if flags.offline {
        return offline::render(context, engine, &sources).await;
    }
    let loaded = load_sources(context, &engine, &sources).await?;
    context.tell_findings(&loaded.desired.notes);
    let rendered = look::render(&engine, loaded.session(), &loaded.reading).await?;
    engine.end().await;
    answer(context, &rendered);
    Ok(Exit::Done)
}

/// The definitions as SQL, or as a document.
pub(super) fn answer(context: &Context, rendered: &RenderReply) {
    if context.output.json() {
        context.output.document(&SqlDocument::of(rendered));
    } else {
        context.output.data(&sql(rendered.definitions.iter().map(|definition| definition.text.as_str())));
    }
}
