//! What named people decided: approvals and acknowledgments, with who they are.
//!
//! Who it was is what admission stamped. A stamp proves something only where the policies were in force when the object was
//! made, so an object counts from the second after the moment since which they are proven: see [`Judge::in_force_since`].

use std::collections::BTreeSet;

use kube::core::ObjectMeta;
use ptah_crds::{
    Condition, ConditionStatus, ConditionType, Consumption, Identity, NamedObject, PtahMigrationApproval,
    PtahMigrationRunAcknowledgment, PtahSchemaApproval,
};
use ptah_lifecycle::{Acknowledgment, Approval, Finding, Judged, Stale, Time, Uid, Version};
use ptah_records::operator::list::List;
use ptah_records::operator::text::{ObjectName, Sentence, Sha256};
use ptah_records::operator::time::Moment;

use crate::ids;
use crate::object::Unreadable;
use crate::read;
use crate::write::Person;

/// What a person is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judge<'a> {
    /// Since when the policies that stamp and refuse are in force without a change; nothing while that is not proven.
    pub in_force_since: Option<Time>,
    /// Whose own change it is: for an approval who wrote the spec, for an acknowledgment also who approved the run. Empty where
    /// one person is enough.
    pub own: &'a BTreeSet<String>,
}

impl Judge<'_> {
    /// Whether admission stamped this person into an object of this moment.
    fn attests(&self, person: Option<&Identity>, created: Time) -> bool {
        person.is_some() && self.in_force_since.is_some_and(|since| since < created)
    }

    fn is_own(&self, person: Option<&Identity>) -> bool {
        person.is_some_and(|person| self.own.contains(person.username.as_str()))
    }
}

/// The words under which an object says why it counts for nothing.
const STALE: [(Stale, &str); 8] = [
    (Stale::NoSuchPlan, "NoSuchPlan"),
    (Stale::PlanReplaced, "PlanReplaced"),
    (Stale::NotAwaiting, "NotAwaiting"),
    (Stale::Superseded, "Superseded"),
    (Stale::UnattestedIdentity, "UnattestedIdentity"),
    (Stale::SelfApproval, "SelfApproval"),
    (Stale::RunNotUnresolved, "RunNotUnresolved"),
    (Stale::NotAdmitted, "NotAdmitted"),
];

/// The reason under which a condition says why an object counts for nothing.
pub fn stale_reason(stale: Stale) -> &'static str {
    STALE.iter().find(|(known, _)| *known == stale).map_or("NoSuchPlan", |(_, reason)| reason)
}

/// An approval of a schema's plan, and who gave it.
///
/// # Errors
/// [`Unreadable`]: a UID in it is none, or the API server's part of it is not there.
pub fn schema_approval(
    object: &PtahSchemaApproval,
    judge: Judge<'_>,
) -> Result<(Approval, Option<Person>), Unreadable> {
    let (spec, status) = (&object.spec, object.status.as_ref());
    approval(
        &Given {
            metadata: &object.metadata,
            resource: &spec.schema_ref,
            plan: &spec.plan_ref,
            fingerprint: &spec.plan_fingerprint,
            approver: spec.approver.as_ref(),
            consumed: status.and_then(|status| status.consumed_by.as_ref()),
            conditions: status.map(|status| &status.conditions),
        },
        judge,
    )
}

/// An approval of a migration's plan, and who gave it.
///
/// # Errors
/// As [`schema_approval`].
pub fn migration_approval(
    object: &PtahMigrationApproval,
    judge: Judge<'_>,
) -> Result<(Approval, Option<Person>), Unreadable> {
    let (spec, status) = (&object.spec, object.status.as_ref());
    approval(
        &Given {
            metadata: &object.metadata,
            resource: &spec.migration_ref,
            plan: &spec.plan_ref,
            fingerprint: &spec.plan_fingerprint,
            approver: spec.approver.as_ref(),
            consumed: status.and_then(|status| status.consumed_by.as_ref()),
            conditions: status.map(|status| &status.conditions),
        },
        judge,
    )
}

/// What both kinds of approval say.
struct Given<'a> {
    metadata: &'a ObjectMeta,
    resource: &'a NamedObject,
    plan: &'a NamedObject,
    fingerprint: &'a Sha256,
    approver: Option<&'a Identity>,
    consumed: Option<&'a Consumption>,
    conditions: Option<&'a List<Condition, 18>>,
}

fn approval(given: &Given<'_>, judge: Judge<'_>) -> Result<(Approval, Option<Person>), Unreadable> {
    let made = Made::of(given.metadata)?;
    let approval = Approval {
        uid: made.uid,
        version: made.version,
        resource: ids::uid(given.resource.uid.as_str())?,
        plan: ids::uid(given.plan.uid.as_str())?,
        fingerprint: ids::digest(given.fingerprint),
        created: made.created,
        deleting: given.metadata.deletion_timestamp.is_some(),
        attested: judge.attests(given.approver, made.created),
        own_change: judge.is_own(given.approver),
        consumed: given.consumed.map(|consumed| ids::operation(&consumed.operation_id)),
        stale: given.conditions.and_then(stale),
    };
    Ok((approval, person(given.metadata, given.approver, made.created, None)))
}

/// An acknowledgment of a run, and whose it is.
///
/// # Errors
/// As [`schema_approval`].
pub fn acknowledgment(
    object: &PtahMigrationRunAcknowledgment,
    judge: Judge<'_>,
) -> Result<(Acknowledgment, Option<Person>), Unreadable> {
    let (spec, by) = (&object.spec, object.spec.acknowledged_by.as_ref());
    let made = Made::of(&object.metadata)?;
    let finding: Finding = read::finding(spec.finding);
    let acknowledgment = Acknowledgment {
        uid: made.uid,
        version: made.version,
        claimant: ids::uid(spec.claimant_ref.uid.as_str())?,
        operation: ids::operation(&spec.operation_id),
        finding,
        created: made.created,
        attested: judge.attests(by, made.created),
        own_run: judge.is_own(by),
        judged: object.status.as_ref().and_then(|status| judged(&status.conditions)),
    };
    Ok((acknowledgment, person(&object.metadata, by, made.created, Some(&spec.reason))))
}

/// What the API server says about an object of a person.
struct Made {
    uid: Uid,
    version: Version,
    created: Time,
}

impl Made {
    fn of(metadata: &ObjectMeta) -> Result<Self, Unreadable> {
        let created = metadata.creation_timestamp.as_ref().ok_or(Unreadable::Incomplete)?;
        Ok(Self {
            uid: ids::uid(metadata.uid.as_deref().ok_or(Unreadable::Incomplete)?)?,
            version: ids::version(metadata.resource_version.as_deref())?,
            created: Time(created.0.as_second()),
        })
    }
}

fn person(metadata: &ObjectMeta, by: Option<&Identity>, at: Time, reason: Option<&Sentence>) -> Option<Person> {
    let at: Moment = ids::moment(at)?;
    let name = ObjectName::new(metadata.name.clone()?).ok()?;
    Some(Person { name, username: by?.username.clone(), at, reason: reason.cloned() })
}

fn holds(conditions: &List<Condition, 18>, kind: ConditionType) -> Option<&Condition> {
    let true_ones = |one: &&Condition| one.kind == kind && one.status == ConditionStatus::True;
    conditions.as_slice().iter().find(true_ones)
}

/// Why an object counts for nothing. A reason that no release of ours writes counts for nothing too: what was judged stays so.
fn stale(conditions: &List<Condition, 18>) -> Option<Stale> {
    let found = holds(conditions, ConditionType::Stale)?;
    let known = STALE.iter().find(|(_, reason)| *reason == found.reason.as_str());
    Some(known.map_or(Stale::NoSuchPlan, |(stale, _)| *stale))
}

fn judged(conditions: &List<Condition, 18>) -> Option<Judged> {
    let consumed = holds(conditions, ConditionType::Consumed).map(|_| Judged::Consumed);
    consumed.or_else(|| stale(conditions).map(Judged::Stale))
}

#[cfg(test)]
mod tests;
