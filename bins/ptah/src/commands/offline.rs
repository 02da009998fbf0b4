//! `--offline` of `schema render` and `schema diff`: what can be said of sources without opening anything.

use ptah_drive::{Engine, offline};
use ptah_sources::Sources;

use super::Context;
use super::phases::Phases;
use crate::failure::{Exit, Failure};
use crate::view::offline::{Defaults, OfflineComparison, OfflineRendering, page};
use crate::view::schema::sql;

/// The statements of the sources, in an order in which they can be run.
pub(super) async fn render(context: &Context, engine: Engine, sources: &Sources) -> Result<Exit, Failure> {
    let desired = offline::load(&engine, sources, &Phases::new(&context.output)).await?;
    let defaults = Defaults::of(&engine);
    engine.end().await;
    context.tell_findings(&desired.notes);
    context.output.tell(&defaults.page());
    if context.output.json() {
        context.output.document(&OfflineRendering::of(&desired, defaults));
    } else {
        context.output.data(&sql(desired.statements.iter().map(|statement| statement.text.as_str())));
    }
    Ok(Exit::Done)
}

/// What differs between two sets of sources, and the statements where they are certain.
pub(super) async fn diff(context: &Context, engine: Engine, (from, to): (&Sources, &Sources)) -> Result<Exit, Failure> {
    let phases = Phases::new(&context.output);
    let before = offline::load(&engine, from, &phases).await?;
    let after = offline::load(&engine, to, &phases).await?;
    let compared = offline::compare(&engine, &before, &after)?;
    let defaults = Defaults::of(&engine);
    engine.end().await;
    context.tell_findings(&after.notes);
    context.output.tell(&defaults.page());
    context.output.tell(&page(&compared));
    if context.output.json() {
        context.output.document(&OfflineComparison::of(&compared, &after.notes, defaults));
    } else {
        let statements = compared.statements.iter().flatten();
        context.output.data(&sql(statements.map(String::as_str)));
    }
    Ok(if compared.statements.is_none() { Exit::Refused } else { Exit::Done })
}
