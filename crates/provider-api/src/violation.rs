//! What a message broke: written for the author of the side that sent it.

use std::fmt;

/// A message that does not keep the contract. `message` is its name, `field` the field, `rule` the sentence it broke.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Violation {
    /// The message, for example `LockReceipt`.
    pub message: &'static str,
    /// The field within it, for example `key.request_id`.
    pub field: &'static str,
    /// The rule that it broke, as one lower-case sentence without a value from the message.
    pub rule: &'static str,
}

impl Violation {
    /// A broken rule.
    pub fn new(message: &'static str, field: &'static str, rule: &'static str) -> Self {
        Self { message, field, rule }
    }

    /// `Ok` when the rule holds.
    pub fn unless(holds: bool, message: &'static str, field: &'static str, rule: &'static str) -> Result<(), Self> {
        if holds { Ok(()) } else { Err(Self::new(message, field, rule)) }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}: {}", self.message, self.field, self.rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violation_names_the_message_the_field_and_the_rule() {
        let broken = Violation::new("LockReceipt", "key.scope", "echoes the request");
        assert_eq!(broken.to_string(), "LockReceipt.key.scope: echoes the request");
    }
}
