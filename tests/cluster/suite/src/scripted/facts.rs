//! What several sections say: moments, digests over a state, drift, failures.

use std::time::SystemTime;

use anyhow::Result;
use ptah_model::DigestBuilder;
use ptah_records::operator::latest::{DriftFinding, DriftReport, DriftSeverity, Failure, FindingSeverity};
use ptah_records::operator::list::List;
use ptah_records::operator::text::{Code, Sentence, Sha256, ShortText};
use ptah_records::operator::time::Moment;
use ptah_records::operator::whole::Whole;

use super::database::{Objects, Step};

pub(super) fn now() -> Result<Moment> {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
    Ok(Moment::from_milliseconds(u64::try_from(since.as_millis())?)?)
}

pub(super) fn failure(code: &str, sentence: &str) -> Result<Failure> {
    Ok(Failure { code: Code::new(code)?, sentence: Sentence::new(sentence)? })
}

/// The objects that no pattern leaves out. A pattern is a name, or the beginning of one with a star.
pub(super) fn seen(objects: &Objects, exclude: &[ShortText]) -> Objects {
    let is_out = |name: &str| {
        exclude.iter().any(|pattern| match pattern.as_str().strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == pattern.as_str(),
        })
    };
    objects.iter().filter(|(name, _)| !is_out(name)).map(|(name, text)| (name.clone(), text.clone())).collect()
}

pub(super) fn fingerprint(objects: &Objects) -> Sha256 {
    let state = objects
        .iter()
        .fold(DigestBuilder::new("ptah.scripted.state.v1"), |digest, (name, text)| digest.text(name).text(text));
    Sha256::from(&state.finish())
}

/// What a plan's steps say about a database: each undoes one difference.
pub(super) fn drift(actual: &Objects, steps: &[Step], counted: DriftSeverity) -> Result<DriftReport> {
    let count = |of: fn(&Objects, &Step) -> bool| steps.iter().filter(|step| of(actual, step)).count();
    let unknown = count(|_, step| matches!(step, Step::Drop(_)));
    let changed = count(|actual, step| matches!(step, Step::Put(name, _) if actual.contains_key(name)));
    let missing = steps.len() - unknown - changed;
    let all = [
        ("objects_unknown", unknown, FindingSeverity::Destructive),
        ("objects_changed", changed, FindingSeverity::Warning),
        ("objects_missing", missing, FindingSeverity::Warning),
    ];
    let counts = |severity| counted == DriftSeverity::All || severity == FindingSeverity::Destructive;
    let mut findings = Vec::new();
    let (mut total, mut report) = (0, DigestBuilder::new("ptah.scripted.drift.v1"));
    for (category, count, severity) in all.into_iter().filter(|(_, count, severity)| *count > 0 && counts(*severity)) {
        let count = u64::try_from(count)?;
        total += count;
        report = report.text(category).number(count);
        findings.push(DriftFinding { category: Code::new(category)?, count: Whole::new(count)?, severity });
    }
    Ok(DriftReport {
        report_digest: Sha256::from(&report.finish()),
        highest_severity: findings.first().map(|finding| finding.severity),
        finding_count: Whole::new(total)?,
        findings: List::new(findings)?,
        findings_truncated: false,
    })
}
