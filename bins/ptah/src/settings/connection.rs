//! How to reach a database: exactly one address, from exactly one place.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use ptah_provider_api::session::Address;

use super::{Surroundings, redact, time};
use crate::arguments::ConnectionFlags;
use crate::environment::{DB_URL, DB_URL_FILE, Environment, LOCK_TIMEOUT};
use crate::failure::Failure;

/// The largest file that an address is read from, in bytes. An address is a line.
const FILE_LIMIT: u64 = 64 * 1024;

/// An address, and what may be shown of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    /// The address, with any credential in it.
    pub address: Address,
    /// The address without its password.
    pub shown: String,
    /// Its scheme, if it has one.
    pub scheme: Option<String>,
}

/// How to reach a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// The database.
    pub target: Target,
    /// How long to wait for the locks of other writers. Default 5 s.
    pub lock_timeout: Duration,
    /// Whether a reading may repair what a crashed writer left.
    pub recover: bool,
    /// What may be tried although the provider warns of it.
    pub accept: BTreeSet<String>,
    /// Whether a password was typed where other users of the machine can read it.
    pub password_was_typed: bool,
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Target({})", self.shown)
    }
}

impl Target {
    /// An address, and the folder where a relative path in it starts: the provider runs in a folder of its own. Without
    /// one, a relative path is refused rather than taken from somewhere else.
    pub fn new(text: &str, folder: Option<&str>) -> Self {
        let address = Address::new(text);
        let address = match folder {
            Some(folder) => address.relative_to(folder),
            None => address,
        };
        Self { address, shown: redact::address(text), scheme: redact::scheme(text).map(str::to_owned) }
    }
}

impl Connection {
    /// How long to wait for the locks of other writers unless something else is said.
    pub const LOCK: Duration = Duration::from_secs(5);

    /// From flags and variables; refused when no address is given.
    pub fn resolve(flags: &ConnectionFlags, around: &Surroundings) -> Result<Self, Failure> {
        Self::resolve_optional(flags, around)?.ok_or_else(|| {
            Failure::usage("no database is named").hint(format!("name one with --db-url, --db-url-file or {DB_URL}"))
        })
    }

    /// From flags and variables; `None` when no address is given.
    pub fn resolve_optional(flags: &ConnectionFlags, around: &Surroundings) -> Result<Option<Self>, Failure> {
        let environment = &around.environment;
        let lock_timeout = time(flags.lock_timeout, environment, LOCK_TIMEOUT)?.unwrap_or(Self::LOCK);
        let Some(text) = address_text(flags, environment)? else {
            return Ok(None);
        };
        let target = Target::new(&text, around.folder.as_deref());
        let password_was_typed = flags.db_url.is_some() && target.shown != text;
        let accept = flags.accept.iter().cloned().collect();
        Ok(Some(Self { target, lock_timeout, recover: flags.recover, accept, password_was_typed }))
    }
}

/// The address from the one place that names it. A flag goes before the variables; two places of one rank are refused,
/// because nobody can see which one was meant.
fn address_text(flags: &ConnectionFlags, environment: &Environment) -> Result<Option<String>, Failure> {
    match (&flags.db_url, &flags.db_url_file) {
        (Some(_), Some(_)) => Err(Failure::usage("both --db-url and --db-url-file name a database").hint("keep one")),
        (Some(url), None) => checked(url).map(Some),
        (None, Some(file)) => from_file(file).map(Some),
        (None, None) => match (environment.text(DB_URL)?, environment.text(DB_URL_FILE)?) {
            (Some(_), Some(_)) => {
                Err(Failure::usage(format!("both {DB_URL} and {DB_URL_FILE} name a database")).hint("unset one"))
            }
            (Some(url), None) => checked(url).map(Some),
            (None, Some(file)) => from_file(Path::new(file)).map(Some),
            (None, None) => Ok(None),
        },
    }
}

/// One line, not empty. What is wrong with it beyond that is the provider's to say.
fn checked(text: &str) -> Result<String, Failure> {
    if text.is_empty() {
        return Err(Failure::usage("the address of the database is empty"));
    }
    if text.chars().any(char::is_control) {
        return Err(Failure::usage("the address of the database has a control character or a line break in it"));
    }
    Ok(text.to_owned())
}

fn from_file(file: &Path) -> Result<String, Failure> {
    let unreadable = || {
        Failure::usage(format!("the address file {} cannot be read", file.display()))
            .hint("check the path and its permissions")
    };
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file).map_err(|_| unreadable())?;
    opened.take(FILE_LIMIT + 1).read_to_end(&mut bytes).map_err(|_| unreadable())?;
    if bytes.len() as u64 > FILE_LIMIT {
        return Err(Failure::usage(format!("the address file {} is too large for a line", file.display())));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::usage(format!("the address file {} is not UTF-8 text", file.display())))?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    checked(line.strip_suffix('\r').unwrap_or(line))
}
