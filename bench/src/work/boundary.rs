//! The boundary between a host and a provider, beside that of `go-plugin`: starting, calling, and what both sides take.
//!
//! Each pair of a host and a provider measures itself in one process of its own (`tests/interop`), with the same contract,
//! the same calls and mutual TLS. A call asks rows; the answer has one value of the size that was asked for.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::Bench;
use crate::figure::{Aim, Figure, Row, Unit};
use crate::invocation::Invocation;

/// What is held against ours.
const PEER: &str = "go-plugin 1.8.0";

/// The memory of each side, as a multiple of the message.
const MEMORY: f64 = 2.2 * 64.0 * 1024.0 * 1024.0;

/// The figures of one pair; times are medians in seconds.
#[derive(Clone, Debug, Deserialize)]
struct Figures {
    start: f64,
    /// Without what our host does before it executes the provider; the Go host does nothing of the kind.
    exec_to_described: Option<f64>,
    unary: BTreeMap<String, f64>,
    callers_16_per_second: f64,
    reply_64_mib: f64,
    host_peak_bytes: f64,
    provider_peak_bytes: f64,
}

/// Measures the pairs.
pub(crate) fn measure(bench: &mut Bench<'_>, interop: &Path, zorp: &Path) {
    Bench::tell("calling across the boundary");
    let ours = ours(bench, interop, zorp, "example.org/zorp", "zorp");
    let ours = bench.noted("our host with our provider", ours);
    let Some((host, provider)) = bench.stage.peers.go_plugin.clone() else {
        rows(bench, "", ours.as_ref(), None, true);
        return;
    };
    let theirs = bench.stage.fresh("go-plugin").and_then(|folder| {
        let command = Invocation::new(&host).arg("measure").arg(&provider).args(["shelf", "shelf:///nowhere"]);
        parsed(&command.arg(&folder).output()?)
    });
    let theirs = bench.noted("a Go host with a Go provider", theirs);
    rows(bench, "", ours.as_ref(), theirs.as_ref(), true);
    let mixed = self::ours(bench, interop, &provider, "example.org/shelf", "shelf");
    let mixed = bench.noted("our host with a Go provider", mixed);
    rows(bench, ", our host with a Go provider", mixed.as_ref(), theirs.as_ref(), false);
}

/// Our host with a provider, through a manifest.
fn ours(bench: &Bench<'_>, interop: &Path, provider: &Path, id: &str, engine: &str) -> Result<Figures> {
    let bytes = std::fs::read(provider).with_context(|| format!("{} cannot be read", provider.display()))?;
    let digest = hex::encode(Sha256::digest(bytes));
    let provider = provider.canonicalize()?;
    let manifest = bench.stage.fresh("manifest")?.join("ptah-providers.yaml");
    std::fs::write(
        &manifest,
        format!(
            "providers:\n  - id: {id}\n    executable: {}\n    sha256: {digest}\n    engines:\n      - name: {engine}\n",
            provider.display()
        ),
    )?;
    let command = Invocation::new(interop).arg("measure").arg(&manifest).arg(engine);
    parsed(&command.arg(format!("{engine}:///nowhere")).output()?)
}

fn parsed(text: &str) -> Result<Figures> {
    serde_json::from_str(text).context("the program printed no figures")
}

/// The rows of one pair. Aims are for the pair that is ours on both sides.
fn rows(bench: &mut Bench<'_>, with: &str, ours: Option<&Figures>, theirs: Option<&Figures>, aims: bool) {
    let mut row = |what: &str, unit: Unit, take: &dyn Fn(&Figures) -> f64, aim: Option<Aim>| {
        let figure = |figures: &Figures| Figure { unit, value: take(figures), runs: 1 };
        let peer = theirs.map(|figures| (PEER.to_owned(), figure(figures)));
        let aim = aim.filter(|_| aims);
        bench.row(Row { what: format!("{what}{with}"), tables: None, ours: ours.map(figure), peer, aim });
    };
    let exec = |figures: &Figures| figures.exec_to_described.unwrap_or(figures.start);
    row("boundary: exec to first call", Unit::Seconds, &exec, Some(Aim::TimesAsFast(5.0)));
    row("boundary: the same, hash and copy included", Unit::Seconds, &|f| f.start, None);
    for (size, name) in [("0", "0 B"), ("1024", "1 KiB"), ("65536", "64 KiB")] {
        let take = move |figures: &Figures| figures.unary.get(size).copied().unwrap_or(f64::NAN);
        row(&format!("boundary: a call, {name}"), Unit::Seconds, &take, Some(Aim::TimesAsLong(1.0)));
    }
    row("boundary: a call, 16 callers at once", Unit::Seconds, &|f| 1.0 / f.callers_16_per_second, None);
    row("boundary: a reply of 64 MiB", Unit::Seconds, &|f| f.reply_64_mib, None);
    row("boundary: memory of the host", Unit::Bytes, &|f| f.host_peak_bytes, Some(Aim::AtMost(MEMORY)));
    row("boundary: memory of the provider", Unit::Bytes, &|f| f.provider_peak_bytes, Some(Aim::AtMost(MEMORY)));
}
