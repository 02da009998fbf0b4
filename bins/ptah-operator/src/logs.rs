//! What the manager says while it runs: one line an event, on standard error.
//!
//! Where nobody sits before it, a line is one JSON object. Nothing that a database or its driver says is ever in one, and no
//! credential: no text of a driver reaches this program, and no line names what it holds. `docs/operator/signals.md` lists the fields.

use std::io::IsTerminal as _;

use clap::ValueEnum;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;

/// What the names of our own parts begin with. Everybody else is heard when something is wrong.
const OURS: &str = "ptah_";

/// How much is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogLevel {
    /// What somebody has to look at.
    Error,
    /// And what went wrong and is tried again.
    Warn,
    /// And everything that is written, permitted and delivered.
    Info,
    /// And what was decided without a write.
    Debug,
    /// Everything.
    Trace,
}

impl From<LogLevel> for LevelFilter {
    fn from(level: LogLevel) -> Self {
        match level {
            LogLevel::Error => Self::ERROR,
            LogLevel::Warn => Self::WARN,
            LogLevel::Info => Self::INFO,
            LogLevel::Debug => Self::DEBUG,
            LogLevel::Trace => Self::TRACE,
        }
    }
}

/// From now on everything that is said goes to standard error. A second call changes nothing.
pub fn install(level: LogLevel) {
    let is_terminal = std::io::stderr().is_terminal();
    let _ = tracing::subscriber::set_global_default(speaker(level, is_terminal, std::io::stderr));
}

fn speaker<W>(level: LogLevel, is_terminal: bool, to: W) -> impl tracing::Subscriber + Send + Sync
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let level = LevelFilter::from(level);
    let heard = Targets::new().with_default(level.min(LevelFilter::WARN)).with_target(OURS, level);
    let lines = tracing_subscriber::fmt::layer().with_writer(to).with_ansi(false);
    let lines = if is_terminal {
        lines.boxed()
    } else {
        lines.json().flatten_event(true).with_current_span(false).with_span_list(false).boxed()
    };
    tracing_subscriber::registry().with(lines.with_filter(heard))
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use super::*;

    /// Keeps what was said.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn said(level: LogLevel, is_terminal: bool, say: impl FnOnce()) -> String {
        let kept = Kept::default();
        let to = kept.clone();
        tracing::subscriber::with_default(speaker(level, is_terminal, move || to.clone()), say);
        let bytes = kept.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_line_that_no_person_waits_for_is_one_json_object() {
        let text = said(LogLevel::Info, false, || tracing::info!(resource = "a\nb", "written"));
        let line: serde_json::Value = serde_json::from_str(text.trim_end()).unwrap();
        let fields = ["level", "message", "resource", "target"].map(|name| line[name].as_str().unwrap());
        assert_eq!(fields, ["INFO", "written", "a\nb", "ptah_operator::logs::tests"]);
        assert!(line["timestamp"].is_string() && text.lines().count() == 1, "{text}");
    }

    #[test]
    fn others_are_heard_only_when_something_is_wrong_and_never_more_than_was_asked_for() {
        let say = || {
            tracing::info!(target: "kube_client::client", "not heard");
            tracing::warn!(target: "kube_client::client", "wrong");
            tracing::debug!("ours");
        };
        let lines = |level| said(level, true, say).lines().count();
        assert_eq!([LogLevel::Error, LogLevel::Info, LogLevel::Debug, LogLevel::Trace].map(lines), [0, 1, 2, 2]);
    }
}
