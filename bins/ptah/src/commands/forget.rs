//! `ptah db forget`: takes away everything that Ptah keeps in a database.

use std::time::{Duration, Instant};

use ptah_drive::Engine;
use ptah_drive::forget::{Forgotten, forget};

use super::consent::ask_for;
use super::engine::engine;
use super::phases::Phases;
use super::{Context, place};
use crate::arguments::DbForget;
use crate::crash;
use crate::failure::{Exit, Failure};
use crate::output::{Answer, Page, style};
use crate::settings::{Approval, Connection, EngineChoice, Waits};
use crate::view::failure::CONTRACT_VERSION;
use crate::view::forgotten::ForgetDocument;

/// How long to wait before the lock is tried again.
const PAUSE: Duration = Duration::from_millis(250);

pub(super) async fn run(context: &Context, flags: &DbForget) -> Result<Exit, Failure> {
    let environment = &context.around.environment;
    environment.check()?;
    let connection = Connection::resolve(&flags.connection, &context.around)?;
    let choice = EngineChoice::resolve(&flags.engine, &context.around)?;
    let run_lock = Waits::for_the_lock(flags.run, environment)?;
    let approval = if flags.auto_approve { Approval::Given } else { Approval::Ask };
    let approval = approval.check(&context.around, false)?;
    context.warn_of_password(&connection);
    if approval == Approval::Ask && ask_for_it(context, &connection) == Answer::No {
        return Ok(tell(context, "canceled", Exit::Refused, "declined: nothing was changed"));
    }
    let engine = context.until_stopped(engine(&choice, Some(&connection.target))).await?;
    crash::may_have_run_from_now_on();
    let forgotten = until_free(context, &engine, &connection, run_lock).await;
    engine.end().await;
    Ok(match forgotten? {
        Forgotten::Done => tell(context, "forgotten", Exit::Done, "nothing of ptah is in the database any more"),
        Forgotten::Absent => tell(
            context,
            "refused",
            Exit::Refused,
            "refused: there is no database at this address; nothing was changed",
        ),
        Forgotten::LockLost => {
            tell(context, "refused", Exit::Refused, "refused: the lock could not be kept; nothing was changed")
        }
        Forgotten::Busy => {
            tell(context, "refused", Exit::Refused, "refused: another run holds the lock; nothing was changed")
        }
        Forgotten::Unknown => {
            let message =
                "unknown: the answer was lost, and nobody knows whether it was carried out; run it again to see";
            tell(context, "unknown", Exit::MayHaveRun, message)
        }
    })
}

fn ask_for_it(context: &Context, connection: &Connection) -> Answer {
    let mut page = Page::new();
    page.line(&format!("Ptah forgets what it knows of {}:", connection.target.shown));
    page.line("  its identity, what was run, what was proven, and which renames were carried out");
    page.line("  plans that were saved before are refused afterwards");
    context.output.tell(&page);
    ask_for(&context.output, "Type yes to forget: ", context.signals.stop())
}

/// Tries again while another run holds the lock, as long as the caller waits.
async fn until_free(
    context: &Context,
    engine: &Engine,
    connection: &Connection,
    wait: Duration,
) -> Result<Forgotten, Failure> {
    let started = Instant::now();
    let progress = Phases::new(&context.output);
    loop {
        let forgotten = forget(engine, &place(connection), &progress, context.signals.stop()).await?;
        if forgotten != Forgotten::Busy || started.elapsed() >= wait || context.signals.stop().is_asked() {
            return Ok(forgotten);
        }
        tokio::time::sleep(PAUSE.min(wait)).await;
    }
}

fn tell(context: &Context, outcome: &'static str, exit: Exit, message: &'static str) -> Exit {
    let style = match exit {
        Exit::Done => style::GOOD,
        Exit::Finding | Exit::Refused => style::WARN,
        Exit::MayHaveRun => style::BAD,
    };
    context.output.tell(Page::new().paint(style, message).end());
    if context.output.json() {
        let document = ForgetDocument { contract_version: CONTRACT_VERSION, outcome, exit_code: exit.code(), message };
        context.output.document(&document);
    }
    exit
}
