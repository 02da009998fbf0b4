//! What the host reads from strangers, one function for each kind: any bytes in, no panic, and no more memory than the
//! limits of `run.sh` allow. What a function reads must be refused or believed, nothing else.
//!
//! Not here: what the transport and TLS read, which are libraries with fuzzers of their own.

use std::path::Path;

use bytes::Bytes;
use prost::Message;
use ptah_model::{IdentifierRules, KindModel, Member, NotDescribed, Object, SourceName};
use ptah_provider_api::claim::{AdoptReply, AdoptRequest, ClaimReceipt, ClaimRequest, ClaimsReading};
use ptah_provider_api::claim::{ForgetReply, ForgetRequest, ReadClaimsRequest};
use ptah_provider_api::describe::{DescribeRequest, Description};
use ptah_provider_api::dev::{DevDatabase, ProvisionDevRequest};
use ptah_provider_api::execute::{ExecuteReply, ExecuteRequest};
use ptah_provider_api::lock::{LockCall, LockReceipt, LockRequest};
use ptah_provider_api::plan::{PlanReply, PlanRequest};
use ptah_provider_api::query::{QueryRowsReply, QueryRowsRequest};
use ptah_provider_api::reading::InspectRequest;
use ptah_provider_api::reason::validate_diagnostic;
use ptah_provider_api::render::{RenderRequest, RenderedDefinition};
use ptah_provider_api::session::{CloseReply, CloseRequest, OpenRequest, Session};
use ptah_provider_api::sql::AnalyzeSqlRequest;
use ptah_provider_api::transaction::{BeginRequest, EndRequest, TransactionReceipt};
use ptah_provider_host::Manifest;
use ptah_provider_install::{Bounds, unpack};
use ptah_provider_wire::stream::{AnalysisCollector, ReadingCollector, RenderingCollector};
use ptah_provider_wire::{OnWire, Shaped, decoded_limit, pb, reason_from_status, scan};

/// The line that a provider prints first.
pub fn handshake(data: &[u8]) {
    let directory = Path::new("/run/ptah-fuzz");
    if let Ok(version) = go_plugin::host::accepted_version(data, directory) {
        // What was accepted holds a certificate, so it is longer than what surrounds one.
        assert!(data.len() > 100, "version {version} of a line of {} bytes", data.len());
    }
}

/// A manifest.
pub fn manifest(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(manifest) = Manifest::parse(Path::new("/etc/ptah/ptah-providers.yaml"), text) {
        assert!(manifest.providers.iter().all(|provider| !provider.engines.is_empty()));
    }
}

/// A descriptor of a release, an index of them, or the record of an installation.
pub fn descriptor(data: &[u8]) {
    let _ = ptah_records::provider::published(data);
    let _ = ptah_records::provider::record(data);
}

/// The archive of a release. What was taken out of it lies in its folder, and within its bounds.
pub fn archive(data: &[u8]) {
    const BOUNDS: Bounds = Bounds { bytes: 256 * 1024, entries: 32 };
    let outer = tempfile::tempdir().expect("a folder can be made");
    let inner = outer.path().join("inner");
    std::fs::create_dir(&inner).expect("a folder can be made");
    let _ = unpack(data, &inner, BOUNDS);
    let beside = std::fs::read_dir(outer.path()).expect("it is there").count();
    assert_eq!(beside, 1, "something lies beside the folder");
    let (entries, bytes) = measured(&inner);
    assert!(entries <= u64::from(BOUNDS.entries) * 16 && bytes <= BOUNDS.bytes, "{entries} entries, {bytes} bytes");
}

/// How many entries lie below a folder, and how many bytes are in them. A link is none of them, and fails.
fn measured(folder: &Path) -> (u64, u64) {
    let (mut entries, mut bytes) = (0, 0);
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.metadata().expect("it is there");
        assert!(found.is_dir() || found.is_file(), "neither a folder nor a file");
        let (below, of) = if found.is_dir() { measured(&entry.path()) } else { (0, found.len()) };
        (entries, bytes) = (entries + 1 + below, bytes + of);
    }
    (entries, bytes)
}

/// A message as the codec of the host reads it: scanned, decoded, converted. What was believed is written and read again.
fn read<T>(data: &[u8]) -> Option<T>
where
    T: OnWire + Clone + PartialEq,
    T::Message: Message + Default + Shaped,
{
    let used = scan::<T::Message>(data).ok()?;
    assert!(used <= decoded_limit(data.len()), "{used} bytes of memory for {} bytes", data.len());
    let value = T::from_wire(T::Message::decode(data).ok()?).ok()?;
    let again = T::from_wire(value.clone().to_wire());
    assert!(again.is_ok_and(|again| again == value), "what was believed does not survive the wire");
    Some(value)
}

/// Calls the one of the functions that the number selects.
macro_rules! select {
    ($number:expr, $($body:expr),+ $(,)?) => {{
        let bodies: &[&dyn Fn()] = &[$(&|| { $body; }),+];
        bodies[usize::from($number) % bodies.len()]();
    }};
}

/// Every message of the contract by itself. The first byte says which.
pub fn reply(data: &[u8]) {
    let Some((which, data)) = data.split_first() else { return };
    select!(
        *which,
        read::<DescribeRequest>(data),
        read::<Description>(data).map(|value| value.validate()),
        read::<KindModel>(data),
        read::<IdentifierRules>(data),
        read::<OpenRequest>(data),
        read::<Session>(data),
        read::<CloseRequest>(data),
        read::<CloseReply>(data),
        read::<InspectRequest>(data),
        read::<Object>(data),
        read::<Member>(data),
        read::<NotDescribed>(data),
        read::<RenderRequest>(data),
        read::<RenderedDefinition>(data),
        read::<AnalyzeSqlRequest>(data),
        read::<PlanRequest>(data),
        read::<PlanReply>(data),
        read::<ExecuteRequest>(data).map(|value| value.validate()),
        read::<ExecuteReply>(data),
        read::<BeginRequest>(data),
        read::<EndRequest>(data),
        read::<TransactionReceipt>(data),
        read::<LockRequest>(data),
        read::<LockReceipt>(data),
        read::<ClaimRequest>(data).map(|value| value.validate()),
        read::<ClaimReceipt>(data),
        read::<ReadClaimsRequest>(data),
        read::<ClaimsReading>(data),
        read::<AdoptRequest>(data),
        read::<AdoptReply>(data),
        read::<ForgetRequest>(data),
        read::<ForgetReply>(data),
        read::<QueryRowsRequest>(data),
        read::<QueryRowsReply>(data),
        read::<ProvisionDevRequest>(data),
        read::<DevDatabase>(data),
    );
}

/// Takes a piece with its length, two bytes, in front.
fn piece<'a>(data: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, rest) = data.split_first_chunk::<2>()?;
    let (piece, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
    *data = rest;
    Some(piece)
}

/// A request and the reply to it.
fn both<Q, A>(mut data: &[u8]) -> Option<(Q, A)>
where
    Q: OnWire + Clone + PartialEq,
    Q::Message: Message + Default + Shaped,
    A: OnWire + Clone + PartialEq,
    A::Message: Message + Default + Shaped,
{
    let asked = read(piece(&mut data)?)?;
    Some((asked, read(data)?))
}

/// Every reply against its request, as the host believes it or not. The first byte says which.
pub fn answer(data: &[u8]) {
    let Some((which, data)) = data.split_first() else { return };
    select!(
        *which,
        both::<OpenRequest, Session>(data).map(|(q, a)| a.validate_for(&q)),
        both::<CloseRequest, CloseReply>(data).map(|(q, a)| a.validate_for(&q)),
        both::<PlanRequest, PlanReply>(data).map(|(q, a)| a.validate_for(&q)),
        both::<ExecuteRequest, ExecuteReply>(data).map(|(q, a)| a.validate_for(&q)),
        both::<BeginRequest, TransactionReceipt>(data).map(|(q, a)| a.validate_for_begin(&q)),
        both::<EndRequest, TransactionReceipt>(data).map(|(q, a)| a.validate_for_end(&q)),
        both::<LockRequest, LockReceipt>(data)
            .map(|(q, a)| { [LockCall::Try, LockCall::Check, LockCall::Release].map(|call| a.validate_for(&q, call)) }),
        both::<ClaimRequest, ClaimReceipt>(data).map(|(q, a)| a.validate_for(&q)),
        both::<ReadClaimsRequest, ClaimsReading>(data).map(|(q, a)| a.validate_for(&q)),
        both::<AdoptRequest, AdoptReply>(data).map(|(q, a)| a.validate_for(&q)),
        both::<ForgetRequest, ForgetReply>(data).map(|(q, a)| a.validate_for(&q)),
        both::<QueryRowsRequest, QueryRowsReply>(data).map(|(q, a)| a.validate_for(&q)),
        both::<ProvisionDevRequest, DevDatabase>(data).map(|(q, a)| a.validate_for(&q)),
    );
}

/// The parts of a stream, each as the codec reads it.
fn parts<M: Message + Default + Shaped>(mut data: &[u8]) -> Vec<M> {
    let mut parts = Vec::new();
    while let Some(bytes) = piece(&mut data) {
        match scan::<M>(bytes).map(|_| M::decode(bytes)) {
            Ok(Ok(part)) => parts.push(part),
            _ => break,
        }
    }
    parts
}

/// The replies that are streams. The first byte says which; an analysis has its source in front.
pub fn stream(data: &[u8]) {
    let Some((which, data)) = data.split_first() else { return };
    select!(*which, reading(data), rendering(data), analysis(data));
}

fn reading(mut data: &[u8]) -> Option<()> {
    let asked = read::<InspectRequest>(piece(&mut data)?)?;
    let mut collector = ReadingCollector::default();
    parts::<pb::InspectPart>(data).into_iter().try_for_each(|part| collector.push(part)).ok()?;
    let reading = collector.finish().ok()?;
    let _ = reading.validate_for(&asked);
    Some(())
}

fn rendering(data: &[u8]) -> Option<()> {
    let mut collector = RenderingCollector::default();
    parts::<pb::RenderPart>(data).into_iter().try_for_each(|part| collector.push(part)).ok()?;
    let _ = collector.finish().ok()?.validate();
    Some(())
}

fn analysis(mut data: &[u8]) -> Option<()> {
    let asked = read::<AnalyzeSqlRequest>(piece(&mut data)?)?;
    let mut collector = AnalysisCollector::new(SourceName::new(asked.source.as_str()));
    parts::<pb::AnalyzeSqlPart>(data).into_iter().try_for_each(|part| collector.push(part)).ok()?;
    let found = collector.finish().ok()?;
    if found.validate_for(&asked).is_ok() {
        // Whoever shows a finding cuts its source there.
        for statement in &found.statements {
            let start = usize::try_from(statement.position.offset).unwrap_or(usize::MAX);
            assert!(asked.text.get(start..start + statement.position.length as usize).is_some());
        }
    }
    Some(())
}

/// The details of a failed call: what is shown is a reason under its rules, or nothing.
pub fn reason(data: &[u8]) {
    let status = tonic::Status::with_details(tonic::Code::Internal, "", Bytes::copy_from_slice(data));
    if let Some(reason) = reason_from_status(&status) {
        assert!(validate_diagnostic(reason.as_str()).is_ok());
    }
}
