//! Archives as tar writes them, and as somebody writes them who wants more than to be unpacked.

use std::fs;
use std::io::Write as _;
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::*;

/// One entry as a header and its content.
struct Entry<'a> {
    name: &'a [u8],
    kind: u8,
    mode: &'a str,
    size: Option<u64>,
    content: &'a [u8],
    link: &'a [u8],
    magic: &'a [u8],
    prefix: &'a [u8],
}

const FILE: Entry<'static> = Entry {
    name: b"a",
    kind: b'0',
    mode: "0000644",
    size: None,
    content: b"hello",
    link: b"",
    magic: b"ustar\x0000",
    prefix: b"",
};

fn put(block: &mut [u8; BLOCK], at: usize, bytes: &[u8]) {
    block[at..at + bytes.len()].copy_from_slice(bytes);
}

fn sealed(mut block: [u8; BLOCK]) -> [u8; BLOCK] {
    put(&mut block, 148, b"        ");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    put(&mut block, 148, format!("{sum:06o}\0 ").as_bytes());
    block
}

fn entry(entry: &Entry<'_>) -> Vec<u8> {
    let mut block = [0; BLOCK];
    put(&mut block, 0, entry.name);
    put(&mut block, 100, entry.mode.as_bytes());
    let size = entry.size.unwrap_or(entry.content.len() as u64);
    put(&mut block, 124, format!("{size:011o}").as_bytes());
    block[156] = entry.kind;
    put(&mut block, 157, entry.link);
    put(&mut block, 257, entry.magic);
    put(&mut block, 345, entry.prefix);
    let mut bytes = sealed(block).to_vec();
    bytes.extend_from_slice(entry.content);
    bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
    bytes
}

fn named(name: &[u8]) -> Vec<u8> {
    entry(&Entry { name, ..FILE })
}

fn packed(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut tar = parts.concat();
    tar.extend_from_slice(&[0; 2 * BLOCK]);
    gzip(&tar)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Unpacks below a folder that has a neighbour, and shows that nothing was put beside it.
fn result(archive: &[u8], bounds: Bounds) -> Result<Vec<String>, ArchiveFault> {
    let outer = tempfile::tempdir().unwrap();
    let into = outer.path().join("into");
    fs::create_dir(&into).unwrap();
    fs::write(outer.path().join("neighbour"), "untouched").unwrap();
    let result = unpack(archive, &into, bounds);
    assert_eq!(fs::read(outer.path().join("neighbour")).unwrap(), b"untouched");
    assert_eq!(fs::read_dir(outer.path()).unwrap().count(), 2, "something lies beside the folder");
    result.map(|()| tree(&into, &into))
}

/// What lies in a folder: files with their content, folders with a slash, links with an arrow.
fn tree(root: &Path, folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().display().to_string();
        let metadata = path.symlink_metadata().unwrap();
        if metadata.is_dir() {
            found.push(format!("{name}/"));
            found.extend(tree(root, &path));
        } else if metadata.is_symlink() {
            found.push(format!("{name} ->"));
        } else {
            found.push(format!("{name}={}", String::from_utf8_lossy(&fs::read(&path).unwrap())));
        }
    }
    found.sort();
    found
}

fn whole(parts: &[Vec<u8>]) -> Vec<String> {
    result(&packed(parts), Bounds::default()).unwrap()
}

fn fault(parts: &[Vec<u8>]) -> String {
    result(&packed(parts), Bounds::default()).unwrap_err().to_string()
}

#[test]
fn what_tar_writes_is_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let long = "a-name-that-is-longer-than-a-header-can-hold/".repeat(4) + "zorp";
    for name in ["bin/zorp", "LICENSE", &long] {
        let path = folder.path().join("in").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, name).unwrap();
    }
    for format in ["gnu", "posix", "ustar"] {
        let archive = folder.path().join(format!("{format}.tar.gz"));
        let mut tar = Command::new("tar");
        tar.arg(format!("--format={format}"))
            .arg("-czf")
            .arg(&archive)
            .arg("-C")
            .arg(folder.path().join("in"))
            .arg(".");
        assert!(tar.status().unwrap().success(), "{format}");
        let files = result(&fs::read(&archive).unwrap(), Bounds::default()).unwrap();
        let files: Vec<_> = files.into_iter().filter(|line| line.contains('=')).collect();
        assert_eq!(
            files,
            ["LICENSE=LICENSE".to_owned(), format!("{long}={long}"), "bin/zorp=bin/zorp".to_owned()],
            "{format}"
        );
    }
}

#[test]
fn an_entry_cannot_lead_out_of_the_folder() {
    for name in [&b"../evil"[..], b"a/../../evil", b"..", b"./../evil"] {
        assert!(fault(&[named(name)]).ends_with("is refused: it has a part `.` or `..`"), "{name:?}");
    }
    for name in [&b"/tmp/evil"[..], b"/", b".//tmp/evil"] {
        assert!(fault(&[named(name)]).ends_with("is refused: it is absolute"), "{name:?}");
    }
    let prefixed = entry(&Entry { name: b"evil", prefix: b"..", ..FILE });
    assert!(fault(&[prefixed]).ends_with("`.` or `..`"));
    let absolute = entry(&Entry { name: b"evil", prefix: b"/tmp", ..FILE });
    assert!(fault(&[absolute]).ends_with("it is absolute"));
}

#[test]
fn a_name_that_is_given_before_the_entry_cannot_lead_out_either() {
    let long = entry(&Entry { name: b"././@LongLink", kind: b'L', content: b"../../evil\0", ..FILE });
    assert!(fault(&[long, named(b"a")]).ends_with("`.` or `..`"));
    let record = entry(&Entry { name: b"pax", kind: b'x', content: b"19 path=../../evil\n", ..FILE });
    assert!(fault(&[record, named(b"a")]).ends_with("`.` or `..`"));
    let twice = b"10 path=a\n10 path=b\n";
    let record = entry(&Entry { name: b"pax", kind: b'x', content: twice, ..FILE });
    assert!(fault(&[record, named(b"a")]).contains("two names"));
    for wrong in [&b"99 path=a\n"[..], b"x path=a\n", b"9 path=ab\n", b"0 \n", b" a=b\n", b"7 path\n", b"-1 a=b\n"] {
        let record = entry(&Entry { name: b"pax", kind: b'x', content: wrong, ..FILE });
        assert!(fault(&[record, named(b"a")]).contains("malformed"), "{wrong:?}");
    }
    let alone = entry(&Entry { name: b"pax", kind: b'x', content: b"10 path=a\n", ..FILE });
    assert!(fault(&[alone]).contains("announced and missing"));
}

#[test]
fn links_devices_and_pipes_are_refused_by_what_they_are() {
    let special = |kind| entry(&Entry { kind, content: b"", link: b"/etc/passwd", ..FILE });
    for (kind, word) in [
        (b'1', "a hard link"),
        (b'2', "a symbolic link"),
        (b'3', "a device"),
        (b'4', "a device"),
        (b'6', "a pipe"),
        (b'S', "a file with holes"),
        (b'V', "something unknown"),
    ] {
        assert_eq!(fault(&[special(kind)]), format!("`a` is {word}, and only files and folders are taken"));
    }
    // A link and then a file through it: the link is refused before there is one.
    let through = [entry(&Entry { name: b"d", kind: b'2', link: b"/tmp", content: b"", ..FILE }), named(b"d/evil")];
    assert!(fault(&through).contains("a symbolic link"));
}

#[test]
fn a_name_that_stands_twice_is_refused_in_any_case_and_form() {
    for second in [&b"a"[..], b"./a", b"A", b"a/b"] {
        assert!(fault(&[named(b"a"), named(second)]).ends_with("stands twice"), "{second:?}");
    }
    let folder = |name| entry(&Entry { name, kind: b'5', content: b"", ..FILE });
    assert!(fault(&[named(b"a"), folder(b"a/")]).ends_with("stands twice"));
    assert!(fault(&[folder(b"d/"), named(b"d")]).ends_with("stands twice"));
    assert!(fault(&[folder(b"d/"), named(b"D/a")]).ends_with("stands twice"));
    // Folders are named again and again by what writes archives.
    assert_eq!(whole(&[folder(b"./"), folder(b"d/"), folder(b"d"), named(b"d/a")]), ["d/", "d/a=hello"]);
}

#[test]
fn bits_that_lend_rights_are_refused_and_no_other_mode_is_used() {
    for mode in ["0004755", "0002755", "0006755"] {
        assert_eq!(fault(&[entry(&Entry { mode, ..FILE })]), "`a` has set-user-ID or set-group-ID bits");
    }
    let folder = tempfile::tempdir().unwrap();
    let archive = packed(&[entry(&Entry { mode: "0000777", ..FILE })]);
    unpack(archive.as_slice(), folder.path(), Bounds::default()).unwrap();
    let mode = std::os::unix::fs::MetadataExt::mode(&folder.path().join("a").metadata().unwrap());
    assert_eq!(mode & 0o7777, 0o600);
}

#[test]
fn an_archive_that_unpacks_to_more_than_it_may_is_stopped_by_what_it_announces() {
    let bounds = Bounds { bytes: 1000, entries: 10 };
    let claims = entry(&Entry { size: Some(8 * 1024 * 1024 * 1024 - 1), ..FILE });
    assert!(matches!(result(&packed(&[claims]), Bounds::default()), Err(ArchiveFault::Bytes { .. })));
    let content = [b'x'; 600];
    let half = |name| entry(&Entry { name, content: &content, ..FILE });
    assert!(matches!(result(&packed(&[half(b"a"), half(b"b")]), bounds), Err(ArchiveFault::Bytes { bytes: 1000 })));
    let many: Vec<_> = (0..11).map(|at| named(format!("f{at}").as_bytes())).collect();
    assert!(matches!(result(&packed(&many), bounds), Err(ArchiveFault::Entries { entries: 10 })));
    // Names and records are entries as well, and what they hold is bounded before it is read.
    let name = entry(&Entry { name: b"l", kind: b'L', size: Some(1 << 30), content: b"x", ..FILE });
    assert!(fault(&[name]).contains("too long"));
    let binary = {
        let mut block = [0; BLOCK];
        put(&mut block, 0, b"a");
        put(&mut block, 124, &[0x80, 0, 0, 0, 0xff]);
        block[156] = b'0';
        sealed(block).to_vec()
    };
    assert!(fault(&[binary]).contains("too large"));
}

#[test]
fn a_size_that_is_a_lie_is_noticed() {
    let less = entry(&Entry { size: Some(5), content: &[b'x'; 5 + 2 * BLOCK], ..FILE });
    assert!(fault(&[less]).starts_with("it is no tar after 1 entries"));
    let more = entry(&Entry { size: Some(5000), ..FILE });
    let cut = result(&gzip(&more), Bounds::default()).unwrap_err().to_string();
    assert!(cut.contains("it ends within a file") || cut.contains("cut off"), "{cut}");
}

#[test]
fn a_header_that_contradicts_itself_is_refused() {
    let full = entry(&Entry { name: b"d/", kind: b'5', ..FILE });
    assert!(fault(&[full]).ends_with("a folder has content"));
    let mut changed = named(b"a");
    changed[1] = b'b';
    assert!(fault(&[changed]).ends_with("the checksum of a header is wrong"));
    for (record, why) in
        [(&b"9 size=5\n"[..], "larger than a header can say"), (b"22 GNU.sparse.major=1\n", "has holes")]
    {
        let said = entry(&Entry { name: b"pax", kind: b'x', content: record, ..FILE });
        assert!(fault(&[said, named(b"a")]).ends_with(why), "{why}");
    }
}

#[test]
fn a_truncated_or_changed_archive_is_refused_at_every_byte() {
    let content: Vec<u8> = (0..3000_u32).map(|at| u8::try_from(at * 7 % 251).unwrap()).collect();
    let archive = packed(&[entry(&Entry { content: &content, ..FILE }), named(b"b")]);
    for length in 0..archive.len() {
        assert!(result(&archive[..length], Bounds::default()).is_err(), "{length} of {} bytes", archive.len());
    }
    assert!(result(&archive, Bounds::default()).is_ok());
    let mut trailing = archive.clone();
    trailing.extend_from_slice(b"more");
    assert!(result(&trailing, Bounds::default()).is_err());
    let hidden = gzip(&[named(b"a"), vec![0; 2 * BLOCK], named(b"b")].concat());
    assert!(result(&hidden, Bounds::default()).unwrap_err().to_string().contains("something follows its end"));
    assert!(matches!(result(b"PK\x03\x04", Bounds::default()), Err(ArchiveFault::Packed)));
}

#[test]
fn what_is_shown_of_a_name_cannot_act_on_a_terminal() {
    for name in [&b"a\x1b[2Jb"[..], b"a\nb", b"\xff\xfe", "a\u{202e}b".as_bytes()] {
        let told = fault(&[named(name)]);
        assert!(told.contains("is refused") && !told.chars().any(char::is_control), "{told:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_unpacked_or_refused_and_never_leave_the_folder(
        tar in proptest::collection::vec(any::<u8>(), 0..3000),
        names in proptest::collection::vec("[a./\\\\]{0,12}", 0..4),
        changed in proptest::collection::vec((0_usize..2000, any::<u8>()), 0..4),
    ) {
        let _ = result(&gzip(&tar), Bounds::default());
        let mut parts: Vec<u8> = names.iter().flat_map(|name| named(name.as_bytes())).collect();
        for (at, byte) in changed {
            if let Some(place) = parts.get_mut(at) {
                *place = byte;
            }
        }
        let _ = result(&packed(&[parts]), Bounds::default());
    }
}
