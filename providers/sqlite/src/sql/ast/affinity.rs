//! How SQLite reads type names.

/// What a column does to the values that are put into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Affinity {
    /// Keeps every value as it is.
    Blob,
    /// Turns numbers into text.
    Text,
    /// Turns text that is a number into one.
    Numeric,
    /// The same, with a preference for integers.
    Integer,
    /// The same, with a preference for reals.
    Real,
}

impl Affinity {
    /// The affinity of a type in canonical form; nothing is a column without a type.
    ///
    /// The rules of `https://sqlite.org/datatype3.html`, section 3.1, in their order.
    pub fn of(canonical_type: Option<&str>, strict: bool) -> Self {
        let Some(name) = canonical_type.filter(|name| !name.is_empty()) else {
            return Self::Blob;
        };
        let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        if strict && name == "any" {
            Self::Blob
        } else if has(&["int"]) {
            Self::Integer
        } else if has(&["char", "clob", "text"]) {
            Self::Text
        } else if has(&["blob"]) {
            Self::Blob
        } else if has(&["real", "floa", "doub"]) {
            Self::Real
        } else {
            Self::Numeric
        }
    }
}

/// The types that a STRICT table may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StrictType {
    /// `ANY`
    Any,
    /// `BLOB`
    Blob,
    /// `INT`
    Int,
    /// `INTEGER`
    Integer,
    /// `REAL`
    Real,
    /// `TEXT`
    Text,
}

impl StrictType {
    /// The strict type of that canonical name; nothing when STRICT does not allow it.
    pub fn of(canonical_type: &str) -> Option<Self> {
        Some(match canonical_type {
            "any" => Self::Any,
            "blob" => Self::Blob,
            "int" => Self::Int,
            "integer" => Self::Integer,
            "real" => Self::Real,
            "text" => Self::Text,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Affinity;

    #[test]
    fn affinities_follow_the_rules_in_their_order() {
        for (name, affinity) in [
            ("integer", Affinity::Integer),
            ("floating point", Affinity::Integer),
            ("charint", Affinity::Integer),
            ("varchar(10)", Affinity::Text),
            ("native character(70)", Affinity::Text),
            ("clob", Affinity::Text),
            ("blob", Affinity::Blob),
            ("double precision", Affinity::Real),
            ("float", Affinity::Real),
            ("decimal(10,5)", Affinity::Numeric),
            ("boolean", Affinity::Numeric),
            ("string", Affinity::Numeric),
            ("any", Affinity::Numeric),
        ] {
            assert_eq!(Affinity::of(Some(name), false), affinity, "{name}");
        }
        assert_eq!(Affinity::of(None, false), Affinity::Blob);
        assert_eq!(Affinity::of(Some("any"), true), Affinity::Blob);
    }
}
