//! The short form of a step: title, statements, and what deviates from harmless.

use ptah_plan::Explanation;

use super::{head, indent, lock_sentence, loss_sentence};
use crate::output::{Page, style};

/// One step.
pub(super) fn step(page: &mut Page, step: &Explanation, width: usize) {
    let indent = indent(width);
    head(page, step, width);
    for statement in &step.statements {
        page.block(style::SQL, indent + 2, statement);
    }
    if let Some(loss) = step.loss {
        page.block(style::BAD, indent, loss_sentence(loss));
    }
    for hazard in &step.hazards {
        page.block(style::WARN, indent, &format!("warning: {}", hazard.text));
    }
    for lock in step.locks.iter().filter(|lock| lock.rewrites || lock.scans) {
        page.block(style::WARN, indent, &format!("lock: {}", lock_sentence(lock)));
    }
    for check in &step.checks {
        page.block(style::FAINT, indent, &format!("stops when: {}", check.sentence));
    }
    if !step.transaction {
        page.block(style::WARN, indent, "outside of a transaction: it cannot be rolled back");
    }
}
