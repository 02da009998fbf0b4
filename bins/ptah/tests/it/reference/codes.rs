//! Codes: those on a page, and those in the sources, found by how each kind is written.

use std::collections::BTreeSet;
use std::path::Path;

/// What stands before a code, in the folders that hold such codes.
const FORMS: &[(&str, &[&str])] = &[
    ("crates", &["Code(\"", "PROVIDER_START_TIMEOUT: &str = \""]),
    ("crates/provider-host/src/error", &["=> \"provider_"]),
    ("crates/provider-install/src/error", &["=> \"provider_", "                \"provider_"]),
    ("providers/sqlite/src", &["Code(\"", "Because::new(\"", "of_broken(\"", "hazard(\"", "check(\"rows."]),
    ("providers/sqlite/src/analyze.rs", &["=> \"source."]),
    ("providers/sqlite/src/plan/build.rs", &["=> \"function.", "=> \"collation."]),
    ("bins/ptah/src", &["Failure::new(\"", "Self::new(\"", "INTERRUPTED: &str = \""]),
];

/// Crates that say nothing to somebody who runs `ptah`.
const OTHERS: [&str; 4] = ["crates/conformance", "crates/lifecycle", "crates/reconcile", "crates/crds"];

/// The first cell of each row of each table.
pub(super) fn on_page(text: &str) -> BTreeSet<String> {
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split('`').next()).map(str::to_owned).collect()
}

pub(super) fn in_sources(root: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (place, forms) in FORMS {
        each_file(&root.join(place), &mut |path, text| {
            if OTHERS.iter().all(|other| !path.starts_with(root.join(other))) {
                forms.iter().for_each(|form| collect(text, form, &mut found));
            }
        });
    }
    found
}

/// The words of a run, from the functions that give them.
pub(super) fn of_endings(root: &Path) -> BTreeSet<String> {
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let (words, run) = (read("bins/ptah/src/view/run/words.rs"), read("bins/ptah/src/view/run.rs"));
    let mut found: BTreeSet<_> = ["0", "1", "2", "3", "130", "143"].map(str::to_owned).into();
    for (text, from) in [(&words, "fn refusal_code"), (&words, "fn trouble_code"), (&run, "fn outcome(")] {
        let body = text.split(from).nth(1).and_then(|rest| rest.split("\n}").next()).unwrap();
        collect(body, "=> \"", &mut found);
    }
    found
}

/// The codes after each occurrence of a form. What the form holds of the code belongs to it.
fn collect(text: &str, form: &str, found: &mut BTreeSet<String>) {
    let start = form.rsplit('"').next().unwrap_or_default();
    for rest in text.split(form).skip(1) {
        let code = format!("{start}{}", rest.split('"').next().unwrap_or_default());
        found.insert(code);
    }
}

/// Every Rust file under a path, without its tests.
pub(super) fn each_file(path: &Path, take: &mut impl FnMut(&Path, &str)) {
    if path.is_dir() {
        let mut entries: Vec<_> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for entry in entries.iter().filter(|entry| !entry.ends_with("tests") && !entry.ends_with("tests.rs")) {
            each_file(entry, take);
        }
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        let text = std::fs::read_to_string(path).unwrap();
        take(path, text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default());
    }
}
