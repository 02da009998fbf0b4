//! Why a release could not be installed, or an installation not be used: one variant for each cause, each with a stable
//! code and with what to do.
//!
//! Nothing that a server or a provider wrote is quoted, but names within an archive and versions, cleaned. No credential
//! is in any of them: an address with one is refused, and a query is never kept.

mod code;
mod hint;
mod parts;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use ptah_model::ProviderId;
use ptah_provider_host::HostError;
use ptah_records::provider::DocumentError;
use semver::Version;

use crate::archive::ArchiveFault;
use crate::choose::{Skipped, Unchosen};
use crate::http::HttpFault;
use crate::platform::Platform;
use crate::record::RecordFault;
use crate::release::ReleaseFault;

use self::parts::{Installed, List, Named, Offered, Reasons, Size};

/// What went wrong. Nothing was installed, and what was installed before still is. None of these is tried again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// The folder of installations cannot be used.
    #[error("the folder of installed providers {}: {doing}", .folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What was done.
        doing: &'static str,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Others may write the folder, or it belongs to another user.
    #[error("{} (mode {mode:04o}) can be written by others or belongs to another user, so what it names is not run", .path.display())]
    FolderOpen {
        /// The folder, or its folder of records.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// Another process changes the folder.
    #[error("another installation is under way in {} (waited {waited:?})", .folder.display())]
    Busy {
        /// The folder.
        folder: PathBuf,
        /// How long it was waited for.
        waited: Duration,
    },
    /// What was unpacked or fetched cannot be written here.
    #[error("what arrives cannot be written")]
    Write(#[source] io::Error),
    /// A file of the source cannot be read.
    #[error("{source_name} cannot be used as a source of releases")]
    Source {
        /// The file.
        source_name: String,
        /// Why.
        #[source]
        fault: SourceFault,
    },
    /// A server's answer is not used.
    #[error("{source_name} cannot be fetched")]
    Download {
        /// The address, without its query.
        source_name: String,
        /// Why.
        #[source]
        fault: HttpFault,
    },
    /// The source is a web page.
    #[error("{source_name} is a web page, and no index or descriptor of releases")]
    WebPage {
        /// The file or address.
        source_name: String,
    },
    /// The source is no index and no descriptor.
    #[error("{source_name} is no index or descriptor of releases")]
    Document {
        /// The file or address.
        source_name: String,
        /// Why.
        #[source]
        fault: DocumentError,
    },
    /// A value in the descriptor is not in its form.
    #[error("the descriptor {source_name} is not used")]
    Release {
        /// The file or address.
        source_name: String,
        /// Why.
        #[source]
        fault: ReleaseFault,
    },
    /// Nothing that is offered has the name.
    #[error("no release of {} is offered there{}", Named(.name), Offered(.known))]
    Unnamed {
        /// What was asked for.
        name: Option<String>,
        /// The providers that are offered.
        known: Vec<ProviderId>,
        /// What could not be read.
        skipped: Vec<Skipped>,
    },
    /// Several providers are offered, and nothing says which is meant.
    #[error("releases of several providers are offered there: {}", List(.providers))]
    Several {
        /// All of them.
        providers: Vec<ProviderId>,
    },
    /// The version is not offered.
    #[error("version {version} is not offered there; there are {}", List(.known))]
    NoVersion {
        /// What was asked for.
        version: Version,
        /// What is offered, the newest first.
        known: Vec<Version>,
        /// What could not be read.
        skipped: Vec<Skipped>,
    },
    /// One version of one provider stands twice.
    #[error("version {version} of provider `{provider}` is offered twice, and nothing says which one counts")]
    Twice {
        /// The provider.
        provider: ProviderId,
        /// The version.
        version: Version,
    },
    /// No release can be used here.
    #[error("no release that is offered there can be used here: {}", Reasons(.skipped))]
    NothingFits {
        /// Every release that was looked at, and why it cannot be used.
        skipped: Vec<Skipped>,
    },
    /// The archive that was named is none of the descriptor's.
    #[error("the descriptor beside `{archive}` does not describe it")]
    NotDescribed {
        /// Its name.
        archive: String,
    },
    /// The archive that was named is for another platform.
    #[error("`{archive}` is built for {built_for}, and this machine is {machine}")]
    WrongPlatform {
        /// Its name.
        archive: String,
        /// What it is for.
        built_for: Platform,
        /// This machine.
        machine: Platform,
    },
    /// The archive has another size than its descriptor says.
    #[error("{what} has {} bytes, and its descriptor says {expected}", Size(.actual))]
    Size {
        /// The archive.
        what: String,
        /// What the descriptor says.
        expected: u64,
        /// Its size; nothing when it was cut off above what it should have.
        actual: Option<u64>,
    },
    /// The bytes are not those that the descriptor names.
    #[error("{what} has a SHA-256 that begins with {actual}, and its descriptor says {expected}")]
    Digest {
        /// The archive, or the executable in it.
        what: String,
        /// The first 12 digits of what is expected.
        expected: String,
        /// The first 12 digits of what arrived.
        actual: String,
    },
    /// The archive is not unpacked.
    #[error("the archive is refused")]
    Archive {
        /// Why.
        #[source]
        fault: ArchiveFault,
    },
    /// The archive lacks the executable.
    #[error("the archive has no file `{executable}`, which its descriptor names as the executable")]
    NoExecutable {
        /// The path.
        executable: String,
    },
    /// The provider says something else of itself than its release.
    #[error("provider `{provider}` is not what its release says: {}", List(.differences))]
    Differs {
        /// The provider.
        provider: ProviderId,
        /// Each difference, at least one.
        differences: Vec<Difference>,
    },
    /// The provider cannot be used, or a name of it belongs to another one.
    #[error(transparent)]
    Host(#[from] HostError),
    /// An install record cannot be used.
    #[error("the install record {} is not used", .path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        fault: RecordFault,
    },
    /// Nothing of that name is installed.
    #[error("`{}` is not installed{}", .name.escape_debug(), Installed(.installed))]
    NotInstalled {
        /// What was asked for.
        name: String,
        /// What is installed.
        installed: Vec<ProviderId>,
    },
    /// A manifest names a file of the installation.
    #[error("`{provider}` is not removed: the manifest names {} of it for provider `{listed}`", .executable.display())]
    InUse {
        /// The installed provider.
        provider: ProviderId,
        /// The manifest's.
        listed: ProviderId,
        /// The file.
        executable: PathBuf,
    },
}

/// Why a file is no source of releases.
#[derive(Debug, thiserror::Error)]
pub enum SourceFault {
    /// It cannot be read.
    #[error("it cannot be read")]
    Unreadable(#[source] io::Error),
    /// Something else than a file.
    #[error("it is not a regular file")]
    NotAFile,
    /// It is too large to be a document.
    #[error("it has more than {limit} bytes")]
    Large {
        /// The most, in bytes.
        limit: usize,
    },
    /// A folder without one.
    #[error("the folder has neither a ptah-provider.json nor a ptah-provider-index.json")]
    NoDescriptor,
    /// An archive without one.
    #[error("there is no ptah-provider.json beside it, so nothing says what it has to be")]
    NoDescriptorBeside,
}

/// One thing that a provider says otherwise than its release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The key of the descriptor.
    pub what: &'static str,
    /// What the release says.
    pub announced: String,
    /// What the provider says.
    pub found: String,
}

impl InstallError {
    /// The releases that were passed over: all of them, where nothing is left.
    pub fn skipped(&self) -> &[Skipped] {
        match self {
            Self::Unnamed { skipped, .. } | Self::NoVersion { skipped, .. } | Self::NothingFits { skipped } => skipped,
            _ => &[],
        }
    }

    pub(crate) fn of_choice(unchosen: Unchosen, name: Option<&str>, version: Option<&Version>) -> Self {
        match unchosen {
            Unchosen::Unnamed { known, skipped } => Self::Unnamed { name: name.map(str::to_owned), known, skipped },
            Unchosen::Several { providers } => Self::Several { providers },
            Unchosen::NoVersion { known, skipped } => match version {
                Some(version) => Self::NoVersion { version: version.clone(), known, skipped },
                None => Self::NothingFits { skipped },
            },
            Unchosen::Twice { provider, version } => Self::Twice { provider, version },
            Unchosen::NothingFits { skipped } => Self::NothingFits { skipped },
        }
    }
}
