//! What the policy does not permit. Everything that refuses, at once; an empty list lets the plan pass.
//!
//! Judged by changes, by what steps say they lose, and by counted rows; never by the text of a statement, so that the
//! inner drop of a rebuild that loses nothing is no breach. `--auto-approve` is not a policy and is not seen here.

mod loss;
mod protected;
mod whole;

use std::collections::BTreeMap;

use ptah_diff::Change;
use ptah_model::{Diagnostic, IdentifierRules, KindCatalog, SchemaModel, Severity};
use ptah_provider_api::plan::Refusal;
use ptah_provider_api::step::StepId;

use crate::desired::Locations;
use crate::draft::{Phase, PhaseKind, PlannedStep, asked};
use crate::plan::Plan;
use crate::policy::Policy;

/// The codes of refusals.
pub mod code {
    use ptah_model::Code;

    /// Something would be lost, and `--allow-destructive` is missing.
    pub const DESTRUCTIVE: Code = Code("gate.destructive");
    /// Something of a protected table would be lost.
    pub const PROTECTED: Code = Code("gate.protected");
    /// Nothing is declared, and `--allow-empty` is missing.
    pub const EMPTY: Code = Code("gate.empty");
    /// Every table would be dropped, and `--allow-empty` is missing.
    pub const DROPS_ALL: Code = Code("gate.drops-every-table");
    /// Rows that exist would make a step fail.
    pub const ROWS: Code = Code("gate.rows");
}

/// Which check of which step: the phase, the step, and the check's place in it.
pub type CheckId = (PhaseKind, StepId, usize);

/// What is judged.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// What the target reads as.
    pub current: &'a SchemaModel,
    /// What is wanted.
    pub desired: &'a SchemaModel,
    /// The kinds of the provider.
    pub kinds: &'a KindCatalog,
    /// How names compare in this session.
    pub rules: &'a IdentifierRules,
    /// What the caller permits.
    pub policy: &'a Policy,
    /// The changes and their steps.
    pub phases: &'a [Phase],
    /// How many rows offend each check. An absent key means that the check was not asked yet.
    pub counts: &'a BTreeMap<CheckId, u64>,
    /// Where everything is defined.
    pub locations: &'a Locations,
}

/// Says everything that the policy does not permit. Each has the severity of an error.
pub fn judge(case: &Case<'_>) -> Vec<Diagnostic> {
    let mut refusals: Vec<Diagnostic> = whole::judge(case).into_iter().collect();
    let losses = loss::find(case);
    refusals.extend(protected::judge(case, &losses));
    refusals.extend(loss::judge(case, &losses));
    refusals.extend(loss::failing_checks(case));
    refusals
}

/// Whether rows that a lossy check counts during the run may lose their values: the caller permits loss, and no table
/// that the step changes is protected. For rows that could not be counted before, or came since.
pub fn permits_loss(plan: &Plan, step: &PlannedStep, rules: &IdentifierRules) -> bool {
    let policy = &plan.head().policy;
    let changes = plan.steps().flat_map(|s| &s.why).map(|served| &served.change);
    let protected = protected::Protected::new(policy, rules, changes);
    policy.allow_destructive && !step.why.iter().any(|served| protected.covers(&served.change.object))
}

/// What a provider cannot do, with what asked for it.
pub fn refused(refusals: &[Refusal], changes: &[Change], locations: &Locations) -> Vec<Diagnostic> {
    let told = |refusal: &Refusal| {
        let change = changes.get(refusal.change.0 as usize);
        let summary = match change {
            Some(change) => format!("cannot {}: {}", crate::title::change_title(change), refusal.reason),
            None => refusal.reason.clone(),
        };
        Diagnostic {
            code: refusal.code.clone(),
            severity: Severity::Error,
            summary,
            position: change.and_then(|c| asked(c, locations)).cloned(),
            hint: refusal.hint.clone(),
        }
    };
    refusals.iter().map(told).collect()
}
