//! Which directories are made, and which ones are taken for stale.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Owner, PrivateDirectory, StartError, lock};

fn create_in(place: &Path) -> PrivateDirectory {
    PrivateDirectory::create_in([place.to_path_buf()]).unwrap()
}

fn planted(place: &Path, name: &str) -> PathBuf {
    let path = place.join(name);
    fs::create_dir(&path).unwrap();
    fs::write(path.join("socket"), "").unwrap();
    path
}

/// No process has this ID: the kernel's highest is 4,194,304.
const DEAD: &str = "gop-4999999-1-abcdef";

#[test]
fn a_dead_owners_directory_is_removed_with_what_is_in_it() {
    let place = tempfile::tempdir().unwrap();
    let stale = planted(place.path(), DEAD);
    let made = create_in(place.path());
    assert!(!stale.exists());
    assert!(made.path().exists());
}

#[test]
fn a_recycled_process_id_does_not_keep_a_stale_directory() {
    let place = tempfile::tempdir().unwrap();
    let owner = Owner::this_process().unwrap();
    let stale = planted(place.path(), &format!("gop-{}-{}-abcdef", owner.pid, owner.started - 1));
    let _made = create_in(place.path());
    assert!(!stale.exists());
}

#[test]
fn a_living_owners_directory_is_never_touched_even_without_its_lock() {
    let place = tempfile::tempdir().unwrap();
    let owner = Owner::this_process().unwrap();
    let living = planted(place.path(), &format!("gop-{}-{}-abcdef", owner.pid, owner.started));
    let _made = create_in(place.path());
    assert!(living.join("socket").exists());
}

#[test]
fn a_locked_directory_is_never_touched_even_when_its_owner_looks_dead() {
    let place = tempfile::tempdir().unwrap();
    let other_namespace = planted(place.path(), DEAD);
    let held = lock(&other_namespace).unwrap();
    drop(create_in(place.path()));
    assert!(other_namespace.join("socket").exists());
    drop(held);
    drop(create_in(place.path()));
    assert!(!other_namespace.exists());
}

#[test]
fn other_names_files_and_symbolic_links_are_never_touched() {
    let place = tempfile::tempdir().unwrap();
    let other = planted(place.path(), "somebody-elses-4999999-1-a");
    let unnumbered = planted(place.path(), "gop-x-1-abcdef");
    let file = place.path().join("gop-4999999-1-file");
    fs::write(&file, "").unwrap();
    let target = planted(place.path(), "target");
    std::os::unix::fs::symlink(&target, place.path().join("gop-4999999-1-link")).unwrap();
    let _made = create_in(place.path());
    assert!(other.exists() && unnumbered.exists() && file.exists() && target.join("socket").exists());
}

#[test]
fn a_place_whose_path_is_too_long_is_passed_over_or_told() {
    let place = tempfile::tempdir().unwrap();
    let long = place.path().join("d".repeat(90));
    fs::create_dir(&long).unwrap();
    let made = PrivateDirectory::create_in([long.clone(), place.path().to_path_buf()]).unwrap();
    assert_eq!(made.path().parent(), Some(place.path().canonicalize().unwrap().as_path()));
    let error = PrivateDirectory::create_in([long.clone()]).unwrap_err();
    assert!(matches!(error, StartError::SocketPathTooLong { bytes } if bytes > 107), "{error:?}");
    // Nothing is left of the attempt.
    assert_eq!(fs::read_dir(&long).unwrap().count(), 0);
}

#[test]
fn a_place_that_does_not_exist_is_passed_over() {
    let place = tempfile::tempdir().unwrap();
    let absent = place.path().join("absent");
    assert!(PrivateDirectory::create_in([absent.clone(), place.path().to_path_buf()]).is_ok());
    assert!(matches!(PrivateDirectory::create_in([absent]), Err(StartError::PrivateDirectory(_))));
}
