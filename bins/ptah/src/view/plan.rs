//! A plan, step by step: the short form says what deviates from harmless, the long form everything.

mod long;
mod short;

use ptah_model::{Loss, Risk};
use ptah_plan::Explanation;
use ptah_provider_api::step::LockTaken;

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
    /// How many segments they are in.
    pub segments: usize,
    /// Whether everything is shown.
    pub explain: bool,
}

impl PlanView<'_> {
    /// For people.
    pub fn page(&self) -> Page {
        let mut page = Page::new();
        page.paint(style::STRONG, &format!("Planned changes to {}", self.database)).end();
        if !self.exists {
            page.line(&format!("{} does not exist; it will be created", self.database));
        }
        let width = self.steps.len().to_string().len();
        for step in self.steps {
            if self.explain {
                page.gap();
                long::step(&mut page, step, width);
            } else {
                short::step(&mut page, step, width);
            }
        }
        page.gap().line(&self.summary());
        page
    }

    /// `3 steps in 1 segment: 1 destructive, 1 to look at`.
    fn summary(&self) -> String {
        let count = |risk| self.steps.iter().filter(|s| s.risk == risk).count();
        let mut text = format!("{} in {}", counted(self.steps.len(), "step"), counted(self.segments, "segment"));
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
