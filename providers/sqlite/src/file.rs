//! What the file system says about a database file. Only `stat` and its like: nothing here opens a file.
//!
//! A closed descriptor takes the process's locks on the file with it, also those of SQLite, so the only places that
//! open a database file are `presence` and SQLite itself.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, StatxAttributes, StatxFlags};
use rustix::io::Errno;

/// A file that is there, as `stat` sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileFacts {
    /// The device: shown, never compared across runs, because it changes with a reboot.
    pub(crate) device: (u32, u32),
    /// The inode.
    pub(crate) inode: u64,
    /// When the file was made, in nanoseconds; absent where the file system does not say.
    pub(crate) born_ns: Option<i128>,
    /// How many names the file has.
    pub(crate) links: u32,
    /// Its length in bytes.
    pub(crate) size: u64,
    /// Whether a mount begins at the file itself; not known, and `false`, before Linux 5.8.
    pub(crate) is_mounted: bool,
    /// When content and attributes changed last, in nanoseconds: for "did it change meanwhile".
    pub(crate) changed_ns: (i128, i128),
}

/// What somebody said to be safe although it does not look so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Accepted {
    /// A network file system.
    pub(crate) network: bool,
    /// A file that is mounted by itself.
    pub(crate) mounted: bool,
}

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing; the folder is there.
    Absent,
    /// A regular file with one name.
    File(FileFacts),
}

/// Why the file at a path cannot be used, whatever is in it. Trying again does not help; something has to change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FileError {
    /// The folder is missing.
    #[error("the folder of the database does not exist")]
    NoFolder,
    /// A part of the path is no folder.
    #[error("a part of the path is not a folder")]
    NotAFolder,
    /// The path names a folder.
    #[error("the path is a folder, not a database file")]
    Folder,
    /// The path names a device, a pipe or a socket.
    #[error("the path is not a regular file")]
    NotRegular,
    /// A symbolic link that leads nowhere.
    #[error("the path is a symbolic link that leads nowhere")]
    DanglingLink,
    /// The path cannot be looked at.
    #[error("access to the folder of the database is denied")]
    Denied,
    /// More than one name: journals are named after the file, so two names mean two journals for one database.
    #[error(
        "the file has {0} names (hard links), and SQLite's journals are named after one of them; remove the others"
    )]
    HardLinks(u32),
    /// A file that is mounted by itself. Like a second name: its journals are named after this place.
    #[error(
        "the file is mounted here by itself, and SQLite's journals lie beside the name under which a program opened it, where others would not find them; mount its folder, or accept `mounted-file` when nobody opens it elsewhere"
    )]
    Mounted,
    /// A file system on which locks cannot be relied on.
    #[error(
        "the file is on a network file system ({0}), where locks cannot be relied on; accept `network-file-system` to use it all the same"
    )]
    Network(&'static str),
    /// Anything else.
    #[error("the file system did not answer for the path")]
    System,
}

impl FileFacts {
    /// What identifies the file to this machine: device and inode.
    pub(crate) fn key(&self) -> ((u32, u32), u64) {
        (self.device, self.inode)
    }

    /// The physical identity: inode and birth time. The device is left out, because it changes with a reboot.
    pub(crate) fn physical(&self) -> String {
        match self.born_ns {
            Some(born) => format!("inode {} born {born}", self.inode),
            None => format!("inode {}", self.inode),
        }
    }

    /// The device, for people.
    pub(crate) fn device_shown(&self) -> String {
        format!("device {}:{}", self.device.0, self.device.1)
    }
}

/// The real path: every symbolic link followed. For a file that is not there, that of its folder with its name.
pub(crate) fn real_path(path: &Path) -> Result<PathBuf, FileError> {
    match std::fs::canonicalize(path) {
        Ok(real) => Ok(real),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let is_link = std::fs::symlink_metadata(path).is_ok();
            if is_link {
                return Err(FileError::DanglingLink);
            }
            let name = path.file_name().ok_or(FileError::Folder)?;
            let folder = match path.parent() {
                Some(folder) if !folder.as_os_str().is_empty() => folder,
                _ => Path::new("."),
            };
            let folder = std::fs::canonicalize(folder).map_err(|_| FileError::NoFolder)?;
            if folder.is_dir() { Ok(folder.join(name)) } else { Err(FileError::NotAFolder) }
        }
        Err(error) => Err(error_of(&error)),
    }
}

/// Looks at a real path and refuses what no database can be in.
pub(crate) fn look(path: &Path, accepted: Accepted) -> Result<Found, FileError> {
    let Some((facts, kind)) = stat(path)? else {
        if let Some(folder) = path.parent() {
            check_network(folder, accepted)?;
        }
        return Ok(Found::Absent);
    };
    match kind {
        FileType::RegularFile => {}
        FileType::Directory => return Err(FileError::Folder),
        _ => return Err(FileError::NotRegular),
    }
    if facts.links > 1 {
        return Err(FileError::HardLinks(facts.links));
    }
    if facts.is_mounted && !accepted.mounted {
        return Err(FileError::Mounted);
    }
    check_network(path, accepted)?;
    Ok(Found::File(facts))
}

/// The facts of the file at a path now; `None` when there is none or it cannot be looked at.
pub(crate) fn facts_now(path: &Path) -> Option<FileFacts> {
    stat(path).ok().flatten().map(|(facts, _)| facts)
}

/// The facts of an open descriptor.
pub(crate) fn facts_of(file: &std::fs::File) -> Option<FileFacts> {
    let stat = rustix::fs::statx(file, c"", AtFlags::EMPTY_PATH, StatxFlags::BASIC_STATS | StatxFlags::BTIME).ok()?;
    Some(from_statx(&stat).0)
}

/// A file beside the database, such as `-wal`: its length, or `None` when it is not there.
pub(crate) fn beside(path: &Path, suffix: &str) -> Option<u64> {
    let mut name = OsString::from(path);
    name.push(suffix);
    stat(Path::new(&name)).ok().flatten().map(|(facts, _)| facts.size)
}

fn stat(path: &Path) -> Result<Option<(FileFacts, FileType)>, FileError> {
    match rustix::fs::statx(CWD, path, AtFlags::empty(), StatxFlags::BASIC_STATS | StatxFlags::BTIME) {
        Ok(stat) => Ok(Some(from_statx(&stat))),
        Err(Errno::NOENT) => Ok(None),
        Err(Errno::NOTDIR) => Err(FileError::NotAFolder),
        Err(Errno::ACCESS | Errno::PERM) => Err(FileError::Denied),
        Err(_) => Err(FileError::System),
    }
}

fn from_statx(stat: &rustix::fs::Statx) -> (FileFacts, FileType) {
    let ns = |t: &rustix::fs::StatxTimestamp| i128::from(t.tv_sec) * 1_000_000_000 + i128::from(t.tv_nsec);
    let born = StatxFlags::from_bits_retain(stat.stx_mask).contains(StatxFlags::BTIME);
    let facts = FileFacts {
        device: (stat.stx_dev_major, stat.stx_dev_minor),
        inode: stat.stx_ino,
        born_ns: born.then(|| ns(&stat.stx_btime)),
        links: stat.stx_nlink,
        size: stat.stx_size,
        is_mounted: (stat.stx_attributes & stat.stx_attributes_mask).contains(StatxAttributes::MOUNT_ROOT),
        changed_ns: (ns(&stat.stx_mtime), ns(&stat.stx_ctime)),
    };
    (facts, FileType::from_raw_mode(u32::from(stat.stx_mode)))
}

fn error_of(error: &std::io::Error) -> FileError {
    match error.kind() {
        std::io::ErrorKind::PermissionDenied => FileError::Denied,
        std::io::ErrorKind::NotADirectory => FileError::NotAFolder,
        _ => FileError::System,
    }
}

/// File systems whose locks depend on another machine or program, by the number that `statfs` gives.
///
/// Numbers: `man 2 statfs` and `linux/magic.h`.
const NETWORK: &[(u32, &str)] = &[
    (0x0000_6969, "nfs"),
    (0x0000_517b, "smb"),
    (0xff53_4d42, "cifs"),
    (0xfe53_4d42, "smb2"),
    (0x6573_5546, "fuse"),
    (0x0102_1997, "9p"),
    (0x5346_414f, "afs"),
    (0x00c3_6400, "ceph"),
    (0x7375_7245, "coda"),
    (0x0000_564c, "ncp"),
    (0x7461_636f, "ocfs2"),
    (0x0116_1970, "gfs2"),
    (0x0bd0_0bd0, "lustre"),
    (0x786f_4256, "vboxsf"),
];

fn check_network(path: &Path, accepted: Accepted) -> Result<(), FileError> {
    let Ok(stat) = rustix::fs::statfs(path) else {
        return Err(FileError::System);
    };
    judge_network(magic_of(&stat), accepted)
}

/// Whether a file system of that number may be used.
fn judge_network(magic: u32, accepted: Accepted) -> Result<(), FileError> {
    match network_name(magic) {
        Some(name) if !accepted.network => Err(FileError::Network(name)),
        _ => Ok(()),
    }
}

/// The number is 32 bits wide on every file system; the field is wider on some machines.
fn magic_of(stat: &rustix::fs::StatFs) -> u32 {
    let [a, b, c, d, ..] = stat.f_type.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

fn network_name(magic: u32) -> Option<&'static str> {
    NETWORK.iter().find(|(known, _)| *known == magic).map(|(_, name)| *name)
}

/// The mode of a database file that Ptah creates; the umask takes its share. SQLite creates its own with the same.
pub(crate) const CREATE_MODE: Mode = Mode::from_raw_mode(0o644);

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(path: &Path) -> FileError {
        real_path(path).and_then(|real| look(&real, Accepted::default())).unwrap_err()
    }

    #[test]
    fn each_thing_that_is_no_database_file_has_its_own_reason() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.db");
        std::fs::write(&file, b"").unwrap();
        assert_eq!(refused(folder.path()), FileError::Folder);
        assert_eq!(refused(&folder.path().join("none/a.db")), FileError::NoFolder);
        assert_eq!(refused(&file.join("b.db")), FileError::NotAFolder);
        assert_eq!(refused(Path::new("/dev/null")), FileError::NotRegular);
        let link = folder.path().join("link.db");
        std::os::unix::fs::symlink(folder.path().join("gone.db"), &link).unwrap();
        assert_eq!(refused(&link), FileError::DanglingLink);
    }

    #[test]
    fn a_file_with_two_names_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.db");
        std::fs::write(&file, b"").unwrap();
        std::fs::hard_link(&file, folder.path().join("b.db")).unwrap();
        assert_eq!(refused(&file), FileError::HardLinks(2));
    }

    #[test]
    fn network_file_systems_are_known_by_their_numbers_and_refused_unless_accepted() {
        let not = Accepted::default();
        for (magic, name) in [(0x6969, "nfs"), (0x6573_5546, "fuse"), (0xff53_4d42, "cifs"), (0x0102_1997, "9p")] {
            assert_eq!(judge_network(magic, not), Err(FileError::Network(name)));
        }
        for (magic, name) in NETWORK {
            assert_eq!(judge_network(*magic, not), Err(FileError::Network(name)));
            assert_eq!(judge_network(*magic, Accepted { network: true, ..not }), Ok(()), "{name}");
        }
        // ext4, XFS, Btrfs, tmpfs, overlayfs, F2FS, ZFS.
        for local in [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x794c_7630, 0xf2f5_2010, 0x2fc1_2fc1] {
            assert_eq!(judge_network(local, not), Ok(()), "{local:x}");
        }
    }

    #[test]
    fn a_symbolic_link_leads_to_the_file_that_it_names() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.db");
        std::fs::write(&file, b"").unwrap();
        let link = folder.path().join("link.db");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(real_path(&link), real_path(&file));
    }
}
