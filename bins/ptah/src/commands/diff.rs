//! `ptah schema diff`: the SQL from one set of sources to another.

use ptah_drive::look::{self, Wish};
use ptah_drive::new_operation;

use super::engine::engine;
use super::phases::Phases;
use super::{Context, offline};
use crate::arguments::SchemaDiff;
use crate::failure::{Exit, Failure};
use crate::settings::{EngineChoice, column_order, looking_only};
use crate::view::compare::{ComparisonDocument, Subject, page};
use crate::view::schema::sql;

pub(super) async fn run(context: &Context, flags: &SchemaDiff) -> Result<Exit, Failure> {
    context.around.environment.check()?;
    let policy = looking_only(column_order(flags.column_order, &context.around.environment)?);
    let choice = EngineChoice::resolve(&flags.engine, &context.around)?;
    let (from, to) = (context.read(&flags.from)?, context.read(&flags.to)?);
    let engine = engine(&choice, None).await?;
    if flags.offline {
        return offline::diff(context, engine, (&from, &to)).await;
    }
    let operation = new_operation()?;
    let wish = Wish { sources: &to, policy: &policy, operation: &operation, fresh: true, show_rows: false };
    let compared = look::diff(&engine, &from, &wish, &Phases::new(&context.output)).await?;
    engine.end().await;
    context.tell_findings(&compared.findings);
    context.output.tell(&page(&compared, Subject::Sources, false));
    if context.output.json() {
        context.output.document(&ComparisonDocument::of(&compared, None, false));
    } else {
        let statements = compared.explanations.iter().flat_map(|step| &step.statements);
        context.output.data(&sql(statements.map(String::as_str)));
    }
    // Differences without steps are differences that the engine cannot make.
    let is_refused = compared.explanations.is_empty() && !compared.changes.is_empty();
    Ok(if is_refused { Exit::Refused } else { Exit::Done })
}
