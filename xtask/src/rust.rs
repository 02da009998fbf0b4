//! Just enough reading of Rust text for the rules: what is code, what is comment, what is test.
//!
//! No parser: a scan over the characters that knows comments, strings and characters. It never fails; on text that is
//! no Rust it says something harmless, and the compiler says the rest.

use std::ops::Range;

/// One Rust file, taken apart. `code` and `comments` have the length and the lines of the text.
#[derive(Debug, Default)]
pub(crate) struct Rust {
    /// The text with comments and the contents of literals blanked.
    pub(crate) code: String,
    /// The text with everything but comments blanked.
    pub(crate) comments: String,
    /// Lines (from 1, end excluded) of the items under `#[cfg(test)]`.
    pub(crate) test_lines: Vec<Range<usize>>,
    /// Names of modules declared as `#[cfg(test)] mod name;`, which live in files of their own.
    pub(crate) test_modules: Vec<String>,
}

impl Rust {
    /// Takes a text apart.
    pub(crate) fn read(text: &str) -> Self {
        let (code, comments) = split(text);
        let (test_lines, test_modules) = tests(&code);
        Self { code, comments, test_lines, test_modules }
    }

    /// Whether this line, counted from 1, lies in an item under `#[cfg(test)]`.
    pub(crate) fn is_test_line(&self, line: usize) -> bool {
        self.test_lines.iter().any(|range| range.contains(&line))
    }

    /// The attributes of the code, each with its line and its text without white space, as `#[a(b)]`.
    pub(crate) fn attributes(&self) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(at) = self.code[from..].find('#').map(|at| at + from) {
            from = at + 1;
            let rest = self.code[from..].trim_start_matches('!');
            if !rest.trim_start().starts_with('[') {
                continue;
            }
            let end = closing(&self.code, at, '[', ']').unwrap_or(self.code.len());
            let text: String = self.code[at..end].split_whitespace().collect();
            found.push((line_of(&self.code, at), text));
        }
        found
    }
}

/// The line, counted from 1, of a byte offset.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

/// The offset after the bracket that closes the first `open` at or after `from`.
fn closing(code: &str, from: usize, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in code[from..].char_indices() {
        if letter == open {
            depth += 1;
        } else if letter == close {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(from + at + letter.len_utf8());
            }
        }
    }
    None
}

/// What a piece of text is.
#[derive(Clone, Copy, PartialEq)]
enum Piece {
    Code,
    Comment,
    Literal,
}

/// The code alone and the comments alone, both as long as the text.
fn split(text: &str) -> (String, String) {
    let mut code = String::with_capacity(text.len());
    let mut comments = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = ' ';
    while !rest.is_empty() {
        let (length, piece) = next(rest, before);
        for letter in rest[..length].chars() {
            keep(&mut code, letter, piece == Piece::Code);
            keep(&mut comments, letter, piece == Piece::Comment);
            before = letter;
        }
        rest = &rest[length..];
    }
    (code, comments)
}

/// Adds the letter, or as many blanks as it has bytes, so that offsets stay the same.
fn keep(into: &mut String, letter: char, kept: bool) {
    if kept || letter == '\n' {
        into.push(letter);
    } else {
        into.extend(std::iter::repeat_n(' ', letter.len_utf8()));
    }
}

/// The length and the kind of what stands at the start of `rest`; `before` is the letter in front of it.
fn next(rest: &str, before: char) -> (usize, Piece) {
    if rest.starts_with("//") {
        return (rest.find('\n').unwrap_or(rest.len()), Piece::Comment);
    }
    if rest.starts_with("/*") {
        return (block_comment(rest), Piece::Comment);
    }
    if rest.starts_with('"') {
        return (quoted(rest), Piece::Literal);
    }
    let word = before.is_alphanumeric() || before == '_';
    if !word && let Some(length) = raw_string(rest) {
        return (length, Piece::Literal);
    }
    if rest.starts_with('\'')
        && let Some(length) = character(rest)
    {
        return (length, Piece::Literal);
    }
    (rest.chars().next().map_or(1, char::len_utf8), Piece::Code)
}

fn block_comment(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        let here = &rest[at..];
        if here.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if here.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += here.chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

fn quoted(rest: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The length of `r"…"`, `r#"…"#` and their `br` and `cr` forms, if one starts here.
fn raw_string(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix("br").or_else(|| rest.strip_prefix("cr")).or_else(|| rest.strip_prefix('r'))?;
    let text = after.trim_start_matches('#');
    let hashes = after.len() - text.len();
    let inner = text.strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let start = rest.len() - inner.len();
    Some(inner.find(&end).map_or(rest.len(), |at| start + at + end.len()))
}

/// The length of a character literal; `None` for a lifetime.
fn character(rest: &str) -> Option<usize> {
    let inner = &rest[1..];
    let first = inner.chars().next()?;
    if first == '\\' {
        let skipped = 1 + inner[1..].chars().next()?.len_utf8();
        return inner[skipped..].find('\'').map(|at| 1 + skipped + at + 1);
    }
    inner[first.len_utf8()..].starts_with('\'').then(|| 1 + first.len_utf8() + 1)
}

/// The lines of items under `#[cfg(test)]`, and the modules declared so that live elsewhere.
fn tests(code: &str) -> (Vec<Range<usize>>, Vec<String>) {
    let mut lines = Vec::new();
    let mut modules = Vec::new();
    let mut from = 0;
    while let Some(at) = code[from..].find("#[cfg(").map(|at| at + from) {
        let Some(mut after) = closing(code, at, '[', ']') else {
            break;
        };
        from = after;
        let condition = &code[at + "#[cfg(".len()..after];
        if !(condition.starts_with("test)") || condition.starts_with("all(test")) {
            continue;
        }
        while code[after..].trim_start().starts_with("#[") {
            match closing(code, after, '[', ']') {
                Some(next) => after = next,
                None => break,
            }
        }
        let item = &code[after..];
        let end = match item.find(['{', ';']) {
            Some(found) if item[found..].starts_with('{') => {
                closing(code, after + found, '{', '}').unwrap_or(code.len())
            }
            Some(found) => {
                modules.extend(module_name(&item[..found]));
                after + found + 1
            }
            None => code.len(),
        };
        lines.push(line_of(code, at)..line_of(code, end) + 1);
        from = end;
    }
    (lines, modules)
}

fn module_name(item: &str) -> Option<String> {
    let mut words = item.split_whitespace().skip_while(|word| *word != "mod");
    words.next()?;
    words.next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_told_from_code() {
        let text = "let a = \"// no\"; // yes \"\nlet b = r#\"\"/*\"#; /* two /* deep */ */ let c = '\"'; f::<'a>();\n";
        let rust = Rust::read(text);
        assert_eq!(rust.code.len(), text.len());
        assert!(rust.comments.contains("// yes"));
        assert!(rust.comments.contains("/* two /* deep */ */"));
        assert!(!rust.comments.contains("no"));
        assert!(rust.code.contains("let c ="));
        assert!(rust.code.contains("f::<'a>();"));
        assert!(!rust.code.contains("yes"));
    }

    #[test]
    fn an_escaped_quote_does_not_end_a_string() {
        let rust = Rust::read(r#"a("x\"y"); b('\''); c(b"z");"#);
        for call in ["a(", "b(", "c("] {
            assert!(rust.code.contains(call), "{call} in {}", rust.code);
        }
        assert!(!rust.code.contains('y'));
    }

    #[test]
    fn the_lines_of_a_test_module_are_known() {
        let rust = Rust::read("fn a() {}\n#[cfg(test)]\n#[expect(x)]\nmod tests {\n  fn b() {}\n}\nfn c() {}\n");
        let lines: Vec<usize> = (1..=7).filter(|line| rust.is_test_line(*line)).collect();
        assert_eq!(lines, [2, 3, 4, 5, 6]);
    }

    #[test]
    fn a_test_module_in_a_file_of_its_own_is_named() {
        let rust = Rust::read("#[cfg(test)]\nmod tests;\nfn c() {}\n");
        assert_eq!(rust.test_modules, ["tests"]);
        assert!(!rust.is_test_line(3));
    }

    #[test]
    fn attributes_over_several_lines_are_one() {
        let rust = Rust::read("#![deny(\n  a,\n  b\n)]\n#[x]\nfn f() {}\n");
        assert_eq!(rust.attributes(), [(1, "#![deny(a,b)]".to_owned()), (5, "#[x]".to_owned())]);
    }
}
