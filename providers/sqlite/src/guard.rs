//! What stops a connection and what it may do: a deadline, a stop from another thread, and an authorizer.
//!
//! The authorizer knows two states. While our own statements run, everything is allowed. While a *unit* runs, it may
//! not touch transactions, attached databases, or any setting of the connection, which belong to `Begin`, and not the
//! tables in which runs are recorded.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use ptah_provider_sdk::Failure;
use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

use crate::claims::is_ours;
use crate::fault::failed;

/// How many steps of SQLite's machine lie between two looks at the clock: some microseconds.
const STEPS_BETWEEN_LOOKS: i32 = 1_000;

/// Pragmas that a unit may use: they change the database's content and not the connection, or only answer. ALTER TABLE
/// itself asks `quick_check` whether the rows keep a new constraint.
const UNIT_PRAGMAS: [&str; 18] = [
    "user_version",
    "application_id",
    "optimize",
    "incremental_vacuum",
    "quick_check",
    "integrity_check",
    "foreign_key_check",
    "foreign_key_list",
    "table_info",
    "table_xinfo",
    "table_list",
    "index_list",
    "index_info",
    "index_xinfo",
    "function_list",
    "module_list",
    "collation_list",
    "compile_options",
];

/// Pragmas that the modules of virtual tables ask while a unit creates or fills one; asked without a value they only
/// answer.
const MODULE_PRAGMAS: [&str; 2] = ["page_size", "data_version"];

/// What stops a connection and what it may do. Shared with the hooks.
#[derive(Debug)]
pub(crate) struct Guard {
    /// Told from another thread; never taken back. Connections of one session share it.
    pub(crate) stopped: Arc<AtomicBool>,
    /// How often the clock may still be looked at in this unit; see [`Guard::with_budget`].
    looks_left: AtomicI64,
    in_unit: AtomicBool,
    refused: AtomicBool,
    started: Instant,
    /// Microseconds after `started`; 0 for none.
    deadline_us: AtomicI64,
}

/// Installs the hooks on a connection.
pub(crate) fn install(connection: &mut Connection, stopped: Arc<AtomicBool>) -> Result<Arc<Guard>, Failure> {
    let guard = Arc::new(Guard {
        stopped,
        looks_left: AtomicI64::new(i64::MAX),
        in_unit: AtomicBool::new(false),
        refused: AtomicBool::new(false),
        started: Instant::now(),
        deadline_us: AtomicI64::new(0),
    });
    let clock = Arc::clone(&guard);
    connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(move || clock.look())).map_err(failed)?;
    let judge = Arc::clone(&guard);
    connection.authorizer(Some(move |context: AuthContext<'_>| judge.judge(&context))).map_err(failed)?;
    Ok(guard)
}

impl Guard {
    /// Runs something as a unit with a time limit.
    pub(crate) fn as_unit<T>(&self, limit: Option<Duration>, run: impl FnOnce() -> T) -> T {
        let after = limit.map_or(0, |limit| {
            let at = self.started.elapsed().saturating_add(limit);
            i64::try_from(at.as_micros()).unwrap_or(i64::MAX).max(1)
        });
        self.deadline_us.store(after, Ordering::Relaxed);
        self.refused.store(false, Ordering::Relaxed);
        self.in_unit.store(true, Ordering::Relaxed);
        let result = run();
        self.in_unit.store(false, Ordering::Relaxed);
        self.deadline_us.store(0, Ordering::Relaxed);
        result
    }

    /// Runs something that may take so many steps of SQLite's machine, in thousands.
    pub(crate) fn with_budget<T>(&self, thousands: i64, run: impl FnOnce() -> T) -> T {
        self.looks_left.store(thousands, Ordering::Relaxed);
        let result = run();
        self.looks_left.store(i64::MAX, Ordering::Relaxed);
        result
    }

    /// Runs statements of our own within a unit.
    pub(crate) fn as_ours<T>(&self, run: impl FnOnce() -> T) -> T {
        let before = self.in_unit.swap(false, Ordering::Relaxed);
        let result = run();
        self.in_unit.store(before, Ordering::Relaxed);
        result
    }

    /// Whether a statement of a unit is running, and not one of our own.
    pub(crate) fn is_in_unit(&self) -> bool {
        self.in_unit.load(Ordering::Relaxed)
    }

    /// Whether the authorizer refused something of the latest unit.
    pub(crate) fn has_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// Whether the time is over, or the session was told to stop.
    pub(crate) fn is_over(&self) -> bool {
        let deadline = self.deadline_us.load(Ordering::Relaxed);
        let now = i64::try_from(self.started.elapsed().as_micros()).unwrap_or(i64::MAX);
        self.stopped.load(Ordering::Relaxed)
            || (deadline > 0 && now >= deadline)
            || self.looks_left.load(Ordering::Relaxed) <= 0
    }

    /// Called by SQLite every so many steps.
    fn look(&self) -> bool {
        self.looks_left.fetch_sub(1, Ordering::Relaxed);
        self.is_over()
    }

    fn judge(&self, context: &AuthContext<'_>) -> Authorization {
        if !self.is_in_unit() || unit_may(&context.action) {
            return Authorization::Allow;
        }
        self.refused.store(true, Ordering::Relaxed);
        Authorization::Deny
    }
}

fn unit_may(action: &AuthAction<'_>) -> bool {
    match action {
        AuthAction::Transaction { .. }
        | AuthAction::Savepoint { .. }
        | AuthAction::Attach { .. }
        | AuthAction::Detach { .. } => false,
        AuthAction::Pragma { pragma_name, pragma_value } => {
            let among = |known: &[&str]| known.iter().any(|known| pragma_name.eq_ignore_ascii_case(known));
            among(&UNIT_PRAGMAS) || (pragma_value.is_none() && among(&MODULE_PRAGMAS))
        }
        AuthAction::CreateTable { table_name }
        | AuthAction::DropTable { table_name }
        | AuthAction::AlterTable { table_name, .. }
        | AuthAction::Insert { table_name }
        | AuthAction::Update { table_name, .. }
        | AuthAction::Delete { table_name } => !is_ours(table_name),
        AuthAction::CreateView { view_name } => !is_ours(view_name),
        AuthAction::CreateIndex { index_name, table_name } => !is_ours(index_name) && !is_ours(table_name),
        AuthAction::CreateTrigger { trigger_name, table_name } => !is_ours(trigger_name) && !is_ours(table_name),
        _ => true,
    }
}
