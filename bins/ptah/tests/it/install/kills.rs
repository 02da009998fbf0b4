//! An installation that dies at each of its steps, and two at once.

use std::process::Child;

use ptah_provider_install::STEPS;

use super::server::{Lie, Server};
use super::shop::{Shop, code};
use crate::support::{Ran, go_on, interrupt, is_stopped, until};

fn start(shop: &Shop, words: &[&str], fault: &str) -> Child {
    shop.scratch.command(&[&["providers", "install"], words].concat()).env("PTAH_FAULT", fault).spawn().unwrap()
}

/// Runs an installation that dies right after a step.
#[track_caller]
fn die(shop: &Shop, words: &[&str], step: &str) {
    let ran = Ran::of(start(shop, words, &format!("install:{step}")).wait_with_output().unwrap());
    assert_eq!(ran.code, None, "it did not die after `{step}`\n{}", ran.told());
}

#[test]
fn an_installation_that_dies_at_any_step_leaves_the_former_one_or_its_own() {
    let shop = Shop::new();
    shop.release("one", "1.0.0");
    shop.release("two", "1.1.0");
    let recorded = STEPS.iter().position(|step| *step == "recorded").unwrap();
    for (at, step) in STEPS.iter().enumerate() {
        shop.install(&["one"]).ended_with(0);
        die(&shop, &["two"], step);
        let wanted = if at < recorded { "1.0.0" } else { "1.1.0" };
        // The next command sees it, clears what was left, and both work.
        assert_eq!(shop.installed().as_deref(), Some(wanted), "{step}");
        shop.check();
        shop.install(&["two"]).ended_with(0);
        assert_eq!(shop.installed().as_deref(), Some("1.1.0"), "{step}");
    }
}

#[test]
fn a_first_installation_that_dies_before_its_record_leaves_nothing() {
    let shop = Shop::new();
    shop.release("one", "1.0.0");
    for step in STEPS.iter().take_while(|step| **step != "recorded") {
        die(&shop, &["one"], step);
        assert_eq!(shop.installed(), None, "{step}");
    }
    shop.install(&["one"]).ended_with(0);
    assert_eq!(shop.installed().as_deref(), Some("1.0.0"));
}

#[test]
fn a_removal_that_dies_has_removed_the_provider_and_the_next_command_its_files() {
    let shop = Shop::new();
    shop.release("one", "1.0.0");
    shop.install(&["one"]).ended_with(0);
    let mut remove = shop.scratch.command(&["providers", "remove", "zorp"]);
    let ran = Ran::of(remove.env("PTAH_FAULT", "install:unrecorded").output().unwrap());
    assert_eq!(ran.code, None, "{}", ran.told());
    assert_eq!((shop.there("records").len(), shop.there("releases").len()), (0, 1));
    assert_eq!(shop.installed(), None);
}

#[test]
fn two_installations_at_once_come_one_after_the_other() {
    let shop = Shop::new();
    shop.release("one", "1.0.0");
    shop.release("two", "1.1.0");
    let first = start(&shop, &["one"], "install:fetched:stop");
    until("the first one holds still", || is_stopped(first.id()));
    // A reader waits for nobody, and does not clear away what a living process works on.
    shop.ptah(&["providers", "list"]).ended_with(0);
    assert_eq!(shop.there("staging").len(), 1);
    // Who does not want to wait is told.
    assert_eq!(code(&shop.install(&["two", "--timeout", "300ms", "--json"])), "provider_install_busy");
    let second = start(&shop, &["two"], "");
    // Its own work is its folder: as long as the first one holds the lock there is none.
    go_on(first.id());
    Ran::of(first.wait_with_output().unwrap()).ended_with(0).says("1.0.0");
    Ran::of(second.wait_with_output().unwrap()).ended_with(0).says("1.1.0");
    assert!(shop.installed().is_some());
    shop.check();
}

#[test]
fn an_interrupted_installation_leaves_nothing() {
    const STALLS: &[(&str, Lie)] = &[("/one/zorp.tar.gz", Lie::Stalls)];
    let shop = Shop::new();
    shop.release("one", "1.0.0");
    let server = Server::new(shop.path(""), STALLS);
    let child = start(&shop, &[&format!("{}/one/ptah-provider.json", server.root)], "");
    until("the archive is asked for", || server.asked().len() == 2);
    interrupt(&child);
    Ran::of(child.wait_with_output().unwrap()).ended_with(130);
    assert_eq!(shop.there("staging"), Vec::<String>::new());
    assert_eq!(shop.installed(), None);
}
