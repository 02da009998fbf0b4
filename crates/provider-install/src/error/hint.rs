//! What a person can do about an error.

use super::InstallError;
use crate::http::HttpFault;

impl InstallError {
    /// What to do: one sentence, lower case, without a final period.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Folder { .. } | Self::Write(_) => {
                "check the folder's permissions and the space on its disk, or name another one with --install-dir"
            }
            Self::FolderOpen { .. } => {
                "take the right to write it from the others (chmod go-w), or name another one with --install-dir"
            }
            Self::Busy { .. } => "run the command again when the other one has ended",
            Self::Source { .. } => "name a folder, descriptor, index or archive of a release, or an address of one",
            Self::Download { fault, .. } => download(fault),
            Self::WebPage { .. } | Self::Document { .. } | Self::Release { .. } | Self::Twice { .. } => {
                "check the address; if it is right, tell who publishes the releases"
            }
            Self::Unnamed { .. } | Self::Several { .. } => {
                "name one of these providers, or one of their engines, after the source"
            }
            Self::NoVersion { .. } => "name one of these versions, or none for the newest that can be used",
            Self::NothingFits { .. } => {
                "upgrade ptah, or ask the provider's author for a release for this host and machine"
            }
            Self::NotDescribed { .. } => {
                "name the folder of the release, or get the descriptor that belongs to the archive"
            }
            Self::WrongPlatform { .. } => {
                "name the folder of the release instead: the build for this machine is chosen from it"
            }
            Self::Size { .. } | Self::Digest { .. } => {
                "fetch the release again; if it stays, do not use it and tell its author: it is not what was published"
            }
            Self::Archive { .. } | Self::NoExecutable { .. } => {
                "tell the provider's author; nothing of the archive was kept"
            }
            Self::Differs { .. } => {
                "tell the provider's author: the release and what is in it belong to different versions"
            }
            Self::Host(error) => error.hint(),
            Self::Record { .. } => "remove the file, and install the provider again",
            Self::NotInstalled { .. } => "list what is installed: ptah providers list",
            Self::InUse { .. } => "take the entry out of the manifest first",
        }
    }
}

fn download(fault: &HttpFault) -> &'static str {
    match fault {
        HttpFault::Plain => "use an https address, or type --plain-http if you trust the way there",
        HttpFault::Unreachable(_) => "check the address and the network",
        HttpFault::Tls(_) => {
            "check the address; a server with a certificate of your own authority needs it among those of this machine"
        }
        HttpFault::NoRoots => "install the certificates of authorities (the package ca-certificates)",
        HttpFault::Timeout { .. } => "try again, or give it longer with --timeout",
        HttpFault::Broken => "try again; nothing was kept",
        HttpFault::Status { .. } | HttpFault::WebPage | HttpFault::Redirect { .. } | HttpFault::Encoding => {
            "check the address, and that it needs no login"
        }
    }
}
