//! The page, section by section.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};

use super::promises::Promises;
use super::proto::{Item, Part};
use super::{features, promises, proto};
use crate::tree::Tree;

const HEAD: &str = include_str!("../../readme/head.txt");
const TOPICS: &str = include_str!("../../readme/topics.txt");

/// The protos in the order in which they are read best.
const PROTOS: [&str; 8] = ["describe", "common", "session", "schema", "sql", "plan", "execute", "claim"];

/// The whole page.
pub(super) fn of(tree: &Tree) -> Result<String> {
    let text = |path: &str| -> Result<&str> {
        tree.get(path).map(|file| file.text.as_str()).with_context(|| format!("{path} is missing"))
    };
    let mut page = HEAD.to_owned();
    bootstrap(&mut page, text("crates/go-plugin/src/lib.rs")?, text("crates/provider-api/src/contract.rs")?);
    versions(&mut page, tree, text("crates/provider-api/src/feature.rs")?);
    calls(&mut page, text("proto/ptah/provider/v1/provider.proto")?, text("crates/provider-host/src/call.rs")?);
    let mut proven = Promises::new();
    for file in tree.files.iter().filter(|file| is_validator(&file.path)) {
        promises::read(&file.text, &mut proven);
    }
    page.push_str("\n## Messages\n\nEach message of [`proto/ptah/provider/v1`](../../proto/ptah/provider/v1), field by field. *Proven* is what \
                   the validators of both sides refuse otherwise.\n");
    for name in PROTOS {
        let text = text(&format!("proto/ptah/provider/v1/{name}.proto"))?;
        let _ = write!(page, "\n### {name}.proto\n\n{}\n", opening(text));
        for item in proto::read(text) {
            message(&mut page, &item, &mut proven);
        }
    }
    for item in proto::read(text("proto/ptah/provider/v1/provider.proto")?) {
        if item.name != "Provider" {
            message(&mut page, &item, &mut proven);
        }
    }
    wholes(&mut page, &proven);
    page.push('\n');
    page.push_str(TOPICS);
    Ok(page)
}

fn is_validator(path: &str) -> bool {
    let source = path.starts_with("crates/provider-api/src/") || path.starts_with("crates/provider-wire/src/");
    source && Path::new(path).extension().is_some_and(|end| end == "rs")
}

/// The comment that a file begins with.
fn opening(text: &str) -> String {
    let lines = text.lines().take_while(|line| line.starts_with("//"));
    lines.map(|line| line.trim_start_matches("//").trim()).collect::<Vec<_>>().join(" ")
}

/// From the crate that does it.
fn bootstrap(page: &mut String, source: &str, contract: &str) {
    let said =
        source.lines().map_while(|line| line.strip_prefix("//!")).map(|line| line.strip_prefix(' ').unwrap_or(line));
    let wire = said.skip_while(|line| *line != "# The wire").skip(1).take_while(|line| !line.starts_with("# "));
    let wire = wire.collect::<Vec<_>>().join("\n");
    let value = |name: &str| {
        let after = contract.split_once(&format!("pub const {name}: &str = \"")).map_or("", |(_, after)| after);
        after.split('"').next().unwrap_or_default().to_owned()
    };
    let (key, cookie, parent) = (value("COOKIE_KEY"), value("COOKIE_VALUE"), value("PARENT_PID_VARIABLE"));
    let _ = write!(
        page,
        "\n## Bootstrap specification\n\nFrom `crates/go-plugin`. Ptah's cookie is the variable `{key}` with the value `{cookie}`; the app \
         version is the contract's major. `{parent}` holds the host's process ID: a provider whose parent is another process ends at once, \
         and it ends within a second of its parent's death.\n\n{}\n",
        wire.trim(),
    );
}

fn versions(page: &mut String, tree: &Tree, source: &str) {
    page.push_str(
        "\n## Contract versions\n\nThe major is the number in the package's name; a host and a provider of different majors never talk. \
         Each minor adds what an older peer can ignore, as [`proto/README.md`](../../proto/README.md) says. `min_contract` is set only by a \
         provider that cannot work with an older host at all.\n\n| Contract | SDK | State |\n|---|---|---|\n",
    );
    for file in tree.files.iter().filter(|file| file.path.starts_with("proto/frozen/1.")) {
        let version = file.path.trim_start_matches("proto/frozen/").trim_end_matches(".txt");
        let released = file.text.starts_with("# released");
        let state = if released { "released; its shape never changes" } else { "not released; its shape may change" };
        let _ = writeln!(page, "| {version} | 0.1 | {state} |");
    }
    page.push_str(
        "\nFeatures decide what a host and a provider use of it. A one-way feature is used when the provider lists it; a two-way one \
         changes a message that exists, and is used only when both sides list it. An engine lists what it offers of the provider's services, \
         and promises of its own.\n\n| Feature | Direction | What it is | Calls |\n|---|---|---|---|\n",
    );
    for feature in features::read(source) {
        let direction = if feature.is_two_way { "two-way" } else { "one-way" };
        let calls: Vec<String> = feature.calls.iter().map(|call| format!("`{call}`")).collect();
        let _ = writeln!(page, "| `{}` | {direction} | {} | {} |", feature.name, feature.doc, calls.join(", "));
    }
}

fn calls(page: &mut String, source: &str, classes: &str) {
    let classes = features::deadlines(classes);
    let _ = write!(
        page,
        "\n## Calls\n\n{} In brackets: the feature without which a call is not made.\n\n| Call | Takes and returns | What it does | At \
         most |\n|---|---|---|---|\n",
        opening(source),
    );
    for call in proto::read(source).iter().filter(|item| item.name == "Provider").flat_map(|item| &item.parts) {
        let limit = match call.name.as_str() {
            "Describe" => "the rest of the 10 seconds of a start",
            "Execute" => "as long as the host waits; with a statement timeout 30 seconds and those of its units",
            other => classes.get(other).copied().unwrap_or("30 seconds"),
        };
        let _ = writeln!(page, "| `{}` | {} | {} | {limit} |", call.name, call.kind, call.doc);
    }
}

fn message(page: &mut String, item: &Item, proven: &mut Promises) {
    let _ = write!(page, "\n#### {}\n\n{}\n", item.name, item.doc);
    if !item.parts.is_empty() {
        let is_enum = item.parts.iter().all(|part| part.kind.is_empty());
        page.push_str(if is_enum {
            "\n| Value | | Meaning |\n|---|---|---|\n"
        } else {
            "\n| Field | Type | Meaning |\n|---|---|---|\n"
        });
        for part in &item.parts {
            row(page, part, is_enum);
        }
    }
    if let Some(promises) = proven.remove(&item.name) {
        page.push_str("\nProven:\n\n");
        for (field, sentence) in promises {
            let _ = writeln!(page, "- `{field}` {sentence}.");
        }
    }
}

fn row(page: &mut String, part: &Part, is_enum: bool) {
    let doc = match (&part.choice, part.doc.is_empty()) {
        (Some((name, said)), _) => format!("One of `{name}` ({}): {}", said.trim_end_matches('.'), part.doc),
        (None, true) => "Nothing was said; refused where a decision hangs on it.".to_owned(),
        (None, false) => part.doc.clone(),
    };
    let kind = if is_enum { part.number.clone() } else { format!("{} · {}", part.kind, part.number) };
    let _ = writeln!(page, "| `{}` | {kind} | {} |", part.name, doc.replace('|', "\\|"));
}

/// What is proven of values that travel in several messages.
fn wholes(page: &mut String, proven: &Promises) {
    page.push_str("\n### Of several messages together\n\nWhat arrives as a stream is judged as a whole, and so are values within others.\n");
    for (name, promises) in proven {
        let _ = write!(page, "\n#### {name}, as a whole\n\n");
        for (field, sentence) in promises {
            let _ = writeln!(page, "- `{field}` {sentence}.");
        }
    }
}
