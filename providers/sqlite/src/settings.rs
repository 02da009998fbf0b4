//! Named settings of a connection that steps may need: made before a transaction begins, read back, and taken away
//! after it.
//!
//! The names are a step's words: `foreign_keys=off` and `foreign_keys=on`. Outside a transaction that asks for something
//! else a connection has foreign keys off. The way in which ALTER TABLE renames can be changed inside a transaction, so it
//! is no such setting: a rebuild changes it for its own statements alone, with [`LegacyRenames`].

use std::collections::BTreeSet;

use ptah_provider_api::step::Setting;
use rusqlite::Connection;
use rusqlite::config::DbConfig;

/// No foreign key is enforced, and dropping a table deletes no row of another one.
pub(crate) const FOREIGN_KEYS_OFF: &str = "foreign_keys=off";
/// Foreign keys are enforced, with their actions.
pub(crate) const FOREIGN_KEYS_ON: &str = "foreign_keys=on";

/// While it lives, RENAME leaves views, triggers and references alone, as a rebuild needs. Everywhere else a rename
/// rewrites what mentions the old name, so it must not outlive the rebuild: dropping it goes back.
pub(crate) struct LegacyRenames<'a>(&'a Connection);

impl<'a> LegacyRenames<'a> {
    /// Turns it on. The error is that of a connection that did not.
    pub(crate) fn on(connection: &'a Connection) -> rusqlite::Result<Self> {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, true)?;
        Ok(Self(connection))
    }
}

impl Drop for LegacyRenames<'_> {
    fn drop(&mut self) {
        let _ = self.0.set_db_config(DbConfig::SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, false);
    }
}

/// Whether all of these are known and fit together. The reason names the one that is not.
pub(crate) fn check(wanted: &BTreeSet<Setting>) -> Result<(), String> {
    if wanted.contains(FOREIGN_KEYS_OFF) && wanted.contains(FOREIGN_KEYS_ON) {
        return Err("foreign keys cannot be on and off in one transaction".to_owned());
    }
    let known = [FOREIGN_KEYS_OFF, FOREIGN_KEYS_ON];
    match wanted.iter().find(|setting| !known.contains(&setting.as_str())) {
        None => Ok(()),
        Some(unknown) => Err(format!("the setting `{unknown}` is not known")),
    }
}

/// Makes settings and reads them back. The reason names the setting that is not known or did not take effect.
pub(crate) fn make(connection: &Connection, wanted: &BTreeSet<Setting>) -> Result<(), String> {
    check(wanted)?;
    for setting in wanted {
        let value = setting == FOREIGN_KEYS_ON;
        let set = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, value);
        let took = set.is_ok_and(|now| now == value) && holds(connection, value);
        if !took {
            return Err(format!("the setting `{setting}` did not take effect"));
        }
    }
    Ok(())
}

/// Goes back to what holds outside. A connection that refuses is one that fails the next reading back.
pub(crate) fn restore(connection: &Connection) {
    let _ = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, false);
}

/// Asks the pragma itself, which answers what holds and not what was asked for.
fn holds(connection: &Connection, wanted: bool) -> bool {
    let read = connection.query_row("PRAGMA foreign_keys", [], |row| row.get::<_, bool>(0));
    read.is_ok_and(|now| now == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_transaction_has_foreign_keys_on_for_one_unit_and_off_for_another() {
        let connection = Connection::open_in_memory().unwrap();
        let wanted = [FOREIGN_KEYS_ON, FOREIGN_KEYS_OFF].map(str::to_owned).into();
        assert!(make(&connection, &wanted).unwrap_err().contains("on and off"));
        assert!(make(&connection, &["journal_mode=off".to_owned()].into()).unwrap_err().contains("is not known"));
    }
}
