//! Clippy refuses each effect in a pure crate: a scratch crate with the pure configuration is given to it.
//!
//! The scratch crate needs nothing from a registry: the runtime that it calls is a stub of the same name beside it.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::*;

/// What a pure crate may not do, each in a function of its own, with the path that clippy must name.
const EFFECTS: &[(&str, &str)] = &[
    ("std::time::SystemTime::now", "let _ = std::time::SystemTime::now();"),
    ("std::time::Instant", "let _: Option<std::time::Instant> = None;"),
    ("std::fs::read_to_string", "let _ = std::fs::read_to_string(\"a\");"),
    ("std::fs::File", "let _ = std::fs::File::open(\"a\");"),
    ("std::path::Path::exists", "let _ = std::path::Path::new(\"a\").exists();"),
    ("std::net::TcpStream", "let _ = std::net::TcpStream::connect(\"a:1\");"),
    ("std::process::Command", "let _ = std::process::Command::new(\"a\").status();"),
    ("std::process::exit", "std::process::exit(1);"),
    ("std::env::var", "let _ = std::env::var(\"A\");"),
    ("std::env::args", "let _ = std::env::args();"),
    ("std::thread::spawn", "std::thread::spawn(|| {});"),
    ("std::thread::sleep", "std::thread::sleep(std::time::Duration::ZERO);"),
    ("std::io::stdin", "let _ = std::io::stdin();"),
    ("std::io::stdout", "let _ = std::io::stdout();"),
    ("std::println", "println!(\"a\");"),
    ("std::eprintln", "eprintln!(\"a\");"),
    ("std::collections::HashMap", "let _: std::collections::HashMap<u8, u8>;"),
    ("std::collections::HashSet", "let _: std::collections::HashSet<u8>;"),
    ("std::collections::hash_map::RandomState", "let _ = std::hash::RandomState::new();"),
    ("tokio::net::TcpStream", "drop(tokio::net::TcpStream::connect(\"a:1\"));"),
];

/// A runtime in name only, so that the path resolves.
const STUB: &str = "//! Stub.\n#![allow(clippy::disallowed_types)]\npub mod net {\n    pub struct TcpStream;\n    impl TcpStream {\n        pub async fn connect(_: &str) {}\n    }\n}\n";

const HEADER: &str = "#![deny(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types)]\n";

/// What clippy says about a crate with the pure configuration and this source: whether it passed, and its words.
fn clippy(folder: &Path, source: &str) -> Result<(bool, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("no workspace")?;
    let write = |path: &str, text: &str| -> Result<()> {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().context("no folder")?)?;
        Ok(std::fs::write(path, text)?)
    };
    let package = |name: &str| format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n");
    write("tokio/Cargo.toml", &package("tokio"))?;
    write("tokio/src/lib.rs", STUB)?;
    let manifest = format!("{}[dependencies]\ntokio = {{ path = \"tokio\" }}\n[workspace]\n", package("scratch"));
    write("Cargo.toml", &manifest)?;
    write("clippy.toml", &text(root)?)?;
    write("src/lib.rs", source)?;
    let answer = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["clippy", "--offline", "--quiet", "--message-format", "short"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env_remove("RUSTFLAGS")
        .output()?;
    let words = String::from_utf8_lossy(&answer.stderr).into_owned();
    Ok((answer.status.success(), words))
}

#[test]
fn clippy_refuses_each_effect_in_a_pure_crate() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut source = HEADER.to_owned();
    for (at, (_, effect)) in EFFECTS.iter().enumerate() {
        // One line an effect: line `at + 2` of the file.
        writeln!(source, "pub fn effect_{at}() {{ {effect} }}")?;
    }
    let (passed, words) = clippy(folder.path(), &source)?;
    assert!(!passed, "clippy took everything");
    for (at, (path, _)) in EFFECTS.iter().enumerate() {
        let place = format!("src/lib.rs:{}:", at + 2);
        let is_refused = words.lines().any(|line| line.starts_with(&place) && line.contains(&format!("`{path}`")));
        assert!(is_refused, "{path} was not refused:\n{words}");
    }
    Ok(())
}

#[test]
fn clippy_takes_a_crate_that_only_computes() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let source = format!(
        "{HEADER}pub fn count(words: &[&str]) -> std::collections::BTreeMap<String, usize> {{\n    words.iter().map(|word| ((*word).to_owned(), word.len())).collect()\n}}\n"
    );
    let (passed, words) = clippy(folder.path(), &source)?;
    assert!(passed, "{words}");
    Ok(())
}

#[test]
fn the_configuration_of_every_pure_crate_is_the_written_one() -> Result<()> {
    let folder = tempfile::tempdir()?;
    for file in [ROOT, LIST] {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().context("no folder")?)?;
        std::fs::write(path, format!("{file} = 1\n"))?;
    }
    std::fs::create_dir_all(folder.path().join(PURE[0]))?;
    assert_eq!(write(folder.path())?, 1);
    let own = std::fs::read_to_string(folder.path().join(PURE[0]).join("clippy.toml"))?;
    assert_eq!(own, format!("{ROOT} = 1\n\n{LIST} = 1\n"));
    Ok(())
}
