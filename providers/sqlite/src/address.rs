//! Addresses of SQLite databases: `sqlite://` and a path, or `:memory:`.
//!
//! What follows the scheme is a path, relative to where the command runs unless it starts with `/`; `sqlite:///abs` is
//! the file `/abs`. A percent sign and two hexadecimal digits are one byte. No parameter changes how a file is opened,
//! because the purpose of a session decides that: only `mode=memory` is known, and every other one is refused by name.

use std::ffi::OsString;
use std::path::PathBuf;

/// Where an address leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A file; relative paths are relative to the working folder.
    File(PathBuf),
    /// A database in memory, which ends with its connection.
    Memory,
}

/// Why an address is refused. Nothing of the address is in the text, apart from the name of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AddressError {
    /// It does not start with `sqlite://`.
    #[error("an address of a SQLite database starts with `sqlite://`")]
    Scheme,
    /// There is nothing after the scheme.
    #[error("the address names no file")]
    Empty,
    /// A percent sign without two hexadecimal digits.
    #[error("the address has a `%` that is not followed by two hexadecimal digits")]
    Percent,
    /// A zero byte.
    #[error("the address has a zero byte")]
    Zero,
    /// A `#`, which other URLs end with.
    #[error("the address has a fragment; write `%23` for a `#` in a file name")]
    Fragment,
    /// A parameter that is not known.
    #[error("the parameter `{0}` is not known; only `mode=memory` is")]
    Parameter(String),
    /// A parameter whose name cannot be shown.
    #[error("the address has a parameter that is not known; only `mode=memory` is")]
    StrangeParameter,
    /// Another mode than `memory`.
    #[error("the only mode in an address is `memory`; reading and writing follow from the command")]
    Mode,
    /// `mode` twice.
    #[error("the parameter `mode` is given twice")]
    Repeated,
}

impl Place {
    /// Reads an address.
    pub(crate) fn parse(address: &str) -> Result<Self, AddressError> {
        let rest = address.strip_prefix("sqlite://").ok_or(AddressError::Scheme)?;
        if rest.contains('#') {
            return Err(AddressError::Fragment);
        }
        let (path, query) = match rest.split_once('?') {
            Some((path, query)) => (path, query),
            None => (rest, ""),
        };
        let memory = memory_mode(query)?;
        if memory || path == ":memory:" {
            return Ok(Self::Memory);
        }
        if path.is_empty() {
            return Err(AddressError::Empty);
        }
        let bytes = decode(path)?;
        if bytes.contains(&0) {
            return Err(AddressError::Zero);
        }
        Ok(Self::File(path_of(bytes)))
    }
}

/// Whether the query says `mode=memory`; anything else in it is refused.
fn memory_mode(query: &str) -> Result<bool, AddressError> {
    let mut memory = false;
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        match (name, value) {
            ("mode", _) if memory => return Err(AddressError::Repeated),
            ("mode", "memory") => memory = true,
            ("mode", _) => return Err(AddressError::Mode),
            _ if is_word(name) => return Err(AddressError::Parameter(name.to_owned())),
            _ => return Err(AddressError::StrangeParameter),
        }
    }
    Ok(memory)
}

/// A name that can be shown: it cannot hold a value that somebody pasted by mistake.
fn is_word(name: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    (1..=32).contains(&name.len()) && name.bytes().all(allowed)
}

fn decode(text: &str) -> Result<Vec<u8>, AddressError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first != b'%' {
            bytes.push(*first);
            rest = after;
            continue;
        }
        let digits = after.get(..2).ok_or(AddressError::Percent)?;
        let mut byte = [0];
        hex::decode_to_slice(digits, &mut byte).map_err(|_| AddressError::Percent)?;
        bytes.push(byte[0]);
        rest = &after[2..];
    }
    Ok(bytes)
}

#[cfg(unix)]
fn path_of(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(OsString::from(String::from_utf8_lossy(&bytes).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(address: &str, expected: Result<&str, AddressError>) {
        let expected = expected.map(|path| match path {
            ":memory:" => Place::Memory,
            path => Place::File(PathBuf::from(path)),
        });
        assert_eq!(Place::parse(address), expected, "{address}");
    }

    #[test]
    fn each_form_of_an_address_leads_where_it_says() {
        check("sqlite://shop.db", Ok("shop.db"));
        check("sqlite://./data/shop.db", Ok("./data/shop.db"));
        check("sqlite:///srv/shop.db", Ok("/srv/shop.db"));
        check("sqlite:///srv/a%20b%3f.db", Ok("/srv/a b?.db"));
        check("sqlite://:memory:", Ok(":memory:"));
        check("sqlite://anything?mode=memory", Ok(":memory:"));
        check("sqlite://?mode=memory", Ok(":memory:"));
    }

    #[test]
    fn an_unknown_parameter_is_refused_by_its_name() {
        check("sqlite://a.db?cache=shared", Err(AddressError::Parameter("cache".to_owned())));
        check("sqlite://a.db?immutable", Err(AddressError::Parameter("immutable".to_owned())));
        check("sqlite://a.db?mode=ro", Err(AddressError::Mode));
        check("sqlite://a.db?mode=memory&mode=memory", Err(AddressError::Repeated));
        check("sqlite://a.db?p%40ss word=1", Err(AddressError::StrangeParameter));
    }

    #[test]
    fn what_is_no_address_is_refused() {
        check("shop.db", Err(AddressError::Scheme));
        check("sqlite:shop.db", Err(AddressError::Scheme));
        check("sqlite://", Err(AddressError::Empty));
        check("sqlite://a%2.db", Err(AddressError::Percent));
        check("sqlite://a%zz.db", Err(AddressError::Percent));
        check("sqlite://a%00.db", Err(AddressError::Zero));
        check("sqlite://a#b.db", Err(AddressError::Fragment));
    }

    #[test]
    fn no_refusal_repeats_a_value_of_the_address() {
        let told = Place::parse("sqlite://hunter2.db?key=hunter2").unwrap_err().to_string();
        assert!(!told.contains("hunter2"), "{told}");
    }
}
