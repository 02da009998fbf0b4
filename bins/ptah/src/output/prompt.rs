//! The question before a change.

use std::io::{BufRead, ErrorKind};

/// What a person typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The word that consents.
    Yes,
    /// Anything else, or nothing.
    No,
}

/// The longest answer that is read, in bytes. What is longer is no consent.
const LIMIT: u64 = 1024;

/// Reads one line. Only `yes` consents: not `y`, not another case, so that a habit approves nothing.
pub fn read_answer(from: &mut dyn BufRead) -> Answer {
    let mut line = Vec::new();
    let mut from = std::io::Read::take(from, LIMIT);
    loop {
        match from.read_until(b'\n', &mut line) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // An input that ends without a line break was cut off, and says nothing for certain.
            Ok(_) if line.ends_with(b"\n") && line.trim_ascii() == b"yes" => return Answer::Yes,
            Ok(_) | Err(_) => return Answer::No,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_yes_on_a_line_of_its_own_consents() {
        for (typed, answer) in [
            ("yes\n", Answer::Yes),
            ("  yes \r\n", Answer::Yes),
            ("yes", Answer::No),
            ("y\n", Answer::No),
            ("YES\n", Answer::No),
            ("yes please\n", Answer::No),
            ("\nyes\n", Answer::No),
            ("", Answer::No),
        ] {
            assert_eq!(read_answer(&mut typed.as_bytes()), answer, "{typed:?}");
        }
    }
}
