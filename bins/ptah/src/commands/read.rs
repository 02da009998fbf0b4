//! `ptah db read`: the schema of a database as SQL.

use ptah_drive::look;

use super::engine::engine;
use super::phases::Phases;
use super::{Context, place, render};
use crate::arguments::DbRead;
use crate::failure::{Exit, Failure};
use crate::settings::{Connection, EngineChoice};
use crate::view::schema::unread;

pub(super) async fn run(context: &Context, flags: &DbRead) -> Result<Exit, Failure> {
    context.around.environment.check()?;
    let connection = Connection::resolve(&flags.connection, &context.around)?;
    let choice = EngineChoice::resolve(&flags.engine, &context.around)?;
    context.warn_of_password(&connection);
    let engine = engine(&choice, Some(&connection.target)).await?;
    let opened = look::open(&engine, &place(&connection), &Phases::new(&context.output)).await?;
    context.tell_target(&opened.target);
    let reading = opened.read(&Phases::new(&context.output)).await?;
    context.output.tell(&unread(&reading.schema));
    let rendered = look::render(&engine, opened.session(), &reading).await?;
    engine.end().await;
    render::answer(context, &rendered);
    Ok(Exit::Done)
}
