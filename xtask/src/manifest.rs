//! Just enough reading of TOML for `Cargo.toml` and `clippy.toml`: sections, keys, values as text, array entries.
//!
//! Not a TOML parser: cargo and clippy refuse what is not TOML. Text in quotes, brackets over several lines and
//! comments are understood; multi-line strings are not, since those files have none.

use std::collections::BTreeMap;

/// Keys by section, `""` for the part before the first section. Values are text without comments, white space outside
/// quotes as one blank.
pub(crate) type Manifest = BTreeMap<String, BTreeMap<String, String>>;

/// Reads a file's text.
pub(crate) fn read(text: &str) -> Manifest {
    let mut manifest = Manifest::new();
    let mut section = String::new();
    let mut open = String::new();
    for line in text.lines() {
        let line = without_comment(line).trim();
        if line.is_empty() {
            continue;
        }
        if open.is_empty() && line.starts_with('[') {
            line.trim_matches(['[', ']']).trim().clone_into(&mut section);
            manifest.entry(section.clone()).or_default();
            continue;
        }
        if !open.is_empty() {
            open.push(' ');
        }
        open.push_str(line);
        if depth(&open) > 0 {
            continue;
        }
        if let Some((key, value)) = open.split_once('=') {
            let key = key.trim().trim_matches('"').to_owned();
            let keys = manifest.entry(section.clone()).or_default();
            keys.insert(key, value.trim().to_owned());
        }
        open.clear();
    }
    manifest
}

/// The entries of an array value, as text; a value that is no array is its own only entry.
pub(crate) fn entries(value: &str) -> Vec<String> {
    let Some(inner) = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        return vec![value.to_owned()];
    };
    let mut found = Vec::new();
    let mut entry = String::new();
    for letter in inner.chars() {
        if letter == ',' && depth(&entry) == 0 && !in_quotes(&entry) {
            found.push(std::mem::take(&mut entry));
        } else {
            entry.push(letter);
        }
    }
    found.push(entry);
    found.into_iter().map(|entry| entry.trim().to_owned()).filter(|entry| !entry.is_empty()).collect()
}

/// How many brackets and braces stay open, those in quotes not counted.
fn depth(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut quoted = false;
    for letter in text.chars() {
        match letter {
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    depth
}

fn in_quotes(text: &str) -> bool {
    text.matches('"').count() % 2 == 1
}

fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    for (at, letter) in line.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '#' if !quoted => return &line[..at],
            _ => {}
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_keys_and_dotted_keys_are_read() {
        let manifest = read("a = 1 # one\n[lints]\nworkspace = true\n[package]\nlicense.workspace = true\n");
        assert_eq!(manifest[""]["a"], "1");
        assert_eq!(manifest["lints"]["workspace"], "true");
        assert_eq!(manifest["package"]["license.workspace"], "true");
    }

    #[test]
    fn an_array_over_lines_is_one_value_with_its_entries() {
        let manifest = read("x = [\n  { path = \"a\", reason = \"b, #c\" },\n  \"d\",\n]\ny = 2\n");
        assert_eq!(entries(&manifest[""]["x"]), ["{ path = \"a\", reason = \"b, #c\" }", "\"d\""]);
        assert_eq!(manifest[""]["y"], "2");
    }
}
