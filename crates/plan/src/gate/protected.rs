//! Protected tables: nothing of them is lost, and no flag says otherwise.

use std::collections::BTreeSet;

use ptah_diff::{Action, Change};
use ptah_model::{Diagnostic, Name, ObjectId};

use super::loss::Lost;
use super::{Case, code};
use crate::draft::asked;

pub(super) fn judge(case: &Case<'_>, losses: &[Lost<'_>]) -> Vec<Diagnostic> {
    let protected = Protected::new(case);
    losses
        .iter()
        .filter(|lost| protected.covers(&lost.change.object))
        .map(|lost| {
            let summary = format!("{}, and the table is protected", lost.told());
            let mut finding = Diagnostic::error(code::PROTECTED, summary);
            finding.position = asked(lost.change, case.locations).cloned();
            finding.hint("nothing overrides `--protected-table`")
        })
        .collect()
}

/// The protected names, under the rules of the session: alone, or after the schema and a dot.
struct Protected(BTreeSet<Name>, ptah_model::Comparison);

impl Protected {
    fn new(case: &Case<'_>) -> Self {
        let rule = case.rules.table;
        let given = case.policy.protected_tables.iter();
        let mut all = Self(given.map(|text| Name::new(text.clone(), rule)).collect(), rule);
        // A table keeps its protection under the name that the plan gives it.
        let renames = case.phases.iter().flat_map(|p| &p.changes);
        for change in renames {
            if let Some(name) = all.kept_by(change) {
                all.0.insert(name);
            }
        }
        all
    }

    /// The new name of a protected table that a change renames.
    fn kept_by(&self, change: &Change) -> Option<Name> {
        let Action::Rename { to } = &change.action else {
            return None;
        };
        let table = change.member.is_none() && change.object.owner.is_none();
        (table && self.covers(&change.object)).then(|| match &change.object.schema {
            Some(schema) => self.qualified(schema, to),
            None => to.clone(),
        })
    }

    /// Whether an object is protected, or owned by a protected one.
    fn covers(&self, id: &ObjectId) -> bool {
        let table = id.owner.as_ref().unwrap_or(&id.name);
        let qualified = id.schema.as_ref().map(|schema| self.qualified(schema, table));
        self.0.contains(table) || qualified.is_some_and(|name| self.0.contains(&name))
    }

    fn qualified(&self, schema: &Name, table: &Name) -> Name {
        Name::new(format!("{}.{}", schema.normalized, table.normalized), self.1)
    }
}
