//! Fault points: in debug builds a run can be told to fail at one of its effects, so that tests can stop it anywhere.
//!
//! `PTAH_FAULT=<k>:<before|after>:<host|provider|write|stop>` names the effect by its place in the run, from 1. `host` kills
//! this process with SIGKILL, `provider` kills the provider's, and `write` takes away the provider's right to make files
//! longer, so that every later write fails as on a full disk, and `stop` holds this process still until it is sent
//! SIGCONT. `PTAH_FAULT=count` makes a run print how many effects it
//! had, on standard error. Release builds contain none of this.

use ptah_apply::Effect;

/// The variable that names the fault.
const VARIABLE: &str = "PTAH_FAULT";

/// The faults of one run.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    wanted: Option<Wanted>,
    counts: bool,
    effects: u32,
}

#[derive(Debug)]
struct Wanted {
    effect: u32,
    before: bool,
    action: Action,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    KillHost,
    KillProvider,
    FailWrites,
    StopHost,
}

impl Faults {
    /// What the environment asks for; nothing in a release build.
    pub(crate) fn from_environment() -> Self {
        if !cfg!(debug_assertions) {
            return Self::default();
        }
        let text = std::env::var(VARIABLE).unwrap_or_default();
        Self { wanted: parse(&text), counts: text == "count", effects: 0 }
    }

    /// Called right before an effect is performed.
    pub(crate) fn before(&mut self, effect: &Effect, provider: Option<u32>) {
        self.effects += 1;
        self.hit(true, provider);
        if self.counts && matches!(effect, Effect::Release) {
            // The only line that a run prints by itself, and only when a test asks for it.
            let _ =
                std::io::Write::write_all(&mut std::io::stderr(), format!("effects: {}\n", self.effects).as_bytes());
        }
    }

    /// Called right after an effect was performed, before its outcome is taken in.
    pub(crate) fn after(&mut self, provider: Option<u32>) {
        self.hit(false, provider);
    }

    fn hit(&mut self, before: bool, provider: Option<u32>) {
        let Some(wanted) = &self.wanted else { return };
        if wanted.effect == self.effects && wanted.before == before {
            let action = wanted.action;
            self.wanted = None;
            act(action, provider);
        }
    }
}

fn parse(text: &str) -> Option<Wanted> {
    let mut parts = text.split(':');
    let effect = parts.next()?.parse().ok()?;
    let before = match parts.next()? {
        "before" => true,
        "after" => false,
        _ => return None,
    };
    let action = match parts.next()? {
        "host" => Action::KillHost,
        "provider" => Action::KillProvider,
        "write" => Action::FailWrites,
        "stop" => Action::StopHost,
        _ => return None,
    };
    Some(Wanted { effect, before, action })
}

fn act(action: Action, provider: Option<u32>) {
    use rustix::process::{Pid, Resource, Rlimit, Signal, getpid, kill_process, prlimit};
    let provider = provider.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    match (action, provider) {
        (Action::KillHost, _) => {
            let _ = kill_process(getpid(), Signal::KILL);
        }
        (Action::StopHost, _) => {
            let _ = kill_process(getpid(), Signal::STOP);
        }
        (Action::KillProvider, Some(pid)) => {
            let _ = kill_process(pid, Signal::KILL);
        }
        (Action::FailWrites, Some(pid)) => {
            let none = Rlimit { current: Some(0), maximum: None };
            let _ = prlimit(Some(pid), Resource::Fsize, none);
        }
        (Action::KillProvider | Action::FailWrites, None) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_that_is_not_understood_is_no_fault() {
        let good = parse("3:after:provider").unwrap();
        assert_eq!((good.effect, good.before, good.action), (3, false, Action::KillProvider));
        for wrong in ["", "count", "x:before:host", "1:during:host", "1:before:disk", "1:before"] {
            assert!(parse(wrong).is_none(), "{wrong}");
        }
    }
}
