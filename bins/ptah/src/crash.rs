//! A fault of this program: one line without what went through it, and an exit code that says what may have run.

use std::panic::PanicHookInfo;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Exit;

/// Whether something may have been sent to a database. Only ever set.
static MAY_HAVE_RUN: AtomicBool = AtomicBool::new(false);

/// Notes that from now on something may be in a database. Called before consent is passed on, so that it is never late.
pub fn may_have_run_from_now_on() {
    MAY_HAVE_RUN.store(true, Ordering::SeqCst);
}

/// The exit code of a command that ended without an answer.
pub fn exit() -> Exit {
    if MAY_HAVE_RUN.load(Ordering::SeqCst) { Exit::MayHaveRun } else { Exit::Refused }
}

/// Takes the place of the standard hook, whose message can hold a statement or an address.
pub fn install_hook() {
    std::panic::set_hook(Box::new(|info| {
        let line = line(info, exit());
        // There is nobody to tell when this fails.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
    }));
}

fn line(info: &PanicHookInfo<'_>, exit: Exit) -> String {
    let place = info.location().map(|l| format!(" ({}:{})", file_name(l.file()), l.line())).unwrap_or_default();
    let next = match exit {
        Exit::MayHaveRun => "something may be in the database: look before you try again",
        Exit::Done | Exit::Finding | Exit::Refused => "nothing of the change is in the database",
    };
    format!("error: this is a fault of ptah itself{place}; {next}\n")
}

/// The last part of a path: the rest is about the machine that it was built on.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_told_without_the_machine_that_it_was_built_on() {
        assert_eq!(file_name("/srv/build/src/run.rs"), "run.rs");
        assert_eq!(file_name("run.rs"), "run.rs");
    }

    #[test]
    fn before_anything_ran_a_fault_is_two() {
        assert_eq!(exit(), Exit::Refused);
    }
}
