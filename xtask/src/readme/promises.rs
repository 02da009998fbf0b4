//! What the validators prove of each message: every `unless(condition, message, field, sentence)` in the sources.

use std::collections::{BTreeMap, BTreeSet};

/// The promises of each message: field and sentence.
pub(super) type Promises = BTreeMap<String, BTreeSet<(String, String)>>;

/// Adds what a source proves. `const M: &str = "…"` names the message for what follows it.
pub(super) fn read(text: &str, promises: &mut Promises) {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let mut message = String::new();
    for (at, _) in text.match_indices(['c', 'u']) {
        let rest = &text[at..];
        if let Some(named) = rest.strip_prefix("const M: &str = \"") {
            named.split('"').next().unwrap_or_default().clone_into(&mut message);
        } else if let Some(call) = rest.strip_prefix("unless(") {
            let arguments = arguments(call);
            if let [.., of, field, sentence] = arguments.as_slice() {
                let of = literal(of).or_else(|| (of == "M").then(|| message.clone()));
                if let (Some(of), Some(field), Some(sentence)) = (of, literal(field), literal(sentence)) {
                    promises.entry(of).or_default().insert((field, sentence));
                }
            }
        } else if rest.starts_with("check_echo(&self.key, M)") {
            let promise = ("key".to_owned(), "echoes the request, byte for byte".to_owned());
            promises.entry(message.clone()).or_default().insert(promise);
        } else if rest.starts_with("check_diagnostic(M,") {
            let sentence = "is absent on success, and keeps the rules of a reason otherwise";
            promises.entry(message.clone()).or_default().insert(("diagnostic".to_owned(), sentence.to_owned()));
        }
    }
}

/// The arguments of a call whose opening parenthesis was just read.
fn arguments(text: &str) -> Vec<String> {
    let mut arguments = vec![String::new()];
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    for c in text.chars() {
        match c {
            '"' if !escaped => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' if !quoted && depth == 0 => break,
            ')' | ']' | '}' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                arguments.push(String::new());
                continue;
            }
            _ => {}
        }
        escaped = c == '\\' && !escaped;
        if let Some(last) = arguments.last_mut() {
            last.push(c);
        }
    }
    let mut arguments: Vec<String> = arguments.iter().map(|text| text.trim().to_owned()).collect();
    // A trailing comma makes no argument.
    arguments.pop_if(|last| last.is_empty());
    arguments
}

fn literal(text: &str) -> Option<String> {
    text.strip_prefix('"')?.strip_suffix('"').map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_validator_proves_is_found_whatever_its_form() {
        let text = r#"const M: &str = "Reply";
            Violation::unless(self.count == f(1, "a,b"), M, "count", "is the number")?;
            Violation::unless(
                whole,
                "Other",
                "parts",
                "are whole",
            )?;
            let rule = "is computed";
            Violation::unless(x, M, "x", rule)
            asked.key.check_echo(&self.key, M)?;"#;
        let mut promises = Promises::new();
        read(text, &mut promises);
        let of = |name: &str| promises[name].iter().map(|(f, s)| format!("{f} {s}")).collect::<Vec<_>>();
        assert_eq!(of("Reply"), ["count is the number", "key echoes the request, byte for byte"]);
        assert_eq!(of("Other"), ["parts are whole"]);
    }

    #[test]
    fn what_tests_say_is_no_promise() {
        let mut promises = Promises::new();
        read("#[cfg(test)]\nmod tests { Violation::unless(x, \"A\", \"b\", \"c\") }", &mut promises);
        assert_eq!(promises, Promises::new());
    }
}
