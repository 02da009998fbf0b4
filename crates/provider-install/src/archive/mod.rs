//! A release's archive: a tar file in gzip, read piece by piece into a folder that it cannot leave.
//!
//! Only regular files and folders are taken. Everything that could reach something else is refused by its name: links,
//! devices, pipes, paths that go up or begin at the root, a name that stands twice, bits that lend rights. Modes, owners
//! and times of the archive are not used. What is refused is refused whole: the folder is thrown away by the caller.
//! Memory is bounded, whatever the archive says.

mod extended;
mod header;

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use self::extended::Extended;
use self::header::{BLOCK, Header, Kind};
use crate::path::{InnerPath, PathFault};

/// What an archive may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The bytes of all files together: 2 GiB.
    pub bytes: u64,
    /// The entries, of every kind: 4,096.
    pub entries: u32,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { bytes: 2 * 1024 * 1024 * 1024, entries: 4096 }
    }
}

/// The most that may follow the end: the padding of the last record, as tar writes it.
const PADDING_LIMIT: usize = 1024 * 1024;

/// Why an archive is not used. Nothing of it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveFault {
    /// It is not what gzip writes, or it was cut off.
    #[error("it is no gzip, or it is cut off")]
    Packed,
    /// It is no tar, or it ends too early.
    #[error("it is no tar after {entries} entries: {why}")]
    Form {
        /// How many entries were read.
        entries: u32,
        /// What is wrong.
        why: &'static str,
    },
    /// An entry that is neither a file nor a folder.
    #[error("`{name}` is {kind}, and only files and folders are taken")]
    NotAFile {
        /// The entry's name, cleaned.
        name: String,
        /// What it is.
        kind: &'static str,
    },
    /// An entry whose name leads elsewhere or cannot be used.
    #[error("the name `{name}` is refused: {fault}")]
    Name {
        /// The name, cleaned.
        name: String,
        /// Why.
        fault: PathFault,
    },
    /// A name that stands twice, perhaps in another case.
    #[error("`{name}` stands twice")]
    Twice {
        /// The name.
        name: String,
    },
    /// A file that would run with somebody else's rights.
    #[error("`{name}` has set-user-ID or set-group-ID bits")]
    Rights {
        /// The name.
        name: String,
    },
    /// More than it may hold.
    #[error("it unpacks to more than {bytes} bytes")]
    Bytes {
        /// The most.
        bytes: u64,
    },
    /// More entries than it may have.
    #[error("it has more than {entries} entries")]
    Entries {
        /// The most.
        entries: u32,
    },
    /// This machine could not write it.
    #[error("it cannot be unpacked here")]
    Write(#[source] io::Error),
}

/// Unpacks an archive into an empty folder of the caller's own.
///
/// **Guarantees.** Nothing is written outside of `into`, and no link is made in it. Folders get mode 0700, files 0600.
///
/// **Errors.** See [`ArchiveFault`]. What was unpacked until then is left for the caller to throw away.
pub fn unpack(archive: impl Read, into: &Path, bounds: Bounds) -> Result<(), ArchiveFault> {
    let mut unpacking = Unpacking {
        from: MultiGzDecoder::new(archive),
        into,
        bounds,
        left: bounds.bytes,
        entries: 0,
        seen: BTreeMap::new(),
    };
    while unpacking.entry()? {}
    unpacking.end()
}

struct Unpacking<'a, R> {
    from: MultiGzDecoder<R>,
    into: &'a Path,
    bounds: Bounds,
    left: u64,
    entries: u32,
    /// What is there, by its folded name: whether it is a folder, and its name.
    seen: BTreeMap<String, (bool, String)>,
}

impl<R: Read> Unpacking<'_, R> {
    /// Reads one entry with all that describes it. False at the end.
    fn entry(&mut self) -> Result<bool, ArchiveFault> {
        let mut extended = Extended::default();
        loop {
            let Some(header) = self.header()? else {
                return if extended.is_empty() {
                    Ok(false)
                } else {
                    Err(self.form("an entry is announced and missing"))
                };
            };
            self.entries += 1;
            if self.entries > self.bounds.entries {
                return Err(ArchiveFault::Entries { entries: self.bounds.entries });
            }
            match header.kind {
                Kind::LongName => extended.long_name(&self.small(&header)?).map_err(|why| self.form(why))?,
                Kind::Extended => extended.records(&self.small(&header)?).map_err(|why| self.form(why))?,
                // It speaks of all entries that follow; nothing that it may say concerns us.
                Kind::Global => drop(self.small(&header)?),
                Kind::File | Kind::Folder | Kind::Other(_) => {
                    let name = extended.name.take().unwrap_or_else(|| header.name.clone());
                    self.take(&header, &name)?;
                    return Ok(true);
                }
            }
        }
    }

    fn take(&mut self, header: &Header, name: &[u8]) -> Result<(), ArchiveFault> {
        let shown = || String::from_utf8_lossy(name).escape_debug().take(200).collect::<String>();
        if let Kind::Other(kind) = header.kind {
            return Err(ArchiveFault::NotAFile { name: shown(), kind });
        }
        let refused = |fault| ArchiveFault::Name { name: shown(), fault };
        let text = std::str::from_utf8(name).map_err(|_| refused(PathFault::Character))?;
        let Some(path) = InnerPath::of_entry(text).map_err(refused)? else {
            return self.folder_itself(header);
        };
        let folders: Vec<String> = path.folders().map(str::to_owned).collect();
        for folder in &folders {
            self.folder(folder)?;
        }
        if header.kind == Kind::Folder {
            if header.size != 0 {
                return Err(self.form("a folder has content"));
            }
            return self.folder(path.as_str());
        }
        if header.lends_rights {
            return Err(ArchiveFault::Rights { name: path.to_string() });
        }
        self.note(path.as_str(), false)?;
        self.file(&path, header.size)
    }

    /// The archive's own folder, as `tar -C folder .` writes it.
    fn folder_itself(&self, header: &Header) -> Result<(), ArchiveFault> {
        if header.kind == Kind::Folder && header.size == 0 {
            return Ok(());
        }
        Err(self.form("the folder of all is no folder"))
    }

    /// Makes a folder, unless it is there.
    fn folder(&mut self, path: &str) -> Result<(), ArchiveFault> {
        if self.note(path, true)? {
            DirBuilder::new().mode(0o700).create(self.into.join(path)).map_err(ArchiveFault::Write)?;
        }
        Ok(())
    }

    /// Whether a name is new. A folder may be named again by exactly its name, nothing else may.
    fn note(&mut self, path: &str, is_folder: bool) -> Result<bool, ArchiveFault> {
        let folded = InnerPath::new(path).map(|inner| inner.folded()).unwrap_or_default();
        match self.seen.get(&folded) {
            None => {
                self.seen.insert(folded, (is_folder, path.to_owned()));
                Ok(true)
            }
            Some((true, known)) if is_folder && known == path => Ok(false),
            Some(_) => Err(ArchiveFault::Twice { name: path.to_owned() }),
        }
    }

    fn file(&mut self, path: &InnerPath, size: u64) -> Result<(), ArchiveFault> {
        // Judged by what the entry says, before a byte is written; it gets no more than it says.
        self.left = self.left.checked_sub(size).ok_or(ArchiveFault::Bytes { bytes: self.bounds.bytes })?;
        let open = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path.under(self.into));
        let mut file: File = open.map_err(ArchiveFault::Write)?;
        let mut left = size;
        let mut buffer = vec![0; 128 * 1024];
        while left > 0 {
            let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
            let Some(piece) = buffer.get_mut(..most) else { break };
            let count = self.some(piece)?;
            if count == 0 {
                return Err(self.form("it ends within a file"));
            }
            file.write_all(buffer.get(..count).unwrap_or_default()).map_err(ArchiveFault::Write)?;
            left -= count as u64;
        }
        file.sync_all().map_err(ArchiveFault::Write)?;
        self.padding(size)
    }

    /// Content that is read into memory: names, and what is said of the next entry.
    fn small(&mut self, header: &Header) -> Result<Vec<u8>, ArchiveFault> {
        if header.size > extended::LIMIT {
            return Err(self.form("what is said of an entry is too long"));
        }
        let mut content = vec![0; usize::try_from(header.size).unwrap_or_default()];
        self.whole(&mut content)?;
        self.padding(header.size)?;
        Ok(content)
    }

    fn header(&mut self) -> Result<Option<Header>, ArchiveFault> {
        let mut block = [0; BLOCK];
        self.whole(&mut block)?;
        if block.iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        Header::read(&block).map(Some).map_err(|why| self.form(why))
    }

    /// Content ends at a whole block.
    fn padding(&mut self, size: u64) -> Result<(), ArchiveFault> {
        let over = usize::try_from(size % BLOCK as u64).unwrap_or_default();
        let mut rest = [0; BLOCK];
        match rest.get_mut(over..) {
            Some(rest) if over > 0 => self.whole(rest),
            _ => Ok(()),
        }
    }

    /// After the end there is nothing but zeros; the packing's own checksum is read with them.
    fn end(&mut self) -> Result<(), ArchiveFault> {
        let mut buffer = [0; 4096];
        let mut total = 0;
        loop {
            let count = self.some(&mut buffer)?;
            total += count;
            if count == 0 {
                return Ok(());
            }
            if total > PADDING_LIMIT || buffer.iter().take(count).any(|byte| *byte != 0) {
                return Err(self.form("something follows its end"));
            }
        }
    }

    fn whole(&mut self, buffer: &mut [u8]) -> Result<(), ArchiveFault> {
        self.from.read_exact(buffer).map_err(|_| ArchiveFault::Packed)
    }

    fn some(&mut self, buffer: &mut [u8]) -> Result<usize, ArchiveFault> {
        loop {
            match self.from.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other.map_err(|_| ArchiveFault::Packed),
            }
        }
    }

    fn form(&self, why: &'static str) -> ArchiveFault {
        ArchiveFault::Form { entries: self.entries, why }
    }
}

#[cfg(test)]
mod tests;
