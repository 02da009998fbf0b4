//! The key that a request carries and its receipt must echo byte for byte.

use ptah_model::Scope;

use crate::Violation;

/// The handle of a session: at least 128 random bits, made by the provider. Not a secret to the provider's host, but
/// never printed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(String);

impl SessionId {
    /// Wraps a handle. 1 to 64 of `[A-Za-z0-9_-]`.
    pub fn new(text: impl Into<String>) -> Result<Self, Violation> {
        let text = text.into();
        check_opaque(&text, "Session", "session_id")?;
        Ok(Self(text))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for SessionId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SessionId(…)")
    }
}

/// The ID of one request (for a lock: the lock ID). Made by the host, never reused.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(String);

impl RequestId {
    /// Wraps an ID. 1 to 64 of `[A-Za-z0-9_-]`.
    pub fn new(text: impl Into<String>) -> Result<Self, Violation> {
        let text = text.into();
        check_opaque(&text, "Key", "request_id")?;
        Ok(Self(text))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Which request a receipt answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The session the request runs on.
    pub session: SessionId,
    /// What it is about.
    pub scope: Scope,
    /// Which request it is.
    pub request: RequestId,
}

impl Key {
    /// Refuses a receipt that names another session, scope or request than was asked.
    pub fn check_echo(&self, echoed: &Self, message: &'static str) -> Result<(), Violation> {
        Violation::unless(echoed.session == self.session, message, "key.session_id", "echoes the request")?;
        Violation::unless(echoed.scope == self.scope, message, "key.scope", "echoes the request")?;
        Violation::unless(echoed.request == self.request, message, "key.request_id", "echoes the request")
    }
}

fn check_opaque(text: &str, message: &'static str, field: &'static str) -> Result<(), Violation> {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    let good = (1..=64).contains(&text.len()) && text.bytes().all(allowed);
    Violation::unless(good, message, field, "has 1 to 64 letters, digits, `-` or `_`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(session: &str, scope: &str, request: &str) -> Key {
        Key {
            session: SessionId::new(session).unwrap(),
            scope: Scope::new(scope).unwrap(),
            request: RequestId::new(request).unwrap(),
        }
    }

    #[test]
    fn a_receipt_that_changes_any_part_of_the_key_is_refused() {
        let asked = key("s", "c", "r");
        assert!(asked.check_echo(&key("s", "c", "r"), "LockReceipt").is_ok());
        for changed in [key("x", "c", "r"), key("s", "x", "r"), key("s", "c", "x")] {
            assert!(asked.check_echo(&changed, "LockReceipt").is_err(), "{changed:?}");
        }
    }

    #[test]
    fn an_id_outside_its_alphabet_is_refused() {
        for wrong in ["", "a b", "é", &"x".repeat(65)] {
            assert!(RequestId::new(wrong).is_err() && SessionId::new(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn an_id_keeps_its_text_and_a_handle_is_never_printed() {
        let text = "aZ09-_";
        assert_eq!((RequestId::new(text).unwrap().as_str(), SessionId::new(text).unwrap().as_str()), (text, text));
        assert_eq!(format!("{:?}", SessionId::new(text).unwrap()), "SessionId(…)");
    }
}
