//! The one error of this module tree: what is wrong with a text, and where.

use super::position::Position;

/// A text that cannot be read. Trying again does not help; the text has to change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at {position}")]
pub struct TextError {
    /// What is wrong.
    pub kind: TextErrorKind,
    /// Byte offset in the text.
    pub offset: usize,
    /// The same place as line and column.
    pub position: Position,
}

impl TextError {
    /// An error at a byte offset of `text`.
    pub fn at(text: &str, offset: usize, kind: TextErrorKind) -> Self {
        Self { kind, offset, position: Position::of(text, offset) }
    }
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextErrorKind {
    /// A string without its closing quote.
    #[error("a string is not closed")]
    UnterminatedString,
    /// A quoted name without its closing quote.
    #[error("a quoted name is not closed")]
    UnterminatedName,
    /// A block comment without its end.
    #[error("a block comment is not closed")]
    UnterminatedComment,
    /// A blob literal that is not closed, has an odd number of digits, or other characters than hexadecimal digits.
    #[error("a blob literal is not an even number of hexadecimal digits")]
    MalformedBlob,
    /// Digits that run into other characters.
    #[error("a number is malformed")]
    MalformedNumber,
    /// A parameter sign without a name.
    #[error("a parameter has no name")]
    MalformedParameter,
    /// A character that starts no token.
    #[error("a character that SQL does not know")]
    UnknownCharacter,
    /// A command of the `sqlite3` shell, which is not SQL.
    #[error("`{command}` is a command of the sqlite3 shell, not SQL")]
    ShellCommand {
        /// The command with its dot and without its arguments.
        command: String,
    },
    /// Something else was needed here.
    #[error("expected {what}")]
    Expected {
        /// What was needed.
        what: &'static str,
    },
}
