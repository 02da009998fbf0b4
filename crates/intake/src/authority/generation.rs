//! One generation: an authority, the one certificate that it signed, and that certificate's key.

use std::sync::Arc;
use std::time::Duration;

use ptah_model::Digest;
use ptah_records::operator::text::{HostName, Pem};
use ptah_records::operator::time::Moment;
use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyPair, KeyUsagePurpose,
};
use rustls::RootCertStore;
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::server::ParsedCertificate;
use rustls::sign::CertifiedKey;
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use zeroize::Zeroizing;

use super::{BEFORE, VALID};

/// The domain of every name. It is resolved nowhere.
const DOMAIN: &str = "results.ptah.internal";

/// Why no generation was made. Not to be tried again with the same clock.
#[derive(Debug, thiserror::Error)]
pub enum MakeProblem {
    /// A certificate could not be made.
    #[error("a certificate could not be made")]
    Certificate(#[source] rcgen::Error),
    /// What was made cannot be named in an operation.
    #[error("a certificate was made that no operation can name")]
    Form,
}

/// One generation. `Debug` does not show its key.
#[derive(Clone, PartialEq, Eq)]
pub struct Generation {
    pub(super) number: u64,
    pub(super) made: Moment,
    pub(super) server_name: HostName,
    pub(super) authority: Pem,
    pub(super) certificate: Pem,
    pub(super) key: Zeroizing<String>,
}

impl std::fmt::Debug for Generation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { number, made, server_name, authority: _, certificate: _, key: _ } = self;
        write!(f, "Generation {{ number: {number}, made: {made}, server_name: {server_name}, key: … }}")
    }
}

impl Generation {
    /// Makes one.
    pub(super) fn new(number: u64, made: Moment) -> Result<Self, MakeProblem> {
        let authority_key = KeyPair::generate().map_err(MakeProblem::Certificate)?;
        let params = authority_params(number, made).map_err(MakeProblem::Certificate)?;
        let authority = params.self_signed(&authority_key).map_err(MakeProblem::Certificate)?;
        let server_name = server_name(number, &authority).ok_or(MakeProblem::Form)?;
        let key = KeyPair::generate().map_err(MakeProblem::Certificate)?;
        // The authority's key signs this one certificate and is gone with the end of this function.
        let issuer = Issuer::from_params(&params, &authority_key);
        let certificate = server_params(&server_name, made)
            .and_then(|params| params.signed_by(&key, &issuer))
            .map_err(MakeProblem::Certificate)?;
        Ok(Self {
            number,
            made,
            server_name,
            authority: Pem::new(authority.pem()).map_err(|_| MakeProblem::Form)?,
            certificate: Pem::new(certificate.pem()).map_err(|_| MakeProblem::Form)?,
            key: Zeroizing::new(key.serialize_pem()),
        })
    }

    /// Its number, from 1. A later one is higher, as long as the Secret is not lost.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// When it was made.
    pub fn made(&self) -> Moment {
        self.made
    }

    /// The name of the server in this generation, for `Delivery::server_name`. No other generation has it, also none that
    /// is made after the Secret was lost.
    pub fn server_name(&self) -> &HostName {
        &self.server_name
    }

    /// The authority's certificate, for `Delivery::authority`. It is public.
    pub fn authority(&self) -> &Pem {
        &self.authority
    }

    /// What the server shows and proves; nothing if certificate and key do not belong together.
    pub(crate) fn certified(&self) -> Option<Arc<CertifiedKey>> {
        let certificate = CertificateDer::from_pem_slice(self.certificate.as_str().as_bytes()).ok()?;
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes()).ok()?;
        let provider = rustls::crypto::ring::default_provider();
        CertifiedKey::from_der(vec![certificate], key, &provider).ok().map(Arc::new)
    }
}

impl Generation {
    /// Whether a runner that is told of this authority and this name accepts what the server shows, as long as it is
    /// valid.
    pub(super) fn is_sound(&self) -> bool {
        self.certified().is_some() && self.accepted().is_some()
    }

    fn accepted(&self) -> Option<()> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.authority.as_str().as_bytes()).ok()?).ok()?;
        let shown = CertificateDer::from_pem_slice(self.certificate.as_str().as_bytes()).ok()?;
        let shown = ParsedCertificate::try_from(&shown).ok()?;
        let when = UnixTime::since_unix_epoch(Duration::from_millis(self.made.milliseconds()));
        let algorithms = rustls::crypto::ring::default_provider().signature_verification_algorithms;
        verify_server_cert_signed_by_trust_anchor(&shown, &roots, &[], when, algorithms.all).ok()?;
        let name = ServerName::try_from(self.server_name.as_str()).ok()?;
        verify_server_name(&shown, &name).ok()
    }
}

/// `g<number>-<the authority's digest>.results.ptah.internal`.
fn server_name(number: u64, authority: &Certificate) -> Option<HostName> {
    let digest = hex::encode(&Digest::of(authority.der()).as_bytes()[..4]);
    HostName::new(format!("g{number}-{digest}.{DOMAIN}")).ok()
}

fn authority_params(number: u64, made: Moment) -> Result<CertificateParams, rcgen::Error> {
    let mut params = valid(CertificateParams::new(Vec::new())?, made);
    params.distinguished_name = named(&format!("Ptah results, generation {number}"));
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    Ok(params)
}

fn server_params(name: &HostName, made: Moment) -> Result<CertificateParams, rcgen::Error> {
    let mut params = valid(CertificateParams::new(vec![name.to_string()])?, made);
    params.distinguished_name = named("Ptah results");
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    Ok(params)
}

fn named(name: &str) -> DistinguishedName {
    let mut distinguished = DistinguishedName::new();
    distinguished.push(DnType::CommonName, name);
    distinguished
}

fn valid(mut params: CertificateParams, made: Moment) -> CertificateParams {
    let epoch = rcgen::date_time_ymd(1970, 1, 1);
    let made = Duration::from_millis(made.milliseconds());
    params.not_before = epoch + made.saturating_sub(BEFORE);
    params.not_after = epoch + made + VALID;
    params
}
