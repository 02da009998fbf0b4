//! The long form of a step: everything that is known of it.

use ptah_diff::{Action, FacetChange};
use ptah_model::Facet;
use ptah_plan::{Earlier, Explanation, Served};
use ptah_provider_api::step::Check;

use super::{head, indent, lock_sentence, loss_sentence};
use crate::output::{Page, style};

/// How wide the words before the facts are.
const LABEL: usize = 13;

/// One step.
pub(super) fn step(page: &mut Page, step: &Explanation, width: usize) {
    let Explanation {
        number: _,
        title: _,
        risk,
        loss,
        transaction,
        statements,
        why,
        rule,
        after,
        hazards,
        locks,
        checks,
    } = step;
    let indent = indent(width);
    head(page, step, width);
    for statement in statements {
        page.block(style::SQL, indent + 2, statement);
    }
    let mut facts = Facts { page, indent };
    facts.say("risk", &loss.map_or_else(|| risk.to_string(), |loss| loss_sentence(loss).to_owned()));
    facts.say("transaction", if *transaction { "inside" } else { "outside: it cannot be rolled back" });
    for served in why {
        facts.served(served);
    }
    facts.say("rule", &format!("{}: {}", rule.name, rule.sentence));
    for earlier in after {
        facts.say("after", &earlier_sentence(earlier));
    }
    for hazard in hazards {
        facts.say("hazard", &format!("{}: {}", hazard.code, hazard.text));
    }
    for lock in locks {
        facts.say("lock", &lock_sentence(lock));
    }
    for check in checks {
        facts.check(check);
    }
}

/// Lines with a word in front, aligned.
struct Facts<'a> {
    page: &'a mut Page,
    indent: usize,
}

impl Facts<'_> {
    fn say(&mut self, label: &str, fact: &str) {
        let indent = self.indent;
        self.page.text(&format!("{:indent$}", "")).paint(style::FAINT, &format!("{label:<LABEL$}")).line(fact);
    }

    fn served(&mut self, served: &Served) {
        self.say("because", &served.change.to_string());
        match &served.asked {
            Some(position) => self.say("", &format!("asked for at {position}")),
            None => self.say("", "the sources do not have it"),
        }
        if let Action::Alter(facets) = &served.change.action {
            for facet in facets {
                self.differs(facet);
            }
        }
    }

    fn differs(&mut self, facet: &FacetChange) {
        let side = |side: &Option<Facet>| side.as_ref().map_or("nothing".to_owned(), |f| format!("`{}`", f.text));
        let (from, to) = (side(&facet.from), side(&facet.to));
        self.say("differs", &format!("{}: {from} is there, {to} is wanted", facet.name));
    }

    fn check(&mut self, check: &Check) {
        let lossy = if check.lossy { " (permitted with --allow-destructive)" } else { "" };
        self.say("stops when", &format!("{}: {}{lossy}", check.code, check.sentence));
        self.say("", &check.count);
    }
}

fn earlier_sentence(earlier: &Earlier) -> String {
    let committed = if earlier.committed { ", committed" } else { "" };
    format!("step {}{committed}: {}", earlier.number, earlier.rule)
}
