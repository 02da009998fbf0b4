//! Durations as people write them: a whole number and a unit, and nothing else.

use std::time::Duration;

/// Why a text is no duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DurationError {
    /// It is not a whole number and a unit.
    Form,
    /// It is longer than 24 hours.
    TooLong,
}

/// The longest duration that is accepted: 24 hours. More is a mistake in the unit.
const LIMIT: Duration = Duration::from_hours(24);

impl std::error::Error for DurationError {}

impl std::fmt::Display for DurationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Form => "a time is a whole number and ms, s, m or h, such as 500ms, 5s or 2m",
            Self::TooLong => "the longest time is 24h",
        })
    }
}

/// Reads `500ms`, `5s`, `2m` or `1h`. A number alone is refused, except `0`, because its unit would be a guess.
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err(DurationError::Form),
    };
    if number.is_empty() {
        return Err(DurationError::Form);
    }
    // Digits alone: what does not fit is too long, not malformed.
    let milliseconds = number.parse::<u64>().ok().and_then(|n| n.checked_mul(factor)).ok_or(DurationError::TooLong)?;
    let duration = Duration::from_millis(milliseconds);
    if duration > LIMIT { Err(DurationError::TooLong) } else { Ok(duration) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_a_whole_number_and_a_unit() {
        let check = |text, expected| assert_eq!(parse_duration(text), expected, "{text:?}");
        check("500ms", Ok(Duration::from_millis(500)));
        check("5s", Ok(Duration::from_secs(5)));
        check("2m", Ok(Duration::from_mins(2)));
        check("24h", Ok(LIMIT));
        check("0", Ok(Duration::ZERO));
        check("0s", Ok(Duration::ZERO));
    }

    #[test]
    fn a_malformed_or_endless_duration_is_refused() {
        for wrong in ["", "5", "s", "-5s", "+5s", "5 s", "5S", "1.5s", "5s ", "5sec", "1m30s", "٥s"] {
            assert_eq!(parse_duration(wrong), Err(DurationError::Form), "{wrong:?}");
        }
        for long in ["25h", "99999999999999999999s", "18446744073709551615h"] {
            assert_eq!(parse_duration(long), Err(DurationError::TooLong), "{long:?}");
        }
    }
}
