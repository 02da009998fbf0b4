//! The refusals, over an in-process connection, and the P-521 verifier against signatures of the same crate's signer.

mod go_shaped;

use std::sync::Arc;

use p521::ecdsa::signature::Signer as _;
use p521::ecdsa::{Signature, SigningKey, VerifyingKey};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ClientConfig, ServerConfig, SignatureScheme};
use rustls_pki_types::SignatureVerificationAlgorithm as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_rustls::{TlsAcceptor, TlsConnector};

use super::p521::EcdsaP521Sha512;
use super::{client_config, provider, server_config};
use crate::identity::Identity;

fn identity() -> Identity {
    Identity::generate().unwrap()
}

/// The negotiated version when a byte goes through from server to client, which takes both sides' consent.
async fn connects(client: ClientConfig, server: ServerConfig) -> Option<rustls::ProtocolVersion> {
    let (near, far) = tokio::io::duplex(64 * 1024);
    let serving = tokio::spawn(async move {
        let mut stream = TlsAcceptor::from(Arc::new(server)).accept(far).await?;
        stream.write_all(b"x").await?;
        stream.flush().await?;
        stream.shutdown().await
    });
    let name = "localhost".try_into().unwrap();
    let mut stream = TlsConnector::from(Arc::new(client)).connect(name, near).await.ok()?;
    let mut byte = [0];
    stream.read_exact(&mut byte).await.ok()?;
    let _served = serving.await;
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    stream.get_ref().1.protocol_version()
}

/// The certificate of `shown` with the key of `key`.
fn mixed(shown: &Identity, key: &Identity) -> Arc<SingleCertAndKey> {
    let key = Arc::clone(&key.certified_key().key);
    Arc::new(SingleCertAndKey::from(CertifiedKey::new(vec![shown.der().clone()], key)))
}

#[tokio::test]
async fn two_sides_that_know_each_other_connect_with_tls_1_3() {
    let (host, plugin) = (identity(), identity());
    let client = client_config(&host, plugin.der().clone()).unwrap();
    let server = server_config(&plugin, host.der().clone()).unwrap();
    assert_eq!(connects(client, server).await, Some(rustls::ProtocolVersion::TLSv1_3));
}

#[tokio::test]
async fn the_right_certificate_with_another_key_is_refused_on_either_side() {
    let (host, plugin, thief) = (identity(), identity(), identity());
    let client = || client_config(&host, plugin.der().clone()).unwrap();
    let server = || server_config(&plugin, host.der().clone()).unwrap();
    let mut false_server = server();
    false_server.cert_resolver = mixed(&plugin, &thief);
    assert_eq!(connects(client(), false_server).await, None);
    let mut false_client = client();
    false_client.client_auth_cert_resolver = mixed(&host, &thief);
    assert_eq!(connects(false_client, server()).await, None);
}

#[tokio::test]
async fn another_certificate_is_refused_on_either_side() {
    let (host, plugin, other) = (identity(), identity(), identity());
    let client = client_config(&host, other.der().clone()).unwrap();
    let server = server_config(&plugin, host.der().clone()).unwrap();
    assert_eq!(connects(client, server).await, None);
    let client = client_config(&host, plugin.der().clone()).unwrap();
    let server = server_config(&plugin, other.der().clone()).unwrap();
    assert_eq!(connects(client, server).await, None);
}

#[tokio::test]
async fn a_peer_of_the_shape_that_go_makes_connects_on_either_side() {
    let ours = identity();
    for version in [&rustls::version::TLS13, &rustls::version::TLS12] {
        let mut server = server_config(&ours, ours.der().clone()).unwrap();
        server.cert_resolver = go_shaped::resolver();
        let client = client_config(&ours, go_shaped::certificate()).unwrap();
        assert!(connects(client, server).await.is_some());

        // The plugin's side with a Go host that speaks only this version.
        let plain = ClientConfig::builder_with_provider(provider()).with_protocol_versions(&[version]).unwrap();
        let trusted = super::Pinned::new(ours.der().clone(), provider().signature_verification_algorithms);
        let mut client = plain
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(trusted))
            .with_client_cert_resolver(go_shaped::resolver());
        client.alpn_protocols = vec![b"h2".to_vec()];
        let server = server_config(&ours, go_shaped::certificate()).unwrap();
        assert_eq!(connects(client, server).await, Some(version.version));
    }
}

#[tokio::test]
async fn a_go_shaped_certificate_without_its_key_is_refused() {
    let (ours, thief) = (identity(), identity());
    let mut server = server_config(&ours, ours.der().clone()).unwrap();
    let key = Arc::clone(&thief.certified_key().key);
    server.cert_resolver = Arc::new(SingleCertAndKey::from(CertifiedKey::new(vec![go_shaped::certificate()], key)));
    let client = client_config(&ours, go_shaped::certificate()).unwrap();
    assert_eq!(connects(client, server).await, None);
}

#[test]
fn a_p521_signature_is_verified_and_a_changed_one_is_not() {
    let key = SigningKey::from_slice(&[[0; 2].as_slice(), &[7; 64]].concat()).unwrap();
    let public = VerifyingKey::from(&key).to_encoded_point(false);
    let signature: Signature = key.sign(b"message");
    let der = signature.to_der();
    let verify = |public: &[u8], message: &[u8], signature: &[u8]| {
        EcdsaP521Sha512.verify_signature(public, message, signature).is_ok()
    };
    assert!(verify(public.as_bytes(), b"message", der.as_bytes()));
    assert!(!verify(public.as_bytes(), b"another", der.as_bytes()));
    let other = SigningKey::from_slice(&[[0; 2].as_slice(), &[8; 64]].concat()).unwrap();
    let other = VerifyingKey::from(&other).to_encoded_point(false);
    assert!(!verify(other.as_bytes(), b"message", der.as_bytes()));
    let mut changed = der.as_bytes().to_vec();
    *changed.last_mut().unwrap() ^= 1;
    assert!(!verify(public.as_bytes(), b"message", &changed));
    assert!(!verify(&[], b"message", &[]));
    assert!(!verify(public.as_bytes(), b"message", &signature.to_bytes()));
}

#[test]
fn p521_is_offered_to_peers_beside_everything_ring_has() {
    let offered = provider().signature_verification_algorithms.supported_schemes();
    assert!(offered.contains(&SignatureScheme::ECDSA_NISTP521_SHA512));
    for scheme in rustls::crypto::ring::default_provider().signature_verification_algorithms.supported_schemes() {
        assert!(offered.contains(&scheme), "{scheme:?}");
    }
}
