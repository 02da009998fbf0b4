//! Reading from a web server: one request at a time, over TLS, with a limit for everything that a server decides.
//!
//! ```text
//! url ─▶ connect (and prove the server's name) ─▶ GET ─▶ status, redirect, head ─▶ body, piece by piece
//! ```
//!
//! Nothing is tried again and nothing is kept: no cookies, no cache, no credentials. A redirect is followed to `https`
//! alone, or to `http` under the same rule as the first address. What a server writes is never shown.

mod connect;
mod get;
mod url;

use std::time::Duration;

pub(crate) use get::Client;
pub use url::{Url, UrlFault};

/// How long a server may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For connecting, TLS included: 10 s.
    pub connect: Duration,
    /// Between two signs of life, the head of an answer included: 30 s.
    pub idle: Duration,
    /// For all that one installation reads from servers, and at most for waiting for another one. 10 minutes unless something
    /// else is said.
    pub whole: Duration,
}

impl Limits {
    /// The usual limits, with another one for the whole.
    pub fn within(whole: Duration) -> Self {
        Self { connect: Duration::from_secs(10).min(whole), idle: Duration::from_secs(30).min(whole), whole }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::within(Duration::from_mins(10))
    }
}

/// Why a server's answer is not used. None of these is tried again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpFault {
    /// It would have been read without TLS from another machine.
    #[error("it is `http`, and anybody between here and there could change what arrives")]
    Plain,
    /// The name is not known, or nothing listens.
    #[error("the server cannot be reached")]
    Unreachable(#[source] std::io::Error),
    /// The server's certificate is not accepted, or what it speaks is no TLS.
    #[error("the server does not prove that it is the one that was named: {0}")]
    Tls(TlsFault),
    /// This machine trusts nobody.
    #[error("this machine has no certificates of authorities, so no server can prove its name")]
    NoRoots,
    /// It took longer than it may.
    #[error("the server took longer than {limit:?} {what}")]
    Timeout {
        /// What it was doing.
        what: &'static str,
        /// How long it may take.
        limit: Duration,
    },
    /// The connection broke, or ended before the answer did.
    #[error("the answer was cut off, or is no HTTP")]
    Broken,
    /// Another status than success.
    #[error("the server answered with status {status}")]
    Status {
        /// The number.
        status: u16,
    },
    /// A redirect that is not followed.
    #[error("the server sends on to {fault}")]
    Redirect {
        /// Why not.
        fault: RedirectFault,
    },
    /// A web page, where a file was expected: a login page, or a wrong address.
    #[error("the server answered with a web page")]
    WebPage,
    /// The file was packed once more for the way.
    #[error("the server changed the file for the way (`Content-Encoding`), so it cannot be compared")]
    Encoding,
}

/// Why a server has not proven its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TlsFault {
    /// No authority that this machine trusts vouches for it.
    #[error("its certificate is of an authority that this machine does not trust")]
    Issuer,
    /// The certificate is of another name, or the host is no name that a certificate can hold.
    #[error("its certificate is of another name")]
    Name,
    /// The certificate was or will be valid at another time.
    #[error("its certificate is not valid now")]
    Time,
    /// Anything else about the certificate.
    #[error("its certificate is not accepted")]
    Certificate,
    /// What it speaks is no TLS that both know.
    #[error("it speaks no TLS that is accepted")]
    Protocol,
}

/// Why a redirect is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedirectFault {
    /// Not to `https`, nor to `http` where that is allowed.
    #[error("an address that is not allowed")]
    Address,
    /// From `https` to `http`.
    #[error("an address without TLS")]
    Downgrade,
    /// One after the other.
    #[error("more than 5 addresses, one after the other")]
    TooMany,
}

#[cfg(test)]
mod tests;
