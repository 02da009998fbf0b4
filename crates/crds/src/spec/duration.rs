//! A duration as people write it in a manifest, within limits that the API server checks too.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// Why a text is no duration here. It quotes no value. Not to be tried again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DurationProblem {
    /// It is not a row of numbers with units.
    #[error("a duration is written as 90s, 5m or 1h30m, with at most 32 characters")]
    Form,
    /// It is shorter or longer than the field allows.
    #[error("the duration is outside of {least} to {most} seconds")]
    Range {
        /// The least, in seconds.
        least: u64,
        /// The most, in seconds.
        most: u64,
    },
}

/// A duration from `LEAST` to `MOST` seconds, both included. It keeps the text as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Between<const LEAST: u64, const MOST: u64> {
    text: String,
    milliseconds: u64,
}

/// The units that are read, with their length in nanoseconds; the longer name first.
const UNITS: [(&str, u128); 6] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

impl<const LEAST: u64, const MOST: u64> Between<LEAST, MOST> {
    /// Reads a duration. What is shorter than a millisecond is cut off.
    pub fn new(text: impl Into<String>) -> Result<Self, DurationProblem> {
        let text = text.into();
        let milliseconds = milliseconds(&text).ok_or(DurationProblem::Form)?;
        if !(LEAST * 1_000..=MOST * 1_000).contains(&milliseconds) {
            return Err(DurationProblem::Range { least: LEAST, most: MOST });
        }
        Ok(Self { text, milliseconds })
    }

    /// The duration of whole seconds, cut to the limits.
    pub(crate) fn seconds(seconds: u64) -> Self {
        let seconds = seconds.clamp(LEAST, MOST);
        Self { text: format!("{seconds}s"), milliseconds: seconds * 1_000 }
    }

    /// How long it is, in milliseconds.
    pub fn milliseconds(&self) -> u64 {
        self.milliseconds
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// The milliseconds of a text, cut off; nothing when it is no duration.
fn milliseconds(text: &str) -> Option<u64> {
    if text.is_empty() || text.len() > 32 {
        return None;
    }
    let mut rest = text;
    let mut nanoseconds: u128 = 0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(end);
        let (name, length) = UNITS.into_iter().find(|(name, _)| {
            let follows = after.strip_prefix(name);
            // `m` begins `ms`, so a unit ends where the next number or the text does.
            follows.is_some_and(|next| next.is_empty() || next.starts_with(|c: char| c.is_ascii_digit()))
        })?;
        nanoseconds = nanoseconds.checked_add(scaled(number, length)?)?;
        rest = &after[name.len()..];
    }
    u64::try_from(nanoseconds / 1_000_000).ok()
}

/// A decimal number times a length.
fn scaled(number: &str, length: u128) -> Option<u128> {
    let (whole, fraction) = match number.split_once('.') {
        Some((_, "") | ("", _)) => return None,
        Some((whole, fraction)) => (whole, fraction),
        None => (number, ""),
    };
    let mut sum = whole.parse::<u128>().ok()?.checked_mul(length)?;
    let mut unit = length;
    for digit in fraction.chars() {
        unit /= 10;
        sum = sum.checked_add(u128::from(digit.to_digit(10)?) * unit)?;
    }
    Some(sum)
}

impl<const LEAST: u64, const MOST: u64> TryFrom<String> for Between<LEAST, MOST> {
    type Error = DurationProblem;

    fn try_from(text: String) -> Result<Self, DurationProblem> {
        Self::new(text)
    }
}

impl<const LEAST: u64, const MOST: u64> From<Between<LEAST, MOST>> for String {
    fn from(duration: Between<LEAST, MOST>) -> Self {
        duration.text
    }
}

impl<const LEAST: u64, const MOST: u64> JsonSchema for Between<LEAST, MOST> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Between_{LEAST}_{MOST}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "minLength": 2,
            "maxLength": 32,
            "pattern": "^([0-9]+([.][0-9]+)?(ns|us|ms|s|m|h))+$",
            "x-kubernetes-validations": [{
                "rule": format!("duration(self) >= duration('{LEAST}s') && duration(self) <= duration('{MOST}s')"),
                "message": format!("the duration must be from {LEAST}s to {MOST}s"),
            }],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_read_as_go_reads_it() {
        let known = [("90s", 90_000), ("5m", 300_000), ("1h30m", 5_400_000), ("1.5s", 1_500), ("2m500ms", 120_500)];
        for (text, milliseconds) in known {
            assert_eq!(Between::<1, 86_400>::new(text).unwrap().milliseconds(), milliseconds, "{text}");
        }
        for wrong in ["", "5", "m", "5 m", "-5s", ".5s", "5.s", "1d", "5m5", "99999999999999999999999999999999h"] {
            assert_eq!(Between::<1, 86_400>::new(wrong), Err(DurationProblem::Form), "{wrong}");
        }
    }

    #[test]
    fn a_duration_outside_its_limits_is_refused_with_the_limits() {
        type Short = Between<1, 600>;
        assert!(Short::new("10m").is_ok());
        assert_eq!(Short::new("601s"), Err(DurationProblem::Range { least: 1, most: 600 }));
        assert_eq!(Short::new("999ms"), Err(DurationProblem::Range { least: 1, most: 600 }));
    }
}
