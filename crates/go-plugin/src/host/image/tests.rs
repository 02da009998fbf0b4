//! How the bytes are held. That the held bytes are what runs is in `tests/process/image.rs`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use rustix::fs::{SealFlags, fcntl_get_seals};
use rustix::io::Errno;

use super::{Executable, Held, How, Image};

fn program(path: &str) -> Executable {
    Executable::File { path: path.into(), sha256: None }
}

fn succeeds(image: &Image) -> bool {
    Command::new(image.program()).status().unwrap().success()
}

#[test]
fn a_memory_file_is_sealed_against_every_change() {
    let folder = tempfile::tempdir().unwrap();
    let image = Image::prepare(&program("/bin/true"), folder.path()).unwrap();
    let Held::Memfd(file) = &image.held else { panic!("{image:?}") };
    let seals = SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
    assert!(fcntl_get_seals(file).unwrap().contains(seals));
    assert!(std::io::Write::write(&mut &*file, b"x").is_err());
    assert!(succeeds(&image));
}

#[test]
fn memory_that_cannot_be_sealed_now_is_never_run_and_a_copy_is_held_instead() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = fs::File::open("/bin/true").unwrap();
    let (held, digest) = super::hold_sealed_by(&mut file, folder.path(), |_| Err(Errno::BUSY)).unwrap();
    let Held::Copy(copy) = held else { panic!("{held:?}") };
    assert_eq!(fs::read(copy).unwrap(), fs::read("/bin/true").unwrap(), "all of it");
    let (_, same) = super::hold(&mut fs::File::open("/bin/true").unwrap(), folder.path()).unwrap();
    assert_eq!(digest, same);
    let mut file = fs::File::open("/bin/true").unwrap();
    assert!(
        super::hold_sealed_by(&mut file, folder.path(), |_| Err(Errno::PERM)).is_err(),
        "any other refusal is told"
    );
}

#[test]
fn the_fallback_is_a_private_copy_of_the_checked_bytes_and_runs() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source");
    fs::copy("/bin/true", &source).unwrap();
    let mut image = Image::prepare(&program(source.to_str().unwrap()), folder.path()).unwrap();
    // What happens to the file after the check changes nothing.
    fs::copy("/bin/false", &source).unwrap();
    assert!(image.fall_back(folder.path()).unwrap());
    assert_eq!(image.how(), How::Copy);
    let copy = image.program();
    assert_eq!(copy.parent(), Some(folder.path()));
    assert_eq!(copy.metadata().unwrap().permissions().mode() & 0o777, 0o500);
    assert_eq!(fs::read(&copy).unwrap(), fs::read("/bin/true").unwrap());
    assert!(succeeds(&image));
    assert!(!image.fall_back(folder.path()).unwrap(), "there is no second way");
}

#[test]
fn a_digest_is_compared_before_anything_is_handed_out() {
    let folder = tempfile::tempdir().unwrap();
    let executable = Executable::File { path: Path::new("/bin/true").into(), sha256: Some([0; 32]) };
    let error = Image::prepare(&executable, folder.path()).unwrap_err();
    assert!(error.to_string().contains("expected 000000000000"), "{error}");
}
