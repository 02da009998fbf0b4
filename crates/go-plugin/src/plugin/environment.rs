//! What the host says in the environment, read once.

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::PathBuf;

use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;

use crate::bootstrap::{CLIENT_CERT, Cookie, MULTIPLEX_GRPC, PROTOCOL_VERSIONS, UNIX_SOCKET_DIR};

use super::ServeConfig;
use super::error::ServeError;

/// The host's side of the bootstrap.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Environment {
    pub(super) app_version: u32,
    pub(super) host_certificate: CertificateDer<'static>,
    /// Where the socket goes; none when the host leaves it to the plugin (plain Go hosts do).
    pub(super) socket_directory: Option<PathBuf>,
    /// Whether the line has a seventh field.
    pub(super) seventh_field: bool,
    /// The host's process ID as the host gave it.
    pub(super) parent: Option<i32>,
}

impl Environment {
    /// Reads this process's environment.
    pub(super) fn read(config: &ServeConfig) -> Result<Self, ServeError> {
        Self::from_lookup(config, |name| std::env::var_os(name))
    }

    pub(super) fn from_lookup(
        config: &ServeConfig,
        lookup: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, ServeError> {
        let text =
            |name: &str| lookup(name).filter(|value| !value.is_empty()).and_then(|value| value.into_string().ok());
        let Cookie { key, value } = &config.cookie;
        if key.is_empty() || value.is_empty() || text(key).as_ref() != Some(value) {
            return Err(ServeError::Cookie);
        }
        let certificate = text(CLIENT_CERT).ok_or(ServeError::NoClientCertificate)?;
        Ok(Self {
            app_version: choose(&config.app_versions, &text(PROTOCOL_VERSIONS).unwrap_or_default())?,
            host_certificate: only_certificate(&certificate)?,
            socket_directory: lookup(UNIX_SOCKET_DIR).filter(|value| !value.is_empty()).map(PathBuf::from),
            seventh_field: text(MULTIPLEX_GRPC).is_some(),
            parent: config.parent_pid_variable.as_deref().and_then(text).and_then(|pid| pid.parse().ok()),
        })
    }
}

/// The highest version that both speak. Without one it is the plugin's lowest, and the host, which sees it in the handshake line,
/// tells its user about both.
fn choose(own: &[u32], offered: &str) -> Result<u32, ServeError> {
    // go-plugin skips entries that are no numbers, too.
    let offered: Vec<u32> = offered.split(',').filter_map(|entry| entry.parse().ok()).collect();
    let common = own.iter().filter(|version| offered.contains(version)).max();
    common.or(own.iter().min()).copied().ok_or(ServeError::NoAppVersion)
}

fn only_certificate(pem: &str) -> Result<CertificateDer<'static>, ServeError> {
    let mut all = CertificateDer::pem_slice_iter(pem.as_bytes());
    let (Some(Ok(certificate)), None) = (all.next(), all.next()) else {
        return Err(ServeError::ClientCertificate);
    };
    rustls::server::ParsedCertificate::try_from(&certificate).map_err(|_| ServeError::ClientCertificate)?;
    Ok(certificate)
}
