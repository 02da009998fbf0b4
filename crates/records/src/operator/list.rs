//! A list that cannot grow past its limit, wherever it came from.

use serde::{Deserialize, Deserializer, Serialize};

/// Why a list is refused. Not to be tried again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the list has {length} entries; at most {most} are allowed")]
pub struct TooMany {
    /// How many there are.
    pub length: usize,
    /// How many are allowed.
    pub most: usize,
}

/// At most `MOST` entries, in the order in which they were given; may be empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct List<T, const MOST: usize>(Vec<T>);

impl<T, const MOST: usize> List<T, MOST> {
    /// Wraps the entries, if there are not too many.
    pub fn new(entries: Vec<T>) -> Result<Self, TooMany> {
        if entries.len() > MOST {
            return Err(TooMany { length: entries.len(), most: MOST });
        }
        Ok(Self(entries))
    }

    /// The entries that there is room for, and whether some were left out.
    pub fn cut(mut entries: Vec<T>) -> (Self, bool) {
        let is_cut = entries.len() > MOST;
        entries.truncate(MOST);
        (Self(entries), is_cut)
    }

    /// The entries.
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }

    /// The entries, taken out.
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T, const MOST: usize> Default for List<T, MOST> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>, const MOST: usize> Deserialize<'de> for List<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::new(Vec::deserialize(from)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema, const MOST: usize> schemars::JsonSchema for List<T, MOST> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("List_of_{}_{MOST}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "array",
            "items": generator.subschema_for::<T>(),
            "maxItems": MOST,
            "x-kubernetes-list-type": "atomic",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_with_one_entry_too_many_is_refused_when_made_and_when_read() {
        assert!(List::<u8, 2>::new(vec![1, 2]).is_ok());
        assert_eq!(List::<u8, 2>::new(vec![1, 2, 3]).unwrap_err(), TooMany { length: 3, most: 2 });
        assert!(serde_json::from_str::<List<u8, 2>>("[1,2,3]").is_err());
        let (list, is_cut) = List::<u8, 2>::cut(vec![1, 2, 3]);
        assert_eq!((list.as_slice(), is_cut), ([1, 2].as_slice(), true));
    }
}
