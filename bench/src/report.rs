//! The report: one table for people, one document for machines.

use std::fmt::Write as _;

use serde::Serialize;

use crate::figure::{Aim, Figure, Row, Unit};

/// The headings, in the order of the cells.
const HEADINGS: [&str; 8] = ["what", "tables", "ptah", "peer", "its figure", "ratio", "aim", "met"];

/// Which cells are numbers, and stand to the right.
const TO_THE_RIGHT: [bool; 8] = [false, true, true, false, true, true, false, false];

/// Everything that was measured.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// The rows, in the order in which they were measured.
    pub(crate) rows: Vec<Row>,
    /// Peers that are not there, each with the reason.
    pub(crate) missing: Vec<(String, String)>,
    /// What could not be measured, and why.
    pub(crate) failures: Vec<String>,
}

impl Report {
    /// For people.
    pub(crate) fn text(&self) -> String {
        let mut lines: Vec<[String; 8]> = vec![HEADINGS.map(str::to_owned)];
        lines.extend(self.rows.iter().map(cells));
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..HEADINGS.len()).map(width).collect();
        let mut text = String::new();
        for (place, line) in lines.iter().enumerate() {
            let padded = line.iter().zip(&widths).zip(TO_THE_RIGHT).map(|((cell, width), right)| {
                if right { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
            });
            let line = padded.collect::<Vec<_>>().join("  ");
            let _ = writeln!(text, "{}", line.trim_end());
            if place == 0 {
                let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
                let _ = writeln!(text, "{}", rules.join("  "));
            }
        }
        text.push_str("\nratio: how many times the peer takes of what ptah takes. Times are medians of wall time.\n");
        for (name, why) in &self.missing {
            let _ = writeln!(text, "missing peer: {name}: {why}");
        }
        for failure in &self.failures {
            let _ = writeln!(text, "not measured: {failure}");
        }
        text
    }

    /// For machines.
    pub(crate) fn document(&self) -> Document {
        Document {
            rows: self.rows.iter().map(RowPart::of).collect(),
            missing_peers: self.missing.iter().cloned().map(|(name, why)| MissingPart { name, why }).collect(),
            not_measured: self.failures.clone(),
        }
    }
}

fn cells(row: &Row) -> [String; 8] {
    let (peer, theirs) = match &row.peer {
        Some((name, figure)) => (name.clone(), shown(figure)),
        None => (String::new(), String::new()),
    };
    [
        row.what.clone(),
        row.tables.map_or(String::new(), grouped),
        row.ours.as_ref().map_or(String::new(), shown),
        peer,
        theirs,
        row.ratio().map_or(String::new(), ratio),
        row.aim.map_or(String::new(), |aim| aim_words(aim, row.ours.map(|ours| ours.unit))),
        match row.is_met() {
            Some(true) => "yes",
            Some(false) => "NO",
            None if row.aim.is_some() => "not measured",
            None => "",
        }
        .to_owned(),
    ]
}

fn shown(figure: &Figure) -> String {
    amount(figure.value, figure.unit)
}

fn amount(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Seconds if value < 0.001 => format!("{:.0} µs", value * 1e6),
        Unit::Seconds if value < 0.1 => format!("{:.1} ms", value * 1e3),
        Unit::Seconds if value < 1.0 => format!("{:.0} ms", value * 1e3),
        Unit::Seconds if value < 10.0 => format!("{value:.2} s"),
        Unit::Seconds => format!("{value:.1} s"),
        Unit::Bytes => format!("{:.0} MiB", value / f64::from(1 << 20)),
        Unit::Power => format!("n^{value:.2}"),
    }
}

fn ratio(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.2}") } else { format!("{ratio:.0}") }
}

fn aim_words(aim: Aim, unit: Option<Unit>) -> String {
    match aim {
        Aim::AtMost(limit) => format!("at most {}", amount(limit, unit.unwrap_or(Unit::Seconds))),
        Aim::TimesAsFast(times) => format!("{times:.0} times as fast"),
        Aim::TimesAsLong(times) => format!("at most {times:.2} times as long"),
    }
}

/// `10,000`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// What `--json` writes.
#[derive(Debug, Serialize)]
pub(crate) struct Document {
    rows: Vec<RowPart>,
    missing_peers: Vec<MissingPart>,
    not_measured: Vec<String>,
}

/// One row. Seconds, bytes or an exponent, as `unit` says.
#[derive(Debug, Serialize)]
struct RowPart {
    what: String,
    tables: Option<usize>,
    unit: &'static str,
    ptah: Option<f64>,
    ptah_runs: usize,
    peer: Option<String>,
    peer_value: Option<f64>,
    peer_runs: usize,
    ratio: Option<f64>,
    aim: Option<String>,
    met: Option<bool>,
}

#[derive(Debug, Serialize)]
struct MissingPart {
    name: String,
    why: String,
}

impl RowPart {
    fn of(row: &Row) -> Self {
        let unit = row.ours.or(row.peer.as_ref().map(|(_, figure)| *figure)).map_or(Unit::Seconds, |f| f.unit);
        Self {
            what: row.what.clone(),
            tables: row.tables,
            unit: match unit {
                Unit::Seconds => "seconds",
                Unit::Bytes => "bytes",
                Unit::Power => "exponent",
            },
            ptah: row.ours.map(|figure| figure.value),
            ptah_runs: row.ours.map_or(0, |figure| figure.runs),
            peer: row.peer.as_ref().map(|(name, _)| name.clone()),
            peer_value: row.peer.as_ref().map(|(_, figure)| figure.value),
            peer_runs: row.peer.as_ref().map_or(0, |(_, figure)| figure.runs),
            ratio: row.ratio(),
            aim: row.aim.map(|aim| aim_words(aim, Some(unit))),
            met: row.is_met(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let seconds = |value| Figure { unit: Unit::Seconds, value, runs: 3 };
        let row = |what: &str, ours, peer, aim| Row { what: what.to_owned(), tables: Some(2000), ours, peer, aim };
        Report {
            rows: vec![
                row(
                    "plan",
                    Some(seconds(0.5)),
                    Some(("atlas".to_owned(), seconds(43.8))),
                    Some(Aim::TimesAsFast(20.0)),
                ),
                row("memory", Some(Figure::of_bytes(300 << 20)), None, Some(Aim::AtMost(f64::from(256 << 20)))),
                row("create", Some(seconds(1.0)), None, Some(Aim::TimesAsLong(1.2))),
            ],
            missing: vec![("goose".to_owned(), "go is not installed".to_owned())],
            failures: vec![],
        }
    }

    #[test]
    fn a_row_says_who_did_what_in_which_time_and_whether_the_aim_is_met() {
        let text = report().text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..5],
            [
                "what    tables     ptah  peer   its figure  ratio  aim                         met",
                "------  ------  -------  -----  ----------  -----  --------------------------  ------------",
                "plan     2,000   500 ms  atlas      43.8 s     88  20 times as fast            yes",
                "memory   2,000  300 MiB                            at most 256 MiB             NO",
                "create   2,000   1.00 s                            at most 1.20 times as long  not measured",
            ]
        );
        assert!(text.contains("missing peer: goose: go is not installed"));
    }

    #[test]
    fn the_document_has_numbers_in_base_units() {
        let document = serde_json::to_value(report().document()).expect("a document");
        assert_eq!(document["rows"][0]["peer_value"], 43.8);
        assert_eq!(document["rows"][0]["met"], true);
        assert_eq!(document["rows"][1]["unit"], "bytes");
        assert_eq!(document["rows"][2]["met"], serde_json::Value::Null);
        assert_eq!(document["missing_peers"][0]["name"], "goose");
    }

    #[test]
    fn amounts_are_readable_at_every_size() {
        let check = |seconds: f64, expected| assert_eq!(amount(seconds, Unit::Seconds), expected);
        check(0.000_056, "56 µs");
        check(0.0041, "4.1 ms");
        check(0.412, "412 ms");
        check(4.12, "4.12 s");
        check(41.2, "41.2 s");
        assert_eq!(grouped(100), "100");
        assert_eq!(grouped(10_000), "10,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}
