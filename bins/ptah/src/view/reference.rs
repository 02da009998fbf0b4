//! The page of the book about `--json` documents, made from the types that are written.
//!
//! `make reference` writes it; the test compares.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};

use super::{capabilities, compare, failure, forgotten, plan, providers, run, schema, version};

const HEAD: &str = "\
# JSON documents

Made from the program by `make reference`. With `--json` a command writes one document to stdout, on failure too, and
nothing else; what it tells people goes to stderr. The [exit code](exit-codes.md) says the same as the document.

A field is always there: what is not known or does not apply is null, and a list without entries is empty. Within one
`contract_version` fields and words may be added, and none is removed or changes its meaning, so a reader ignores what
it does not know. An `outcome` that a reader does not know is no success. Numbers above 2^53 are written as text.
";

/// The variable that asks for the page to be written instead of compared.
const WRITE: &str = "PTAH_WRITE_REFERENCE";

/// The documents, in the order of the page.
fn documents(make: &mut SchemaGenerator) -> Vec<(&'static str, Value)> {
    fn of<T: JsonSchema>(make: &mut SchemaGenerator) -> Value {
        T::json_schema(make).to_value()
    }
    vec![
        ("A command that ended early", of::<failure::FailureDocument>(make)),
        ("`schema plan`", of::<plan::PlanDocument>(make)),
        ("`schema apply`", of::<run::RunDocument>(make)),
        ("`schema compare`, `schema drift` and `schema diff`", of::<compare::ComparisonDocument>(make)),
        ("`schema inspect`", of::<schema::SchemaDocument>(make)),
        ("`schema render` and `db read`", of::<schema::SqlDocument>(make)),
        ("`schema validate`", of::<schema::ValidationDocument>(make)),
        ("`db capabilities`", of::<capabilities::CapabilitiesDocument>(make)),
        ("`db forget`", of::<forgotten::ForgetDocument>(make)),
        ("`providers list` and `providers check`", of::<providers::ProvidersDocument>(make)),
        ("`providers install` and `providers remove`", of::<providers::InstallationDocument>(make)),
        ("`providers describe`", of::<providers::DescriptionDocument>(make)),
        ("`version`", of::<version::VersionDocument>(make)),
    ]
}

fn text() -> String {
    let mut make = SchemaGenerator::default();
    let documents = documents(&mut make);
    let parts: BTreeMap<String, Value> = make.take_definitions(true).into_iter().collect();
    let mut page = HEAD.to_owned();
    for (name, document) in &documents {
        let _ = write!(page, "\n## {name}\n\n");
        fields(&mut page, document, &parts);
    }
    page.push_str("\n# Parts\n\nWhat the documents above are made of.\n");
    for (name, part) in &parts {
        let said = part["description"].as_str().map(one_line).unwrap_or_default();
        let _ = write!(page, "\n## {}\n\n{said}\n\n", part_name(name));
        fields(&mut page, part, &parts);
    }
    page
}

/// The table of the fields of an object, or of the words of an enumeration.
fn fields(page: &mut String, schema: &Value, parts: &BTreeMap<String, Value>) {
    if let Some(words) = schema["oneOf"].as_array() {
        page.push_str("| Word | What it is |\n|---|---|\n");
        for word in words {
            let _ = writeln!(page, "| `{}` | {} |", word["const"].as_str().unwrap(), meaning(word));
        }
        return;
    }
    page.push_str("| Field | Type | What it is |\n|---|---|---|\n");
    for (name, field) in schema["properties"].as_object().unwrap() {
        let _ = writeln!(page, "| `{name}` | {} | {} |", kind(field, parts), meaning(field));
    }
}

fn meaning(schema: &Value) -> String {
    let said = schema["description"].as_str().map(one_line).unwrap_or_default();
    assert!(!said.is_empty(), "every field says what it is: {schema}");
    said.replace('|', "\\|")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a field holds, with links to the parts.
fn kind(schema: &Value, parts: &BTreeMap<String, Value>) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap();
        assert!(parts.contains_key(name), "{name} is a part");
        let shown = part_name(name);
        return format!("[{shown}](#{})", shown.replace(' ', "-"));
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let kinds: Vec<String> = choices.iter().map(|choice| kind(choice, parts)).collect();
        return kinds.join(" or ");
    }
    match &schema["type"] {
        Value::Array(types) => types.iter().map(word).collect::<Vec<_>>().join(" or "),
        Value::String(one) if one == "array" => format!("list of {}", kind(&schema["items"], parts)),
        Value::String(one) if one == "object" => {
            format!("object: name to {}", kind(&schema["additionalProperties"], parts))
        }
        one => word(one).to_owned(),
    }
}

fn word(name: &Value) -> &str {
    match name.as_str().unwrap() {
        "string" => "text",
        "integer" => "number",
        "boolean" => "true or false",
        other => other,
    }
}

/// `ExplanationV1` is called `explanation`, `SettledPart` is called `settled`.
fn part_name(name: &str) -> String {
    let name = name.trim_end_matches("V1").trim_end_matches("Part").trim_end_matches("Summary");
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

#[test]
fn the_page_of_documents_is_what_the_program_writes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/json.md");
    let wanted = text();
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = wanted.lines().zip(found.lines()).find(|(wanted, found)| wanted != found);
    assert!(found == wanted, "docs/reference/json.md is not current (make reference writes it): {differs:#?}");
}

#[test]
fn two_parts_never_have_one_name() {
    let mut make = SchemaGenerator::default();
    documents(&mut make);
    let parts: Map<String, Value> = make.take_definitions(true);
    let names: std::collections::BTreeSet<String> = parts.keys().map(|name| part_name(name)).collect();
    assert_eq!(names.len(), parts.len(), "{names:?}");
}
