//! Brings a schema into the form that the API server takes, and gives a limit to what has none.
//!
//! Our own types carry their limits. The types of Kubernetes that stand in a spec, such as an affinity, do not: their
//! texts, lists and maps get the limits below, so that no object can grow without bound and rules stay affordable.

use serde_json::{Map, Value, json};

/// The longest text where its type says nothing: the longest key of a label with its prefix has 317 characters.
const TEXT: u64 = 1_024;
/// The longest list where its type says nothing.
const LIST: u64 = 64;
/// The most entries of a map where its type says nothing.
const ENTRIES: u64 = 64;

/// Brings one schema and all that it holds into form.
pub(super) fn tidy(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    // Forms that only describe Rust's integers; the API server does not know them.
    if object.get("format").and_then(Value::as_str).is_some_and(|format| format.starts_with("uint")) {
        object.remove("format");
    }
    // `deny_unknown_fields`: the API server removes unknown fields by itself and allows no such word beside properties.
    if object.get("additionalProperties") == Some(&Value::Bool(false)) {
        object.remove("additionalProperties");
    }
    // An optional field is left out, never null; and a title says no more than the kind's name.
    object.remove("nullable");
    object.remove("title");
    plain(object);
    limit(object);
    for name in ["properties", "patternProperties"] {
        if let Some(properties) = object.get_mut(name).and_then(Value::as_object_mut) {
            properties.values_mut().for_each(tidy);
        }
    }
    for name in ["items", "additionalProperties"] {
        if let Some(inner) = object.get_mut(name) {
            tidy(inner);
        }
    }
}

/// Puts the lines of a comment together, paragraph by paragraph, and writes whole numbers as such.
fn plain(object: &mut Map<String, Value>) {
    if let Some(Value::String(text)) = object.get_mut("description") {
        let paragraphs: Vec<String> = text.split("\n\n").map(|paragraph| paragraph.replace('\n', " ")).collect();
        *text = paragraphs.join("\n\n");
    }
    for word in ["minimum", "maximum"] {
        let whole = object.get(word).and_then(Value::as_f64).filter(|number| number.fract() == 0.0);
        if let Some(whole) = whole.and_then(|number| format!("{number:.0}").parse::<i64>().ok()) {
            object.insert(word.to_owned(), json!(whole));
        }
    }
}

/// Gives a limit to a text, a list or a map that has none.
fn limit(object: &mut Map<String, Value>) {
    let kind = object.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    let (word, most) = match kind.as_str() {
        "string" if !object.contains_key("enum") => ("maxLength", TEXT),
        "array" => ("maxItems", LIST),
        "object" if object.contains_key("additionalProperties") => ("maxProperties", ENTRIES),
        _ => return,
    };
    object.entry(word).or_insert_with(|| json!(most));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_limit_gets_one_and_what_has_one_keeps_it() {
        let mut schema = json!({
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "free": { "type": "string", "nullable": true, "description": "One\nline.\n\nAnother." },
                "own": { "type": "string", "maxLength": 7 },
                "closed": { "type": "string", "enum": ["A"] },
                "list": { "type": "array", "items": { "type": "string" } },
                "map": { "type": "object", "additionalProperties": { "type": "integer", "format": "uint8", "maximum": 9.0 } },
            },
        });
        tidy(&mut schema);
        let expected = json!({
            "type": "object",
            "properties": {
                "free": { "type": "string", "maxLength": TEXT, "description": "One line.\n\nAnother." },
                "own": { "type": "string", "maxLength": 7 },
                "closed": { "type": "string", "enum": ["A"] },
                "list": { "type": "array", "maxItems": LIST, "items": { "type": "string", "maxLength": TEXT } },
                "map": { "type": "object", "maxProperties": ENTRIES, "additionalProperties": { "type": "integer", "maximum": 9 } },
            },
        });
        assert_eq!(schema, expected);
    }
}
