//! Every message, field, enum, value, service and call of a `.proto` file has a comment, above it or behind it.
//!
//! The proto files are what an author of a provider in another language reads. Values that end in `_UNSPECIFIED` are
//! exempt: they mean that nothing was said. So are files under `tests/`, which nobody reads as a contract.

use crate::report::Problem;
use crate::tree::Tree;

/// The rule's name.
const RULE: &str = "proto_docs";

/// Statements that declare nothing.
const SILENT: &[&str] = &["syntax", "package", "import", "option", "reserved", "extensions", "edition"];

/// Reads every `.proto` file.
pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.ending(".proto").filter(|file| !file.is_test) {
        for (line, name) in undocumented(&file.text) {
            let text = format!("{name} has no comment");
            problems.push(Problem::at(RULE, &file.path, line, text));
        }
    }
    problems
}

/// The declarations without a comment, each with its line.
fn undocumented(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut has_comment = false;
    let mut statement = String::new();
    let mut start = 0;
    let mut in_block = false;
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if in_block || trimmed.starts_with("/*") {
            in_block = !trimmed.ends_with("*/");
            has_comment = true;
            continue;
        }
        let (code, comment) = match trimmed.split_once("//") {
            Some((code, comment)) => (code.trim(), comment.trim()),
            None => (trimmed, ""),
        };
        has_comment |= !comment.is_empty();
        if code.is_empty() {
            // A blank line cuts a comment off, so that the file's own is not taken for the first message's.
            if comment.is_empty() && !trimmed.starts_with("//") && statement.is_empty() {
                has_comment = false;
            }
            continue;
        }
        if statement.is_empty() {
            start = at + 1;
        }
        statement.push_str(code);
        statement.push(' ');
        if !code.ends_with([';', '{', '}']) {
            continue;
        }
        if let Some(name) = declared(&statement)
            && !has_comment
        {
            found.push((start, name));
        }
        statement.clear();
        has_comment = false;
    }
    found
}

/// What a statement declares, as it is named to a person; `None` for statements that need no comment.
fn declared(statement: &str) -> Option<String> {
    let words: Vec<&str> = statement.split_whitespace().collect();
    let first = *words.first()?;
    if first.starts_with('}') || SILENT.contains(&first) {
        return None;
    }
    if matches!(first, "message" | "enum" | "service" | "rpc" | "oneof" | "extend") {
        let name = words.get(1).unwrap_or(&"").split(['(', '{']).next();
        return Some(format!("{first} {}", name.unwrap_or_default()));
    }
    let name = statement.split('=').next()?.split_whitespace().next_back()?;
    (!name.ends_with("_UNSPECIFIED")).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tree;

    const WHOLE: &str = "// The file.\n\nsyntax = \"proto3\";\npackage a.b;\n\n// A.\nmessage A {\n  reserved 4;\n  // One.\n  string one = 1;\n  map<string, string> two = 2; // Two.\n  /* Choice. */\n  oneof c {\n    // Three.\n    int32 three = 3;\n  }\n}\n\n// E.\nenum E {\n  E_UNSPECIFIED = 0;\n  // Yes.\n  E_YES = 1;\n}\n\n// S.\nservice S {\n  // Call.\n  rpc Call(A)\n      returns (A);\n}\n";

    #[test]
    fn a_file_with_a_comment_on_everything_passes() {
        assert_eq!(check(&tree(&[("a.proto", WHOLE)])), []);
    }

    #[test]
    fn a_file_of_a_test_is_not_asked() {
        let tree = tree(&[("tests/a.proto", "message A {\n}\n")]);
        assert_eq!(check(&tree), []);
    }

    #[test]
    fn everything_without_a_comment_is_named() {
        let bare = WHOLE
            .lines()
            .filter(|line| !line.trim().starts_with(['/']))
            .map(|line| line.split("//").next().unwrap_or_default().to_owned() + "\n")
            .collect::<String>();
        let names: Vec<String> = undocumented(&bare).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["message A", "one", "two", "oneof c", "three", "enum E", "E_YES", "service S", "rpc Call"]);
    }

    #[test]
    fn the_comment_of_the_file_is_not_the_comment_of_its_first_message() {
        let problems = check(&tree(&[("a.proto", "// The file.\n\nmessage A {\n}\n")]));
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].line, 3);
    }
}
