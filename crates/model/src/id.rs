//! Identifiers with limits: text that was checked once, when it was made, and has a type that says so.

use std::fmt;

/// Why a text is no identifier of the wanted type. `what` is the type's word, for the message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// The text is empty or longer than the type allows.
    #[error("{what} has {length} bytes; 1 to {limit} are allowed")]
    Length {
        /// Which identifier.
        what: &'static str,
        /// How long the text was, in bytes.
        length: usize,
        /// The most that is allowed, in bytes.
        limit: usize,
    },
    /// The text has a character that the type does not allow.
    #[error("{what} has a character that is not allowed there")]
    Character {
        /// Which identifier.
        what: &'static str,
    },
}

/// Checks length and characters of an identifier.
fn check(what: &'static str, text: &str, limit: usize, allowed: fn(char) -> bool) -> Result<(), IdError> {
    if text.is_empty() || text.len() > limit {
        return Err(IdError::Length { what, length: text.len(), limit });
    }
    if text.chars().all(allowed) { Ok(()) } else { Err(IdError::Character { what }) }
}

/// Defines one identifier type: its word, its limit in bytes, the characters it allows.
macro_rules! identifier {
    ($(#[$doc:meta])* $name:ident, $what:literal, $limit:literal, $allowed:expr) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// Checks `text` and wraps it.
            pub fn new(text: impl Into<String>) -> Result<Self, IdError> {
                let text = text.into();
                check($what, &text, $limit, $allowed)?;
                Ok(Self(text))
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }
    };
}

/// Letters, digits, `-` and `_`: what every opaque identifier of ours is made of.
fn opaque(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

identifier!(
    /// Names one authorised operation; the database refuses to run it twice. A UUIDv7 in text form, made by the host.
    OperationId, "an operation ID", 64, opaque
);
identifier!(
    /// Names one reading that the provider still holds, so that later requests can refer to it.
    SnapshotId, "a snapshot ID", 64, opaque
);
identifier!(
    /// The name of an engine, as in a URL or a manifest: `[a-z][a-z0-9-]*`, at most 32 bytes.
    EngineName, "an engine name", 32, |c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'
);
identifier!(
    /// Who made a provider, for example `ptah.run/example`; printable ASCII without white space, at most 255 bytes.
    ProviderId, "a provider ID", 255, |c| c.is_ascii_graphic()
);
identifier!(
    /// What a lock or a claim is about, for example `ptah`: UTF-8 without control characters, at most 255 bytes.
    Scope, "a scope", 255, |c| !c.is_control()
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_outside_its_limits_is_refused_with_the_limit() {
        assert_eq!(
            EngineName::new("a".repeat(33)).unwrap_err().to_string(),
            "an engine name has 33 bytes; 1 to 32 are allowed"
        );
        assert_eq!(EngineName::new("Big").unwrap_err(), IdError::Character { what: "an engine name" });
        assert!(OperationId::new("").is_err());
        assert!(Scope::new("a\nb").is_err());
        assert!(EngineName::new("maria-db2").is_ok());
    }
}
