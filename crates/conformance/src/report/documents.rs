//! The report as JSON and as `JUnit` XML.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Report, Told};
use crate::rule::Verdict;

impl Report {
    /// The report as JSON: counts, and each rule with its verdict.
    pub fn to_json(&self) -> Value {
        let (passed, failed, not_applicable) = self.counts();
        json!({
            "version": 1,
            "provider": self.provider,
            "passed": passed,
            "failed": failed,
            "not_applicable": not_applicable,
            "rules": self.told.iter().map(one).collect::<Vec<_>>(),
        })
    }

    /// The report as `JUnit` XML: a test suite for each concern, a test case for each rule.
    pub fn to_junit(&self) -> String {
        let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n".to_owned();
        let mut rest = self.told.as_slice();
        while let Some(first) = rest.first() {
            let same = rest.iter().take_while(|told| told.rule.concern == first.rule.concern).count();
            let (suite, others) = rest.split_at(same);
            rest = others;
            write_suite(&mut xml, first.rule.concern, suite);
        }
        xml.push_str("</testsuites>\n");
        xml
    }
}

fn one(told: &Told) -> Value {
    let mut value = json!({
        "rule": told.rule.name,
        "concern": told.rule.concern,
        "sentence": told.rule.sentence,
        "milliseconds": u64::try_from(told.took.as_millis()).unwrap_or(u64::MAX),
    });
    match &told.verdict {
        Verdict::Passed => value["verdict"] = json!("passed"),
        Verdict::NotApplicable(why) => {
            value["verdict"] = json!("not_applicable");
            value["why"] = json!(why);
        }
        Verdict::Failed(finding) => {
            value["verdict"] = json!("failed");
            value["sent"] = json!(finding.sent);
            value["came"] = json!(finding.came);
        }
    }
    value
}

/// Writing to a string cannot fail.
fn write_suite(xml: &mut String, concern: &str, suite: &[Told]) {
    let failures = suite.iter().filter(|told| matches!(told.verdict, Verdict::Failed(_))).count();
    let skipped = suite.iter().filter(|told| matches!(told.verdict, Verdict::NotApplicable(_))).count();
    let count = suite.len();
    let head = format!("tests=\"{count}\" failures=\"{failures}\" skipped=\"{skipped}\"");
    let _ = writeln!(xml, "  <testsuite name=\"{}\" {head}>", escaped(concern));
    for told in suite {
        let seconds = told.took.as_secs_f32();
        let _ = write!(xml, "    <testcase name=\"{}\" time=\"{seconds:.3}\"", escaped(told.rule.name));
        let _ = match &told.verdict {
            Verdict::Passed => writeln!(xml, "/>"),
            Verdict::NotApplicable(why) => writeln!(xml, "><skipped message=\"{}\"/></testcase>", escaped(why)),
            Verdict::Failed(finding) => {
                let told = format!("sent: {}\ncame: {}\ncontract: {}", finding.sent, finding.came, told.rule.sentence);
                let text = escaped(&told);
                writeln!(xml, "><failure message=\"{}\">{text}</failure></testcase>", escaped(&finding.came))
            }
        };
    }
    let _ = writeln!(xml, "  </testsuite>");
}

/// Text as XML may hold it: markup escaped, and control characters, which no XML may have, taken out.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
