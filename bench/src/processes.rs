//! The memory of a process and of everything it started, read from the kernel while it runs. Linux only: elsewhere it
//! reads as nothing, and the report says that it was not measured.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How often new processes are looked for. Looking at all processes of a machine costs more than looking at a few.
const SEARCH: Duration = Duration::from_millis(10);

/// A process and its descendants, with the peak of each.
#[derive(Debug)]
pub(crate) struct Watch {
    root: u32,
    peaks: BTreeMap<u32, u64>,
    searched: Option<Instant>,
}

impl Watch {
    /// Watches a process.
    pub(crate) fn of(root: u32) -> Self {
        Self { root, peaks: BTreeMap::from([(root, 0)]), searched: None }
    }

    /// Looks once. What grows between the last look and the end of a process is not seen.
    pub(crate) fn look(&mut self) {
        if self.searched.is_none_or(|when| when.elapsed() >= SEARCH) {
            self.search();
            self.searched = Some(Instant::now());
        }
        for (process, peak) in &mut self.peaks {
            let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
            *peak = (*peak).max(high_water_mark(&status).unwrap_or(0));
        }
    }

    /// The peaks of all processes, added up, in bytes.
    pub(crate) fn peak(&self) -> u64 {
        self.peaks.values().sum()
    }

    fn search(&mut self) {
        let parents = parents();
        loop {
            let is_new = |(child, parent): &(&u32, &u32)| {
                self.peaks.contains_key(*parent) && !self.peaks.contains_key(*child) && **child != self.root
            };
            let found: Vec<u32> = parents.iter().filter(is_new).map(|(child, _)| *child).collect();
            if found.is_empty() {
                return;
            }
            self.peaks.extend(found.into_iter().map(|process| (process, 0)));
        }
    }
}

/// Every process with its parent.
fn parents() -> BTreeMap<u32, u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()));
    numbers
        .filter_map(|process| {
            let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
            Some((process, parent(&stat)?))
        })
        .collect()
}

/// The parent in the text of `/proc/PID/stat`. The name of the program stands in parentheses and may hold anything.
fn parent(stat: &str) -> Option<u32> {
    let (_, after) = stat.rsplit_once(')')?;
    after.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// The peak of the memory that was in use at one time, in bytes, in the text of `/proc/PID/status`.
fn high_water_mark(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn the_parent_is_found_behind_a_name_that_looks_like_fields() {
        assert_eq!(parent("12 (a) 1 (b)) S 7 12 12 0"), Some(7));
        assert_eq!(parent("12 a S 7"), None);
    }

    #[test]
    fn the_peak_is_read_in_bytes() {
        assert_eq!(high_water_mark("Name:\tx\nVmPeak:\t 9 kB\nVmHWM:\t   2048 kB\nVmRSS:\t 4 kB\n"), Some(2048 * 1024));
        assert_eq!(high_water_mark("Name:\tx\n"), None);
    }

    #[test]
    fn a_process_has_memory_of_its_own_and_that_of_what_it_started() -> std::io::Result<()> {
        // Each shell holds a text of 8 MiB, says so, and waits until its standard input ends.
        let hold = "x=$(head -c 8388608 /dev/zero | tr '\\0' x); echo held; read y";
        let peak = |script: String, shells: usize| -> std::io::Result<u64> {
            let mut command = Command::new("sh");
            command.arg("-c").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = command.spawn()?;
            let said = child.stdout.take().into_iter().flat_map(|out| BufReader::new(out).lines()).take(shells).count();
            assert_eq!(said, shells);
            let mut watch = Watch::of(child.id());
            watch.look();
            drop(child.stdin.take());
            child.wait()?;
            Ok(watch.peak())
        };
        let alone = peak(hold.to_owned(), 1)?;
        // A shell gives a command in the background an empty input, so this one is given the shell's own.
        let both = peak(format!("exec 3<&0; sh -c '{}' <&3 & {hold}; wait", hold.replace('\'', "\"")), 2)?;
        assert!(alone > 8 << 20, "{alone}");
        assert!(both > alone + (8 << 20), "{both} and {alone}");
        Ok(())
    }
}
