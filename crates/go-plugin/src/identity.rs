//! One throw-away certificate for each side and each start. The private key never leaves its process.
//!
//! The shape is ours: P-256 and not a CA, where go-plugin mints P-521 and CA:TRUE. Go peers accept it, because they find the
//! certificate itself in the pool of trusted ones; subject alternative name `localhost` and both extended usages are what they check.

use std::fmt;
use std::sync::Arc;

use rcgen::{
    CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose,
    PKCS_ECDSA_P256_SHA256,
};
use rustls::sign::CertifiedKey;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::tls;

/// The name that both sides use for the other one (go-plugin's, on every transport).
pub(crate) const SERVER_NAME: &str = "localhost";

/// This side's certificate with its key.
pub(crate) struct Identity {
    pem: String,
    key: Arc<CertifiedKey>,
}

/// This side's certificate could not be made.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// The key pair or the certificate could not be generated.
    #[error("a certificate could not be generated")]
    Generate(#[source] rcgen::Error),
    /// The TLS library refused the generated key.
    #[error("the generated key cannot be used")]
    Key(#[source] rustls::Error),
}

impl Identity {
    /// Makes a new key pair and its self-signed certificate.
    ///
    /// The validity is the generator's default (1975 to 4096): the certificate lives as long as its process and is compared byte
    /// for byte, so a clock that is set wrong must not stop a start.
    pub(crate) fn generate() -> Result<Self, IdentityError> {
        let pair = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(IdentityError::Generate)?;
        let mut params = CertificateParams::new(vec![SERVER_NAME.to_owned()]).map_err(IdentityError::Generate)?;
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, SERVER_NAME);
        params.is_ca = IsCa::ExplicitNoCa;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let certificate = params.self_signed(&pair).map_err(IdentityError::Generate)?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(pair.serialize_der()));
        let key = CertifiedKey::from_der(vec![certificate.der().clone()], key, &tls::provider())
            .map_err(IdentityError::Key)?;
        Ok(Self { pem: certificate.pem(), key: Arc::new(key) })
    }

    /// The certificate for `PLUGIN_CLIENT_CERT`.
    pub(crate) fn pem(&self) -> &str {
        &self.pem
    }

    /// The certificate for the handshake line.
    pub(crate) fn der(&self) -> &CertificateDer<'static> {
        &self.key.cert[0]
    }

    /// Certificate and key for a TLS configuration.
    pub(crate) fn certified_key(&self) -> Arc<CertifiedKey> {
        Arc::clone(&self.key)
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").finish_non_exhaustive()
    }
}
