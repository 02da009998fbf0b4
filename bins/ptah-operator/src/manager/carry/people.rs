//! Approvals and acknowledgments: what named people said, and what is written onto it.

use std::collections::BTreeSet;

use ptah_crds::{PtahMigrationApproval, PtahMigrationRunAcknowledgment, PtahSchemaApproval};
use ptah_lifecycle::{Family, Judged, Operation, Stale, Uid};
use ptah_mirror::people::{self, Judge};
use ptah_mirror::{Person, ids};
use ptah_reconcile::Reply;
use ptah_records::operator::names::SPEC_WRITERS;
use serde_json::{Value, json};

use super::{Carrier, replied, typed};
use crate::cluster::{Write, encoded};
use crate::manager::fault::Fault;
use crate::manager::key::ours;
use crate::manager::verdicts;

/// How many objects one page of a list has.
const PAGE: usize = 100;

impl Carrier<'_> {
    pub(super) async fn list_approvals(&mut self, named: Option<Uid>) -> Result<Reply, Fault> {
        if self.hints.silent && named.is_none() {
            return Ok(Reply::Approvals(Vec::new()));
        }
        let (plural, field) = self.approvals();
        let found = self.naming_us(plural, field).await?;
        let since = if found.is_empty() { None } else { self.in_force().await?.map(|in_force| in_force.since) };
        let own = self.own_people();
        let judge = Judge { in_force_since: since, own: &own };
        let mut approvals = Vec::new();
        for object in found {
            let (approval, person) = match self.key.family {
                Family::Schema => {
                    people::schema_approval(&typed::<PtahSchemaApproval>("an approval", object.clone())?, judge)?
                }
                Family::Migration => {
                    people::migration_approval(&typed::<PtahMigrationApproval>("an approval", object.clone())?, judge)?
                }
            };
            let spent = approval.consumed.is_some() || approval.stale.is_some();
            if approval.resource != self.resource()?.uid || spent && Some(approval.uid) != named {
                continue;
            }
            self.remember(approval.uid, person);
            self.held.approvals.insert(approval.uid, object);
            approvals.push(approval);
        }
        approvals.sort_by_key(|approval| approval.uid);
        Ok(Reply::Approvals(approvals))
    }

    pub(super) async fn list_acknowledgments(&mut self) -> Result<Reply, Fault> {
        if self.hints.silent {
            return Ok(Reply::Acknowledgments(Vec::new()));
        }
        let found = self.naming_us("ptahmigrationrunacknowledgments", "claimantRef").await?;
        let since = if found.is_empty() { None } else { self.in_force().await?.map(|in_force| in_force.since) };
        let mut own = self.own_people();
        if self.settings.two_people && !found.is_empty() {
            own.extend(self.approvers().await?);
        }
        let judge = Judge { in_force_since: since, own: &own };
        let mut acknowledgments = Vec::new();
        for object in found {
            let typed: PtahMigrationRunAcknowledgment = typed("an acknowledgment", object.clone())?;
            let (acknowledgment, person) = people::acknowledgment(&typed, judge)?;
            if acknowledgment.claimant != self.resource()?.uid || acknowledgment.judged.is_some() {
                continue;
            }
            self.remember(acknowledgment.uid, person);
            self.held.acknowledgments.insert(acknowledgment.uid, object);
            acknowledgments.push(acknowledgment);
        }
        acknowledgments.sort_by_key(|acknowledgment| acknowledgment.uid);
        Ok(Reply::Acknowledgments(acknowledgments))
    }

    async fn naming_us(&self, plural: &str, field: &str) -> Result<Vec<Value>, Fault> {
        let selector = encoded(&format!("spec.{field}.name={}", self.key.name));
        let path = format!("{}?fieldSelector={selector}", ours(self.key.namespace.as_str(), plural));
        let add = |found: &mut Vec<Value>, object: &Value| found.push(object.clone());
        Ok(self.cluster.list(&path, PAGE, Vec::new, add).await?)
    }

    fn remember(&mut self, uid: Uid, person: Option<Person>) {
        if let Some(person) = person {
            self.held.people.insert(uid, person);
        }
    }

    /// Whose own change it is, where two people are asked for: who wrote the spec.
    fn own_people(&self) -> BTreeSet<String> {
        let object = self.held.object.as_ref().filter(|_| self.settings.two_people);
        let annotations = object.and_then(|object| object.metadata().annotations.as_ref());
        annotations.and_then(|all| all.get(SPEC_WRITERS)).map(|text| verdicts::writers(text)).unwrap_or_default()
    }

    /// Who approved the run of the record.
    async fn approvers(&self) -> Result<BTreeSet<String>, Fault> {
        let record = self.resource()?.status.record.as_ref().map(|record| record.operation);
        let Some(operation) = record.and_then(ids::operation_text) else { return Ok(BTreeSet::new()) };
        let (plural, field) = self.approvals();
        let of_the_run = |object: &Value| object["status"]["consumedBy"]["operationID"] == json!(operation);
        let found = self.naming_us(plural, field).await?.into_iter().filter(of_the_run);
        Ok(found.filter_map(|object| object["spec"]["approver"]["username"].as_str().map(str::to_owned)).collect())
    }

    pub(super) async fn consume(&self, approval: Uid, operation: Operation) -> Result<Reply, Fault> {
        let object = self.held.approvals.get(&approval).ok_or(Fault::Order)?;
        let id = ids::operation_text(operation).ok_or(ptah_mirror::Unwritable::NoText)?;
        let mut written = object.clone();
        written["status"]["consumedBy"] = json!({ "operationID": id, "planUID": object["spec"]["planRef"]["uid"] });
        verdicts::put(&mut written, &verdicts::CONSUMED, self.now);
        self.write_back(&written, self.approvals().0).await
    }

    pub(super) async fn mark_stale(&self, approval: Uid, stale: Stale) -> Result<Reply, Fault> {
        let mut written = self.held.approvals.get(&approval).ok_or(Fault::Order)?.clone();
        verdicts::put(&mut written, &verdicts::stale(stale), self.now);
        self.write_back(&written, self.approvals().0).await
    }

    pub(super) async fn answer(&self, acknowledgment: Uid, judged: Judged) -> Result<Reply, Fault> {
        let mut written = self.held.acknowledgments.get(&acknowledgment).ok_or(Fault::Order)?.clone();
        let verdict = match judged {
            Judged::Consumed => verdicts::CONSUMED,
            Judged::Stale(stale) => verdicts::stale(stale),
        };
        verdicts::put(&mut written, &verdict, self.now);
        self.write_back(&written, "ptahmigrationrunacknowledgments").await
    }

    /// The plural of the family's approvals, and the field by which they name a resource.
    fn approvals(&self) -> (&'static str, &'static str) {
        match self.key.family {
            Family::Schema => ("ptahschemaapprovals", "schemaRef"),
            Family::Migration => ("ptahmigrationapprovals", "migrationRef"),
        }
    }

    async fn write_back(&self, object: &Value, plural: &str) -> Result<Reply, Fault> {
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let path = ours(self.key.namespace.as_str(), &format!("{plural}/{name}/status"));
        Ok(replied(self.cluster.replace(&path, object, Write::Store).await))
    }
}
