//! Which resource is looked at next: one pass per resource at a time, at the time that its last pass named or as soon as something
//! wakes it. No effects, and no clock: moments come in.
//!
//! A resource that is written wakes itself. What a pass has already read does not wake it again: the version that it read is
//! compared with the version that the watch tells of.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::manager::key::Key;
use crate::manager::pass::Kept;

/// The first wait after a pass that failed; doubled each time.
const FIRST: Duration = Duration::from_millis(200);
/// The longest.
const LONGEST: Duration = Duration::from_mins(1);

/// When a resource is looked at again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// At once.
    Now,
    /// After this time.
    After(Duration),
    /// After a wait that grows: the pass failed.
    Failed,
    /// Never: it is gone.
    Gone,
}

/// Every resource that is known.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    entries: BTreeMap<Key, Entry>,
    due: BTreeSet<(Instant, Key)>,
}

#[derive(Debug)]
struct Entry {
    /// When it is due; nothing while a pass runs.
    due: Option<Instant>,
    /// What the process remembers about it; with the pass while one runs, and lost with it.
    kept: Kept,
    /// The version that its last pass read.
    seen: u64,
    /// The highest version that woke it meanwhile; the highest of all where something else did.
    woken: u64,
    failures: u32,
}

impl Queue {
    /// Wakes a resource because it is of this version now; nothing where its pass has read that already.
    pub(crate) fn changed(&mut self, key: &Key, version: u64, now: Instant) {
        self.rouse(key, version, now);
    }

    /// Wakes a resource because something moved that it has to do with.
    pub(crate) fn wake(&mut self, key: &Key, now: Instant) {
        self.rouse(key, u64::MAX, now);
    }

    fn rouse(&mut self, key: &Key, version: u64, now: Instant) {
        let entry = self.entries.entry(key.clone()).or_insert_with(|| Entry {
            due: None,
            kept: Kept::default(),
            seen: 0,
            woken: 0,
            failures: 0,
        });
        if version <= entry.seen {
            return;
        }
        entry.woken = entry.woken.max(version);
        // A new entry has no due time and no pass; one whose pass runs is looked at when that ends.
        let is_new = entry.seen == 0 && entry.due.is_none();
        if let Some(due) = entry.due.filter(|due| *due > now) {
            self.due.remove(&(due, key.clone()));
            entry.due = Some(now);
            self.due.insert((now, key.clone()));
        } else if is_new {
            entry.due = Some(now);
            self.due.insert((now, key.clone()));
        }
    }

    /// A resource that is due, with what is remembered about it. Its pass runs until [`done`](Self::done).
    pub(crate) fn take(&mut self, now: Instant) -> Option<(Key, Kept)> {
        let (due, key) = self.due.first().filter(|(due, _)| *due <= now)?.clone();
        self.due.remove(&(due, key.clone()));
        let entry = self.entries.get_mut(&key)?;
        entry.due = None;
        entry.woken = 0;
        // Whoever is new has been looked at from now on.
        entry.seen = entry.seen.max(1);
        Some((key, std::mem::take(&mut entry.kept)))
    }

    /// When the next one is due.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.due.first().map(|(due, _)| *due)
    }

    /// A pass is over, which read the resource in this version.
    pub(crate) fn done(&mut self, key: &Key, kept: Kept, seen: Option<u64>, next: Next, now: Instant) {
        if next == Next::Gone {
            self.entries.remove(key);
            return;
        }
        let Some(entry) = self.entries.get_mut(key) else { return };
        // What was written is read again by whoever does not follow at once.
        let written = kept.written.filter(|_| next == Next::Now);
        entry.kept = Kept { written, ..kept };
        entry.seen = seen.unwrap_or(entry.seen);
        entry.failures = if next == Next::Failed { entry.failures.saturating_add(1) } else { 0 };
        let wait = match next {
            Next::Now | Next::Gone => Duration::ZERO,
            Next::After(_) if entry.woken > entry.seen => Duration::ZERO,
            Next::After(wait) => wait,
            Next::Failed => backoff(entry.failures),
        };
        entry.due = Some(now + wait);
        self.due.insert((now + wait, key.clone()));
    }

    /// Everything is looked at again, and nothing is remembered: another manager may have led meanwhile.
    pub(crate) fn begin_anew(&mut self, now: Instant) {
        let keys: Vec<Key> = self.entries.keys().cloned().collect();
        for key in keys {
            if let Some(entry) = self.entries.get_mut(&key).filter(|entry| entry.due.is_some()) {
                entry.kept = Kept::default();
            }
            self.wake(&key, now);
        }
    }

    /// How many are known.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }
}

fn backoff(failures: u32) -> Duration {
    FIRST.saturating_mul(1 << failures.saturating_sub(1).min(16)).min(LONGEST)
}

#[cfg(test)]
mod tests {
    use ptah_lifecycle::Family;
    use ptah_records::operator::text::{LabelName, ObjectName, Uid};

    use super::*;

    fn key(name: &str) -> Key {
        Key {
            family: Family::Schema,
            namespace: LabelName::new("x").unwrap(),
            name: ObjectName::new(name).unwrap(),
            uid: Uid::new(name).unwrap(),
        }
    }

    #[test]
    fn one_resource_has_one_pass_at_a_time_and_what_wakes_it_meanwhile_is_not_lost() {
        let (mut queue, now, a) = (Queue::default(), Instant::now(), key("a"));
        queue.changed(&a, 5, now);
        assert_eq!(queue.take(now).map(|(key, _)| key), Some(a.clone()));
        queue.changed(&a, 6, now);
        assert_eq!(queue.take(now), None, "its pass runs");
        queue.done(&a, Kept::default(), Some(5), Next::After(Duration::from_mins(1)), now);
        assert!(queue.take(now).is_some(), "it was changed after it was read");
    }

    #[test]
    fn what_a_pass_has_read_wakes_nobody() {
        let (mut queue, now, a) = (Queue::default(), Instant::now(), key("a"));
        queue.changed(&a, 5, now);
        queue.take(now);
        queue.changed(&a, 6, now);
        queue.done(&a, Kept::default(), Some(6), Next::After(Duration::from_mins(1)), now);
        assert_eq!(queue.take(now), None);
        queue.changed(&a, 6, now);
        assert_eq!(queue.take(now), None);
        queue.wake(&a, now);
        assert!(queue.take(now).is_some(), "something else moved");
    }

    #[test]
    fn a_failing_resource_is_tried_less_and_less_often_and_a_change_wakes_it_all_the_same() {
        let (mut queue, now, a) = (Queue::default(), Instant::now(), key("a"));
        queue.changed(&a, 5, now);
        let mut waits = Vec::new();
        for _ in 0..12 {
            queue.take(queue.next().unwrap());
            queue.done(&a, Kept::default(), None, Next::Failed, now);
            waits.push(queue.next().unwrap() - now);
        }
        assert!(waits.is_sorted() && waits[0] == FIRST && waits[11] == LONGEST, "{waits:?}");
        queue.wake(&a, now);
        assert_eq!(queue.next(), Some(now));
    }

    #[test]
    fn who_is_gone_is_forgotten_and_who_comes_back_is_new() {
        let (mut queue, now, a) = (Queue::default(), Instant::now(), key("a"));
        queue.changed(&a, 5, now);
        queue.take(now);
        queue.done(&a, Kept::default(), None, Next::Gone, now);
        assert_eq!((queue.len(), queue.next()), (0, None));
        queue.changed(&a, 9, now);
        assert!(queue.take(now).is_some());
    }

    #[test]
    fn the_earliest_comes_first_and_nobody_before_its_time() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        for (name, wait) in [("a", 3), ("b", 1), ("c", 2)] {
            queue.changed(&key(name), 1, now);
            queue.take(now);
            queue.done(&key(name), Kept::default(), Some(1), Next::After(Duration::from_secs(wait)), now);
        }
        assert_eq!(queue.take(now), None);
        let later = now + Duration::from_secs(5);
        let order: Vec<_> = std::iter::from_fn(|| queue.take(later)).map(|(key, _)| key.name.to_string()).collect();
        assert_eq!(order, ["b", "c", "a"]);
    }
}
