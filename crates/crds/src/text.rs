//! Texts with limits that only resources have.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// Why a text is not what a field wants. It quotes no value. Not to be tried again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} does not have the form that it must have")]
pub struct FormProblem {
    /// Which text.
    pub what: &'static str,
}

/// Defines one text: its word, its limit, its pattern, and the function that says the same.
macro_rules! text {
    ($(#[$doc:meta])* $name:ident, $what:literal, $most:literal, $pattern:literal, $rule:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Checks `text` and wraps it.
            pub fn new(text: impl Into<String>) -> Result<Self, FormProblem> {
                let text = text.into();
                let rule: fn(&str) -> bool = $rule;
                let fits = !text.is_empty() && text.len() <= $most && rule(&text);
                if fits { Ok(Self(text)) } else { Err(FormProblem { what: $what }) }
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = FormProblem;

            fn try_from(text: String) -> Result<Self, FormProblem> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> Self {
                text.0
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "minLength": 1, "maxLength": $most, "pattern": $pattern })
            }
        }
    };
}

text!(
    /// A stable name of a physical database within a namespace.
    CoordinationKey, "a coordination key", 253, "^[a-z0-9]([a-z0-9._:/-]*[a-z0-9])?$", is_coordination_key
);
text!(
    /// A table, with or without its schema, as it is written in SQL without quotes.
    TableName, "a table's name", 256, "^[A-Za-z_][A-Za-z0-9_$]*([.][A-Za-z_][A-Za-z0-9_$]*)?$", is_table
);
text!(
    /// A pattern over names of objects; neither begins nor ends with a blank.
    NamePattern, "a pattern", 256, "^[^\\x00-\\x20\\x7f]([^\\x00-\\x1f\\x7f]*[^\\x00-\\x20\\x7f])?$", is_pattern
);
text!(
    /// The reason of a condition: one word in camel case.
    Reason, "a reason", 128, "^[A-Z][A-Za-z0-9]*$", is_reason
);

fn is_coordination_key(text: &str) -> bool {
    let outer = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.starts_with(outer) && text.ends_with(outer) && text.chars().all(|c| outer(c) || "._:/-".contains(c))
}

fn is_table(text: &str) -> bool {
    let one = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
    };
    text.split('.').count() <= 2 && text.split('.').all(one)
}

fn is_pattern(text: &str) -> bool {
    !text.starts_with(' ') && !text.ends_with(' ') && !text.chars().any(|c| c.is_ascii_control())
}

fn is_reason(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase()) && text.chars().all(|c| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_pattern_allows_is_refused() {
        assert!(CoordinationKey::new("prod/finance/billing-main").is_ok());
        for wrong in ["", "Prod", "-a", "a-", "a b"] {
            assert!(CoordinationKey::new(wrong).is_err(), "{wrong}");
        }
        assert!(TableName::new("core.tenants").is_ok());
        for wrong in ["a.b.c", "1a", "a-b", "."] {
            assert!(TableName::new(wrong).is_err(), "{wrong}");
        }
        assert!(NamePattern::new("audit.*").is_ok());
        for wrong in [" a", "a ", "a\tb", " "] {
            assert!(NamePattern::new(wrong).is_err(), "{wrong}");
        }
        assert!(Reason::new("AwaitingApproval").is_ok());
        assert!(Reason::new("awaiting approval").is_err());
    }
}
