//! How names compare: the two rules of the contract, and a name in both its spellings.

use crate::text::Text;

/// How two names of one kind compare. There are exactly these two; a provider that states neither is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Comparison {
    /// Byte for byte.
    Exact,
    /// With the ASCII letters folded; every other character is compared exactly.
    AsciiFold,
}

/// The effective identifier rules of an engine (its default) or of a session (what holds).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentifierRules {
    /// How table names, and the names of everything that lives beside tables, compare.
    pub table: Comparison,
    /// How column names compare.
    pub column: Comparison,
    /// How index names compare.
    pub index: Comparison,
    /// The schema that an unqualified name means; absent where the engine has no schemas.
    pub default_schema: Option<String>,
    /// The longest name, in bytes; absent when the engine has no limit.
    pub max_bytes: Option<u32>,
}

/// One name in the server's spelling and in the form by which it is compared.
///
/// Equality, order and hash use `normalized` alone: `Users` and `users` are one name where the rules fold.
#[derive(Clone, Debug)]
pub struct Name {
    /// As the server or the source has it, without quotes. Empty for a thing without a name, such as a constraint that
    /// was never given one.
    pub source: Text,
    /// What equality rests on; made by the provider under the session's rules. Never empty.
    pub normalized: Text,
}

impl Name {
    /// A name under one of the two rules.
    pub fn new(source: impl Into<Text>, rule: Comparison) -> Self {
        let source = source.into();
        let folds = rule == Comparison::AsciiFold && source.bytes().any(|byte| byte.is_ascii_uppercase());
        let normalized = if folds { fold_ascii(&source).into() } else { source.clone() };
        Self { source, normalized }
    }

    /// A thing that has no name of its own and is recognised by what it says.
    pub fn unnamed(content: impl Into<Text>) -> Self {
        Self { source: Text::default(), normalized: content.into() }
    }

    /// Whether it was given a name at all.
    pub fn is_named(&self) -> bool {
        !self.source.is_empty()
    }

    /// What to show a person: the name, or the content of a thing without one.
    pub fn shown(&self) -> &str {
        if self.is_named() { &self.source } else { &self.normalized }
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.normalized == other.normalized
    }
}

impl Eq for Name {}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.normalized.cmp(&other.normalized)
    }
}

impl std::hash::Hash for Name {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.normalized.hash(state);
    }
}

/// Folds the ASCII letters to lower case and leaves everything else alone: `É` never becomes `é`.
pub fn fold_ascii(text: &str) -> String {
    text.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ascii_letters_fold() {
        let fold = |s: &str| Name::new(s, Comparison::AsciiFold);
        assert_eq!(fold("Users"), fold("USERS"));
        assert_ne!(fold("É"), fold("é"));
        assert_ne!(Name::new("Users", Comparison::Exact), Name::new("users", Comparison::Exact));
        assert_eq!(fold("Users").source, "Users");
    }
}
