//! The stable codes.

use super::InstallError;
use crate::http::HttpFault;

impl InstallError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Folder { .. } | Self::FolderOpen { .. } | Self::Write(_) => "provider_install_folder",
            Self::Busy { .. } => "provider_install_busy",
            Self::Source { .. } => "provider_source_unreadable",
            Self::Download { fault: HttpFault::Timeout { .. }, .. } => "provider_download_timeout",
            Self::Download { .. } => "provider_download_failed",
            Self::WebPage { .. } | Self::Document { .. } | Self::Release { .. } | Self::Twice { .. } => {
                "provider_release_invalid"
            }
            Self::Unnamed { .. } | Self::NoVersion { .. } | Self::NothingFits { .. } | Self::NotDescribed { .. } => {
                "provider_release_none"
            }
            Self::Several { .. } => "provider_ambiguous",
            Self::WrongPlatform { .. } => "provider_wrong_platform",
            Self::Size { .. } => "provider_size_mismatch",
            Self::Digest { .. } => "provider_digest_mismatch",
            Self::Archive { .. } | Self::NoExecutable { .. } => "provider_archive_invalid",
            Self::Differs { .. } => "provider_release_mismatch",
            Self::Host(error) => error.code(),
            Self::Record { .. } => "provider_record_invalid",
            Self::NotInstalled { .. } => "provider_not_installed",
            Self::InUse { .. } => "provider_in_use",
        }
    }
}
