//! Makes the build ID: the version and a digest over the sources of this workspace, so that a host and a provider of one
//! executable can tell that they are one, and two builds that they are two. No time goes in: the same sources give the
//! same ID.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::Hasher as _;
use std::path::{Path, PathBuf};

/// What the executable is made of, from the root of the workspace.
const PARTS: &[&str] = &["Cargo.lock", "bins/ptah", "crates", "providers", "proto"];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for part in PARTS {
        let path = root.join(part);
        if path.exists() {
            write(&format!("rerun-if-changed={}", path.display()));
            collect(&path, &mut files);
        }
    }
    files.sort();
    // Not for security: two builds that differ have to be told apart, and nobody gains by making them equal. Without
    // random keys, so that it is the same on every machine.
    let mut hasher = DefaultHasher::new();
    for file in &files {
        let relative = file.strip_prefix(&root).unwrap_or(file);
        hasher.write(relative.to_string_lossy().as_bytes());
        hasher.write_u8(0);
        if let Ok(bytes) = fs::read(file) {
            hasher.write_usize(bytes.len());
            hasher.write(&bytes);
        }
    }
    let build = format!("{}+{:016x}", env!("CARGO_PKG_VERSION"), hasher.finish());
    write(&format!("rustc-env=PTAH_BUILD_ID={build}"));
}

/// The files that are compiled: sources, manifests and interfaces.
fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            collect(&entry.path(), files);
        }
    } else if path.extension().is_some_and(|e| ["rs", "toml", "lock", "proto"].iter().any(|known| e == *known)) {
        files.push(path.to_owned());
    }
}

/// An instruction for cargo.
fn write(instruction: &str) {
    println!("cargo::{instruction}");
}
