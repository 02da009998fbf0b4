//! A whole number between two limits, wherever it came from.

use serde::{Deserialize, Serialize};

/// Why a number is refused. Not to be tried again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the number is outside of {least} to {most}")]
pub struct OutOfRange {
    /// The least that is allowed.
    pub least: u64,
    /// The most that is allowed.
    pub most: u64,
}

/// A whole number from `LEAST` to `MOST`, both included. Neither exceeds 2^53, so that any reader of JSON keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Whole<const LEAST: u64, const MOST: u64>(u64);

impl<const LEAST: u64, const MOST: u64> Whole<LEAST, MOST> {
    /// Wraps a number, if it is within the limits.
    pub fn new(number: u64) -> Result<Self, OutOfRange> {
        if (LEAST..=MOST).contains(&number) { Ok(Self(number)) } else { Err(OutOfRange { least: LEAST, most: MOST }) }
    }

    /// The number.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl<const LEAST: u64, const MOST: u64> TryFrom<u64> for Whole<LEAST, MOST> {
    type Error = OutOfRange;

    fn try_from(number: u64) -> Result<Self, OutOfRange> {
        Self::new(number)
    }
}

impl<const LEAST: u64, const MOST: u64> From<Whole<LEAST, MOST>> for u64 {
    fn from(number: Whole<LEAST, MOST>) -> Self {
        number.0
    }
}

#[cfg(feature = "schema")]
impl<const LEAST: u64, const MOST: u64> schemars::JsonSchema for Whole<LEAST, MOST> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Whole_{LEAST}_{MOST}").into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "integer", "format": "int64", "minimum": LEAST, "maximum": MOST })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_outside_its_limits_is_refused_when_made_and_when_read() {
        type Small = Whole<1, 3>;
        assert_eq!(Small::new(3).map(Small::get), Ok(3));
        assert_eq!(Small::new(0), Err(OutOfRange { least: 1, most: 3 }));
        assert!(serde_json::from_str::<Small>("4").is_err());
        assert!(serde_json::from_str::<Small>("-1").is_err());
        assert!(serde_json::from_str::<Small>("1.0").is_err());
    }
}
