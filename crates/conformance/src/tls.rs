//! Mutual TLS as the bootstrap has it, and the ways in which a stranger would try it.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use rcgen::{CertificateParams, ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose, PKCS_ECDSA_P256_SHA256};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{verify_tls12_signature, verify_tls13_signature};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use tokio::net::UnixStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// A certificate made for one start, with its key.
pub(crate) struct Identity {
    pub(crate) pem: String,
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identity(…)")
    }
}

impl Identity {
    pub(crate) fn generate() -> Result<Self, rcgen::Error> {
        let pair = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
        let mut params = CertificateParams::new(vec!["localhost".to_owned()])?;
        params.is_ca = IsCa::ExplicitNoCa;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let certificate = params.self_signed(&pair)?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(pair.serialize_der()));
        Ok(Self { pem: certificate.pem(), certificate: certificate.der().clone(), key })
    }
}

/// How a connection is tried.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Manner<'a> {
    /// As the host does: with its certificate.
    Host(&'a Identity),
    /// With no certificate, offering these signature algorithms alone; empty offers all.
    Anonymous(&'static [SignatureScheme]),
}

/// Connects; returns when this side's handshake is over.
pub(crate) async fn connect(
    socket: &Path,
    server: &CertificateDer<'static>,
    manner: Manner<'_>,
) -> io::Result<TlsStream<UnixStream>> {
    let schemes = match manner {
        Manner::Host(_) => &[][..],
        Manner::Anonymous(schemes) => schemes,
    };
    let verifier = Pinned { expected: server.clone(), schemes };
    let config = ClientConfig::builder_with_provider(go_plugin::crypto_provider())
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    let mut config = match manner {
        Manner::Anonymous(_) => config.with_no_client_auth(),
        Manner::Host(identity) => config
            .with_client_auth_cert(vec![identity.certificate.clone()], identity.key.clone_key())
            .map_err(io::Error::other)?,
    };
    config.alpn_protocols = vec![b"h2".to_vec()];
    config.resumption = rustls::client::Resumption::disabled();
    let stream = UnixStream::connect(socket).await?;
    let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

/// Accepts exactly one certificate, of a peer that proves to hold its key.
#[derive(Debug)]
struct Pinned {
    expected: CertificateDer<'static>,
    schemes: &'static [SignatureScheme],
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if end_entity.as_ref() == self.expected.as_ref() {
            return Ok(ServerCertVerified::assertion());
        }
        Err(Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = go_plugin::crypto_provider().signature_verification_algorithms;
        verify_tls12_signature(message, cert, dss, &algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = go_plugin::crypto_provider().signature_verification_algorithms;
        verify_tls13_signature(message, cert, dss, &algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        if self.schemes.is_empty() {
            return go_plugin::crypto_provider().signature_verification_algorithms.supported_schemes();
        }
        self.schemes.to_vec()
    }
}
