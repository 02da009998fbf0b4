//! `ptah schema apply`: one run, and what is told of it.

use std::io::Read as _;
use std::path::Path;

use ptah_apply::Ending;
use ptah_drive::run::{Limits, Order, Report, Wanted, run as drive_run};
use ptah_drive::{Engine, new_operation};
use ptah_plan::Plan;
use ptah_plan::document::{explanation, read_file};
use ptah_provider_api::claim::Adoption;
use ptah_records::plan_file::SIZE_LIMIT;

use super::consent::{Asking, plan_page};
use super::engine::engine;
use super::phases::Phases;
use super::{Context, plan};
use crate::arguments::SchemaApply;
use crate::crash;
use crate::failure::{Exit, Failure};
use crate::output::Page;
use crate::settings::{Adopted, ApplySettings, ApplyWhat, Approval};
use crate::view::failure::diagnostics;
use crate::view::rows;
use crate::view::run::{RunView, settled_sentence};

pub(super) async fn run(context: &Context, flags: &SchemaApply) -> Result<Exit, Failure> {
    let mut settings = ApplySettings::resolve(flags, &context.around)?;
    let order = order(context, &settings)?;
    if let Wanted::Saved(plan) = &order.wanted {
        let named = settings.engine.engine.get_or_insert_with(|| plan.head().engine.clone());
        if *named != plan.head().engine {
            let message = format!("the plan is for engine `{}` and not for `{named}`", plan.head().engine);
            return Err(Failure::usage(message).hint("leave --dialect out"));
        }
    }
    context.warn_of_password(&settings.connection);
    let engine = context.until_stopped(engine(&settings.engine, Some(&settings.connection.target))).await?;
    let ran = carry_out(context, &settings, &engine, &order).await;
    engine.end().await;
    let report = ran?;
    tell(context, &settings, &report);
    Ok(exit(&report.ending))
}

/// What the run is asked to do. A saved plan is read, and held against the approval, before anything is opened.
fn order(context: &Context, settings: &ApplySettings) -> Result<Order, Failure> {
    let (operation, wanted, fresh) = match &settings.what {
        ApplyWhat::Sources { sources, policy } => {
            let sources = context.read(sources)?;
            (new_operation()?, Wanted::Sources((*sources).clone(), policy.of_plan()), policy.fresh)
        }
        ApplyWhat::Plan(path) => {
            let plan = saved(path)?;
            if let Approval::ForDigest(digest) = settings.approval
                && digest != plan.digest()
            {
                let message =
                    format!("{} has the digest {}, and another one is approved", path.display(), plan.digest());
                return Err(Failure::new("plan-digest", message).hint("approve the plan that you have read"));
            }
            (plan.head().plan_id.clone(), Wanted::Saved(Box::new(plan)), false)
        }
    };
    Ok(Order {
        address: settings.connection.target.address.clone(),
        operation,
        wanted,
        dry_run: settings.approval == Approval::DryRun,
        adoption: settings.adopted.map(|adopted| match adopted {
            Adopted::Moved => Adoption::Moved,
            Adopted::Copy => Adoption::Copy,
        }),
        accept: settings.connection.accept.clone(),
        fresh,
        show_rows: settings.view.show_rows,
        limits: Limits {
            run_lock: settings.waits.run_lock,
            lock: settings.connection.lock_timeout,
            statement: settings.waits.statement,
        },
    })
}

/// A saved plan, read once: what is checked is what is carried out.
fn saved(path: &Path) -> Result<Plan, Failure> {
    let unreadable = || {
        Failure::new("plan-file", format!("{} cannot be read", path.display()))
            .hint("check the path and its permissions")
    };
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(|_| unreadable())?;
    file.take(SIZE_LIMIT as u64 + 1).read_to_end(&mut bytes).map_err(|_| unreadable())?;
    read_file(&bytes).map_err(|error| {
        Failure::new("plan-file", format!("{}: {}", path.display(), crate::failure::chain(&error)))
            .hint("make a new plan: ptah schema plan")
    })
}

async fn carry_out(
    context: &Context,
    settings: &ApplySettings,
    engine: &Engine,
    order: &Order,
) -> Result<Report, Failure> {
    let progress = Phases::new(&context.output);
    let mut consent = Asking {
        output: &context.output,
        approval: settings.approval,
        view: settings.view,
        stop: context.signals.stop(),
        has_told_notes: false,
    };
    let report = drive_run(engine, order, &mut consent, &progress, context.signals.stop()).await?;
    if !consent.has_told_notes {
        context.tell_notes(&report.target.notes);
        for one in &report.settled {
            context.output.tell(&Page::of(&settled_sentence(one)));
        }
    }
    Ok(report)
}

fn tell(context: &Context, settings: &ApplySettings, report: &Report) {
    context.tell_findings(&report.findings);
    if settings.view.explain {
        context.tell_findings(&report.lint);
    }
    if report.ending == Ending::DryRun
        && let Some(planned) = &report.planned
    {
        context.output.tell(&plan_page(planned, &report.target, settings.view.explain));
    }
    if let Some(refused) = &report.refused {
        plan::tell_refused(context, refused, &report.target, settings.view);
    }
    if settings.view.show_rows {
        context.output.tell(&rows::page(&report.rows));
    }
    let cause = report.cause.as_ref().map(|cause| crate::failure::chain(cause));
    let reason = report.why.as_deref().or(cause.as_deref());
    let view = RunView {
        database: &report.target.database,
        ending: &report.ending,
        settled: &report.settled,
        adopted: report.adopted,
        operation: report.ending.is_spent().then_some(&report.operation),
        plan: report.planned.as_ref().map(|planned| planned.plan.digest()),
        saved: matches!(settings.what, ApplyWhat::Plan(_)),
        remembered: report.remembered,
        reason,
        provider: match &report.cause {
            Some(ptah_drive::Failure::Provider(error)) => Some(error),
            _ => None,
        },
    };
    context.output.tell(&view.page());
    if context.output.json() {
        let explained = match (&report.planned, &report.refused) {
            (Some(planned), _) => planned.explanations.as_slice(),
            (None, Some(refused)) => refused.explanations.as_slice(),
            (None, None) => &[],
        };
        let mut found = report.refused.as_ref().map(|refused| refused.findings.clone()).unwrap_or_default();
        found.extend(report.findings.iter().chain(&report.lint).cloned());
        context.output.document(&view.document(explained.iter().map(explanation).collect(), diagnostics(&found)));
    }
}

fn exit(ending: &Ending) -> Exit {
    match ending.exit_code() {
        0 => Exit::Done,
        2 => Exit::Refused,
        _ => {
            crash::may_have_run_from_now_on();
            Exit::MayHaveRun
        }
    }
}
