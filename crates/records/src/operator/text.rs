//! Texts with limits, as they stand in the operator's records: checked when they are made, read or decoded.
//!
//! Each type has one rule, in three forms that belong together: a length in bytes, a pattern for the API server, and a
//! function for us, because a pure crate links no engine for patterns. A test draws texts from each pattern and asks
//! the function.

use std::fmt;

use ptah_model::Digest;
use serde::{Deserialize, Serialize};

mod rules;

/// Why a text is not what a field wants. It quotes no value. Not to be tried again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextProblem {
    /// It is too short or too long.
    #[error("{what} has {length} bytes; {least} to {most} are allowed")]
    Length {
        /// Which text.
        what: &'static str,
        /// How long it is, in bytes.
        length: usize,
        /// The least that is allowed, in bytes.
        least: usize,
        /// The most that is allowed, in bytes.
        most: usize,
    },
    /// It does not look like one.
    #[error("{what} does not have the form that it must have")]
    Form {
        /// Which text.
        what: &'static str,
    },
}

/// Defines one text: its word, its limits in bytes, its pattern, and the function that says the same.
macro_rules! text {
    ($(#[$doc:meta])* $name:ident, $what:literal, $least:literal..=$most:literal, $pattern:literal, $rule:expr) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The most bytes that it may have.
            pub const LIMIT: usize = $most;
            /// What it has to match, as the API server reads a pattern.
            pub const PATTERN: &'static str = $pattern;

            /// Checks `text` and wraps it.
            pub fn new(text: impl Into<String>) -> Result<Self, TextProblem> {
                let text = text.into();
                let length = text.len();
                if !($least..=$most).contains(&length) {
                    return Err(TextProblem::Length { what: $what, length, least: $least, most: $most });
                }
                let rule: fn(&str) -> bool = $rule;
                if rule(&text) { Ok(Self(text)) } else { Err(TextProblem::Form { what: $what }) }
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = TextProblem;

            fn try_from(text: String) -> Result<Self, TextProblem> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> Self {
                text.0
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

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "string", "minLength": $least, "maxLength": $most, "pattern": $pattern,
                })
            }
        }
    };
}

text!(
    /// A SHA-256 over exact bytes.
    Sha256, "a digest", 71..=71, "^sha256:[0-9a-f]{64}$", rules::sha256
);
text!(
    /// One operation: a UUID of version 7, made with the claim and never used again.
    OperationId, "an operation ID", 36..=36,
    "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$", rules::uuid_v7
);
text!(
    /// The token of one unbroken tenure of a Lease, or of one set of execution components.
    Epoch, "an epoch", 35..=35, "^v1-[0-9a-f]{32}$", rules::epoch
);
text!(
    /// What the API server calls one object, never given to another one.
    Uid, "a UID", 1..=128, "^[A-Za-z0-9._-]+$", rules::uid
);
text!(
    /// The name of an object: a DNS subdomain.
    ObjectName, "an object's name", 1..=253,
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$", rules::subdomain
);
text!(
    /// The name of a namespace, a Job or a resource whose name becomes a label: a DNS label.
    LabelName, "a name that fits into a label", 1..=63, "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", rules::label
);
text!(
    /// A key of a Secret or a ConfigMap.
    DataKey, "a key", 1..=253, "^[-._A-Za-z0-9]+$", rules::data_key
);
text!(
    /// The name of an engine as a person wrote it; whether it is supported is said in the status.
    EngineText, "an engine's name", 1..=63, "^[A-Za-z][A-Za-z0-9._-]*$", rules::engine
);
text!(
    /// An image by digest.
    Image, "an image", 73..=512, "^[^\\s@]+@sha256:[0-9a-f]{64}$", rules::image
);
text!(
    /// A version or a revision: printable ASCII without white space.
    VersionText, "a version", 1..=128, "^[!-~]+$", rules::graphic
);
text!(
    /// What identifies one migration in its artifact, and what its checksum is: printable ASCII without white space.
    MigrationKey, "a migration's key", 1..=128, "^[!-~]+$", rules::graphic
);
text!(
    /// A stable code for a cause: lower-case words with underscores.
    Code, "a code", 1..=64, "^[a-z][a-z0-9_]*$", rules::code
);
text!(
    /// Where an artifact is: an OCI address by tag or digest, without a query.
    OciReference, "an OCI address", 7..=1024, "^oci://[^\\s?#]+$", rules::oci
);
text!(
    /// The name of a user as the API server knows it.
    UserName, "a user's name", 1..=512, "^[^\\x00-\\x1f\\x7f]+$", rules::no_control
);
text!(
    /// A short name of ours or of a database's object, such as a pattern that leaves tables out.
    ShortText, "a short text", 1..=256, "^[^\\x00-\\x1f\\x7f]+$", rules::no_control
);
text!(
    /// One sentence of ours: never the text of a driver, never a value.
    Sentence, "a sentence", 1..=1024, "^[^\\x00-\\x1f\\x7f]+$", rules::no_control
);
text!(
    /// A media type of an artifact.
    MediaType, "a media type", 1..=255, "^[!-~]+$", rules::graphic
);

text!(
    /// The name of a host: DNS labels.
    HostName, "a host's name", 1..=253,
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$", rules::subdomain
);
text!(
    /// Certificates in their text form. They are public.
    Pem, "a certificate", 1..=16_384, "^-----BEGIN CERTIFICATE-----[\\n-~]*$", rules::certificate
);

impl From<&Digest> for Sha256 {
    fn from(digest: &Digest) -> Self {
        Self(digest.to_string())
    }
}

impl From<&Sha256> for Digest {
    fn from(text: &Sha256) -> Self {
        #[expect(clippy::expect_used, reason = "a text of this type has passed the same rule")]
        text.0.parse().expect("a digest in its text form")
    }
}

#[cfg(test)]
mod tests;
