//! The handshake line: the one line that a plugin prints on standard output. Both halves are here, so that what we print is what
//! we accept. Pure text; reading the pipe is `host::stdout`.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use rustls_pki_types::CertificateDer;

use crate::bootstrap::{CORE_PROTOCOL, SOCKET_PATH_LIMIT};

/// The longest line that is accepted. A P-521 certificate makes about 820 bytes; go-plugin itself has no bound of its own.
pub(crate) const LINE_LIMIT: usize = 8 * 1024;

/// What the handshake line broke. The plugin's output itself is never quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HandshakeFault {
    /// The plugin closed its standard output without a line break, or at once.
    #[error("standard output ended before the handshake line did")]
    Unterminated,
    /// More than 8 KiB came without a line break.
    #[error("the line is longer than {LINE_LIMIT} bytes")]
    TooLong,
    /// The bytes are not UTF-8.
    #[error("the line is not UTF-8")]
    NotUtf8,
    /// The line holds a NUL or another control character.
    #[error("the line holds a control character")]
    ControlCharacter,
    /// The first thing on standard output has not the shape of a handshake line.
    #[error("the plugin wrote other output first")]
    OtherOutput,
    /// Four fields or more, but neither six nor seven.
    #[error("the line has {0} fields, not 6 or 7")]
    FieldCount(usize),
    /// The core protocol is not 1.
    #[error("the core protocol is not {CORE_PROTOCOL}")]
    CoreProtocol,
    /// The app version is not a decimal number.
    #[error("the app version is not a number")]
    AppVersion,
    /// Another network than `unix`.
    #[error("the network is not a Unix socket")]
    Network,
    /// The socket is not directly inside the private directory.
    #[error("the socket is not inside the private directory")]
    Address,
    /// The path is longer than the system's limit for sockets.
    #[error("the path of the socket is longer than {SOCKET_PATH_LIMIT} bytes")]
    AddressTooLong,
    /// Another protocol than `grpc`.
    #[error("the protocol is not gRPC")]
    Protocol,
    /// The plugin sent no certificate, so it does not do mutual TLS.
    #[error("the certificate is missing")]
    CertificateMissing,
    /// The certificate is not base64 (standard alphabet, no padding) of an X.509 certificate.
    #[error("the certificate is unreadable")]
    CertificateUnreadable,
    /// The plugin wants to multiplex, which was not asked for.
    #[error("the plugin multiplexes without being asked")]
    Multiplexed,
}

/// The fields of an accepted line. Whether `app_version` was offered is for the caller to say.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HandshakeLine {
    pub(crate) app_version: u32,
    pub(crate) socket: PathBuf,
    pub(crate) certificate: CertificateDer<'static>,
}

/// The app version of a handshake line (without its line break) that this host would accept from a plugin that was told to
/// make its socket in `directory`. For programs that look at lines without starting anything.
pub fn accepted_version(line: &[u8], directory: &Path) -> Result<u32, HandshakeFault> {
    parse(line, directory).map(|line| line.app_version)
}

/// Reads a line (without its line break) from a plugin that was told to make its socket in `directory`.
pub(crate) fn parse(line: &[u8], directory: &Path) -> Result<HandshakeLine, HandshakeFault> {
    let text = std::str::from_utf8(line).map_err(|_| HandshakeFault::NotUtf8)?;
    if text.chars().any(char::is_control) {
        return Err(HandshakeFault::ControlCharacter);
    }
    let fields: Vec<&str> = text.split('|').collect();
    let core = decimal(fields[0]).filter(|_| fields.len() >= 4);
    match core {
        None => return Err(HandshakeFault::OtherOutput),
        Some(CORE_PROTOCOL) => {}
        Some(_) => return Err(HandshakeFault::CoreProtocol),
    }
    let app_version = decimal(fields[1]).ok_or(HandshakeFault::AppVersion)?;
    if fields[2] != "unix" {
        return Err(HandshakeFault::Network);
    }
    let socket = socket_inside(directory, fields[3])?;
    // An absent fifth field means go-plugin's older protocol.
    if fields.get(4) != Some(&"grpc") {
        return Err(HandshakeFault::Protocol);
    }
    let certificate = certificate(fields.get(5).copied().unwrap_or_default())?;
    match fields.get(6) {
        _ if fields.len() > 7 => Err(HandshakeFault::FieldCount(fields.len())),
        None | Some(&"false") => Ok(HandshakeLine { app_version, socket, certificate }),
        Some(_) => Err(HandshakeFault::Multiplexed),
    }
}

/// The line (with its line break) of a plugin. `seventh` says whether the host understands the multiplexing field.
pub(crate) fn format(app_version: u32, socket: &Path, certificate: &CertificateDer<'_>, seventh: bool) -> String {
    let encoded = STANDARD_NO_PAD.encode(certificate);
    let multiplex = if seventh { "|false" } else { "" };
    format!("{CORE_PROTOCOL}|{app_version}|unix|{}|grpc|{encoded}{multiplex}\n", socket.display())
}

/// Digits only: `parse` alone would take a leading plus sign.
fn decimal(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// The comparison is textual: the plugin got exactly this directory, and a path that only resolves to it is refused.
fn socket_inside(directory: &Path, address: &str) -> Result<PathBuf, HandshakeFault> {
    let name = directory
        .to_str()
        .and_then(|directory| address.strip_prefix(directory))
        .and_then(|rest| rest.strip_prefix('/'))
        .filter(|name| !name.is_empty() && !name.contains('/') && *name != "." && *name != "..");
    if name.is_none() {
        return Err(HandshakeFault::Address);
    }
    if address.len() > SOCKET_PATH_LIMIT {
        return Err(HandshakeFault::AddressTooLong);
    }
    Ok(PathBuf::from(address))
}

fn certificate(text: &str) -> Result<CertificateDer<'static>, HandshakeFault> {
    if text.is_empty() {
        return Err(HandshakeFault::CertificateMissing);
    }
    let der = STANDARD_NO_PAD.decode(text).map_err(|_| HandshakeFault::CertificateUnreadable)?;
    let der = CertificateDer::from(der);
    rustls::server::ParsedCertificate::try_from(&der).map_err(|_| HandshakeFault::CertificateUnreadable)?;
    Ok(der)
}
