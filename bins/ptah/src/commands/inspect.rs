//! `ptah schema inspect`: a schema, object by object, from sources or from a database.

use ptah_drive::{Engine, look};
use ptah_provider_api::reading::Reading;

use super::engine::engine;
use super::phases::Phases;
use super::validate::load_sources;
use super::{Context, place};
use crate::arguments::SchemaInspect;
use crate::failure::{Exit, Failure};
use crate::settings::{Connection, EngineChoice, sources};
use crate::view::schema::{SchemaDocument, outline, unread};

pub(super) async fn run(context: &Context, flags: &SchemaInspect) -> Result<Exit, Failure> {
    let environment = &context.around.environment;
    environment.check()?;
    // What was typed goes before what the environment says, for the choice between the two as well.
    let typed_source = !flags.sources.schema_file.is_empty();
    let typed_database = flags.connection.db_url.is_some() || flags.connection.db_url_file.is_some();
    if typed_source && typed_database {
        return Err(Failure::usage("both a source and a database are named").hint("keep one"));
    }
    let paths = if typed_database { Vec::new() } else { sources(&flags.sources, environment)? };
    let named_database = Connection::resolve_optional(&flags.connection, &context.around)?.is_some();
    if !typed_source && !paths.is_empty() && named_database {
        return Err(Failure::usage("the environment names both a source and a database")
            .hint("type which one is meant: --schema-file, --db-url or --db-url-file"));
    }
    let choice = EngineChoice::resolve(&flags.engine, &context.around)?;
    let reading = if paths.is_empty() {
        let connection = Connection::resolve(&flags.connection, &context.around)?;
        context.warn_of_password(&connection);
        let engine = engine(&choice, Some(&connection.target)).await?;
        let reading = from_database(context, &engine, &connection).await?;
        engine.end().await;
        reading
    } else {
        let sources = context.read(&paths)?;
        let engine = engine(&choice, None).await?;
        let loaded = load_sources(context, &engine, &sources).await?;
        let reading = loaded.reading.clone();
        engine.end().await;
        reading
    };
    if context.output.json() {
        context.output.document(&SchemaDocument::of(&reading));
    } else {
        context.output.answer(&outline(&reading));
        context.output.tell(&unread(&reading.schema));
    }
    Ok(Exit::Done)
}

async fn from_database(context: &Context, engine: &Engine, connection: &Connection) -> Result<Reading, Failure> {
    let progress = Phases::new(&context.output);
    let opened = look::open(engine, &place(connection), &progress).await?;
    context.tell_target(&opened.target);
    Ok(opened.read(&progress).await?)
}
