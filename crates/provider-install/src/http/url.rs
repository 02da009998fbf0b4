//! Addresses of servers: `https`, or `http`; never a user or a password, and a query that is never shown.

use std::fmt::{self, Write as _};

use http::Uri;

use crate::path::InnerPath;

/// The longest address, in bytes.
const LIMIT: usize = 2048;

/// An address that can be asked.
#[derive(Clone, PartialEq, Eq)]
pub struct Url {
    tls: bool,
    /// As it stands in the address: an IPv6 address in brackets.
    host: String,
    port: u16,
    /// Begins with `/`.
    path: String,
    query: Option<String>,
}

/// Why a text is no address that can be asked. Quotes nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlFault {
    /// It cannot be read.
    #[error("it is no address")]
    Malformed,
    /// Another scheme.
    #[error("the address is neither https nor http")]
    Scheme,
    /// A user or a password, which would be kept and shown.
    #[error("the address holds a user or a password")]
    Credential,
}

impl Url {
    /// Reads an address.
    pub fn parse(text: &str) -> Result<Self, UrlFault> {
        let uri: Uri = (text.len() <= LIMIT).then(|| text.parse().ok()).flatten().ok_or(UrlFault::Malformed)?;
        let tls = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            Some(_) => return Err(UrlFault::Scheme),
            None => return Err(UrlFault::Malformed),
        };
        let authority = uri.authority().ok_or(UrlFault::Malformed)?;
        if authority.as_str().contains('@') {
            return Err(UrlFault::Credential);
        }
        let host = authority.host();
        if host.is_empty() || text.contains('#') {
            return Err(UrlFault::Malformed);
        }
        // A port that is no number is no port: it must not turn into the usual one.
        let port = match authority.as_str().strip_prefix(host) {
            Some("") => {
                if tls {
                    443
                } else {
                    80
                }
            }
            _ => authority.port_u16().ok_or(UrlFault::Malformed)?,
        };
        let path = if uri.path().is_empty() { "/" } else { uri.path() };
        Ok(Self { tls, host: host.to_owned(), port, path: path.to_owned(), query: uri.query().map(str::to_owned) })
    }

    /// The file in this folder, when the address is one of a folder; else the address itself.
    pub(crate) fn or_in_folder(self, file: &str) -> Self {
        if self.path.ends_with('/') { Self { path: format!("{}{file}", self.path), ..self } } else { self }
    }

    /// The address of a file that lies beside this one, or in a folder beside it. The query stays behind.
    pub(crate) fn beside(&self, inner: &InnerPath) -> Self {
        let folder = self.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut path = format!("{folder}/");
        for byte in inner.as_str().bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
                path.push(char::from(byte));
            } else {
                // Writing to a string cannot fail.
                let _ = write!(path, "%{byte:02X}");
            }
        }
        Self { path, query: None, ..self.clone() }
    }

    /// The same as a folder, so that files can lie in it.
    pub(crate) fn into_folder(self) -> Self {
        Self { path: format!("{}/", self.path.trim_end_matches('/')), ..self }
    }

    /// Where an answer sends on to.
    pub(crate) fn redirected(&self, location: &str) -> Result<Self, UrlFault> {
        let path = match location {
            whole if whole.contains("://") => return Self::parse(whole),
            _ if location.starts_with("//") => return Err(UrlFault::Malformed),
            _ if location.starts_with('/') => location.to_owned(),
            _ => {
                let folder = self.path.rsplit_once('/').map_or("", |(folder, _)| folder);
                format!("{folder}/{location}")
            }
        };
        Self::parse(&format!("{}{path}", self.origin()))
    }

    fn origin(&self) -> String {
        format!("{}://{}:{}", if self.tls { "https" } else { "http" }, self.host, self.port)
    }

    /// Whether the server has to prove its name.
    pub(crate) fn is_tls(&self) -> bool {
        self.tls
    }

    /// Whether it is this machine by a name or a number that can be nothing else.
    pub(crate) fn is_loopback(&self) -> bool {
        let host = self.bare_host();
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    }

    /// The host without the brackets of an IPv6 address.
    pub(crate) fn bare_host(&self) -> &str {
        self.host.trim_start_matches('[').trim_end_matches(']')
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Host and port as a request names them.
    pub(crate) fn authority(&self) -> String {
        let usual = if self.tls { 443 } else { 80 };
        if self.port == usual { self.host.clone() } else { format!("{}:{}", self.host, self.port) }
    }

    /// Path and query as a request names them.
    pub(crate) fn target(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }
}

/// Without the query.
impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", if self.tls { "https" } else { "http" }, self.authority(), self.path)
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn a_file_lies_beside_its_descriptor_whatever_its_name() {
        let inner = |text| InnerPath::new(text).unwrap();
        let index = url("https://example.org/a/index.json?token=x");
        assert_eq!(index.beside(&inner("1.0/z z#?.tar.gz")).target(), "/a/1.0/z%20z%23%3F.tar.gz");
        assert_eq!(url("https://example.org").beside(&inner("z")).to_string(), "https://example.org/z");
        assert_eq!(url("https://example.org/a/").or_in_folder("i.json").target(), "/a/i.json");
        assert_eq!(url("https://example.org/a").or_in_folder("i.json").target(), "/a");
    }

    #[test]
    fn a_redirect_leads_to_an_address_or_nowhere() {
        let from = url("https://example.org:8443/a/b?x");
        let to = |location: &str| from.redirected(location).map(|url| url.to_string());
        assert_eq!(to("https://other.example/c"), Ok("https://other.example/c".to_owned()));
        assert_eq!(to("/c"), Ok("https://example.org:8443/c".to_owned()));
        assert_eq!(to("c"), Ok("https://example.org:8443/a/c".to_owned()));
        assert_eq!(to("file:///etc/passwd"), Err(UrlFault::Malformed));
        assert_eq!(to("ftp://example.org/"), Err(UrlFault::Scheme));
        assert_eq!(to("https://u:p@example.org/"), Err(UrlFault::Credential));
        assert_eq!(to("//other.example/c"), Err(UrlFault::Malformed));
    }

    #[test]
    fn a_port_that_is_no_number_is_no_address() {
        for text in [
            "https://example.org:x/",
            "https://example.org:/",
            "https://example.org:99999/",
            "https:///a",
            "https://a/#b",
        ] {
            assert!(Url::parse(text).is_err(), "{text}");
        }
        assert_eq!(url("http://[::1]:8/").bare_host(), "::1");
        assert!(url("http://[::1]:8/").is_loopback() && url("http://127.8.0.1/").is_loopback());
        assert!(!url("http://localhost.example.org/").is_loopback());
    }
}
