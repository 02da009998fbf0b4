//! The protos as a reader sees them: each message and enum with its comment and those of its fields.
//!
//! Their form is simple on purpose: one declaration a line, its comment above it. `xtask tidy` holds them to the comments.

/// A message, an enum or a service.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) name: String,
    pub(super) doc: String,
    /// Fields, values or calls.
    pub(super) parts: Vec<Part>,
}

/// A field, a value or a call.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) name: String,
    /// The type of a field; what a call takes and returns; empty for a value.
    pub(super) kind: String,
    /// The number; empty for a call.
    pub(super) number: String,
    pub(super) doc: String,
    /// The choice that a field is one of, with what is said of it.
    pub(super) choice: Option<(String, String)>,
}

/// Every declaration of a file, in its order.
pub(super) fn read(text: &str) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut doc = String::new();
    let mut choice: Option<(String, String)> = None;
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        if let Some(comment) = line.strip_prefix("//") {
            if !doc.is_empty() {
                doc.push(' ');
            }
            doc.push_str(comment.trim());
            continue;
        }
        let said = std::mem::take(&mut doc);
        let mut words = line.split_whitespace();
        match words.next() {
            Some("message" | "enum" | "service") => {
                let name = words.next().unwrap_or_default().to_owned();
                items.push(Item { name, doc: said, parts: Vec::new() });
                inside = !line.ends_with('}');
            }
            Some("oneof") => choice = Some((words.next().unwrap_or_default().to_owned(), said)),
            Some("}") if choice.is_some() => choice = None,
            Some("}") => inside = false,
            Some("syntax" | "package" | "import" | "reserved" | "option") | None => {}
            Some(_) if inside => {
                let part = part(line, said, choice.clone());
                if let (Some(item), Some(part)) = (items.last_mut(), part) {
                    item.parts.push(part);
                }
            }
            Some(_) => {}
        }
    }
    items
}

fn part(line: &str, doc: String, choice: Option<(String, String)>) -> Option<Part> {
    let line = line.strip_suffix(';')?;
    if let Some(call) = line.strip_prefix("rpc ") {
        let (name, rest) = call.split_once('(')?;
        let (input, output) = rest.split_once(") returns (")?;
        let kind = format!("{input} → {}", output.trim_end_matches(')'));
        return Some(Part { name: name.to_owned(), kind, doc, ..Part::default() });
    }
    let (left, number) = line.split_once(" = ")?;
    let (kind, name) = left.rsplit_once(' ').unwrap_or(("", left));
    Some(Part { name: name.to_owned(), kind: kind.to_owned(), number: number.to_owned(), doc, choice })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_belong_to_what_stands_below_them() {
        let text = "// The file.\n\nsyntax = \"proto3\";\n\n// A message.\nmessage A {\n  // One\n  // field.\n  optional \
                    string a = 1;\n  // Which.\n  oneof what {\n    // A text.\n    string b = 2;\n  }\n}\n\n// Nothing.\n\
                    message B {}\n// Words.\nenum E {\n  E_UNSPECIFIED = 0;\n  // A word.\n  E_A = 1;\n}\n";
        let items = read(text);
        let names: Vec<&str> = items.iter().map(|item| item.name.as_str()).collect();
        assert_eq!(names, ["A", "B", "E"]);
        assert_eq!(items[0].doc, "A message.");
        assert_eq!(items[0].parts[0].doc, "One field.");
        assert_eq!(items[0].parts[0].kind, "optional string");
        assert_eq!(items[0].parts[1].choice, Some(("what".to_owned(), "Which.".to_owned())));
        assert_eq!(items[2].parts[1].name, "E_A");
    }

    #[test]
    fn a_call_says_what_it_takes_and_returns() {
        let items = read("service P {\n  // Reads.\n  rpc Inspect(Q) returns (stream A);\n}\n");
        assert_eq!(items[0].parts[0].kind, "Q → stream A");
    }
}
