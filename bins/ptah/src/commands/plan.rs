//! `ptah schema plan`: a plan that is made, shown and saved, and nothing else.

use std::path::PathBuf;

use ptah_drive::look::{self, Looked, Wish};
use ptah_drive::prepare::{Decision, Planned, Prepared, Refused};
use ptah_drive::run::Target;
use ptah_drive::{Engine, new_operation};
use ptah_model::{Diagnostic, Digest};
use ptah_plan::Plan;
use ptah_plan::document::{explanation, plan_report, write_file};
use ptah_records::report::v1::{PlanOutcomeV1, PlanReportV1};

use super::consent::plan_page;
use super::engine::engine;
use super::phases::Phases;
use super::{Context, place};
use crate::arguments::SchemaPlan;
use crate::failure::{Exit, Failure};
use crate::output::{Page, style};
use crate::save;
use crate::settings::{PlanSettings, SaveTo, ViewSettings};
use crate::view::plan::{PlanDocument, PlanView};
use crate::view::rows;
use crate::view::run::REMEMBERED;

pub(super) async fn run(context: &Context, flags: &SchemaPlan) -> Result<Exit, Failure> {
    let settings = PlanSettings::resolve(flags, &context.around)?;
    let sources = context.read(&settings.sources)?;
    context.warn_of_password(&settings.connection);
    let engine = engine(&settings.engine, Some(&settings.connection.target)).await?;
    let looked = look(context, &settings, &engine, &sources).await;
    engine.end().await;
    let (looked, target) = looked?;
    context.tell_notes(&target.notes);
    context.tell_findings(&looked.prepared.findings);
    if settings.view.explain {
        context.tell_findings(&looked.prepared.lint);
    }
    match &looked.prepared.decision {
        Decision::InSync => Ok(in_sync(context, &looked, &target)),
        Decision::Planned(planned) => planned_one(context, &settings, &looked, planned, &target),
        Decision::Refused(refused) => {
            tell_refused(context, refused, &target, settings.view);
            if settings.view.show_rows {
                context.output.tell(&rows::page(&refused.rows));
            }
            context
                .output
                .tell(Page::new().paint(style::WARN, "refused").line(": there is no plan; nothing was changed"));
            let mut report = plan_report(PlanOutcomeV1::Refused, None, &found(&looked.prepared));
            report.steps = refused.explanations.iter().map(explanation).collect();
            report.diagnostics.splice(0..0, crate::view::failure::diagnostics(&refused.findings));
            document(context, report, &looked, &target, None);
            Ok(Exit::Refused)
        }
    }
}

async fn look(
    context: &Context,
    settings: &PlanSettings,
    engine: &Engine,
    sources: &ptah_sources::Sources,
) -> Result<(Looked, Target), Failure> {
    let progress = Phases::new(&context.output);
    let opened = look::open(engine, &place(&settings.connection), &progress).await?;
    let (policy, operation) = (settings.policy.of_plan(), new_operation()?);
    let (fresh, show_rows) = (settings.policy.fresh, settings.view.show_rows);
    let wish = Wish { sources, policy: &policy, operation: &operation, fresh, show_rows };
    let looked = look::plan(engine, &opened, &wish, &progress).await?;
    Ok((looked, opened.target))
}

/// Everything that was found, for the document.
fn found(prepared: &Prepared) -> Vec<Diagnostic> {
    prepared.findings.iter().chain(&prepared.lint).cloned().collect()
}

fn in_sync(context: &Context, looked: &Looked, target: &Target) -> Exit {
    let mut page = Page::new();
    page.paint(style::GOOD, "in sync").line(&format!(": {} is as it is wanted; there is no plan", target.database));
    if looked.remembered {
        page.line(REMEMBERED);
    }
    context.output.tell(&page);
    let report = plan_report(PlanOutcomeV1::NoChanges, None, &looked.prepared.findings);
    document(context, report, looked, target, None);
    Exit::Done
}

fn planned_one(
    context: &Context,
    settings: &PlanSettings,
    looked: &Looked,
    planned: &Planned,
    target: &Target,
) -> Result<Exit, Failure> {
    context.output.tell(&plan_page(planned, target, settings.view.explain));
    let path = match &settings.save {
        SaveTo::Nowhere | SaveTo::Stdout => None,
        SaveTo::File(path) => Some(path.clone()),
        SaveTo::ByName => Some(PathBuf::from(format!("{}.plan.json", name(settings, &planned.plan)))),
    };
    if path.is_some() || settings.save == SaveTo::Stdout {
        let bytes = write_file(&planned.plan)
            .map_err(|error| Failure::new("plan-file", error.to_string()).hint("split the change into smaller ones"))?;
        match &path {
            Some(path) => save::plan(path, &bytes)?,
            None if context.output.json() => {}
            None => context.output.data(&String::from_utf8_lossy(&bytes)),
        }
    }
    tell_saved(context, &planned.plan, target.exists, path.as_deref());
    let report = plan_report(PlanOutcomeV1::Changes, Some(&planned.plan), &found(&looked.prepared));
    document(context, report, looked, target, path);
    Ok(Exit::Done)
}

fn tell_saved(context: &Context, plan: &Plan, exists: bool, path: Option<&std::path::Path>) {
    let mut page = Page::new();
    page.line(&format!("plan digest: {}", plan.digest()));
    if exists && plan.head().target.uuid.is_none() {
        page.line("the identity is weak: Ptah keeps nothing in this database yet, so the plan is bound to its path");
    }
    if let Some(path) = path {
        page.line(&format!("plan saved to {}", path.display()));
        page.hint(&format!(
            "carry it out: ptah schema apply --plan {} --plan-digest {}",
            path.display(),
            plan.digest()
        ));
    }
    context.output.tell(&page);
}

/// The name that was given, else one made from what the plan leads from and to.
fn name(settings: &PlanSettings, plan: &Plan) -> String {
    settings.name.clone().unwrap_or_else(|| {
        let states = format!("{}\n{}", plan.head().from, plan.to());
        format!("plan_{}", Digest::of(states.as_bytes()).short())
    })
}

fn document(context: &Context, report: PlanReportV1, looked: &Looked, target: &Target, path: Option<PathBuf>) {
    if context.output.json() {
        context.output.document(&PlanDocument {
            report,
            database: target.database.clone(),
            exists: target.exists,
            remembered: looked.remembered,
            plan_path: path.map(|path| path.display().to_string()),
        });
    }
}

/// What would have been done, and what speaks against it.
pub(super) fn tell_refused(context: &Context, refused: &Refused, target: &Target, view: ViewSettings) {
    if !refused.explanations.is_empty() {
        let (database, exists, steps) = (&target.database, target.exists, &refused.explanations);
        let page = PlanView { database, exists, steps, segments: None, explain: view.explain }.page();
        context.output.tell(&page);
    }
    context.tell_findings(&refused.findings);
}
