//! The same work on many things at once, where they have nothing to do with each other: reading texts, which is most of
//! what a large schema costs. No connection is ever shared.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;

/// The most threads: a provider is a guest on the machine of an application.
const WORKERS_LIMIT: usize = 4;

/// Does `work` on parts of the things, each part on a thread of its own, and puts the results together in the order of
/// the things. A part has at least `least` things: as many as make a thread worth its start. One part is done here.
pub(crate) fn in_parts<T: Sync, R: Send>(things: &[T], least: usize, work: impl Fn(&[T]) -> Vec<R> + Sync) -> Vec<R> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let workers = processors.min(WORKERS_LIMIT).min(things.len() / least.max(1));
    if workers <= 1 {
        return work(things);
    }
    thread::scope(|scope| {
        let (work, parts) = (&work, things.chunks(things.len().div_ceil(workers)));
        let working: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
        working.into_iter().flat_map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_the_things_however_many_threads_there_are() {
        for count in [0, 1, 7, 1_000, 10_001] {
            let things: Vec<usize> = (0..count).collect();
            for least in [0, 1, 10, 20_000] {
                let doubled = in_parts(&things, least, |part| part.iter().map(|n| n * 2).collect());
                assert!(doubled.iter().copied().eq(things.iter().map(|n| n * 2)), "{count}, {least}");
            }
        }
    }
}
