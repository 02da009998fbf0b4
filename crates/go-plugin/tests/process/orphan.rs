//! A host that dies without a word: its plugin goes too, and the next start tidies up.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::Signal;

use crate::support::{is_gone, peer, signal, wait_until};

/// The peer as a host, with its plugin's process ID and private directory.
struct Host {
    process: Child,
    plugin: u32,
    directory: PathBuf,
}

impl Host {
    fn start(place: &Path, questions: &[&str]) -> Self {
        let mut process = Command::new(peer())
            .arg("host")
            .args(questions)
            .env("XDG_RUNTIME_DIR", place)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let (plugin, directory) = line.trim_end().split_once(' ').unwrap();
        Self { process, plugin: plugin.parse().unwrap(), directory: directory.into() }
    }

    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

#[test]
fn a_plugin_is_gone_within_a_second_of_its_host() {
    let place = tempfile::tempdir().unwrap();
    for questions in [&[][..], &["hang"], &["block", "block", "block", "block"]] {
        let mut host = Host::start(place.path(), questions);
        assert!(!is_gone(host.plugin));
        host.kill();
        wait_until(Duration::from_secs(1), "the plugin is gone", || is_gone(host.plugin));
        // The plugin took its socket along; the directory is the host's, and goes at the next start.
        assert_eq!(host.directory.read_dir().unwrap().count(), 0);
    }
}

#[test]
fn the_next_start_removes_what_a_killed_host_left_and_nothing_of_a_living_one() {
    let place = tempfile::tempdir().unwrap();
    let mut dead = Host::start(place.path(), &[]);
    dead.kill();
    assert!(dead.directory.starts_with(place.path().canonicalize().unwrap()));
    assert!(dead.directory.exists());
    let mut living = Host::start(place.path(), &[]);
    assert!(!dead.directory.exists());
    let mut third = Host::start(place.path(), &[]);
    assert!(living.directory.exists() && third.directory.exists());
    living.kill();
    third.kill();
}

#[test]
fn a_host_that_sees_its_plugin_end_ends_cleanly() {
    let place = tempfile::tempdir().unwrap();
    let mut host = Host::start(place.path(), &[]);
    signal(host.plugin, Signal::TERM);
    assert!(host.process.wait().unwrap().success());
    assert!(!host.directory.exists());
}
