//! Names: how they are written, what they are, and how SQLite compares them.
//!
//! SQLite compares names by ASCII case only: `É` and `é` are two names.

use std::borrow::Cow;
use std::fmt;

/// From `AS` to `CURRENT_TIMESTAMP`; the parser crate's look-up takes no others.
const KEYWORD_LENGTHS: std::ops::RangeInclusive<usize> = 2..=17;

/// Words that SQLite never takes as a bare name: its keywords without those in `%fallback` of its grammar.
const RESERVED: [&str; 58] = [
    "ADD",
    "ALL",
    "ALTER",
    "AND",
    "AS",
    "AUTOINCREMENT",
    "BETWEEN",
    "CASE",
    "CHECK",
    "COLLATE",
    "COMMIT",
    "CONSTRAINT",
    "CREATE",
    "DEFAULT",
    "DEFERRABLE",
    "DELETE",
    "DISTINCT",
    "DROP",
    "ELSE",
    "ESCAPE",
    "EXCEPT",
    "EXISTS",
    "FOREIGN",
    "FROM",
    "GROUP",
    "HAVING",
    "IN",
    "INDEX",
    "INSERT",
    "INTERSECT",
    "INTO",
    "IS",
    "ISNULL",
    "JOIN",
    "LIMIT",
    "NOT",
    "NOTHING",
    "NOTNULL",
    "NULL",
    "ON",
    "OR",
    "ORDER",
    "PRIMARY",
    "REFERENCES",
    "RETURNING",
    "SELECT",
    "SET",
    "TABLE",
    "THEN",
    "TO",
    "TRANSACTION",
    "UNION",
    "UNIQUE",
    "UPDATE",
    "USING",
    "VALUES",
    "WHEN",
    "WHERE",
];

/// A name with all that is known about how it was written.
#[derive(Clone, Debug)]
pub struct Name {
    /// As it stands in the text, quotes included.
    pub written: String,
    /// Without quotes.
    pub text: String,
    /// Without quotes and in ASCII lower case: what SQLite compares.
    pub folded: String,
}

impl Name {
    /// The name that a token of a text stands for.
    pub fn from_written(written: &str) -> Self {
        let text = unquote(written).into_owned();
        Self { written: written.to_owned(), folded: fold(&text), text }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Names are equal when SQLite takes them for the same name, however they were written.
impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.folded == other.folded
    }
}

impl Eq for Name {}

/// The ASCII lower case of a name.
pub fn fold(name: &str) -> String {
    name.to_ascii_lowercase()
}

/// A name or string without its quotes (`"`, `` ` ``, `[`, `'`); a doubled quote becomes one. Bare text stays as it is.
pub fn unquote(written: &str) -> Cow<'_, str> {
    let (close, doubled) = match written.chars().next() {
        Some('[') => (']', None),
        Some('"') => ('"', Some("\"\"")),
        Some('`') => ('`', Some("``")),
        Some('\'') => ('\'', Some("''")),
        _ => return Cow::Borrowed(written),
    };
    let inner = &written[1..];
    let inner = inner.strip_suffix(close).unwrap_or(inner);
    match doubled {
        Some(doubled) if inner.contains(doubled) => Cow::Owned(inner.replace(doubled, &doubled[1..])),
        _ => Cow::Borrowed(inner),
    }
}

/// A name as SQL text: bare where that is safe everywhere, otherwise in `"…"`.
///
/// Every keyword is quoted, also those that SQLite would take as a name in most places, and `true` and `false`, which
/// are values where no column has that name.
pub fn quote_name(name: &str) -> Cow<'_, str> {
    if is_bare(name) { Cow::Borrowed(name) } else { Cow::Owned(format!("\"{}\"", name.replace('"', "\"\""))) }
}

/// A text as an SQL string literal.
pub fn quote_string(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn is_bare(name: &str) -> bool {
    let starts = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80);
    let continues = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80;
    // A byte order mark at the start of a token is white space for SQLite.
    starts && name.bytes().all(continues) && !name.contains('\u{feff}') && !is_keyword(name)
}

/// Whether SQLite refuses a bare word as a name everywhere.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.iter().any(|reserved| word.eq_ignore_ascii_case(reserved))
}

/// Whether a bare word could be read as something other than a name.
pub fn is_keyword(word: &str) -> bool {
    // Newer than the parser crate, or a value instead of a keyword.
    let extra = ["true", "false", "within"];
    extra.iter().any(|known| word.eq_ignore_ascii_case(known))
        || (KEYWORD_LENGTHS.contains(&word.len())
            && word.is_ascii()
            && sqlite3_parser::dialect::keyword_token(word.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_quote_is_removed() {
        for (written, text) in [
            ("x", "x"),
            ("\"x\"\"y\"", "x\"y"),
            ("`x``y`", "x`y"),
            ("[x\"y]", "x\"y"),
            ("'it''s'", "it's"),
            ("\"\"", ""),
            ("\"\"\"\"", "\""),
        ] {
            assert_eq!(unquote(written), text, "{written}");
        }
    }

    #[test]
    fn a_name_is_quoted_only_when_it_must_be() {
        for (name, text) in [
            ("plain", "plain"),
            ("Mixed_1$", "Mixed_1$"),
            ("été", "été"),
            ("order", "\"order\""),
            ("key", "\"key\""),
            ("True", "\"True\""),
            ("two words", "\"two words\""),
            ("1st", "\"1st\""),
            ("a\"b", "\"a\"\"b\""),
            ("", "\"\""),
            ("\u{feff}a", "\"\u{feff}a\""),
        ] {
            assert_eq!(quote_name(name), text, "{name}");
        }
    }

    #[test]
    fn the_grammar_takes_no_reserved_word_as_a_name_and_every_other_keyword() {
        let takes = |word: &str| {
            let text = format!("CREATE TABLE t({word} INT)");
            crate::sql::parse::with_statement(&text, |_| ()).is_ok()
        };
        for word in RESERVED {
            assert!(is_reserved(&word.to_ascii_lowercase()) && !takes(word), "{word}");
        }
        for word in
            ["KEY", "IF", "BEGIN", "END", "LEFT", "INDEXED", "TEMP", "WINDOW", "OVER", "FILTER", "DO", "GENERATED"]
        {
            assert!(!is_reserved(word) && takes(word), "{word}");
        }
    }

    #[test]
    fn only_ascii_case_is_ignored() {
        assert_eq!(Name::from_written("\"Otter\""), Name::from_written("OTTER"));
        assert_ne!(Name::from_written("É"), Name::from_written("é"));
    }
}
