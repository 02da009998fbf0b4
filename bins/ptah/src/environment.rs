//! Every environment variable that `ptah` reads, and what of it may be set there.
//!
//! A flag on the command line goes before its variable. A consent has no variable: it is typed for the run that it is
//! for, so that nothing left in an environment can approve, destroy or reveal anything.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::failure::Failure;

/// The address of the database, with any credential in it.
pub const DB_URL: &str = "PTAH_DB_URL";
/// A file whose only line is the address of the database.
pub const DB_URL_FILE: &str = "PTAH_DB_URL_FILE";
/// Sources of the desired state, separated as the paths in `PATH` are.
pub const SCHEMA_FILE: &str = "PTAH_SCHEMA_FILE";
/// The engine.
pub const DIALECT: &str = "PTAH_DIALECT";
/// The manifest of providers.
pub const PROVIDERS: &str = "PTAH_PROVIDERS";
/// The folder of installed providers.
pub const INSTALL_DIR: &str = "PTAH_INSTALL_DIR";
/// `auto`, `always` or `never`.
pub const COLOR: &str = "PTAH_COLOR";
/// Whether no progress is shown.
pub const NO_PROGRESS: &str = "PTAH_NO_PROGRESS";
/// `file`, `all` or `none`.
pub const TX_MODE: &str = "PTAH_TX_MODE";
/// `ignore` or `exact`.
pub const COLUMN_ORDER: &str = "PTAH_COLUMN_ORDER";
/// Tables that are never dropped or emptied, separated by commas.
pub const PROTECTED_TABLE: &str = "PTAH_PROTECTED_TABLE";
/// How long to wait for another run.
pub const RUN_LOCK_TIMEOUT: &str = "PTAH_RUN_LOCK_TIMEOUT";
/// How long to wait for the locks of other writers.
pub const LOCK_TIMEOUT: &str = "PTAH_LOCK_TIMEOUT";
/// How long one statement may take.
pub const STATEMENT_TIMEOUT: &str = "PTAH_STATEMENT_TIMEOUT";
/// Whether nothing that was proven earlier is believed.
pub const FRESH: &str = "PTAH_FRESH";
/// Whether each step is shown with everything that is known of it.
pub const EXPLAIN: &str = "PTAH_EXPLAIN";
/// No colour when it is set to anything; see <https://no-color.org>.
pub const NO_COLOR: &str = "NO_COLOR";
/// The terminal; without it, and with `dumb`, no colour is chosen by itself.
pub const TERM: &str = "TERM";
/// The user's data folder, where installed providers are (`ptah/providers`); `.local/share` in the home folder without it.
pub const XDG_DATA_HOME: &str = "XDG_DATA_HOME";
/// The user's folder of settings, where a manifest for all working folders may be (`ptah/ptah-providers.yaml`); `.config` in
/// the home folder without it.
pub const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
/// The home folder.
pub const HOME: &str = "HOME";

/// A flag and the variable that stands for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The long flag, without dashes.
    pub flag: &'static str,
    /// The variable.
    pub variable: &'static str,
}

/// Every flag that has a variable.
pub const BOUND: &[Bound] = &[
    Bound { flag: "db-url", variable: DB_URL },
    Bound { flag: "db-url-file", variable: DB_URL_FILE },
    Bound { flag: "schema-file", variable: SCHEMA_FILE },
    Bound { flag: "dialect", variable: DIALECT },
    Bound { flag: "providers", variable: PROVIDERS },
    Bound { flag: "install-dir", variable: INSTALL_DIR },
    Bound { flag: "color", variable: COLOR },
    Bound { flag: "no-progress", variable: NO_PROGRESS },
    Bound { flag: "tx-mode", variable: TX_MODE },
    Bound { flag: "column-order", variable: COLUMN_ORDER },
    Bound { flag: "protected-table", variable: PROTECTED_TABLE },
    Bound { flag: "run-lock-timeout", variable: RUN_LOCK_TIMEOUT },
    Bound { flag: "lock-timeout", variable: LOCK_TIMEOUT },
    Bound { flag: "statement-timeout", variable: STATEMENT_TIMEOUT },
    Bound { flag: "fresh", variable: FRESH },
    Bound { flag: "explain", variable: EXPLAIN },
];

/// Flags that have to be typed because they consent to something or reveal something. A variable that looks as if it
/// stood for one is refused, so that nobody believes that it did.
pub const TYPED: &[&str] = &[
    "auto-approve",
    "plan-digest",
    "allow-destructive",
    "allow-empty",
    "accept-moved",
    "as-copy",
    "recover",
    "accept",
    "show-rows",
    "plain-http",
];

/// Flags that say what one call is to do and make no sense for a whole environment. Their variables are not read.
pub const OF_ONE_CALL: &[&str] = &[
    "json",
    "plan",
    "dry-run",
    "offline",
    "name",
    "output",
    "save",
    "from",
    "to",
    "exit-code",
    "severity",
    "help",
    "version",
    "timeout",
];

/// The environment as it was when the program started.
#[derive(Clone, Default)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// The environment of this process.
    pub fn of_process() -> Self {
        Self(std::env::vars_os().collect())
    }

    /// An environment with exactly these variables.
    pub fn of(variables: &[(&str, &str)]) -> Self {
        Self(variables.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect())
    }

    /// A variable as it is; absent when it is not set.
    pub fn raw(&self, variable: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(variable)).map(OsString::as_os_str)
    }

    /// A folder of the user's: from its own variable, else below the home folder. What is not absolute counts as not set.
    pub fn folder(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        let absolute = |variable: &str| self.raw(variable).map(PathBuf::from).filter(|path| path.is_absolute());
        absolute(variable).or_else(|| absolute(HOME).map(|home| home.join(below_home)))
    }

    /// A variable that has to be text. One that is set and empty is refused: it is neither a value nor its absence.
    pub fn text(&self, variable: &'static str) -> Result<Option<&str>, Failure> {
        let Some(raw) = self.raw(variable) else {
            return Ok(None);
        };
        let text = raw.to_str().filter(|text| !text.is_empty());
        text.map(Some).ok_or_else(|| {
            Failure::usage(format!("{variable} is set and is not a value")).hint(format!("unset {variable}, or set it"))
        })
    }

    /// A variable that is yes or no.
    pub fn switch(&self, variable: &'static str) -> Result<bool, Failure> {
        match self.text(variable)? {
            None | Some("0" | "f" | "F" | "false" | "FALSE" | "False") => Ok(false),
            Some("1" | "t" | "T" | "true" | "TRUE" | "True") => Ok(true),
            Some(_) => Err(Failure::usage(format!("{variable} is neither true nor false")).hint("write true or false")),
        }
    }

    /// Refuses variables that look as if they stood for a flag that has to be typed.
    pub fn check(&self) -> Result<(), Failure> {
        for flag in TYPED {
            let variable = variable_of(flag);
            if self.raw(&variable).is_some() {
                let summary = format!("{variable} is set, and --{flag} is not taken from the environment");
                return Err(
                    Failure::usage(summary).hint(format!("unset {variable}, and type --{flag} where it is meant"))
                );
            }
        }
        Ok(())
    }
}

/// Only the names: a value can be a credential.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// The variable that stands for a flag by its form.
fn variable_of(flag: &str) -> String {
    format!("PTAH_{}", flag.replace('-', "_").to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_is_named_after_its_flag() {
        for bound in BOUND {
            assert_eq!(bound.variable, variable_of(bound.flag));
            assert!(!TYPED.contains(&bound.flag), "{}", bound.flag);
        }
    }

    #[test]
    fn a_consent_in_the_environment_is_refused_by_name() {
        for flag in TYPED {
            let variable = variable_of(flag);
            for value in ["1", "false", ""] {
                let failure = Environment::of(&[(&variable, value)]).check().unwrap_err();
                assert!(failure.message.contains(&variable), "{}", failure.message);
            }
        }
        assert!(Environment::of(&[(DB_URL, "x://h"), ("PTAH_OTHER", "1")]).check().is_ok());
    }

    #[test]
    fn an_empty_or_malformed_switch_is_refused_before_any_work() {
        for wrong in ["", "yes", "on", "2", "tRUE"] {
            assert!(Environment::of(&[(FRESH, wrong)]).switch(FRESH).is_err(), "{wrong:?}");
        }
        for (right, value) in [("1", true), ("True", true), ("0", false), ("F", false)] {
            assert_eq!(Environment::of(&[(FRESH, right)]).switch(FRESH).unwrap(), value, "{right}");
        }
        assert!(!Environment::default().switch(FRESH).unwrap());
    }

    #[test]
    fn the_debug_form_shows_no_value() {
        let shown = format!("{:?}", Environment::of(&[(DB_URL, "zorp://u:hunter2@h/db")]));
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}
