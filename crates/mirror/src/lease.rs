//! The two Leases: a `coordination.k8s.io/v1` Lease with our documents in its annotations.
//!
//! | The core's field | Where it stands |
//! |---|---|
//! | holder | `spec.holderIdentity`, as `<resource UID>/<operation>`; absent for nobody |
//! | tenure | annotation `operator.ptah.run/lease-epoch` |
//! | renewed, duration | `spec.renewTime`, `spec.leaseDurationSeconds` |
//! | hold, settled, bound to | sealed documents in annotations, on a database's Lease alone |
//!
//! A Lease whose holder or documents cannot be read is *unreadable*, never free: nobody takes it over.

use std::collections::BTreeMap;

use k8s_openapi::api::coordination::v1::{Lease as StoredLease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::Timestamp;
use kube::core::ObjectMeta;
use ptah_lifecycle::{self as core, Hold, Holder, Lease, Time};
use ptah_records::operator::latest::{self as stored, HeldPlan};
use ptah_records::operator::list::List;
use ptah_records::operator::names;
use ptah_records::operator::seal::{self, Document, ReadProblem};
use ptah_records::operator::text::{Epoch, OperationId};

use crate::ids;
use crate::read::record::family;

/// Why a Lease is not believed. Whoever reads it waits; a person has to look.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LeaseProblem {
    /// It has no tenure, holder, time or duration of the form that we write.
    #[error("the Lease was not written by this operator")]
    Foreign,
    /// A document in it is not whole.
    #[error("a document on the Lease is not believed")]
    Document(#[source] ReadProblem),
}

/// What a Lease is written with that the core does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a moment or an operation of the Lease has no text form")]
pub struct NoText;

/// A Lease as it is stored.
///
/// # Errors
/// [`LeaseProblem`]: it is held, by somebody and for a time that are not known.
pub fn read(lease: &StoredLease) -> Result<Lease, LeaseProblem> {
    let annotations = lease.metadata.annotations.as_ref();
    let annotation = |name: &str| annotations.and_then(|annotations| annotations.get(name));
    let spec = lease.spec.as_ref().ok_or(LeaseProblem::Foreign)?;
    let epoch = annotation(names::LEASE_EPOCH).and_then(|text| Epoch::new(text.clone()).ok());
    let hold: Option<stored::Hold> = document(annotation(names::HOLD))?;
    let settled: Option<stored::Settled> = document(annotation(names::SETTLED))?;
    let bound: Option<stored::BoundTo> = document(annotation(names::BOUND_TO))?;
    let carried = [annotation(names::SETTLED), annotation(names::BOUND_TO)].into_iter().flatten();
    let versions = carried.filter_map(|text| seal::state_version(text.as_bytes()));
    Ok(Lease {
        version: ids::version(lease.metadata.resource_version.as_deref()).map_err(|_| LeaseProblem::Foreign)?,
        holder: spec.holder_identity.as_deref().filter(|holder| !holder.is_empty()).map(holder).transpose()?,
        epoch: ids::epoch(&epoch.ok_or(LeaseProblem::Foreign)?),
        renewed: Time(spec.renew_time.as_ref().ok_or(LeaseProblem::Foreign)?.0.as_second()),
        duration: i64::from(spec.lease_duration_seconds.ok_or(LeaseProblem::Foreign)?),
        hold: hold.as_ref().map(|hold| read_hold(hold, annotation(names::HOLD))).transpose()?,
        settled: settled
            .map_or_else(Vec::new, |settled| settled.operations.as_slice().iter().map(ids::operation).collect()),
        bound_to: bound.map(|bound| ids::digest(&bound.coordination_digest)),
        state_version: versions.max().map_or(0, |version| u32::try_from(version).unwrap_or(u32::MAX)),
    })
}

fn document<D: Document>(text: Option<&String>) -> Result<Option<D>, LeaseProblem> {
    text.map(|text| seal::read(text.as_bytes())).transpose().map_err(LeaseProblem::Document)
}

fn holder(text: &str) -> Result<Holder, LeaseProblem> {
    let (resource, operation) = text.split_once('/').ok_or(LeaseProblem::Foreign)?;
    let operation = OperationId::new(operation).map_err(|_| LeaseProblem::Foreign)?;
    let resource = ids::uid(resource).map_err(|_| LeaseProblem::Foreign)?;
    Ok(Holder { resource, operation: ids::operation(&operation) })
}

fn read_hold(hold: &stored::Hold, text: Option<&String>) -> Result<Hold, LeaseProblem> {
    let uid = |uid: &ptah_records::operator::text::Uid| ids::uid(uid.as_str()).map_err(|_| LeaseProblem::Foreign);
    let version = text.and_then(|text| seal::state_version(text.as_bytes())).ok_or(LeaseProblem::Foreign)?;
    Ok(Hold {
        operation: ids::operation(&hold.operation_id),
        family: family(hold.family),
        resource: uid(&hold.resource_uid)?,
        plan: uid(&hold.plan.uid)?,
        fingerprint: ids::digest(&hold.plan.fingerprint),
        sequence: hold.sequence_digest.as_ref().map(ids::digest),
        execution_not_after: ids::time(hold.execution_not_after),
        state_version: u32::try_from(version).unwrap_or(u32::MAX),
    })
}

/// The Lease under this name, with everything that the core says. `before` is the one that it replaces: what others wrote
/// on it stays.
///
/// # Errors
/// [`NoText`]: nothing may be written then, because less would be written than was decided.
pub fn write(name: &str, namespace: &str, before: Option<&StoredLease>, lease: &Lease) -> Result<StoredLease, NoText> {
    let mut annotations = before.and_then(|before| before.metadata.annotations.clone()).unwrap_or_default();
    annotations.insert(names::LEASE_EPOCH.to_owned(), ids::epoch_text(lease.epoch).to_string());
    put(&mut annotations, names::HOLD, lease.hold.as_ref().map(write_hold).transpose()?)?;
    let settled = lease.settled.iter().map(|one| ids::operation_text(*one)).collect::<Option<Vec<_>>>();
    let settled = List::new(settled.ok_or(NoText)?).map_err(|_| NoText)?;
    let settled = stored::Settled { operations: settled };
    put(&mut annotations, names::SETTLED, (!settled.operations.is_empty()).then_some(settled))?;
    let bound = lease.bound_to.map(|bound| stored::BoundTo { coordination_digest: ids::sha256(bound) });
    put(&mut annotations, names::BOUND_TO, bound)?;
    let holder = lease.holder.map(|holder| {
        let operation = ids::operation_text(holder.operation).ok_or(NoText)?;
        Ok::<_, NoText>(format!("{}/{operation}", ids::uid_text(holder.resource)))
    });
    let renewed = Timestamp::from_second(lease.renewed.0).map_err(|_| NoText)?;
    let spec = LeaseSpec {
        holder_identity: holder.transpose()?,
        renew_time: Some(MicroTime(renewed)),
        lease_duration_seconds: Some(i32::try_from(lease.duration).map_err(|_| NoText)?),
        ..before.and_then(|before| before.spec.clone()).unwrap_or_default()
    };
    let metadata = ObjectMeta {
        name: Some(name.to_owned()),
        namespace: Some(namespace.to_owned()),
        resource_version: before.and_then(|before| before.metadata.resource_version.clone()),
        annotations: Some(annotations),
        ..before.map(|before| before.metadata.clone()).unwrap_or_default()
    };
    Ok(StoredLease { metadata, spec: Some(spec) })
}

fn put<D: Document>(annotations: &mut BTreeMap<String, String>, name: &str, document: Option<D>) -> Result<(), NoText> {
    let Some(document) = document else {
        annotations.remove(name);
        return Ok(());
    };
    let text = String::from_utf8(seal::write(&document).map_err(|_| NoText)?).map_err(|_| NoText)?;
    annotations.insert(name.to_owned(), text);
    Ok(())
}

fn write_hold(hold: &Hold) -> Result<stored::Hold, NoText> {
    Ok(stored::Hold {
        operation_id: ids::operation_text(hold.operation).ok_or(NoText)?,
        family: match hold.family {
            core::Family::Schema => stored::Family::Schema,
            core::Family::Migration => stored::Family::Migration,
        },
        resource_uid: ids::uid_text(hold.resource),
        plan: HeldPlan { uid: ids::uid_text(hold.plan), fingerprint: ids::sha256(hold.fingerprint) },
        sequence_digest: hold.sequence.map(ids::sha256),
        execution_not_after: ids::moment(hold.execution_not_after).ok_or(NoText)?,
    })
}
