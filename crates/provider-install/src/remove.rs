//! Taking an installation away: first its record, in one moment, then its files.

use std::path::Path;
use std::time::Duration;

use ptah_provider_host::Manifest;

use crate::error::InstallError;
use crate::fault::{Step, after};
use crate::folder::{Folder, sync};
use crate::record::{self, Record};

/// How long an installation that is under way is waited for.
const PATIENCE: Duration = Duration::from_mins(1);

/// Removes what is installed under a name: a provider's ID, or an engine's name or alias.
///
/// **Guarantees.** The record goes first: from then on nothing is installed under the name, and if this process dies, the
/// next command removes the files. A provider that runs is not disturbed: what is executed is a copy that it holds.
///
/// **Errors.** [`InstallError::NotInstalled`]; [`InstallError::InUse`] when one of the manifests names a file of the
/// release.
pub async fn remove(folder: &Folder, name: &str, manifests: &[Manifest]) -> Result<Record, InstallError> {
    let not_installed = |records: &[Record]| InstallError::NotInstalled {
        name: name.to_owned(),
        installed: records.iter().map(|record| record.installed.provider.clone()).collect(),
    };
    // Looked at first, so that nothing is made where nothing is installed.
    let records = folder.installed()?;
    if find(&records, name).is_none() {
        return Err(not_installed(&records));
    }
    let lock = folder.lock(PATIENCE).await?;
    lock.clear()?;
    let records = record::read_all(folder)?;
    let record = find(&records, name).ok_or_else(|| not_installed(&records))?;
    let release = record.release_folder().map(|name| folder.releases().join(name));
    if let Some(release) = &release {
        check_unused(record, release, manifests)?;
    }
    let failed = |source| folder.failed("the install record cannot be removed", source);
    std::fs::remove_file(&record.path).map_err(failed)?;
    sync(&folder.records()).map_err(failed)?;
    after(Step::Unrecorded);
    if let Some(release) = release {
        // Nothing names it any more. One that cannot be removed now is left for the next command to clear.
        let _ = crate::folder::remove(&release);
    }
    Ok(record.clone())
}

fn find<'a>(records: &'a [Record], name: &str) -> Option<&'a Record> {
    records.iter().find(|record| record.answers_to(name))
}

fn check_unused(record: &Record, release: &Path, manifests: &[Manifest]) -> Result<(), InstallError> {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let release = real(release);
    let listed = manifests.iter().flat_map(|manifest| &manifest.providers);
    match listed.into_iter().find(|listed| real(&listed.executable).starts_with(&release)) {
        Some(listed) => Err(InstallError::InUse {
            provider: record.installed.provider.clone(),
            listed: listed.id.clone(),
            executable: listed.executable.clone(),
        }),
        None => Ok(()),
    }
}
