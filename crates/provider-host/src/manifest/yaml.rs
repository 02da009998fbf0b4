//! The text of a manifest as YAML. Unknown and repeated keys are refused; the parser's own sentences are not shown,
//! because they can quote values.

use ptah_model::{Diagnostic, Position, SourceName};
use serde::Deserialize;
use serde_saphyr::{DuplicateKeyPolicy, Error, Location, MergeKeyPolicy, Spanned};

use super::SYNTAX;

/// The document.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    pub(super) providers: Vec<Entry>,
}

/// One provider, as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) id: Spanned<String>,
    pub(super) executable: Spanned<String>,
    pub(super) sha256: Spanned<String>,
    pub(super) engines: Spanned<Vec<EngineEntry>>,
    #[serde(default)]
    pub(super) environment: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) min_contract: Option<Spanned<String>>,
}

/// One engine, as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EngineEntry {
    pub(super) name: Spanned<String>,
    #[serde(default)]
    pub(super) aliases: Vec<Spanned<String>>,
}

/// Turns the parser's locations into positions.
#[derive(Debug)]
pub(super) struct Places<'a> {
    pub(super) text: &'a str,
    pub(super) source: SourceName,
}

impl Places<'_> {
    /// The position of a value.
    pub(super) fn of<T>(&self, value: &Spanned<T>) -> Position {
        self.at(value.referenced)
    }

    /// Columns count bytes here and characters in the parser.
    fn at(&self, location: Location) -> Position {
        let line = u32::try_from(location.line()).unwrap_or(u32::MAX).max(1);
        let before = usize::try_from(location.column()).unwrap_or(1).saturating_sub(1);
        let start: usize = self.text.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
        let rest = self.text.get(start..).unwrap_or_default();
        let skipped: usize = rest.chars().take(before).map(char::len_utf8).sum();
        Position {
            source: self.source.clone(),
            offset: (start + skipped) as u64,
            length: 0,
            line,
            column: u32::try_from(skipped).unwrap_or(u32::MAX).saturating_add(1),
        }
    }
}

/// Reads the text.
pub(super) fn parse(text: &str, source: &SourceName) -> Result<Document, Diagnostic> {
    let options = serde_saphyr::options! {
        strict_booleans: true,
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::Error,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let finding = Diagnostic::error(SYNTAX, sentence(error.without_snippet()));
        let places = Places { text, source: source.clone() };
        match error.location() {
            Some(location) if location != Location::UNKNOWN => finding.at(places.at(location)),
            _ => finding,
        }
    })
}

/// Our sentence for the parser's error.
fn sentence(error: &Error) -> String {
    match error {
        Error::SerdeUnknownField { field, expected, .. } => {
            format!("the key `{}` is not known here; known are {}", field.escape_debug(), expected.join(", "))
        }
        Error::SerdeMissingField { field, .. } => format!("the key `{field}` is missing"),
        Error::DuplicateMappingKey { key: Some(key), .. } => format!("the key `{}` stands twice", key.escape_debug()),
        Error::DuplicateMappingKey { key: None, .. } => "a key stands twice".to_owned(),
        Error::SerdeInvalidType { .. } | Error::Unexpected { .. } => "the value is not of the expected type".to_owned(),
        Error::MultipleDocuments { .. } => "the file has more than one document".to_owned(),
        Error::MergeKeyNotAllowed { .. } => "merge keys are not allowed".to_owned(),
        Error::Eof { .. } => "the file is empty or ends too early".to_owned(),
        _ => "the text is not valid YAML".to_owned(),
    }
}
