//! `ptah schema compare` and `ptah schema drift`: how a database differs from the desired schema.

use ptah_drive::look::{self, Compared, Wish};
use ptah_drive::new_operation;
use ptah_drive::run::Target;
use ptah_model::Risk;

use super::engine::engine;
use super::phases::Phases;
use super::{Context, place};
use crate::arguments::{
    ColumnOrder, ConnectionFlags, DriftSeverity, EngineFlags, SchemaCompare, SchemaDrift, SourceFlags,
};
use crate::failure::{Exit, Failure};
use crate::settings::{Connection, EngineChoice, column_order, looking_only, required_sources};
use crate::view::compare::{ComparisonDocument, Subject, page};

pub(super) async fn compare(context: &Context, flags: &SchemaCompare) -> Result<Exit, Failure> {
    let asked = Asked {
        sources: &flags.sources,
        connection: &flags.connection,
        engine: &flags.engine,
        column_order: flags.column_order,
    };
    let (compared, target) = asked.look(context).await?;
    let differs = !compared.changes.is_empty();
    let fails = differs && flags.exit_code;
    tell(context, &compared, &target, fails);
    Ok(if fails { Exit::Finding } else { Exit::Done })
}

pub(super) async fn drift(context: &Context, flags: &SchemaDrift) -> Result<Exit, Failure> {
    let asked = Asked {
        sources: &flags.sources,
        connection: &flags.connection,
        engine: &flags.engine,
        column_order: flags.column_order,
    };
    let (compared, target) = asked.look(context).await?;
    let fails = match flags.severity {
        DriftSeverity::All => !compared.changes.is_empty(),
        DriftSeverity::Destructive => is_destructive(&compared),
    };
    tell(context, &compared, &target, fails);
    Ok(if fails { Exit::Finding } else { Exit::Done })
}

/// Whether ending the differences would lose something; the class of a change counts where there is no step for it.
fn is_destructive(compared: &Compared) -> bool {
    let risks = compared.explanations.iter().map(|step| step.risk);
    risks.chain(compared.changes.iter().map(|change| change.risk)).any(|risk| risk == Risk::Destructive)
}

/// What both commands ask.
struct Asked<'a> {
    sources: &'a SourceFlags,
    connection: &'a ConnectionFlags,
    engine: &'a EngineFlags,
    column_order: Option<ColumnOrder>,
}

impl Asked<'_> {
    async fn look(&self, context: &Context) -> Result<(Compared, Target), Failure> {
        let environment = &context.around.environment;
        environment.check()?;
        let paths = required_sources(self.sources, environment)?;
        let connection = Connection::resolve(self.connection, &context.around)?;
        let choice = EngineChoice::resolve(self.engine, &context.around)?;
        let policy = looking_only(column_order(self.column_order, environment)?);
        let sources = context.read(&paths)?;
        context.warn_of_password(&connection);
        let engine = engine(&choice, Some(&connection.target)).await?;
        let opened = look::open(&engine, &place(&connection), &Phases::new(&context.output)).await?;
        context.tell_target(&opened.target);
        let operation = new_operation()?;
        let wish = Wish { sources: &sources, policy: &policy, operation: &operation, fresh: true, show_rows: false };
        let compared = look::compare(&engine, &opened, &wish, &Phases::new(&context.output)).await?;
        engine.end().await;
        Ok((compared, opened.target))
    }
}

fn tell(context: &Context, compared: &Compared, target: &Target, fails: bool) {
    context.tell_findings(&compared.findings);
    context.output.tell(&page(compared, Subject::Database(&target.database), true));
    if context.output.json() {
        context.output.document(&ComparisonDocument::of(compared, Some(target.database.clone()), fails));
    }
}
