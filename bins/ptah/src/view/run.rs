//! How a run ended, in words: what is known, and what to do next.

mod words;

use ptah_apply::{Ending, Settled, Trouble};

use ptah_model::{Digest, OperationId};
use ptah_provider_api::claim::{Adoption, Verdict};
use ptah_provider_host::HostError;
use ptah_records::report::v1::{DiagnosticV1, ExplanationV1};
use serde::Serialize;

use super::counted;
use super::failure::CONTRACT_VERSION;
use crate::output::{Page, style};

pub use words::{refusal_code, trouble_code};

/// What is told when "nothing to do" rests on a remembered proof.
pub const REMEMBERED: &str = "it was proven earlier, and nothing changed since; --fresh proves it again";

/// What is told about a run.
#[derive(Clone, Copy, Debug)]
pub struct RunView<'a> {
    /// What people call the database.
    pub database: &'a str,
    /// How the run ended.
    pub ending: &'a Ending,
    /// What it settled of earlier runs; told before the end, and in the document again.
    pub settled: &'a [Settled],
    /// What it recorded of a moved or copied database.
    pub adopted: Option<Adoption>,
    /// The operation, if one was begun.
    pub operation: Option<&'a OperationId>,
    /// The plan's digest, if there was a plan.
    pub plan: Option<Digest>,
    /// Whether the plan was a saved one, which runs once.
    pub saved: bool,
    /// Whether "nothing to do" rests on a remembered proof.
    pub remembered: bool,
    /// Why, in the provider's words, if it gave any.
    pub reason: Option<&'a str>,
    /// What went wrong with the provider, if something did.
    pub provider: Option<&'a HostError>,
}

impl RunView<'_> {
    /// For people.
    pub fn page(&self) -> Page {
        let mut page = Page::new();
        let told = words::of(self.ending, self.database, self.provider);
        let style = match self.ending.exit_code() {
            0 => style::GOOD,
            2 => style::WARN,
            _ => style::BAD,
        };
        page.paint(style, told.word).text(": ").line(&self.known(told.known.clone()));
        if let Some(adopted) = self.adopted {
            page.line(&format!("{} is recorded as {}", self.database, adopted_as(adopted).1));
        }
        if self.remembered {
            page.line(REMEMBERED);
        }
        if let Some(reason) = self.reason {
            page.line(&format!("reason: {reason}"));
        }
        if self.ending.exit_code() == 3
            && let Some(operation) = self.operation
        {
            page.line(&format!("operation: {operation}"));
        }
        if self.saved && *self.ending == Ending::NotApplied(Trouble::IntentLost) {
            page.line("whether the saved plan is spent is not known: carry it out again, and the database says so");
        } else if self.saved && self.ending.is_spent() && *self.ending != Ending::Applied {
            page.line("the saved plan is spent: it cannot be carried out again");
        }
        if let Some(next) = &told.next {
            page.hint(next);
        }
        page
    }

    /// What is known; what this run recorded of the database itself is a change of its file.
    fn known(&self, known: String) -> String {
        if self.adopted.is_some() { known.replace("nothing was changed", "nothing else was changed") } else { known }
    }

    /// For machines, with the steps of the plan and what was found.
    pub fn document(&self, steps: Vec<ExplanationV1>, diagnostics: Vec<DiagnosticV1>) -> RunDocument {
        let told = words::of(self.ending, self.database, self.provider);
        let (applied, of) = match self.ending {
            Ending::Partial { applied, of, .. } | Ending::Unknown { applied, of, .. } => (Some(*applied), Some(*of)),
            _ => (None, None),
        };
        let (refusal, trouble) = match self.ending {
            Ending::Refused(refusal) => (Some(refusal_code(*refusal)), None),
            Ending::NotApplied(trouble) | Ending::Partial { trouble, .. } | Ending::Unknown { trouble, .. } => {
                (None, Some(trouble_code(*trouble)))
            }
            _ => (None, None),
        };
        RunDocument {
            contract_version: CONTRACT_VERSION,
            outcome: outcome(self.ending),
            database: self.database.to_owned(),
            exit_code: self.ending.exit_code(),
            message: self.known(told.known),
            adopted: self.adopted.map(|adopted| adopted_as(adopted).0),
            remembered: self.remembered,
            hint: told.next,
            reason: self.reason.map(str::to_owned),
            refusal,
            trouble,
            applied_segments: applied,
            segments: of,
            operation_id: self.operation.map(|o| o.as_str().to_owned()),
            plan_digest: self.plan.map(|digest| digest.to_string()),
            settled: self.settled.iter().map(SettledPart::of).collect(),
            steps,
            diagnostics,
        }
    }
}

/// What `schema apply --json` says of a run.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunDocument {
    /// The version of the form of these documents: always 1.
    pub contract_version: u64,
    /// `applied`, `no-changes`, `dry-run`, `canceled`, `refused`, `failed`, `partial`, `not-proven`, `not-recorded` or
    /// `unknown`. After the last four: read the database, never repeat.
    pub outcome: &'static str,
    /// What people call the database.
    pub database: String,
    /// The exit code.
    pub exit_code: u8,
    /// What is known, as one sentence.
    pub message: String,
    /// What the run recorded of a moved or copied database: `moved`, `copy`, or null for nothing.
    pub adopted: Option<&'static str>,
    /// Whether "no changes" rests on a remembered proof.
    pub remembered: bool,
    /// What to do next, or null.
    pub hint: Option<String>,
    /// Why, in the provider's words, or null.
    pub reason: Option<String>,
    /// Why nothing ran, as a code; null unless the outcome is `refused`.
    pub refusal: Option<&'static str>,
    /// What stopped the run, as a code; null unless something did.
    pub trouble: Option<&'static str>,
    /// How many segments are certainly in the database; null unless that is neither none nor all.
    pub applied_segments: Option<usize>,
    /// Of how many; null where `applied_segments` is.
    pub segments: Option<usize>,
    /// The operation, or null.
    pub operation_id: Option<String>,
    /// The digest of the plan, or null.
    pub plan_digest: Option<String>,
    /// What the run settled of earlier ones. May be empty.
    pub settled: Vec<SettledPart>,
    /// The steps of the plan. May be empty.
    pub steps: Vec<ExplanationV1>,
    /// What was found. May be empty.
    pub diagnostics: Vec<DiagnosticV1>,
}

/// An operation of an earlier run that was settled.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SettledPart {
    /// The operation.
    pub operation_id: String,
    /// `applied`, `not-applied`, `partial` or `diverged`.
    pub verdict: &'static str,
    /// How many of its segments are in the database; null when that is not known.
    pub applied_segments: Option<usize>,
    /// How many it has.
    pub segments: usize,
}

impl SettledPart {
    fn of(settled: &Settled) -> Self {
        let verdict = match settled.verdict {
            Verdict::Applied => "applied",
            Verdict::NotApplied => "not-applied",
            Verdict::Partial => "partial",
            Verdict::Diverged => "diverged",
        };
        Self {
            operation_id: settled.operation.as_str().to_owned(),
            verdict,
            applied_segments: settled.applied,
            segments: settled.of,
        }
    }
}

/// The word of what was recorded, and the same for people.
fn adopted_as(adopted: Adoption) -> (&'static str, &'static str) {
    match adopted {
        Adoption::Moved => ("moved", "moved"),
        Adoption::Copy => ("copy", "a copy, with an identity of its own"),
    }
}

fn outcome(ending: &Ending) -> &'static str {
    match ending {
        Ending::InSync => "no-changes",
        Ending::DryRun => "dry-run",
        Ending::Declined => "canceled",
        Ending::Refused(_) => "refused",
        Ending::NotApplied(_) => "failed",
        Ending::Partial { .. } => "partial",
        Ending::Applied => "applied",
        Ending::NotProven { .. } => "not-proven",
        Ending::NotRecorded => "not-recorded",
        Ending::Unknown { .. } => "unknown",
    }
}

/// `an earlier run (0190…) was settled: nothing of it is in the database`.
pub fn settled_sentence(settled: &Settled) -> String {
    let what = match (settled.verdict, settled.applied) {
        (Verdict::Applied, _) => "all of it is in the database".to_owned(),
        (Verdict::NotApplied, _) => "nothing of it is in the database".to_owned(),
        (Verdict::Partial, Some(applied)) => {
            format!("in the database: {applied} of its {}", counted(settled.of, "segment"))
        }
        (Verdict::Partial, None) => "a part of it is in the database".to_owned(),
        (Verdict::Diverged, _) => "the database matches no point of it; the record stays".to_owned(),
    };
    format!("an earlier run ({}) was settled: {what}", settled.operation)
}

#[cfg(test)]
mod tests;
