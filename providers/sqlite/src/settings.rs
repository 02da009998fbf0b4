//! Named settings of a connection that steps may need: made before a transaction begins, read back, and taken away
//! after it.
//!
//! The names are a step's words: `foreign_keys=off`, `foreign_keys=on`, `legacy_alter_table=on`. Outside a transaction
//! that asks for something else a connection has foreign keys off and the modern ALTER TABLE.

use std::collections::BTreeSet;

use ptah_provider_api::step::Setting;
use rusqlite::Connection;
use rusqlite::config::DbConfig;

/// No foreign key is enforced, and dropping a table deletes no row of another one.
pub(crate) const FOREIGN_KEYS_OFF: &str = "foreign_keys=off";
/// Foreign keys are enforced, with their actions.
pub(crate) const FOREIGN_KEYS_ON: &str = "foreign_keys=on";
/// RENAME leaves views and triggers alone, as a rebuild needs.
pub(crate) const LEGACY_ALTER_TABLE_ON: &str = "legacy_alter_table=on";

/// Whether all of these are known and fit together. The reason names the one that is not.
pub(crate) fn check(wanted: &BTreeSet<Setting>) -> Result<(), String> {
    if wanted.contains(FOREIGN_KEYS_OFF) && wanted.contains(FOREIGN_KEYS_ON) {
        return Err("foreign keys cannot be on and off in one transaction".to_owned());
    }
    let known = [FOREIGN_KEYS_OFF, FOREIGN_KEYS_ON, LEGACY_ALTER_TABLE_ON];
    match wanted.iter().find(|setting| !known.contains(&setting.as_str())) {
        None => Ok(()),
        Some(unknown) => Err(format!("the setting `{unknown}` is not known")),
    }
}

/// Makes settings and reads them back. The reason names the setting that is not known or did not take effect.
pub(crate) fn make(connection: &Connection, wanted: &BTreeSet<Setting>) -> Result<(), String> {
    check(wanted)?;
    for setting in wanted {
        let (what, value) = match setting.as_str() {
            FOREIGN_KEYS_OFF => (DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, false),
            FOREIGN_KEYS_ON => (DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true),
            _ => (DbConfig::SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, true),
        };
        let took = connection.set_db_config(what, value).is_ok_and(|now| now == value) && holds(connection, setting);
        if !took {
            return Err(format!("the setting `{setting}` did not take effect"));
        }
    }
    Ok(())
}

/// Goes back to what holds outside. A connection that refuses is one that fails the next reading back.
pub(crate) fn restore(connection: &Connection) {
    let _ = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, false);
    let _ = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, false);
}

/// Asks the pragma itself, which answers what holds and not what was asked for.
fn holds(connection: &Connection, setting: &str) -> bool {
    let (pragma, wanted) = match setting {
        FOREIGN_KEYS_OFF => ("PRAGMA foreign_keys", 0),
        FOREIGN_KEYS_ON => ("PRAGMA foreign_keys", 1),
        _ => ("PRAGMA legacy_alter_table", 1),
    };
    connection.query_row(pragma, [], |row| row.get::<_, i64>(0)).is_ok_and(|now| now == wanted)
}
