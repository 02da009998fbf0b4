//! Mutual TLS between a host and its plugin: the crypto provider and the two configurations. Certificates come from `identity`,
//! bytes from the caller; this module opens no connection.

mod p521;
mod pinned;
#[cfg(test)]
mod tests;

use std::sync::{Arc, LazyLock};

use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms};
use rustls::server::NoServerSessionStorage;
use rustls::{ClientConfig, ServerConfig, SignatureScheme};
use rustls_pki_types::{CertificateDer, SignatureVerificationAlgorithm};

use crate::identity::Identity;

use self::p521::EcdsaP521Sha512;
use self::pinned::Pinned;

/// HTTP/2. Current Go peers refuse a TLS connection that did not negotiate it.
const ALPN_H2: &[u8] = b"h2";

/// `ring` with P-521 verification added, made once: the tables must live for ever, as rustls wants them `'static`.
static PROVIDER: LazyLock<Arc<CryptoProvider>> = LazyLock::new(|| {
    let mut provider = rustls::crypto::ring::default_provider();
    provider.signature_verification_algorithms = with_p521(provider.signature_verification_algorithms);
    Arc::new(provider)
});

/// The crypto of this crate: `ring`, plus verification of P-521 signatures so that Go peers work.
///
/// A program that uses rustls elsewhere may install it as the process default.
pub fn provider() -> Arc<CryptoProvider> {
    Arc::clone(&PROVIDER)
}

fn with_p521(base: WebPkiSupportedAlgorithms) -> WebPkiSupportedAlgorithms {
    static ONLY_P521: [&dyn SignatureVerificationAlgorithm; 1] = [&EcdsaP521Sha512];
    let mut all = base.all.to_vec();
    all.push(&EcdsaP521Sha512);
    let mut mapping = base.mapping.to_vec();
    mapping.push((SignatureScheme::ECDSA_NISTP521_SHA512, &ONLY_P521));
    WebPkiSupportedAlgorithms { all: Vec::leak(all), mapping: Vec::leak(mapping) }
}

/// The host's side: presents `own`, accepts a server that is exactly `peer`.
pub(crate) fn client_config(own: &Identity, peer: CertificateDer<'static>) -> Result<ClientConfig, rustls::Error> {
    let provider = provider();
    let verifier = Pinned::new(peer, provider.signature_verification_algorithms);
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_client_cert_resolver(Arc::new(rustls::sign::SingleCertAndKey::from(own.certified_key())));
    config.alpn_protocols = vec![ALPN_H2.to_vec()];
    // One connection for each start: there is nothing to resume.
    config.resumption = rustls::client::Resumption::disabled();
    Ok(config)
}

/// The plugin's side: presents `own`, accepts a client that is exactly `peer`, and none without a certificate.
pub(crate) fn server_config(own: &Identity, peer: CertificateDer<'static>) -> Result<ServerConfig, rustls::Error> {
    let provider = provider();
    let verifier = Pinned::new(peer, provider.signature_verification_algorithms);
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_client_cert_verifier(Arc::new(verifier))
        .with_cert_resolver(Arc::new(rustls::sign::SingleCertAndKey::from(own.certified_key())));
    config.alpn_protocols = vec![ALPN_H2.to_vec()];
    // A resumed session would skip the signature that proves possession of the key.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(config)
}
