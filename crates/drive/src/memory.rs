//! What a database remembers of proofs: which state these sources were proven to read as.

use ptah_model::{Digest, Fingerprint};
use ptah_provider_api::claim::ClaimsReading;

/// The state that was proven for these sources under these settings; the newest proof counts.
pub(crate) fn proven_state(claims: Option<&ClaimsReading>, sources: Digest, settings: Digest) -> Option<Fingerprint> {
    let mut proofs = claims?.proofs.iter();
    proofs.find(|p| p.sources == sources && p.settings == settings).map(|p| p.state)
}
