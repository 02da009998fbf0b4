//! The page of variables, from the one file that has them.

use std::fmt::Write as _;
use std::path::Path;

use ptah::environment::{BOUND, TYPED};

const FILE: &str = include_str!("../../../src/environment.rs");

const HEAD: &str = "\
# Variables

Made from the program by `make reference`. A flag that was typed goes before its variable, and a variable before the default. A
variable that is set to nothing is refused, except `NO_COLOR` and `TERM`: it is neither a value nor its absence. A variable that
is yes or no takes `1`, `t`, `true`, `0`, `f` and `false`.

| Variable | What it is | Flag |
|---|---|---|
";

const TYPED_HEAD: &str = "
## Consent is typed

These flags consent to something or reveal something, so they have no variable: nothing that was left in an environment can
approve, destroy or reveal. A variable that looks as if it stood for one is refused by name.

";

const TAIL: &str = "
## What is read besides

- `XDG_RUNTIME_DIR` and `TMPDIR`: where the private folder of a provider's socket is made; `/tmp` without them.
- `SSL_CERT_FILE` and `SSL_CERT_DIR`: whose certificates `providers install` accepts instead of those of the machine.
- `PTAH_FAULT`: in debug builds alone, where a run or an installation is told to die, for tests.

A provider gets none of this. Its environment holds the variables of the bootstrap, whose names begin with `PLUGIN_` or
`PTAH_PROVIDER_`, and what the manifest lists for it.
";

pub(super) fn text() -> String {
    let mut page = HEAD.to_owned();
    for (name, what) in documented() {
        let flag = BOUND.iter().find(|bound| bound.variable == name);
        let flag = flag.map(|bound| format!("`--{}`", bound.flag)).unwrap_or_default();
        let _ = writeln!(page, "| `{name}` | {what} | {flag} |");
    }
    page.push_str(TYPED_HEAD);
    for flag in TYPED {
        let _ = writeln!(page, "- `--{flag}`");
    }
    page.push_str(TAIL);
    page
}

/// Every constant with its documentation, in the order of the file.
fn documented() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut what: Vec<&str> = Vec::new();
    for line in FILE.lines() {
        if let Some(text) = line.strip_prefix("/// ") {
            what.push(text);
            continue;
        }
        let constant = line.strip_prefix("pub const ").and_then(|rest| rest.split_once(": &str = \""));
        if let Some((_, value)) = constant {
            let sentence = what.join(" ");
            let name = value.trim_end_matches("\";").to_owned();
            found.push((name, sentence.trim_end_matches('.').to_owned()));
        }
        what.clear();
    }
    assert!(found.len() > BOUND.len(), "{found:?}");
    found
}

/// Names that product sources read from the environment by themselves, with the file.
pub(super) fn read_in_sources(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in [
        "bins/ptah/src",
        "crates/drive/src",
        "crates/go-plugin/src/host",
        "crates/provider-host/src",
        "crates/provider-install/src",
    ] {
        super::codes::each_file(&root.join(folder), &mut |path, text| {
            for call in ["env::var(\"", "env::var_os(\"", "VARIABLE: &str = \""] {
                for rest in text.split(call).skip(1) {
                    let name = rest.split('"').next().unwrap_or_default();
                    found.push((path.display().to_string(), name.to_owned()));
                }
            }
        });
    }
    assert!(!found.is_empty());
    found
}
