//! The one way out: data and documents to stdout, everything else to stderr.
//!
//! A reader that went away ends nothing: what is left for it is dropped, and the command goes on to its own end. Any
//! other failure to write is remembered, so that a command whose answer was lost does not claim success.

mod page;
mod progress;
mod prompt;
mod sink;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use page::{Page, clean, style};
pub use progress::Phase;
pub use prompt::{Answer, read_answer};
use sink::Sink;

use crate::settings::General;

/// Where a command writes. Clones write to the same places.
#[derive(Clone)]
pub struct Output {
    shared: Arc<Shared>,
}

struct Shared {
    general: General,
    stderr_is_terminal: bool,
    stdout: Mutex<Sink>,
    stderr: Mutex<Sink>,
    phase: Mutex<Option<progress::Shown>>,
}

impl std::fmt::Debug for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Output").field("general", &self.shared.general).finish_non_exhaustive()
    }
}

impl Output {
    /// The streams of this process.
    pub fn of_process(general: General) -> Self {
        use std::io::IsTerminal as _;
        let stdout = Sink::new(Box::new(std::io::stdout()), std::io::stdout().is_terminal(), general.colour);
        let stderr = Sink::new(Box::new(std::io::stderr()), std::io::stderr().is_terminal(), general.colour);
        Self::of_sinks(general, stdout, stderr)
    }

    /// Two buffers in place of the streams, neither of them a terminal.
    #[cfg(test)]
    pub(crate) fn of_buffers(json: bool) -> (Self, sink::Buffer, sink::Buffer) {
        let general = General { json, colour: anstream::ColorChoice::Never, progress: false };
        let (out, err) = (sink::Buffer::default(), sink::Buffer::default());
        let stdout = Sink::new(Box::new(out.clone()), false, general.colour);
        let stderr = Sink::new(Box::new(err.clone()), false, general.colour);
        (Self::of_sinks(general, stdout, stderr), out, err)
    }

    fn of_sinks(general: General, stdout: Sink, stderr: Sink) -> Self {
        let shared = Shared {
            general,
            stderr_is_terminal: stderr.is_terminal(),
            stdout: Mutex::new(stdout),
            stderr: Mutex::new(stderr),
            phase: Mutex::new(None),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Whether one JSON document is the answer.
    pub fn json(&self) -> bool {
        self.shared.general.json
    }

    /// Text for people. Goes to stderr.
    pub fn tell(&self, page: &Page) {
        let bar = lock(&self.shared.phase).as_ref().map(|shown| shown.bar.clone());
        let write = || lock(&self.shared.stderr).write(page.as_str());
        match bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Text that was asked for and is for people: a list, a version. Goes to stdout.
    pub fn answer(&self, page: &Page) {
        lock(&self.shared.stdout).write(page.as_str());
    }

    /// Text for people that was put together by the parser of arguments, which styles it.
    pub(crate) fn tell_rendered(&self, text: &str) {
        lock(&self.shared.stderr).write(text);
    }

    /// Text that was asked for, put together by the parser of arguments: help, a version.
    pub(crate) fn answer_rendered(&self, text: &str) {
        lock(&self.shared.stdout).write(text);
    }

    /// Text that was asked for and is for programs, such as SQL. Goes to stdout, byte for byte; on a terminal without
    /// the characters that would act on it.
    pub fn data(&self, text: &str) {
        let mut stdout = lock(&self.shared.stdout);
        if stdout.is_terminal() { stdout.write(&page::clean_lines(text)) } else { stdout.write_raw(text) }
    }

    /// The document of a command: indented by two spaces, with a line break at the end. Once a command.
    pub fn document(&self, document: &impl serde::Serialize) {
        let mut stdout = lock(&self.shared.stdout);
        match serde_json::to_string_pretty(document) {
            Ok(text) => stdout.write_raw(&(text + "\n")),
            Err(_) => stdout.fail(),
        }
    }

    /// Whether something that was asked for could not be written, for another reason than that nobody reads it.
    pub fn lost_an_answer(&self) -> bool {
        let mut stdout = lock(&self.shared.stdout);
        stdout.flush();
        stdout.has_failed()
    }
}

/// A stream stays usable after a panic elsewhere: what is written to it is whole lines.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use anstream::ColorChoice;

    use super::*;

    #[test]
    fn a_document_is_indented_by_two_ends_with_a_line_and_goes_to_stdout_alone() {
        let (output, out, err) = Output::of_buffers(true);
        output.document(&serde_json::json!({"contract_version": 1, "list": []}));
        assert_eq!(out.text(), "{\n  \"contract_version\": 1,\n  \"list\": []\n}\n");
        assert_eq!(err.text(), "");
    }

    #[test]
    fn what_is_for_people_goes_to_stderr_without_colour_when_it_is_off() {
        let (output, out, err) = Output::of_buffers(false);
        output.tell(Page::new().paint(style::BAD, "gone").text(" for good").end());
        assert_eq!((out.text().as_str(), err.text().as_str()), ("", "gone for good\n"));
    }

    #[test]
    fn a_document_that_cannot_be_written_is_remembered() {
        let general = General { json: true, colour: ColorChoice::Never, progress: false };
        let full = Sink::new(Box::new(sink::Failing(std::io::ErrorKind::StorageFull)), false, ColorChoice::Never);
        let none = Sink::new(Box::new(sink::Buffer::default()), false, ColorChoice::Never);
        let output = Output::of_sinks(general, full, none);
        output.document(&1);
        assert!(output.lost_an_answer());
    }
}
