//! One stream, which stops writing when nobody reads it.

use std::io::{ErrorKind, Write};

use anstream::ColorChoice;

/// A stream, with or without colour.
pub(super) struct Sink {
    to: Box<dyn Write + Send>,
    is_terminal: bool,
    coloured: bool,
    state: State,
}

/// Whether there is a point in writing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// The reader went away. What is left is dropped.
    Closed,
    /// Something could not be written, and the reader may still be there.
    Failed,
}

impl Sink {
    pub(super) fn new(to: Box<dyn Write + Send>, is_terminal: bool, colour: ColorChoice) -> Self {
        let coloured = match colour {
            ColorChoice::Always | ColorChoice::AlwaysAnsi => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                is_terminal && std::env::var_os(crate::environment::TERM).is_some_and(|term| term != "dumb")
            }
        };
        Self { to, is_terminal, coloured, state: State::Open }
    }

    pub(super) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    pub(super) fn has_failed(&self) -> bool {
        self.state == State::Failed
    }

    /// Writes text whose styles are dropped where there is no colour.
    pub(super) fn write(&mut self, text: &str) {
        if self.coloured {
            self.write_raw(text);
        } else {
            self.write_raw(&anstream::adapter::strip_str(text).to_string());
        }
    }

    /// Writes text as it is, in one call.
    pub(super) fn write_raw(&mut self, text: &str) {
        if self.state == State::Open {
            let written = self.to.write_all(text.as_bytes()).and_then(|()| self.to.flush());
            self.note(written);
        }
    }

    pub(super) fn flush(&mut self) {
        if self.state == State::Open {
            let flushed = self.to.flush();
            self.note(flushed);
        }
    }

    pub(super) fn fail(&mut self) {
        self.state = State::Failed;
    }

    fn note(&mut self, result: std::io::Result<()>) {
        if let Err(error) = result {
            self.state = if error.kind() == ErrorKind::BrokenPipe { State::Closed } else { State::Failed };
        }
    }
}

/// A stream in memory that tests read back.
#[cfg(test)]
#[derive(Clone, Default)]
pub(crate) struct Buffer(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

#[cfg(test)]
impl Buffer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

#[cfg(test)]
impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A stream that fails.
#[cfg(test)]
pub(crate) struct Failing(pub(crate) ErrorKind);

#[cfg(test)]
impl Write for Failing {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_went_away_is_no_failure() {
        let mut sink = Sink::new(Box::new(Failing(ErrorKind::BrokenPipe)), false, ColorChoice::Never);
        sink.write("a\n");
        sink.write("b\n");
        assert!(!sink.has_failed());
        let mut sink = Sink::new(Box::new(Failing(ErrorKind::StorageFull)), false, ColorChoice::Never);
        sink.write("a\n");
        assert!(sink.has_failed());
    }

    #[test]
    fn colour_is_dropped_where_it_is_off_and_kept_where_it_is_on() {
        let (off, on) = (Buffer::default(), Buffer::default());
        Sink::new(Box::new(off.clone()), true, ColorChoice::Never).write("\x1b[31mred\x1b[0m");
        Sink::new(Box::new(on.clone()), false, ColorChoice::Always).write("\x1b[31mred\x1b[0m");
        assert_eq!((off.text().as_str(), on.text().as_str()), ("red", "\x1b[31mred\x1b[0m"));
    }
}
