//! A peer of the shape that Go makes: P-521, self-signed, CA:TRUE, used as the end entity. The signing key is for this test only:
//! the crate itself signs nothing with this curve.

use std::sync::Arc;

use p521::ecdsa::signature::Signer as _;
use p521::ecdsa::{Signature, SigningKey};
use rustls::sign::{CertifiedKey, Signer, SingleCertAndKey};
use rustls::{Error, SignatureAlgorithm, SignatureScheme};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;

/// Made with `openssl req -x509 -sha512`, extensions as in go-plugin's certificates.
const CERTIFICATE: &str = "\
-----BEGIN CERTIFICATE-----
MIICTjCCAbCgAwIBAgIUZqSSYQM+yxKZYPfcGcSabfNY/F4wCgYIKoZIzj0EAwQw
JjESMBAGA1UEAwwJbG9jYWxob3N0MRAwDgYDVQQKDAdFeGFtcGxlMCAXDTI2MTEz
MDEyNTU1OFoYDzIwNTYxMTIyMTI1NTU4WjAmMRIwEAYDVQQDDAlsb2NhbGhvc3Qx
EDAOBgNVBAoMB0V4YW1wbGUwgZswEAYHKoZIzj0CAQYFK4EEACMDgYYABAGFBkTq
UUlpeZ/lW63eg/yVr27ZGVZV1+2joJJjRSn38L9zU8wX7NtazVtepkKhJ3pFlRka
G+SW27sCC19dFwnnlACbO2+s9g1A1CSLirmvubIoPHwzKQhTZrNbLv1AIzAa2Tu7
WYA2ANTY6PsDgh7blJ/DiA/45qwyzR4VSkB+gg7Pa6N3MHUwDwYDVR0TAQH/BAUw
AwEB/zAOBgNVHQ8BAf8EBAMCAqwwHQYDVR0lBBYwFAYIKwYBBQUHAwIGCCsGAQUF
BwMBMBQGA1UdEQQNMAuCCWxvY2FsaG9zdDAdBgNVHQ4EFgQU42db12TyPzD2bUDN
lHr26+Xa5gIwCgYIKoZIzj0EAwQDgYsAMIGHAkIBVE6QvAeWE3F5TN6gw4nOpzlo
bm2FjfN14+6tGT3xg6JSEHT4ll10BHKc2NBaJGJVa32EcLCqWVT7/A0otxZsX/4C
QWXtxmtYPM5jtNvagFJuJg8Qe2MTgpd+FPQn68E1C704OwRJ/qNBuIXQ9Y7HYl2W
x1ftciCPidsaYAWruMV5Vt7w
-----END CERTIFICATE-----
";

/// The scalar of the certificate's key.
const KEY: &str = "00d6f28e733a7d6b044c637902b68d1842685bf5b3a7c9114ee0f1fb1b19978e56\
                   1ab7bafbfafdb9e7d2d53d84fbd3b50f576b63e7c2fbd0d471cf55007031ddc151";

#[derive(Debug, Clone)]
struct P521Key(Arc<Vec<u8>>);

impl rustls::sign::SigningKey for P521Key {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        let common = offered.contains(&SignatureScheme::ECDSA_NISTP521_SHA512);
        common.then(|| Box::new(self.clone()) as Box<dyn Signer>)
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        SignatureAlgorithm::ECDSA
    }
}

impl Signer for P521Key {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let signature: Signature = SigningKey::from_slice(&self.0).unwrap().sign(message);
        Ok(signature.to_der().as_bytes().to_vec())
    }

    fn scheme(&self) -> SignatureScheme {
        SignatureScheme::ECDSA_NISTP521_SHA512
    }
}

pub(super) fn certificate() -> CertificateDer<'static> {
    CertificateDer::from_pem_slice(CERTIFICATE.as_bytes()).unwrap()
}

/// Certificate and key, for either side's configuration.
pub(super) fn resolver() -> Arc<SingleCertAndKey> {
    let key = P521Key(Arc::new(hex::decode(KEY).unwrap()));
    Arc::new(SingleCertAndKey::from(CertifiedKey::new(vec![certificate()], Arc::new(key))))
}
