//! The report as aligned text: one line a rule, what failed told in full.

use std::fmt::{self, Write as _};

use super::{Report, Told};
use crate::rule::Verdict;

/// The width of the column with the verdicts.
const VERDICT: usize = 14;

impl fmt::Display for Told {
    /// One line; for a rule that failed, what was sent, what came and what had to hold in three more.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.rule.name;
        match &self.verdict {
            Verdict::Passed => write!(f, "{:VERDICT$}  {name}", "passed"),
            Verdict::NotApplicable(why) => write!(f, "{:VERDICT$}  {name}: {why}", "not applicable"),
            Verdict::Failed(finding) => {
                write!(f, "{:VERDICT$}  {name}", "FAILED")?;
                let told = [("sent", &*finding.sent), ("came", &*finding.came), ("contract", self.rule.sentence)];
                told.iter().try_for_each(|(label, text)| write!(f, "\n{:VERDICT$}    {label:<8}  {text}", ""))
            }
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut concern = "";
        let mut text = String::new();
        for told in &self.told {
            if told.rule.concern != concern {
                concern = told.rule.concern;
                writeln!(text, "{concern}")?;
            }
            writeln!(text, "  {}", told.to_string().replace('\n', "\n  "))?;
        }
        let (passed, failed, pointless) = self.counts();
        let provider = if self.provider.is_empty() { "no provider" } else { &self.provider };
        let seconds = self.took.as_secs_f32();
        write!(f, "{text}{provider}: {passed} passed, {failed} failed, {pointless} not applicable, in {seconds:.1} s")
    }
}
