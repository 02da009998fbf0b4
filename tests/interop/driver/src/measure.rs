//! Figures of our host with a provider; the Go host prints the same ones of itself (`../go/host/measure.go`).

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use futures::future::try_join_all;
use ptah_provider_api::session::Purpose;
use ptah_provider_host::Session;
use serde::Serialize;

use crate::Target;

const STARTS: usize = 20;
const CALLS: usize = 400;
const CALLERS: usize = 16;
const CALLS_EACH: usize = 200;
const LARGE_CALLS: usize = 5;

/// A little below the limit: a message is more than its value.
const LARGE: usize = (64 << 20) - 64;

/// Times are medians in seconds.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    /// From the beginning of a start, hash and copy included, to the checked description.
    start: f64,
    /// The part of it that counts from exec.
    exec_to_described: f64,
    /// The round trip of a small request, by the bytes of the reply's value.
    unary: BTreeMap<usize, f64>,
    /// Calls for each second of many callers at once.
    callers_16_per_second: f64,
    /// The round trip whose reply has 64 MiB.
    reply_64_mib: f64,
    /// The most memory of this process.
    host_peak_bytes: u64,
    /// The most memory of the provider.
    provider_peak_bytes: u64,
}

/// Takes the figures.
pub(crate) async fn measure(target: &Target) -> Result<Figures> {
    let (mut whole, mut from_exec) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let began = Instant::now();
        let provider = target.start().await?;
        whole.push(began.elapsed());
        from_exec.push(provider.report().launch_to_described());
        provider.end().await;
    }
    let provider = target.start().await?;
    let session = target.open(&provider, Purpose::Read).await?;
    let mut unary = BTreeMap::new();
    for size in [0, 1 << 10, 64 << 10] {
        unary.insert(size, several(&session, CALLS, size).await?);
    }
    let began = Instant::now();
    let caller = || async {
        for _ in 0..CALLS_EACH {
            ask(&session, 0).await?;
        }
        anyhow::Ok(())
    };
    try_join_all((0..CALLERS).map(|_| caller())).await?;
    let callers = per_second(CALLERS * CALLS_EACH, began.elapsed());
    let large = several(&session, LARGE_CALLS, LARGE).await?;
    let figures = Figures {
        start: median(whole),
        exec_to_described: median(from_exec),
        unary,
        callers_16_per_second: callers,
        reply_64_mib: large,
        host_peak_bytes: peak("self"),
        provider_peak_bytes: peak(&provider.pid().to_string()),
    };
    provider.end().await;
    Ok(figures)
}

async fn several(session: &Session, count: usize, size: usize) -> Result<f64> {
    for _ in 0..count / 10 {
        ask(session, size).await?;
    }
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        times.push(ask(session, size).await?);
    }
    Ok(median(times))
}

async fn ask(session: &Session, size: usize) -> Result<Duration> {
    let began = Instant::now();
    let reply = session.query_rows(size.to_string(), None, 1).await?;
    let took = began.elapsed();
    let came = reply.rows.first().and_then(|row| row.first()).and_then(|value| value.as_ref()).map(String::len);
    ensure!(came == Some(size), "a reply is not of the size that was asked for");
    Ok(took)
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0.0, Duration::as_secs_f64)
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand calls")]
fn per_second(calls: usize, took: Duration) -> f64 {
    calls as f64 / took.as_secs_f64()
}

/// The most memory that a process had at once, in bytes; 0 when it cannot be read.
fn peak(process: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|text| text.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}
