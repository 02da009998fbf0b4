//! A moment as the API server writes it: RFC 3339 in UTC, whole seconds or three decimals.
//!
//! The core counts milliseconds since 1970. The conversion is arithmetic over the calendar, so a pure crate can do it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a text is no moment. Not to be tried again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a moment is written as 2026-01-31T23:59:59Z, with three decimals or none, from 1970 to 9999")]
pub struct NoMoment;

/// A moment, in milliseconds since the start of 1970 in UTC; up to the end of 9999.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Moment(u64);

/// The first millisecond of the year 10000.
const END: u64 = 253_402_300_800_000;
/// One day.
const DAY: u64 = 86_400_000;

impl Moment {
    /// A moment by its count of milliseconds.
    pub fn from_milliseconds(milliseconds: u64) -> Result<Self, NoMoment> {
        if milliseconds < END { Ok(Self(milliseconds)) } else { Err(NoMoment) }
    }

    /// Milliseconds since the start of 1970 in UTC.
    pub fn milliseconds(self) -> u64 {
        self.0
    }

    /// Reads the written form; another spelling of the same moment is refused.
    pub fn parse(text: &str) -> Result<Self, NoMoment> {
        let moment = read(text).ok_or(NoMoment)?;
        // 30 February and a fraction of `.000` are read, and written in another way.
        if moment.to_string() == text { Ok(moment) } else { Err(NoMoment) }
    }
}

/// The value of a text whose digits stand where they must; days that do not exist run over into the next month.
fn read(text: &str) -> Option<Moment> {
    let bytes = text.as_bytes();
    let shape = matches!(bytes.len(), 20 | 24) && bytes.is_ascii() && bytes.last() == Some(&b'Z');
    if !shape {
        return None;
    }
    let number = |from: usize, to: usize| -> Option<u64> {
        let digits = &text[from..to];
        digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
    };
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let fraction = if bytes.len() == 24 { number(20, 23)? } else { 0 };
    let in_range = year >= 1970 && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !in_range || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds = hour * 3_600 + minute * 60 + second;
    Moment::from_milliseconds(days(year, month, day) * DAY + seconds * 1_000 + fraction).ok()
}

/// The days from the start of 1970 to a date of the Gregorian calendar. March is the first month, so that the leap day
/// is the last of a year.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year / 400, year % 400);
    let month = (month + 9) % 12;
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date of a day, the other way around.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    (year, month, day)
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date(self.0 / DAY);
        let (seconds, fraction) = (self.0 % DAY / 1_000, self.0 % 1_000);
        let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        if fraction > 0 {
            write!(f, ".{fraction:03}")?;
        }
        f.write_str("Z")
    }
}

impl fmt::Debug for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl TryFrom<String> for Moment {
    type Error = NoMoment;

    fn try_from(text: String) -> Result<Self, NoMoment> {
        Self::parse(&text)
    }
}

impl From<Moment> for String {
    fn from(moment: Moment) -> Self {
        moment.to_string()
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Moment {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Moment".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "date-time", "maxLength": 24 })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_moment_is_read_back_as_it_was(milliseconds in 0..END) {
            let moment = Moment::from_milliseconds(milliseconds).unwrap();
            prop_assert_eq!(Moment::parse(&moment.to_string()), Ok(moment));
        }
    }

    #[test]
    fn moments_that_are_known_have_their_counts() {
        let known = [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T00:00:00Z", 951_782_400_000),
            ("2026-11-30T15:50:15.250Z", 1_796_053_815_250),
            ("9999-12-31T23:59:59.999Z", END - 1),
        ];
        for (text, milliseconds) in known {
            assert_eq!(Moment::parse(text).unwrap().milliseconds(), milliseconds, "{text}");
        }
    }

    #[test]
    fn another_spelling_of_a_moment_is_refused() {
        let wrong = [
            "2026-02-30T00:00:00Z",
            "2026-01-01T00:00:00.000Z",
            "2026-01-01T00:00:00+00:00",
            "2026-01-01t00:00:00Z",
            "1969-12-31T23:59:59Z",
            "2026-13-01T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "",
        ];
        for text in wrong {
            assert_eq!(Moment::parse(text), Err(NoMoment), "{text}");
        }
    }
}
