//! `ptah db capabilities`: what is known about a database and its server.

use ptah_drive::look;

use super::engine::engine;
use super::phases::Phases;
use super::{Context, place};
use crate::arguments::DbRead;
use crate::failure::{Exit, Failure};
use crate::settings::{Connection, EngineChoice};
use crate::view::capabilities::{CapabilitiesDocument, page};

pub(super) async fn run(context: &Context, flags: &DbRead) -> Result<Exit, Failure> {
    context.around.environment.check()?;
    let connection = Connection::resolve(&flags.connection, &context.around)?;
    let choice = EngineChoice::resolve(&flags.engine, &context.around)?;
    context.warn_of_password(&connection);
    let engine = engine(&choice, Some(&connection.target)).await?;
    let opened = look::open(&engine, &place(&connection), &Phases::new(&context.output)).await?;
    let document = CapabilitiesDocument::of(opened.session().facts(), opened.claims.as_ref());
    engine.end().await;
    if context.output.json() {
        context.output.document(&document);
    } else {
        context.output.answer(&page(&document));
    }
    Ok(Exit::Done)
}
