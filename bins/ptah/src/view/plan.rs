//! A plan, step by step: the short form says what deviates from harmless, the long form everything.

mod long;
mod short;

use ptah_model::{Loss, Risk};
use ptah_plan::Explanation;
use ptah_provider_api::step::LockTaken;
use ptah_records::report::v1::PlanReportV1;
use serde::Serialize;

use super::counted;
use crate::output::{Page, style};

/// What a plan does to which database.
#[derive(Clone, Copy, Debug)]
pub struct PlanView<'a> {
    /// What people call the database; never an address with a password.
    pub database: &'a str,
    /// Whether the database is there. One that is not is created by the run.
    pub exists: bool,
    /// The steps in their order.
    pub steps: &'a [Explanation],
    /// How many segments they are in; absent for steps that are not put into segments, because nothing will run.
    pub segments: Option<usize>,
    /// Whether everything is shown.
    pub explain: bool,
}

impl PlanView<'_> {
    /// For people.
    pub fn page(&self) -> Page {
        let mut page = Page::new();
        let what = if self.segments.is_some() { "Planned changes to" } else { "Wanted changes to" };
        page.paint(style::STRONG, &format!("{what} {}", self.database)).end();
        if !self.exists {
            page.line(&format!("{} does not exist; it will be created", self.database));
        }
        steps(&mut page, self.steps, self.explain);
        page.gap().line(&self.summary());
        page
    }

    /// `3 steps in 1 segment: 1 destructive, 1 to look at`.
    fn summary(&self) -> String {
        let count = |risk| self.steps.iter().filter(|s| s.risk == risk).count();
        let mut text = counted(self.steps.len(), "step");
        if let Some(segments) = self.segments {
            text.push_str(" in ");
            text.push_str(&counted(segments, "segment"));
        }
        let mut parts = Vec::new();
        if count(Risk::Destructive) > 0 {
            parts.push(format!("{} destructive", count(Risk::Destructive)));
        }
        if count(Risk::Warning) > 0 {
            parts.push(format!("{} to look at", count(Risk::Warning)));
        }
        if !parts.is_empty() {
            text.push_str(": ");
            text.push_str(&parts.join(", "));
        }
        text
    }
}

/// The steps, one after the other.
pub(super) fn steps(page: &mut Page, steps: &[Explanation], explain: bool) {
    let width = steps.len().to_string().len();
    for step in steps {
        if explain {
            page.gap();
            long::step(page, step, width);
        } else {
            short::step(page, step, width);
        }
    }
}

/// What `schema plan --json` says.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlanDocument {
    /// The plan, or why there is none.
    #[serde(flatten)]
    pub report: PlanReportV1,
    /// What people call the database.
    pub database: String,
    /// Whether the database is there.
    pub exists: bool,
    /// Whether "no changes" rests on a remembered proof.
    pub remembered: bool,
    /// Where the plan was saved, or null.
    pub plan_path: Option<String>,
}

/// The number, the sign of the class, and the title.
fn head(page: &mut Page, step: &Explanation, width: usize) {
    page.text(&format!("  {:>width$}  ", step.number));
    match step.risk {
        Risk::Safe => page.text("   "),
        Risk::Warning => page.paint(style::WARN, "!  "),
        Risk::Destructive => page.paint(style::BAD, "!! "),
    };
    let title_style = if step.risk == Risk::Destructive { style::BAD } else { style::STRONG };
    page.paint(title_style, &step.title).end();
}

/// How far what belongs to a step is moved in.
fn indent(width: usize) -> usize {
    width + 7
}

/// What a loss means, as a sentence.
fn loss_sentence(loss: Loss) -> &'static str {
    match loss {
        Loss::Rows => "destructive: rows are lost for good",
        Loss::Values => "destructive: values in rows that stay are lost for good",
        Loss::Protection => "destructive: a rule that kept wrong data out is lost",
        Loss::Definition => "a definition is lost that is kept nowhere else",
    }
}

/// `exclusive on table users, writes its rows again`.
fn lock_sentence(lock: &LockTaken) -> String {
    let mut text = format!("{} on {}", lock.mode, lock.object);
    match (lock.rewrites, lock.scans) {
        (true, _) => text.push_str(", writes its rows again"),
        (false, true) => text.push_str(", reads its rows"),
        (false, false) => {}
    }
    text
}

#[cfg(test)]
mod tests;
