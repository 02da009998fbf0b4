//! Install records: one file for each provider, read whole or refused, written in one moment.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use ptah_model::{Digest, EngineName, ProviderId};
use ptah_provider_api::contract::ContractVersion;
use ptah_provider_host::catalogue::{CatalogueEngine, Installed};
use ptah_records::provider::{self as documents, InstallRecordV1, RECORD_LIMIT};
use ptah_records::to_bytes;

use crate::error::InstallError;
use crate::folder::Folder;
use crate::path::InnerPath;
use crate::release::digest;

/// A record that was read and checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Where it is.
    pub path: PathBuf,
    /// What it says.
    pub document: InstallRecordV1,
    /// The same for the catalogue.
    pub installed: Installed,
    /// The contract that the provider speaks.
    pub contract: ContractVersion,
    executable: InnerPath,
}

impl Record {
    /// Whether it is of the provider or the engine of this name.
    pub fn answers_to(&self, name: &str) -> bool {
        let is_named = |engine: &CatalogueEngine| {
            engine.name.as_str() == name || engine.aliases.iter().any(|alias| alias.as_str() == name)
        };
        self.installed.provider.as_str() == name || self.installed.engines.iter().any(is_named)
    }

    /// The folder of the release under `releases/`.
    pub(crate) fn release_folder(&self) -> Option<&str> {
        self.executable.as_str().strip_prefix("releases/")?.split('/').next()
    }
}

/// The name of a provider's record and of its releases: readable, and different for different providers.
pub(crate) fn slug(provider: &ProviderId) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' || c == '-' { c } else { '_' };
    let readable: String = provider.as_str().chars().map(plain).take(64).collect();
    let digest = Digest::of(provider.as_str().as_bytes()).to_string();
    let digits = digest.rsplit(':').next().unwrap_or_default();
    format!("{readable}-{}", digits.get(..12).unwrap_or_default())
}

/// Where a provider's record is.
pub(crate) fn path(folder: &Folder, provider: &ProviderId) -> PathBuf {
    folder.records().join(format!("{}.json", slug(provider)))
}

/// Every record, sorted by provider.
pub(crate) fn read_all(folder: &Folder) -> Result<Vec<Record>, InstallError> {
    let failed = |source| folder.failed("its records cannot be listed", source);
    let mut records = Vec::new();
    for entry in std::fs::read_dir(folder.records()).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        // Anything else is none of ours, and is left alone.
        if path.extension().is_some_and(|extension| extension == "json") {
            match read(folder, &path) {
                Ok(record) => records.push(record),
                Err(fault) => return Err(InstallError::Record { path, fault }),
            }
        }
    }
    records.sort_by(|a: &Record, b| a.installed.provider.cmp(&b.installed.provider));
    Ok(records)
}

/// Why a record is not used.
#[derive(Debug, thiserror::Error)]
pub enum RecordFault {
    /// It cannot be read.
    #[error("it cannot be read")]
    Unreadable(#[source] std::io::Error),
    /// Others may write it, it belongs to another user, or is no file.
    #[error("it is no file that only this user may write")]
    Open,
    /// It is larger than a record is.
    #[error("it is larger than a record is")]
    Large,
    /// It is no record.
    #[error(transparent)]
    Document(documents::DocumentError),
    /// A value is not in its form, or does not belong to the record's name.
    #[error("its `{0}` is not in its form")]
    Value(&'static str),
}

fn read(folder: &Folder, path: &Path) -> Result<Record, RecordFault> {
    let flags = (rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW).bits().cast_signed();
    let open = OpenOptions::new().read(true).custom_flags(flags).open(path);
    let file = open.map_err(RecordFault::Unreadable)?;
    let metadata = file.metadata().map_err(RecordFault::Unreadable)?;
    let user = rustix::process::geteuid().as_raw();
    if !metadata.is_file() || metadata.mode() & 0o022 != 0 || (metadata.uid() != user && metadata.uid() != 0) {
        return Err(RecordFault::Open);
    }
    let mut bytes = Vec::new();
    file.take(RECORD_LIMIT as u64 + 1).read_to_end(&mut bytes).map_err(RecordFault::Unreadable)?;
    if bytes.len() > RECORD_LIMIT {
        return Err(RecordFault::Large);
    }
    let document = documents::record(&bytes).map_err(RecordFault::Document)?;
    let record = checked(folder, path, document)?;
    // A record under another provider's name would be overwritten by one and believed for the other.
    if path.file_stem().is_none_or(|stem| stem != slug(&record.installed.provider).as_str()) {
        return Err(RecordFault::Value("provider_id"));
    }
    Ok(record)
}

/// A document as a record, if every value is in its form.
pub(crate) fn checked(folder: &Folder, path: &Path, document: InstallRecordV1) -> Result<Record, RecordFault> {
    use RecordFault::Value;
    let provider = ProviderId::new(document.provider_id.clone()).map_err(|_| Value("provider_id"))?;
    let contract = |text: &str| ContractVersion::parse(text);
    let min_contract = match &document.min_contract {
        Some(text) => Some(contract(text).ok_or(Value("min_contract"))?),
        None => None,
    };
    let executable = InnerPath::new(&document.executable).ok().filter(|path| path.as_str().starts_with("releases/"));
    let executable = executable.ok_or(Value("executable"))?;
    let name = |text: &String| EngineName::new(text.clone()).map_err(|_| Value("engines"));
    let mut engines = Vec::new();
    for engine in &document.engines {
        let aliases = engine.aliases.iter().map(name).collect::<Result<_, _>>()?;
        engines.push(CatalogueEngine { name: name(&engine.name)?, aliases, schemes: Vec::new() });
    }
    if engines.is_empty() {
        return Err(Value("engines"));
    }
    let installed = Installed {
        provider,
        version: document.version.clone(),
        executable: executable.under(folder.path()),
        sha256: digest("sha256", &document.sha256).map_err(|_| Value("sha256"))?,
        engines,
        min_contract,
    };
    let contract = contract(&document.contract).ok_or(Value("contract"))?;
    Ok(Record { path: path.to_owned(), document, installed, contract, executable })
}

/// Writes a record's bytes under another name, durably; see [`publish`].
pub(crate) fn write(temporary: &Path, document: &InstallRecordV1) -> std::io::Result<()> {
    let mut file: File = OpenOptions::new().write(true).create_new(true).mode(0o600).open(temporary)?;
    file.write_all(&to_bytes(document))?;
    file.sync_all()
}

/// Gives a written record its name: in one moment, over the former one.
pub(crate) fn publish(temporary: &Path, path: &Path) -> std::io::Result<()> {
    std::fs::rename(temporary, path)?;
    path.parent().map_or(Ok(()), crate::folder::sync)
}
