//! The authority as the data of a Secret.
//!
//! ```text
//! version                        1
//! g<number>.made                 2026-01-31T23:59:59Z
//! g<number>.server-name          g1-0123abcd.results.ptah.internal
//! g<number>.authority.pem
//! g<number>.certificate.pem
//! g<number>.key.pem
//! ```
//!
//! What cannot be read whole is not read at all: a Secret that somebody edited is replaced by the embedder, which loses
//! the runs under way and says so, and never served in part.

use std::collections::BTreeMap;

use ptah_records::operator::text::{HostName, Pem};
use ptah_records::operator::time::Moment;
use zeroize::Zeroizing;

use super::{Authority, Generation};

/// The key of the version.
const VERSION: &str = "version";
/// The version that is written and read.
const THIS_VERSION: &[u8] = b"1";
/// What is kept of each generation.
const PARTS: [&str; 5] = ["made", "server-name", "authority.pem", "certificate.pem", "key.pem"];

/// Why the data of a Secret is no authority. Not to be tried again with the same data. It quotes no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretProblem {
    /// There is nothing in it: a new authority may be made.
    #[error("the Secret holds nothing")]
    Empty,
    /// Another release wrote it: it is not touched.
    #[error("the Secret was written in another version of its form")]
    Version,
    /// A key is there that is none of ours, or one is missing.
    #[error("the Secret holds `{key}` or lacks it, against its form")]
    Key {
        /// The key.
        key: String,
    },
    /// A value is not what it has to be.
    #[error("the value of `{key}` in the Secret is not what it has to be")]
    Value {
        /// The key.
        key: String,
    },
}

/// What a Secret holds. It is confidential: `Debug` shows the keys alone, and it is wiped when it goes.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretData(BTreeMap<String, Zeroizing<Vec<u8>>>);

impl std::fmt::Debug for SecretData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("SecretData").field(&self.0.keys().collect::<Vec<_>>()).finish()
    }
}

impl SecretData {
    /// The data as a client wants it. Whoever takes it wipes it.
    pub fn into_map(self) -> BTreeMap<String, Vec<u8>> {
        self.0.into_iter().map(|(key, mut value)| (key, std::mem::take(&mut *value))).collect()
    }
}

impl From<BTreeMap<String, Vec<u8>>> for SecretData {
    fn from(data: BTreeMap<String, Vec<u8>>) -> Self {
        Self(data.into_iter().map(|(key, value)| (key, Zeroizing::new(value))).collect())
    }
}

impl Authority {
    /// The data to be stored.
    pub fn to_secret(&self) -> SecretData {
        let mut data = BTreeMap::from([(VERSION.to_owned(), Zeroizing::new(THIS_VERSION.to_vec()))]);
        for generation in self.generations() {
            let Generation { number, made, server_name, authority, certificate, key } = generation;
            let made = made.to_string();
            let values = [&made, server_name.as_str(), authority.as_str(), certificate.as_str(), key.as_str()];
            for (part, value) in PARTS.iter().zip(values) {
                data.insert(place(*number, part), Zeroizing::new(value.as_bytes().to_vec()));
            }
        }
        SecretData(data)
    }

    /// The authority of stored data. Every generation has to be one that can be served.
    pub fn from_secret(data: SecretData) -> Result<Self, SecretProblem> {
        let SecretData(mut data) = data;
        if data.is_empty() {
            return Err(SecretProblem::Empty);
        }
        if data.remove(VERSION).is_none_or(|version| version.as_slice() != THIS_VERSION) {
            return Err(SecretProblem::Version);
        }
        let mut generations = BTreeMap::new();
        while let Some(key) = data.keys().next().cloned() {
            let number = number(&key).ok_or(SecretProblem::Key { key })?;
            generations.insert(number, take(&mut data, number)?);
        }
        let (_, newest) = generations.pop_last().ok_or(SecretProblem::Key { key: place(1, PARTS[0]) })?;
        Ok(Self { older: generations.into_values().collect(), newest })
    }
}

fn place(number: u64, part: &str) -> String {
    format!("g{number}.{part}")
}

/// The number in a key; nothing unless it is spelled as we spell it.
fn number(key: &str) -> Option<u64> {
    let (number, part) = key.strip_prefix('g')?.split_once('.')?;
    let number: u64 = number.parse().ok()?;
    (number > 0 && PARTS.contains(&part) && place(number, part) == key).then_some(number)
}

/// Takes one generation out of the data.
fn take(data: &mut BTreeMap<String, Zeroizing<Vec<u8>>>, number: u64) -> Result<Generation, SecretProblem> {
    let mut text = |part: &str| {
        let key = place(number, part);
        let bytes = data.remove(&key).ok_or(SecretProblem::Key { key: key.clone() })?;
        let text = std::str::from_utf8(&bytes).map_err(|_| SecretProblem::Value { key })?;
        Ok::<_, SecretProblem>(Zeroizing::new(text.to_owned()))
    };
    let [made, server_name, authority, certificate, key] = PARTS;
    let wrong = |part: &str| SecretProblem::Value { key: place(number, part) };
    let generation = Generation {
        number,
        made: Moment::parse(&text(made)?).map_err(|_| wrong(made))?,
        server_name: HostName::new(text(server_name)?.as_str()).map_err(|_| wrong(server_name))?,
        authority: Pem::new(text(authority)?.as_str()).map_err(|_| wrong(authority))?,
        certificate: Pem::new(text(certificate)?.as_str()).map_err(|_| wrong(certificate))?,
        key: text(key)?,
    };
    if !generation.is_sound() {
        return Err(wrong(key));
    }
    Ok(generation)
}
