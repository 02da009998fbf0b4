//! Version 1 of the documents about releases of providers.

use serde::{Deserialize, Serialize};

/// One release of a provider: `ptah-provider.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleaseV1 {
    /// Always 1.
    pub schema: u64,
    /// Who the provider says that it is.
    pub provider_id: String,
    /// Its version, as the provider says it in `Describe`: three numbers with dots, and what Semantic Versioning allows
    /// after them.
    pub version: String,
    /// The contract version that it speaks, such as `1.0`.
    pub contract: String,
    /// The oldest host that it works with; absent means the first minor of the major.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_contract: Option<String>,
    /// Its engines, at least one.
    pub engines: Vec<ReleaseEngineV1>,
    /// Its builds, at least one, each for another platform.
    pub artifacts: Vec<ArtifactV1>,
}

/// One engine of a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReleaseEngineV1 {
    /// Its name.
    pub name: String,
    /// Its other names. May be empty.
    #[serde(default)]
    pub aliases: Vec<String>,
}

/// One build of a release: an archive for one platform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArtifactV1 {
    /// The operating system, in Rust's words (`linux`, `macos`), or `any`.
    pub os: String,
    /// The processor, in Rust's words (`x86_64`, `aarch64`), or `any`.
    pub arch: String,
    /// Where the archive is, relative to the descriptor. Exactly one of `file` and `url` is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where the archive is, as a whole address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The SHA-256 of the archive: 64 hexadecimal digits.
    pub sha256: String,
    /// The archive's size in bytes.
    pub size: u64,
    /// The path of the executable within the archive.
    pub executable: String,
    /// The SHA-256 of the executable: 64 hexadecimal digits.
    pub executable_sha256: String,
}

/// Many releases: `ptah-provider-index.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexV1 {
    /// Always 1.
    pub schema: u64,
    /// The releases, in any order. May be empty.
    pub releases: Vec<IndexedReleaseV1>,
}

/// One release of an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexedReleaseV1 {
    /// The folder in which the descriptor's relative files lie, relative to the index. Absent or empty means beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The descriptor, word for word. Read by itself, so that one of a later form is passed over and not its neighbours.
    pub descriptor: serde_json::Value,
}

/// What an installation leaves, written last: without it nothing was installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct InstallRecordV1 {
    /// Always 1.
    pub schema: u64,
    /// Who the provider says that it is.
    pub provider_id: String,
    /// The release's version.
    pub version: String,
    /// The operating system that the installed build is for.
    pub os: String,
    /// The processor that it is for.
    pub arch: String,
    /// The executable, relative to the folder of installations.
    pub executable: String,
    /// The SHA-256 of the executable, checked before every start.
    pub sha256: String,
    /// The SHA-256 of the archive that it came from.
    pub archive_sha256: String,
    /// Where the release was found. Without user, password and query.
    pub source: String,
    /// When, in UTC with seconds: `2026-01-31T12:00:00Z`.
    pub installed_at: String,
    /// The contract version that it speaks.
    pub contract: String,
    /// The oldest host that it works with; null means the first minor of the major.
    #[serde(default)]
    pub min_contract: Option<String>,
    /// Its engines, at least one.
    pub engines: Vec<ReleaseEngineV1>,
    /// The digests of the release's builds for all platforms, this one among them.
    pub artifacts: Vec<InstalledArtifactV1>,
}

/// What is kept of one build of an installed release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct InstalledArtifactV1 {
    /// The operating system.
    pub os: String,
    /// The processor.
    pub arch: String,
    /// The SHA-256 of the archive.
    pub sha256: String,
    /// The archive's size in bytes.
    pub size: u64,
    /// The SHA-256 of the executable.
    pub executable_sha256: String,
}
