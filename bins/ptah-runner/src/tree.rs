//! Every process that the work left behind. This process adopts what its children leave, so that all of it can be found,
//! ended and waited for: a run is over when none of it is there.

use std::collections::HashMap;

use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, getpid, pidfd_open, pidfd_send_signal, wait};

/// From now on, what a child of ours leaves behind becomes ours.
pub(crate) fn adopt() -> std::io::Result<()> {
    rustix::process::set_child_subreaper(Some(getpid())).map_err(Into::into)
}

/// Kills every descendant that is there now. What forks meanwhile is found the next time.
pub(crate) fn kill_all() {
    let parents = parents();
    let own = getpid().as_raw_nonzero().get();
    for process in parents.keys().filter(|process| descends(&parents, **process, own)) {
        kill(&parents, *process, own);
    }
}

/// Kills one, if it is still the one that was found: a number may be another process by now, a descriptor is not.
fn kill(parents: &HashMap<i32, i32>, process: i32, own: i32) {
    let Some(pid) = Pid::from_raw(process) else { return };
    let Ok(descriptor) = pidfd_open(pid, PidfdFlags::empty()) else { return };
    let parent = parent_of(process);
    let same = parent.is_some_and(|parent| parent == own || Some(&parent) == parents.get(&process));
    if same {
        // It may have ended meanwhile, which is what is wanted.
        let _ = pidfd_send_signal(&descriptor, Signal::KILL);
    }
}

fn descends(parents: &HashMap<i32, i32>, process: i32, ancestor: i32) -> bool {
    let mut at = process;
    // No chain is longer than there are processes; a wrong reading ends here.
    for _ in 0..parents.len() {
        match parents.get(&at) {
            Some(parent) if *parent == ancestor => return true,
            Some(parent) => at = *parent,
            None => return false,
        }
    }
    false
}

/// Every process with its parent.
fn parents() -> HashMap<i32, i32> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return HashMap::new() };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter_map(|process| Some((process, parent_of(process)?))).collect()
}

/// The fourth field of its `stat`. The second is a name in brackets that may hold anything, so it is counted from the last
/// bracket (`proc_pid_stat(5)`).
fn parent_of(process: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// Waits for every child, one after the other, and says of each that it has ended. Comes back when there is none left.
pub(crate) fn reap(ended: impl Fn(Pid)) {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((process, _))) => ended(process),
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descendants_are_found_through_any_number_of_generations_and_nobody_else() {
        let parents = HashMap::from([(1, 0), (10, 1), (20, 10), (30, 20), (40, 1), (50, 51), (51, 50)]);
        let of_ten: Vec<i32> = [1, 10, 20, 30, 40, 50].into_iter().filter(|p| descends(&parents, *p, 10)).collect();
        assert_eq!(of_ten, [20, 30]);
    }

    #[test]
    fn the_parent_of_a_process_is_read_whatever_its_name() {
        assert_eq!(
            parent_of(i32::try_from(std::process::id()).unwrap()),
            Some(rustix::process::getppid().unwrap().as_raw_nonzero().get())
        );
        assert_eq!(parent_of(i32::MAX), None);
    }
}
