//! Verification of ECDSA signatures on P-521 with SHA-512, which `ring` lacks and every Go peer needs: go-plugin's certificates
//! are P-521 in all its versions. Verification only; nothing is signed with this curve.

use p521::ecdsa::signature::Verifier as _;
use p521::ecdsa::{DerSignature, Signature, VerifyingKey};
use rustls_pki_types::{AlgorithmIdentifier, InvalidSignature, SignatureVerificationAlgorithm, alg_id};

/// ECDSA on P-521 with SHA-512, the only pair that go-plugin makes (Go picks the hash by the curve).
#[derive(Debug)]
pub(super) struct EcdsaP521Sha512;

impl SignatureVerificationAlgorithm for EcdsaP521Sha512 {
    fn verify_signature(&self, public_key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), InvalidSignature> {
        let key = VerifyingKey::from_sec1_bytes(public_key).map_err(|_| InvalidSignature)?;
        let signature = DerSignature::from_bytes(signature).map_err(|_| InvalidSignature)?;
        let signature = Signature::try_from(signature).map_err(|_| InvalidSignature)?;
        key.verify(message, &signature).map_err(|_| InvalidSignature)
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::ECDSA_P521
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::ECDSA_SHA512
    }
}
