//! JSON in and out: the same bytes for the same content, and an error that quotes nothing but a field's name.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

/// Why a text is no document of the wanted type. Not to be tried again.
///
/// It holds where and, at most, the name of a field: never a value from the document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonProblem {
    /// It is no JSON.
    #[error("it is no JSON at line {line}, column {column}")]
    Syntax {
        /// From 1.
        line: usize,
        /// In bytes, from 1; 0 at the start of a line.
        column: usize,
    },
    /// It has a field that the version does not have.
    #[error("the field `{name}` at line {line}, column {column} is not known")]
    UnknownField {
        /// The field.
        name: String,
        /// From 1.
        line: usize,
        /// In bytes, from 1.
        column: usize,
    },
    /// It lacks a field.
    #[error("the field `{name}` is missing before line {line}, column {column}")]
    MissingField {
        /// The field.
        name: String,
        /// From 1.
        line: usize,
        /// In bytes, from 1.
        column: usize,
    },
    /// A field holds what it cannot hold, or stands there twice.
    #[error("what stands before line {line}, column {column} is not what belongs there")]
    Shape {
        /// From 1.
        line: usize,
        /// In bytes, from 1.
        column: usize,
    },
}

/// The bytes of a document: indented by two spaces, with a final newline.
///
/// # Panics
///
/// Only for a document with a map whose keys are no texts; none of this crate has one.
pub fn to_bytes<T: Serialize>(document: &T) -> Vec<u8> {
    #[expect(
        clippy::expect_used,
        reason = "documents are structs of texts, numbers and lists, and memory does not refuse a write"
    )]
    let mut bytes = serde_json::to_vec_pretty(document).expect("a document can be written");
    bytes.push(b'\n');
    bytes
}

/// Reads a document. One that is followed by anything but white space is refused.
pub(crate) fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, JsonProblem> {
    serde_json::from_slice(bytes).map_err(|error| classify(&error))
}

/// The library tells the causes of a wrong shape apart by its text alone, so the name is cut out of that; a text that
/// is worded in another way one day becomes the general cause, and no value can get through.
fn classify(error: &serde_json::Error) -> JsonProblem {
    let (line, column) = (error.line(), error.column());
    match error.classify() {
        Category::Syntax | Category::Eof | Category::Io => JsonProblem::Syntax { line, column },
        Category::Data => {
            let text = error.to_string();
            let named = |prefix: &str| {
                let name = text.strip_prefix(prefix)?.split('`').next()?;
                let clean = !name.is_empty() && name.len() <= 64 && !name.chars().any(char::is_control);
                clean.then(|| name.to_owned())
            };
            if let Some(name) = named("unknown field `") {
                return JsonProblem::UnknownField { name, line, column };
            }
            match named("missing field `") {
                Some(name) => JsonProblem::MissingField { name, line, column },
                None => JsonProblem::Shape { line, column },
            }
        }
    }
}
