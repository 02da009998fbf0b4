//! Kinds of objects: an open vocabulary that a provider declares, with the few traits in which Ptah has a say.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use crate::risk::{Loss, Risk};

/// What sort of thing an object or a member is, for example `table` or `column`.
///
/// The words of the field are constants here; a provider adds its own as `<provider ID>/<name>`. Lower-case ASCII.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(Cow<'static, str>);

/// Defines the kinds that have a word in the field.
macro_rules! kinds {
    ($($name:ident = $text:literal),* $(,)?) => {
        #[expect(missing_docs, reason = "each is the word that it returns")]
        impl Kind {
            /// The words of the field, which are not kept again by every object.
            const KNOWN: &[&str] = &[$($text),*];

            $(pub fn $name() -> Self { Self(Cow::Borrowed($text)) })*
        }
    };
}

kinds!(
    table = "table",
    column = "column",
    primary_key = "primary-key",
    unique = "unique",
    check = "check",
    foreign_key = "foreign-key",
    index = "index",
    view = "view",
    trigger = "trigger",
);

impl Kind {
    /// Any kind, by its word. An empty word, or one with characters other than lower-case ASCII letters, digits, `-`,
    /// `.`, `/` and `_`, is `None`.
    pub fn new(word: impl Into<String>) -> Option<Self> {
        let word = word.into();
        let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-./_".contains(&b);
        let is_kind = !word.is_empty() && word.len() <= 128 && word.bytes().all(allowed);
        is_kind.then(|| match Self::KNOWN.iter().find(|known| **known == word) {
            Some(known) => Self(Cow::Borrowed(known)),
            None => Self(Cow::Owned(word)),
        })
    }

    /// The word.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// What an object of a kind holds, and so what dropping it costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Rows: a table.
    Rows,
    /// A value in each row: a column.
    Values,
    /// A rule that keeps wrong data out: a key, a check, a reference.
    Protection,
    /// Only its own definition, with an effect on what is done: a view, a trigger.
    Definition,
    /// Nothing that cannot be made again from the rows: an index.
    Nothing,
}

impl Holds {
    /// The risk of dropping an object that holds this.
    pub fn drop_risk(self) -> Risk {
        match self {
            Self::Rows | Self::Values | Self::Protection => Risk::Destructive,
            Self::Definition | Self::Nothing => Risk::Warning,
        }
    }

    /// What dropping it loses.
    pub fn drop_loss(self) -> Option<Loss> {
        match self {
            Self::Rows => Some(Loss::Rows),
            Self::Values => Some(Loss::Values),
            Self::Protection => Some(Loss::Protection),
            Self::Definition => Some(Loss::Definition),
            Self::Nothing => None,
        }
    }
}

/// What a provider declares about one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindModel {
    /// The kind.
    pub kind: Kind,
    /// The kind of the object that it is a member of, or that owns it; absent for a kind that stands alone.
    pub parent: Option<Kind>,
    /// Whether it is a member (created and read with its parent) rather than an object of its own.
    pub member: bool,
    /// What it holds.
    pub holds: Holds,
    /// Whether the order among its siblings can be seen by users, as that of columns can.
    pub ordered: bool,
    /// Whether a rename hint may apply to it.
    pub renamable: bool,
}

/// The kinds of one provider, by word. A kind that is not in it is refused wherever a decision hangs on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KindCatalog(BTreeMap<Kind, KindModel>);

impl KindCatalog {
    /// A catalogue of the given models; the last one of a kind wins.
    pub fn new(models: impl IntoIterator<Item = KindModel>) -> Self {
        Self(models.into_iter().map(|m| (m.kind.clone(), m)).collect())
    }

    /// The model of a kind, or `None` when the provider did not declare it.
    pub fn get(&self, kind: &Kind) -> Option<&KindModel> {
        self.0.get(kind)
    }

    /// All models in the order of their words.
    pub fn iter(&self) -> impl Iterator<Item = &KindModel> {
        self.0.values()
    }
}
