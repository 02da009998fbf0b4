//! SHA-256 digests over exact bytes, and a builder that cannot confuse neighbouring fields.
//!
//! The algorithm is named in the text form (`sha256:<64 hex>`) so that another one can be told apart later.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

/// The SHA-256 of exact bytes. Text form: `sha256:` and 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// Why a text is no digest. The caller names the field it came from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DigestError {
    /// The text does not start with `sha256:`.
    #[error("a digest starts with `sha256:`")]
    Algorithm,
    /// What follows is not 64 lower-case hexadecimal digits.
    #[error("a digest has 64 lower-case hexadecimal digits")]
    Digits,
}

impl Digest {
    /// The digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// A digest that was computed elsewhere, as its 32 bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first 12 hexadecimal digits: enough for a person to tell two digests apart, never enough to compare.
    pub fn short(&self) -> String {
        hex::encode(&self.0[..6])
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", hex::encode(self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let digits = text.strip_prefix("sha256:").ok_or(DigestError::Algorithm)?;
        let lower = digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if digits.len() != 64 || !lower {
            return Err(DigestError::Digits);
        }
        let mut bytes = [0; 32];
        hex::decode_to_slice(digits, &mut bytes).map_err(|_| DigestError::Digits)?;
        Ok(Self(bytes))
    }
}

/// Hashes a sequence of fields, each with its length in front, so that `["ab", "c"]` and `["a", "bc"]` differ.
///
/// A field is written as its length in bytes (8 bytes, big endian) and its bytes. The first field is the domain: a
/// short constant that says what is being hashed, so that digests of different things never meet.
#[derive(Clone, Debug)]
pub struct DigestBuilder(Sha256);

impl DigestBuilder {
    /// Starts a digest in `domain`, for example `ptah.object.v1`.
    pub fn new(domain: &str) -> Self {
        Self(Sha256::new()).text(domain)
    }

    /// Adds one field of raw bytes.
    #[must_use]
    pub fn bytes(mut self, field: &[u8]) -> Self {
        self.0.update((field.len() as u64).to_be_bytes());
        self.0.update(field);
        self
    }

    /// Adds one field of text.
    #[must_use]
    pub fn text(self, field: &str) -> Self {
        self.bytes(field.as_bytes())
    }

    /// Adds a number as eight big-endian bytes; used for counts, so that lists of lists stay unambiguous.
    #[must_use]
    pub fn number(self, value: u64) -> Self {
        self.bytes(&value.to_be_bytes())
    }

    /// Adds an optional text: absent and empty differ.
    #[must_use]
    pub fn optional(self, field: Option<&str>) -> Self {
        match field {
            Some(text) => self.number(1).text(text),
            None => self.number(0),
        }
    }

    /// The digest of all fields so far.
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_reads_back_what_it_prints() {
        let digest = Digest::of(b"abc");
        assert_eq!(digest.to_string().parse(), Ok(digest));
        assert_eq!(digest.to_string(), "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn upper_case_short_and_unnamed_digests_are_refused() {
        let good = Digest::of(b"abc").to_string();
        assert_eq!(good.to_uppercase().parse::<Digest>(), Err(DigestError::Algorithm));
        assert_eq!(good[..70].parse::<Digest>(), Err(DigestError::Digits));
        assert_eq!(format!("sha256:{}", "A".repeat(64)).parse::<Digest>(), Err(DigestError::Digits));
        assert_eq!(good[7..].parse::<Digest>(), Err(DigestError::Algorithm));
    }

    #[test]
    fn neighbouring_fields_cannot_trade_bytes() {
        let split = |a: &str, b: &str| DigestBuilder::new("t").text(a).text(b).finish();
        assert_ne!(split("ab", "c"), split("a", "bc"));
        assert_ne!(
            DigestBuilder::new("t").optional(None).finish(),
            DigestBuilder::new("t").optional(Some("")).finish()
        );
    }
}
