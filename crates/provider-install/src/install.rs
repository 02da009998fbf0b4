//! One installation, from what a person named to a record. See the steps in [`crate::fault`]: at each of them this process
//! may die, and what was installed before still is.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ptah_provider_api::contract::ContractVersion;
use ptah_provider_api::describe::Description;
use ptah_provider_host::catalogue::{Bundled, Entry, Installed};
use ptah_provider_host::start::StartOptions;
use ptah_provider_host::{Catalogue, Manifest, start};
use ptah_records::provider::{InstallRecordV1, InstalledArtifactV1, ReleaseEngineV1, SCHEMA};
use semver::Version;

use crate::archive::{Bounds, unpack};
use crate::choose::{Chosen, Skipped, Wanted, choose};
use crate::error::{Difference, InstallError};
use crate::fault::{Step, after};
use crate::fetch::{self, Expected};
use crate::folder::{Folder, Lock, sync, sync_all};
use crate::http::{Client, Limits};
use crate::locate::{self, Offered};
use crate::platform::Platform;
use crate::record::{self, Record, slug};
use crate::release::{Artifact, At, Release};
use crate::source::Source;

/// How long another installation is waited for, unless everything together may take less.
const PATIENCE: Duration = Duration::from_mins(1);

/// What is to be installed, and where.
#[derive(Debug)]
pub struct Request<'a> {
    /// Where installations are.
    pub folder: &'a Folder,
    /// What offers releases.
    pub source: &'a Source,
    /// A provider's ID, or an engine's name or alias; needed only where the source offers several providers.
    pub name: Option<&'a str>,
    /// The version; absent means the newest that this host can run.
    pub version: Option<&'a Version>,
    /// How long servers may take.
    pub limits: Limits,
    /// Whether `http` is allowed to other machines than this one.
    pub plain_http: bool,
    /// What the build has to run on.
    pub machine: &'a Platform,
    /// How the provider is started for its check, and the contract that this host speaks.
    pub start: &'a StartOptions,
    /// What else there is: a name that is taken is refused before anything is fetched.
    pub bundled: Vec<Bundled>,
    /// See `bundled`.
    pub manifests: Vec<Manifest>,
}

/// Where an installation is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reached {
    /// It looks at what is offered.
    Choosing,
    /// It fetches the archive of this release.
    Fetching(String),
    /// It unpacks it.
    Unpacking,
    /// It starts the provider, and compares what it says with what was announced.
    Checking,
}

/// What came of an installation.
#[derive(Clone, Debug)]
pub struct Report {
    /// What is installed now.
    pub record: Record,
    /// Releases that would have gone before it.
    pub skipped: Vec<Skipped>,
    /// The version that was installed before.
    pub former: Option<String>,
    /// Whether anything changed: false when this very release was installed and its executable is whole.
    pub changed: bool,
}

/// Installs a release.
///
/// **Flow.** Takes the folder's lock and clears what killed processes left; reads what is offered; chooses; fetches the
/// archive within its size and proves its digest; unpacks it; proves the executable's digest; starts the provider and
/// compares what it says; moves the files to where they stay; writes the record.
///
/// **Guarantees.** Before the record has its name the former release is installed, and afterwards this one. An error and
/// a dropped future leave nothing but the former state. Nothing of a release is fetched that this host cannot run.
///
/// **Errors.** See [`InstallError`]. None is tried again.
pub async fn install(request: Request<'_>, tell: &dyn Fn(Reached)) -> Result<Report, InstallError> {
    let client = Client::new(request.limits, request.plain_http, &request.start.host);
    tell(Reached::Choosing);
    let lock = request.folder.lock(PATIENCE.min(request.limits.whole)).await?;
    lock.clear()?;
    after(Step::Locked);
    let offered = locate::offered(&client, request.source).await?;
    let chosen = chosen(&request, &offered)?;
    let records = record::read_all(request.folder)?;
    let (former, others): (Vec<_>, Vec<_>) =
        records.into_iter().partition(|record| record.installed.provider == chosen.release.provider);
    let former = former.into_iter().next();
    check_names(&request, &chosen.release, others)?;
    after(Step::Chosen);
    if let Some(record) = former.as_ref().filter(|record| is_same(record, &chosen)) {
        let former = Some(record.document.version.clone());
        return Ok(Report { record: record.clone(), skipped: chosen.skipped, former, changed: false });
    }
    let work = Work { request: &request, client: &client, lock: &lock, chosen: &chosen, document: &offered.document };
    let record = work.run(tell, former.as_ref()).await?;
    let former = former.map(|record| record.document.version);
    Ok(Report { record, skipped: chosen.skipped, former, changed: true })
}

/// The release, and of it the build that was named or the one for this machine.
fn chosen(request: &Request<'_>, offered: &Offered) -> Result<Chosen, InstallError> {
    let contract = request.start.contract;
    let wanted = Wanted { name: request.name, version: request.version, machine: request.machine, contract };
    let chosen = choose(offered.offers.clone(), &wanted);
    let mut chosen = chosen.map_err(|unchosen| InstallError::of_choice(unchosen, request.name, request.version))?;
    let Some(name) = &offered.archive else { return Ok(chosen) };
    let is_named = |artifact: &&Artifact| matches!(&artifact.at, At::File(file) if file.as_str().rsplit('/').next() == Some(name.as_str()));
    let named = chosen.release.artifacts.iter().find(is_named);
    let named = named.ok_or_else(|| InstallError::NotDescribed { archive: name.clone() })?;
    if !named.platform.runs_on(request.machine) {
        return Err(InstallError::WrongPlatform {
            archive: name.clone(),
            built_for: named.platform.clone(),
            machine: request.machine.clone(),
        });
    }
    chosen.artifact = named.clone();
    Ok(chosen)
}

/// Refuses a release whose names belong to another provider, as every later command would.
fn check_names(request: &Request<'_>, release: &Release, others: Vec<Record>) -> Result<(), InstallError> {
    let new = Installed {
        provider: release.provider.clone(),
        version: release.version.to_string(),
        executable: PathBuf::new(),
        sha256: [0; 32],
        engines: release.engines.clone(),
        min_contract: release.min_contract,
    };
    let installed = others.into_iter().map(|record| record.installed).chain([new]).collect();
    Catalogue::with_installed(request.bundled.clone(), request.manifests.clone(), installed)?;
    Ok(())
}

/// Whether a record is of the chosen build, and its executable is still what it was.
fn is_same(record: &Record, chosen: &Chosen) -> bool {
    record.document.version == chosen.release.version.to_string()
        && record.document.archive_sha256 == hex::encode(chosen.artifact.sha256)
        && record.installed.sha256 == chosen.artifact.executable_sha256
        && fetch::digest_of(&record.installed.executable).is_ok_and(|digest| digest == record.installed.sha256)
}

/// What an installation works with once it is known what is installed.
struct Work<'a> {
    request: &'a Request<'a>,
    client: &'a Client,
    lock: &'a Lock<'a>,
    chosen: &'a Chosen,
    document: &'a Source,
}

impl Work<'_> {
    async fn run(&self, tell: &dyn Fn(Reached), former: Option<&Record>) -> Result<Record, InstallError> {
        let staging = Staging::make(self.lock.folder)?;
        after(Step::Staged);
        let release = &self.chosen.release;
        tell(Reached::Fetching(format!("{} {}", release.provider, release.version)));
        let archive = self.fetch(&staging).await?;
        after(Step::Fetched);
        tell(Reached::Unpacking);
        self.unpack(&archive, &staging)?;
        after(Step::Unpacked);
        tell(Reached::Checking);
        self.check(&staging).await?;
        after(Step::Checked);
        // From here on nothing waits: a dropped future cannot end between two of these.
        self.keep(&staging, former)
    }

    async fn fetch(&self, staging: &Staging) -> Result<PathBuf, InstallError> {
        let Artifact { at, size, sha256, .. } = &self.chosen.artifact;
        let path = staging.path.join("archive");
        let open = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        let mut file = open.map_err(InstallError::Write)?;
        let from = locate::archive(&self.chosen.place, at);
        fetch::archive(self.client, &from, &mut file, Expected { size: *size, sha256: *sha256 }).await?;
        Ok(path)
    }

    /// Unpacks the archive, and leaves the executable as the only file that can be executed.
    fn unpack(&self, archive: &Path, staging: &Staging) -> Result<(), InstallError> {
        let artifact = &self.chosen.artifact;
        let files = staging.files();
        DirBuilder::new().mode(0o700).create(&files).map_err(InstallError::Write)?;
        let file = File::open(archive).map_err(InstallError::Write)?;
        unpack(file, &files, Bounds::default()).map_err(|fault| InstallError::Archive { fault })?;
        std::fs::remove_file(archive).map_err(InstallError::Write)?;
        let executable = artifact.executable.under(&files);
        let is_file = executable.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
        if !is_file {
            return Err(InstallError::NoExecutable { executable: artifact.executable.to_string() });
        }
        let actual = fetch::digest_of(&executable).map_err(InstallError::Write)?;
        fetch::compare(artifact.executable.to_string(), &artifact.executable_sha256, &actual)?;
        std::fs::set_permissions(&executable, Permissions::from_mode(0o500)).map_err(InstallError::Write)
    }

    /// Starts the provider, and proves that it is what its release says.
    async fn check(&self, staging: &Staging) -> Result<(), InstallError> {
        let Release { provider, version, contract, min_contract, engines, .. } = &self.chosen.release;
        let entry = Entry::from(Installed {
            provider: provider.clone(),
            version: version.to_string(),
            executable: self.chosen.artifact.executable.under(&staging.files()),
            sha256: self.chosen.artifact.executable_sha256,
            engines: engines.clone(),
            min_contract: *min_contract,
        });
        let started = start(&entry, self.request.start).await?;
        let differences = differences(started.description(), &version.to_string(), *contract, *min_contract);
        started.end().await;
        if differences.is_empty() {
            return Ok(());
        }
        Err(InstallError::Differs { provider: provider.clone(), differences })
    }

    /// Moves the files to where they stay and writes the record.
    fn keep(&self, staging: &Staging, former: Option<&Record>) -> Result<Record, InstallError> {
        let folder = self.lock.folder;
        let Release { provider, version, .. } = &self.chosen.release;
        let name = format!("{}-{version}-{}", slug(provider), uuid::Uuid::now_v7().simple());
        let failed = |source| folder.failed("the release cannot be put into its place", source);
        sync_all(&staging.files()).map_err(failed)?;
        std::fs::rename(staging.files(), folder.releases().join(&name)).map_err(failed)?;
        sync(&folder.releases()).map_err(failed)?;
        after(Step::Placed);
        let path = record::path(folder, provider);
        let document = self.record(&format!("releases/{name}/{}", self.chosen.artifact.executable));
        let new = record::checked(folder, &path, document);
        let new = new.map_err(|fault| InstallError::Record { path: path.clone(), fault })?;
        let temporary = staging.path.join("record");
        let failed = |source| folder.failed("the install record cannot be written", source);
        record::write(&temporary, &new.document).map_err(failed)?;
        after(Step::Written);
        record::publish(&temporary, &path).map_err(failed)?;
        after(Step::Recorded);
        if let Some(old) = former.and_then(Record::release_folder) {
            // Nothing names it any more. One that cannot be removed now is left for the next command to clear.
            let _ = crate::folder::remove(&folder.releases().join(old));
        }
        after(Step::Replaced);
        Ok(new)
    }

    fn record(&self, executable: &str) -> InstallRecordV1 {
        let Chosen { release, artifact, .. } = self.chosen;
        let engine = |engine: &ptah_provider_host::catalogue::CatalogueEngine| ReleaseEngineV1 {
            name: engine.name.to_string(),
            aliases: engine.aliases.iter().map(ToString::to_string).collect(),
        };
        let kept = |artifact: &Artifact| InstalledArtifactV1 {
            os: artifact.platform.os().to_owned(),
            arch: artifact.platform.arch().to_owned(),
            sha256: hex::encode(artifact.sha256),
            size: artifact.size,
            executable_sha256: hex::encode(artifact.executable_sha256),
        };
        let now = jiff::Timestamp::now().as_second();
        InstallRecordV1 {
            schema: SCHEMA,
            provider_id: release.provider.to_string(),
            version: release.version.to_string(),
            os: artifact.platform.os().to_owned(),
            arch: artifact.platform.arch().to_owned(),
            executable: executable.to_owned(),
            sha256: hex::encode(artifact.executable_sha256),
            archive_sha256: hex::encode(artifact.sha256),
            source: shown(self.document),
            installed_at: jiff::Timestamp::from_second(now).map(|time| time.to_string()).unwrap_or_default(),
            contract: release.contract.to_string(),
            min_contract: release.min_contract.map(|min| min.to_string()),
            engines: release.engines.iter().map(engine).collect(),
            artifacts: release.artifacts.iter().map(kept).collect(),
        }
    }
}

/// Where a release came from, so that it means the same from every folder.
fn shown(document: &Source) -> String {
    match document {
        Source::Path(path) => std::fs::canonicalize(path).unwrap_or_else(|_| path.clone()).display().to_string(),
        url @ Source::Url(_) => url.to_string(),
    }
}

/// What a provider says of itself and its release says otherwise. A minimum that is absent is the first of its major.
pub fn differences(
    description: &Description,
    version: &str,
    contract: ContractVersion,
    min_contract: Option<ContractVersion>,
) -> Vec<Difference> {
    let first = |min: Option<ContractVersion>, of: ContractVersion| {
        min.unwrap_or(ContractVersion { major: of.major, minor: 0 }).to_string()
    };
    let pairs = [
        ("version", version.to_owned(), description.version.clone()),
        ("contract", contract.to_string(), description.contract.to_string()),
        ("min_contract", first(min_contract, contract), first(description.min_contract, description.contract)),
    ];
    let differing = pairs.into_iter().filter(|(_, announced, found)| announced != found);
    differing.map(|(what, announced, found)| Difference { what, announced, found }).collect()
}

/// The folder of what is under way. Gone with the value; after a kill, the next command clears it.
struct Staging {
    path: PathBuf,
}

impl Staging {
    fn make(folder: &Folder) -> Result<Self, InstallError> {
        let path = folder.staging().join(uuid::Uuid::now_v7().simple().to_string());
        DirBuilder::new().mode(0o700).create(&path).map_err(InstallError::Write)?;
        Ok(Self { path })
    }

    fn files(&self) -> PathBuf {
        self.path.join("files")
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let _ = crate::folder::remove(&self.path);
    }
}
