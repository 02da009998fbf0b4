//! Which certificate is shown to whom: the one of the name that a Pod asks for, and none for any other name.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use rustls::ServerConfig;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use crate::authority::Authority;

/// Why certificates cannot be shown. Not to be tried again with the same authority.
#[derive(Debug, thiserror::Error)]
pub enum NamesProblem {
    /// A certificate and its key do not belong together.
    #[error("generation {number} has a certificate that cannot be shown")]
    Generation {
        /// Which one.
        number: u64,
    },
    /// TLS 1.3 is not there.
    #[error("TLS cannot be set up")]
    Tls(#[source] rustls::Error),
}

/// The names that are served, each with its certificate. They can be replaced while the server runs.
#[derive(Debug)]
pub struct Names(RwLock<BTreeMap<String, Arc<CertifiedKey>>>);

impl Names {
    /// The names of an authority.
    pub fn new(authority: &Authority) -> Result<Arc<Self>, NamesProblem> {
        Ok(Arc::new(Self(RwLock::new(read(authority)?))))
    }

    /// From now on the names of this authority. Connections that are there stay.
    pub fn replace(&self, authority: &Authority) -> Result<(), NamesProblem> {
        let names = read(authority)?;
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = names;
        Ok(())
    }

    /// TLS 1.3 alone, without certificates of clients and without resumption: every connection is asked for its name.
    pub(crate) fn config(self: &Arc<Self>) -> Result<Arc<ServerConfig>, NamesProblem> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(NamesProblem::Tls)?
            .with_no_client_auth()
            .with_cert_resolver(self.clone());
        config.send_tls13_tickets = 0;
        Ok(Arc::new(config))
    }
}

impl ResolvesServerCert for Names {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(hello.server_name()?).cloned()
    }
}

fn read(authority: &Authority) -> Result<BTreeMap<String, Arc<CertifiedKey>>, NamesProblem> {
    let name = |generation: &crate::authority::Generation| {
        let shown = generation.certified().ok_or(NamesProblem::Generation { number: generation.number() })?;
        Ok((generation.server_name().to_string(), shown))
    };
    authority.generations().map(name).collect()
}
