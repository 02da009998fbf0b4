//! Protected tables: nothing of them is lost, and no flag says otherwise.

use std::collections::BTreeSet;

use ptah_diff::{Action, Change};
use ptah_model::{Comparison, Diagnostic, IdentifierRules, Name, ObjectId};

use super::loss::Lost;
use super::{Case, code};
use crate::draft::asked;
use crate::policy::Policy;

pub(super) fn judge(case: &Case<'_>, losses: &[Lost<'_>]) -> Vec<Diagnostic> {
    let changes = case.phases.iter().flat_map(|p| &p.changes);
    let protected = Protected::new(case.policy, case.rules, changes);
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
pub(super) struct Protected {
    names: BTreeSet<Name>,
    rule: Comparison,
}

impl Protected {
    /// The names that a policy protects, with those that renames among the changes give to protected tables.
    pub(super) fn new<'a>(policy: &Policy, rules: &IdentifierRules, changes: impl Iterator<Item = &'a Change>) -> Self {
        let rule = rules.table;
        let given = policy.protected_tables.iter();
        let mut all = Self { names: given.map(|text| Name::new(text.clone(), rule)).collect(), rule };
        for change in changes {
            if let Some(name) = all.kept_by(change) {
                all.names.insert(name);
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
    pub(super) fn covers(&self, id: &ObjectId) -> bool {
        let table = id.owner.as_ref().unwrap_or(&id.name);
        let qualified = id.schema.as_ref().map(|schema| self.qualified(schema, table));
        self.names.contains(table) || qualified.is_some_and(|name| self.names.contains(&name))
    }

    fn qualified(&self, schema: &Name, table: &Name) -> Name {
        Name::new(format!("{}.{}", schema.normalized, table.normalized), self.rule)
    }
}
