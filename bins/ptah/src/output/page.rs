//! Text for people, put together line by line.
//!
//! Everything that is put on a page is cleaned of characters that act on a terminal; styles are added around it. So a
//! name or a statement from a database can never move a cursor or hide a line.

use std::fmt::Write as _;

/// The styles. Readable without any of them: each says only once more what the words say.
pub mod style {
    use anstyle::{AnsiColor, Style};

    /// Something is lost, refused or wrong.
    pub const BAD: Style = AnsiColor::Red.on_default().bold();
    /// Something to look at.
    pub const WARN: Style = AnsiColor::Yellow.on_default().bold();
    /// Something is as it should be.
    pub const GOOD: Style = AnsiColor::Green.on_default();
    /// What a line is about.
    pub const STRONG: Style = Style::new().bold();
    /// What goes with it.
    pub const FAINT: Style = Style::new().dimmed();
    /// A statement.
    pub const SQL: Style = AnsiColor::Cyan.on_default();
}

/// Lines of text with styles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page(String);

impl Page {
    /// An empty page.
    pub fn new() -> Self {
        Self::default()
    }

    /// One line.
    pub fn of(line: &str) -> Self {
        let mut page = Self::new();
        page.line(line);
        page
    }

    /// Adds text to the line.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.0.push_str(&clean(text));
        self
    }

    /// Adds text in a style to the line.
    pub fn paint(&mut self, style: anstyle::Style, text: &str) -> &mut Self {
        // Writing to a string cannot fail.
        let _ = write!(self.0, "{style}{}{style:#}", clean(text));
        self
    }

    /// Ends the line.
    pub fn end(&mut self) -> &mut Self {
        self.0.push('\n');
        self
    }

    /// Adds a whole line.
    pub fn line(&mut self, text: &str) -> &mut Self {
        self.text(text).end()
    }

    /// Adds an empty line, unless the page is empty or ends with one.
    pub fn gap(&mut self) -> &mut Self {
        if !self.0.is_empty() && !self.0.ends_with("\n\n") {
            self.0.push('\n');
        }
        self
    }

    /// Adds each line of `text`, moved in by `indent`.
    pub fn block(&mut self, style: anstyle::Style, indent: usize, text: &str) -> &mut Self {
        for line in text.lines() {
            let _ = write!(self.0, "{:indent$}", "");
            self.paint(style, line.trim_end()).end();
        }
        self
    }

    /// Adds what to do, apart from the fact.
    pub fn hint(&mut self, text: &str) -> &mut Self {
        self.paint(style::STRONG, "hint:").text(" ").line(text)
    }

    /// Adds another page.
    pub fn append(&mut self, other: &Self) -> &mut Self {
        self.0.push_str(&other.0);
        self
    }

    /// Adds text that was made by a renderer which cleans what it is given.
    pub(crate) fn rendered(&mut self, text: &str) -> &mut Self {
        self.0.push_str(text);
        self
    }

    /// The text, with its styles.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text without styles.
    pub fn plain(&self) -> String {
        anstream::adapter::strip_str(&self.0).to_string()
    }
}

/// One line without characters that act on a terminal or reorder what is read: they are shown as escapes.
pub fn clean(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut cleaned, c| {
        if c == '\t' {
            cleaned.push_str("    ");
        } else if acts(c) {
            cleaned.extend(c.escape_default());
        } else {
            cleaned.push(c);
        }
        cleaned
    })
}

/// Several lines, each cleaned.
pub(super) fn clean_lines(text: &str) -> String {
    text.split_inclusive('\n').fold(String::with_capacity(text.len()), |mut cleaned, line| {
        let body = line.strip_suffix('\n').unwrap_or(line);
        cleaned.push_str(&clean(body));
        if body.len() < line.len() {
            cleaned.push('\n');
        }
        cleaned
    })
}

/// Control characters, separators of lines, and the marks that change the direction of text.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_shown_and_does_not_act() {
        let mut page = Page::new();
        page.line("users\u{1b}[2J\u{202e}").block(style::SQL, 2, "a\r\n\tb\u{7}");
        assert_eq!(page.plain(), "users\\u{1b}[2J\\u{202e}\n  a\n      b\\u{7}\n");
    }

    #[test]
    fn sql_on_a_terminal_keeps_its_lines() {
        assert_eq!(clean_lines("create\ntable\u{1b}c x;\n"), "create\ntable\\u{1b}c x;\n");
        assert_eq!(clean_lines("no end"), "no end");
    }
}
