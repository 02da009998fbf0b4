//! The executable: only the bytes that were checked ever run.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use go_plugin::host::{Executable, How, NotExecutable, Plugin, StartError};
use sha2::{Digest as _, Sha256};

use crate::support::{ask, launch, launch_of, lines, misbehaving, peer, refused};

fn digest(path: &Path) -> [u8; 32] {
    Sha256::digest(fs::read(path).unwrap()).into()
}

fn write(path: &Path, bytes: &[u8], mode: u32) {
    fs::write(path, bytes).unwrap();
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[tokio::test]
async fn a_digest_that_matches_starts_and_is_reported() {
    let mut launch = launch();
    let sha256 = digest(&peer());
    launch.executable = Executable::File { path: peer(), sha256: Some(sha256) };
    let started = Plugin::start(launch).await.unwrap();
    assert_eq!(started.report.sha256, Some(sha256));
    assert_eq!(lines(&started, "digest").await, [hex::encode(sha256)]);
}

#[tokio::test]
async fn a_changed_byte_is_refused_and_nothing_runs() {
    let folder = tempfile::tempdir().unwrap();
    let evidence = folder.path().join("evidence");
    let right = digest(&peer());
    let mut wrong = right;
    wrong[0] ^= 1;
    for (sha256, runs) in [(wrong, false), (right, true)] {
        let mut launch = misbehaving("evidence");
        launch.start_timeout = Duration::from_secs(1);
        launch.environment.push(("EVIDENCE".to_owned(), evidence.display().to_string()));
        launch.executable = Executable::File { path: peer(), sha256: Some(sha256) };
        let error = refused(launch).await;
        match error {
            StartError::DigestMismatch { expected, actual } if !runs => {
                assert_eq!((expected, actual), (hex::encode(&wrong[..6]), hex::encode(&right[..6])));
            }
            StartError::Timeout { .. } if runs => {}
            other => panic!("{other:?}"),
        }
        assert_eq!(evidence.exists(), runs);
    }
}

#[tokio::test]
async fn the_bytes_that_were_hashed_are_the_bytes_that_run() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    let original = fs::read(peer()).unwrap();
    // Bytes behind the end of an ELF file change nothing but the digest.
    let changed = [original.as_slice(), b"changed"].concat();
    let good: [u8; 32] = Sha256::digest(&original).into();
    write(&program, &original, 0o755);

    let stop = Arc::new(AtomicBool::new(false));
    let swapper = swap_until(&stop, &program, [changed, original]);
    let (mut ran, mut refused) = (0, 0);
    while ran + refused < 40 && (ran == 0 || refused == 0 || ran + refused < 20) {
        let mut launch = launch();
        launch.executable = Executable::File { path: program.clone(), sha256: Some(good) };
        match Plugin::start(launch).await {
            Ok(started) => {
                assert_eq!(lines(&started, "digest").await, [hex::encode(good)]);
                ran += 1;
            }
            Err(StartError::DigestMismatch { .. }) => refused += 1,
            Err(other) => panic!("{other:?}"),
        }
    }
    stop.store(true, Ordering::Relaxed);
    swapper.join().unwrap();
    assert!(ran > 0 && refused > 0, "ran {ran}, refused {refused}");
}

fn swap_until(stop: &Arc<AtomicBool>, program: &Path, contents: [Vec<u8>; 2]) -> std::thread::JoinHandle<()> {
    let (stop, program) = (Arc::clone(stop), program.to_path_buf());
    std::thread::spawn(move || {
        let next = program.with_extension("next");
        for content in contents.iter().cycle() {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            write(&next, content, 0o755);
            fs::rename(&next, &program).unwrap();
        }
    })
}

#[tokio::test]
async fn an_open_descriptor_runs_although_its_file_was_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    write(&program, &fs::read(peer()).unwrap(), 0o755);
    let open = File::open(&program).unwrap();
    fs::remove_file(&program).unwrap();
    write(&program, b"#!/bin/false\n", 0o755);
    let mut launch = launch();
    launch.executable = Executable::Descriptor { fd: Arc::new(open.into()), argv0: "itself".into() };
    let started = Plugin::start(launch).await.unwrap();
    assert_eq!(started.report.how, How::Descriptor);
    assert_eq!(lines(&started, "arguments").await, ["itself"]);
    assert_eq!(lines(&started, "digest").await, [hex::encode(digest(&peer()))]);
}

#[tokio::test]
async fn what_cannot_be_executed_is_told_by_its_kind() {
    let folder = tempfile::tempdir().unwrap();
    let table: [(&str, &[u8], u32, NotExecutable); 4] = [
        ("script", b"#!/nowhere/interpreter\nexit 0\n", 0o755, NotExecutable::Loader),
        ("plain", b"\x7fELF", 0o644, NotExecutable::Mode),
        ("broken", b"\x7fELF and nothing else", 0o755, NotExecutable::Format),
        ("empty", b"", 0o755, NotExecutable::Format),
    ];
    for (name, bytes, mode, expected) in table {
        let path = folder.path().join(name);
        write(&path, bytes, mode);
        let error = refused(launch_of(path)).await;
        assert!(matches!(error, StartError::NotExecutable(fault) if fault == expected), "{name}: {error:?}");
    }
    let error = refused(launch_of(folder.path().to_path_buf())).await;
    assert!(matches!(error, StartError::NotExecutable(NotExecutable::NotAFile)), "{error:?}");
    let error = refused(launch_of(folder.path().join("absent"))).await;
    assert!(matches!(error, StartError::Executable(_)), "{error:?}");
}

#[tokio::test]
async fn a_script_runs_from_a_private_copy_of_the_checked_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    let text = format!("#!/bin/sh\nexport SCRIPT=$0\nexec {}\n", peer().display());
    write(&script, text.as_bytes(), 0o755);
    let mut launch = launch();
    let sha256 = digest(&script);
    launch.executable = Executable::File { path: script.clone(), sha256: Some(sha256) };
    let started = Plugin::start(launch).await.unwrap();
    assert_eq!((started.report.how, started.report.sha256), (How::Copy, Some(sha256)));
    let environment = lines(&started, "environment").await;
    let seen = environment.iter().find_map(|entry| entry.strip_prefix("SCRIPT=")).unwrap();
    assert_ne!(Path::new(seen), script);
    assert_eq!(fs::read(seen).unwrap(), text.as_bytes());
    assert_eq!(Path::new(seen).metadata().unwrap().permissions().mode() & 0o777, 0o500);
}

#[tokio::test]
async fn a_changed_byte_of_a_script_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (script, evidence) = (folder.path().join("script"), folder.path().join("evidence"));
    write(&script, format!("#!/bin/sh\n>{}\n", evidence.display()).as_bytes(), 0o755);
    let mut launch = launch();
    launch.executable = Executable::File { path: script, sha256: Some([0; 32]) };
    let error = refused(launch).await;
    assert!(matches!(error, StartError::DigestMismatch { .. }), "{error:?}");
    assert!(!evidence.exists());
}

#[tokio::test]
async fn starts_beside_each_other_do_not_disturb_each_other() {
    let starts = (0..4).map(|_| Plugin::start(launch()));
    for started in futures::future::join_all(starts).await {
        assert_eq!(ask(&started.unwrap().channel, "echo").await.unwrap().payload, b"payload");
    }
}
