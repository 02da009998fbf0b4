//! Bringing a file here: a document into memory, an archive into a file, each within its size and against its digest.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::error::{InstallError, SourceFault};
use crate::fault::{self, Step};
use crate::http::{Client, HttpFault, Url};
use crate::source::Source;

/// Where something is.
pub(crate) type From = Source;

/// A file's bytes, at most `limit`.
pub(crate) async fn document(
    client: &Client,
    from: &From,
    limit: usize,
) -> Result<(Vec<u8>, Option<Url>), InstallError> {
    let too_large = || unreadable(from, SourceFault::Large { limit });
    match from {
        Source::Path(path) => {
            let mut bytes = Vec::new();
            let read = open(path)
                .and_then(|file| file.take(limit as u64 + 1).read_to_end(&mut bytes).map_err(SourceFault::Unreadable));
            read.map_err(|fault| unreadable(from, fault))?;
            if bytes.len() > limit { Err(too_large()) } else { Ok((bytes, None)) }
        }
        Source::Url(url) => {
            let failed = |fault| download(from, fault);
            let mut answer = client.get(url).await.map_err(failed)?;
            let mut bytes = Vec::new();
            while let Some(piece) = answer.next().await.map_err(failed)? {
                if bytes.len() + piece.len() > limit {
                    return Err(too_large());
                }
                bytes.extend_from_slice(&piece);
            }
            Ok((bytes, Some(answer.url.clone())))
        }
    }
}

/// What an archive has to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected {
    /// In bytes.
    pub(crate) size: u64,
    pub(crate) sha256: [u8; 32],
}

/// Copies an archive to a file, and proves its size and digest. Never keeps a byte more than it should have.
pub(crate) async fn archive(
    client: &Client,
    from: &From,
    to: &mut File,
    expected: Expected,
) -> Result<(), InstallError> {
    let mut copy = Copy { from, to, expected, size: 0, hasher: Sha256::new() };
    match from {
        Source::Path(path) => {
            let mut file = open(path).map_err(|fault| unreadable(from, fault))?;
            let mut buffer = vec![0; 256 * 1024];
            loop {
                let count = file.read(&mut buffer);
                let count = count.map_err(|error| unreadable(from, SourceFault::Unreadable(error)))?;
                if count == 0 {
                    break;
                }
                copy.piece(buffer.get(..count).unwrap_or_default())?;
            }
        }
        Source::Url(url) => {
            let failed = |fault| download(from, fault);
            let mut answer = client.get(url).await.map_err(failed)?;
            while let Some(piece) = answer.next().await.map_err(failed)? {
                copy.piece(&piece)?;
            }
        }
    }
    copy.end()
}

struct Copy<'a> {
    from: &'a From,
    to: &'a mut File,
    expected: Expected,
    size: u64,
    hasher: Sha256,
}

impl Copy<'_> {
    fn piece(&mut self, piece: &[u8]) -> Result<(), InstallError> {
        self.size += piece.len() as u64;
        if self.size > self.expected.size {
            return Err(self.wrong_size(None));
        }
        self.hasher.update(piece);
        self.to.write_all(piece).map_err(InstallError::Write)?;
        fault::after(Step::Fetching);
        Ok(())
    }

    fn end(self) -> Result<(), InstallError> {
        if self.size != self.expected.size {
            return Err(self.wrong_size(Some(self.size)));
        }
        self.to.sync_all().map_err(InstallError::Write)?;
        let actual: [u8; 32] = self.hasher.finalize().into();
        compare(self.from.to_string(), &self.expected.sha256, &actual)
    }

    fn wrong_size(&self, actual: Option<u64>) -> InstallError {
        InstallError::Size { what: self.from.to_string(), expected: self.expected.size, actual }
    }
}

/// Proves that a digest is the one that was announced.
pub(crate) fn compare(what: String, expected: &[u8; 32], actual: &[u8; 32]) -> Result<(), InstallError> {
    if expected == actual {
        return Ok(());
    }
    let first = |digest: &[u8; 32]| hex::encode(digest).chars().take(12).collect();
    Err(InstallError::Digest { what, expected: first(expected), actual: first(actual) })
}

/// The digest of a file.
pub(crate) fn digest_of(path: &Path) -> std::io::Result<[u8; 32]> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 256 * 1024];
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok(hasher.finalize().into());
        }
        hasher.update(buffer.get(..count).unwrap_or_default());
    }
}

/// Not blocking, so that a pipe in the file's place cannot hang the command.
fn open(path: &Path) -> Result<File, SourceFault> {
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(path).map_err(SourceFault::Unreadable)?;
    let metadata = file.metadata().map_err(SourceFault::Unreadable)?;
    if metadata.is_file() { Ok(file) } else { Err(SourceFault::NotAFile) }
}

pub(crate) fn unreadable(from: &From, fault: SourceFault) -> InstallError {
    InstallError::Source { source_name: from.to_string(), fault }
}

fn download(from: &From, fault: HttpFault) -> InstallError {
    InstallError::Download { source_name: from.to_string(), fault }
}
