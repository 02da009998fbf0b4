//! Generations come and go by the clock and by who names them; what is stored is what is read.

use std::collections::BTreeMap;

use super::*;

fn day(day: u64) -> Moment {
    Moment::from_milliseconds((20_000 + day) * 86_400_000).unwrap()
}

fn numbers(authority: &Authority) -> Vec<u64> {
    authority.generations().map(Generation::number).collect()
}

#[test]
fn what_was_stored_is_what_is_read_and_it_can_be_served() {
    let mut authority = Authority::new(day(0)).unwrap();
    authority.add(day(30)).unwrap();
    let read = Authority::from_secret(authority.to_secret()).unwrap();
    assert_eq!(read, authority);
    assert!(read.generations().all(Generation::is_sound));
    let map = authority.to_secret().into_map();
    assert_eq!(map.len(), 11);
    assert_eq!(Authority::from_secret(map.into()).unwrap(), authority);
}

#[test]
fn every_generation_has_a_name_of_its_own_also_after_the_secret_was_lost() {
    let mut authority = Authority::new(day(0)).unwrap();
    authority.add(day(1)).unwrap();
    let again = Authority::new(day(2)).unwrap();
    let names = authority.generations().chain(again.generations()).map(|one| one.server_name().to_string());
    let names: BTreeSet<String> = names.collect();
    assert_eq!(names.len(), 3);
    assert!(names.iter().all(|name| name.starts_with('g') && name.ends_with(".results.ptah.internal")));
}

#[test]
fn the_newest_is_replaced_when_it_is_old_or_of_another_time() {
    let authority = Authority::new(day(10)).unwrap();
    for (at, due) in [(10, false), (39, false), (40, true), (200, true), (9, false), (8, true)] {
        assert_eq!(authority.is_due(day(at)), due, "day {at}");
    }
}

#[test]
fn an_older_generation_stays_while_it_is_young_or_named_and_valid() {
    let mut authority = Authority::new(day(0)).unwrap();
    let first = authority.newest().server_name().clone();
    authority.add(day(30)).unwrap();
    let (nobody, named) = (BTreeSet::new(), BTreeSet::from([first]));
    assert!(!authority.clone().retire(&nobody, day(31)), "a Job that names it may be on its way");
    assert!(!authority.clone().retire(&named, day(80)), "a Job names it");
    let mut unnamed = authority.clone();
    assert!(unnamed.retire(&nobody, day(32)));
    assert_eq!(numbers(&unnamed), [2]);
    assert!(authority.retire(&named, day(90)), "its certificate is no longer valid");
    assert_eq!(numbers(&authority), [2]);
    assert!(!authority.retire(&nobody, day(1_000)), "the newest always stays");
}

#[test]
fn no_more_are_kept_than_fit_into_a_secret() {
    let mut authority = Authority::new(day(0)).unwrap();
    (0..MOST).for_each(|_| authority.add(day(0)).unwrap());
    assert!(authority.retire(&BTreeSet::new(), day(0)));
    assert_eq!(numbers(&authority), (2..=MOST as u64 + 1).collect::<Vec<_>>());
    let size: usize = authority.to_secret().into_map().values().map(Vec::len).sum();
    assert!(size < 256 * 1024, "{size} bytes");
}

#[test]
fn a_secret_that_somebody_edited_is_not_read_in_part() {
    let mut authority = Authority::new(day(0)).unwrap();
    authority.add(day(1)).unwrap();
    let whole = authority.to_secret().into_map();
    let read = |map: BTreeMap<String, Vec<u8>>| Authority::from_secret(map.into());
    assert_eq!(read(BTreeMap::new()), Err(SecretProblem::Empty));
    for key in whole.keys() {
        let mut changed = whole.clone();
        changed.remove(key);
        assert!(read(changed).is_err(), "without {key}");
        let mut changed = whole.clone();
        changed.insert(key.clone(), b"other".to_vec());
        assert!(read(changed).is_err(), "with another {key}");
    }
    for part in ["server-name", "authority.pem", "certificate.pem", "key.pem"] {
        let mut crossed = whole.clone();
        crossed.insert(format!("g1.{part}"), whole[&format!("g2.{part}")].clone());
        assert_eq!(read(crossed), Err(SecretProblem::Value { key: "g1.key.pem".to_owned() }), "{part} of another");
    }
    for key in ["g3.made", "g01.made", "other", "g1.other", "g1"] {
        let mut changed = whole.clone();
        changed.insert(key.to_owned(), Vec::new());
        assert!(read(changed).is_err(), "with {key}");
    }
}

#[test]
fn no_key_is_shown() {
    let authority = Authority::new(day(0)).unwrap();
    let map = authority.to_secret().into_map();
    let key = String::from_utf8(map["g1.key.pem"].clone()).unwrap();
    let line = key.lines().nth(1).unwrap();
    let bytes = format!("{:?}", map["g1.key.pem"]);
    for shown in [format!("{authority:?}"), format!("{:?}", authority.to_secret())] {
        assert!(!shown.contains(line) && !shown.contains(bytes.trim_matches(['[', ']'])), "{shown}");
    }
}
