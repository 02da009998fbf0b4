//! The life of one resource, step by step, with everything in it drawn.

use std::collections::BTreeMap;

use ptah_lifecycle::{
    Binding, Claim, Family, Instance, Kind, Observed, Outcome, Owed, Permit, Plan, Record, Resolution, Resolved,
    RunEvidence, Shown, Status, Time,
};
use ptah_mirror::operation::Around;
use ptah_mirror::plan::{self, StoredPlan};
use ptah_mirror::{Components, Known, Object, Person, PolicyState, resource};
use ptah_model::Digest;
use ptah_records::operator::latest::{Delivery, ManagerRecord};
use ptah_records::operator::text::{HostName, Image, ObjectName, Pem, Sentence, Uid, UserName, VersionText};
use ptah_records::operator::time::Moment;
use ptah_records::operator::whole::Whole;
use serde_json::{Value, json};

use crate::draw::Draw;

/// What a manager writes next.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Rotate,
    Claim(Kind),
    Progress,
    TakeReading,
    RecordRun,
    ClearOwed,
    FailAttempt,
    Inherit,
    Settle,
}

/// A life with everything in it: a reading, a run, two attempts at settling it, and a run that was taken over.
pub(crate) const STEPS: [Step; 24] = [
    Step::Rotate,
    Step::Claim(Kind::Refresh),
    Step::Progress,
    Step::TakeReading,
    Step::Claim(Kind::Apply),
    Step::Progress,
    Step::Progress,
    Step::RecordRun,
    Step::ClearOwed,
    Step::Claim(Kind::Settle),
    Step::Progress,
    Step::FailAttempt,
    Step::ClearOwed,
    Step::Claim(Kind::Settle),
    Step::Settle,
    Step::ClearOwed,
    Step::Rotate,
    Step::Claim(Kind::Refresh),
    Step::TakeReading,
    Step::Inherit,
    Step::Claim(Kind::Settle),
    Step::Progress,
    Step::Settle,
    Step::ClearOwed,
];

/// The life.
pub(crate) struct Life {
    pub(crate) object: Object,
    pub(crate) policy: PolicyState,
    draw: Draw,
    status: Status,
    stored: StoredPlan,
    components: Components,
    manager: ManagerRecord,
    people: BTreeMap<ptah_lifecycle::Uid, Person>,
}

impl Life {
    pub(crate) fn of_a_schema(draw: Draw) -> Self {
        let spec = json!({
            "target": { "engine": "PostgreSQL", "coordinationKey": "prod/main", "urlFrom": { "name": "db", "key": "dsn" } },
            "desired": artifact(),
            "policy": { "exclude": ["tmp_*"], "driftSeverity": "destructive" },
        });
        let object = Object::Schema(Box::new(serde_json::from_value(object("PtahSchema", spec)).unwrap()));
        let plan = include_str!("../../../records/src/operator/v1/golden/schema-plan.json");
        let plan = object_of_plan("PtahSchemaPlan", plan);
        Self::of(draw, object, StoredPlan::Schema(Box::new(serde_json::from_value(plan).unwrap())))
    }

    pub(crate) fn of_a_migration(draw: Draw) -> Self {
        let spec = json!({
            "target": { "engine": "MySQL", "realmRef": { "name": "invoices" }, "urlFrom": { "name": "db", "key": "dsn" } },
            "artifact": artifact(),
        });
        let object = Object::Migration(Box::new(serde_json::from_value(object("PtahMigration", spec)).unwrap()));
        let plan = include_str!("../../../records/src/operator/v1/golden/migration-plan.json");
        let plan = object_of_plan("PtahMigrationPlan", plan);
        Self::of(draw, object, StoredPlan::Migration(Box::new(serde_json::from_value(plan).unwrap())))
    }

    fn of(mut draw: Draw, object: Object, stored: StoredPlan) -> Self {
        let image = |letter: &str| Image::new(format!("registry.test/x@sha256:{}", letter.repeat(64))).unwrap();
        let components = Components {
            ptah_version: VersionText::new("v0.1.0").unwrap(),
            executor_image: image("a"),
            protocol: Whole::new(1).unwrap(),
        };
        let manager = ManagerRecord {
            controller_image: image("b"),
            controller_revision: VersionText::new("7f3c2a1").unwrap(),
            runner_image: image("c"),
        };
        let policy = PolicyState { uid: Some(draw.uid()), digest: draw.digest() };
        let status = Status { state_version: 1, ..Status::default() };
        Self { object, policy, draw, status, stored, components, manager, people: BTreeMap::new() }
    }

    /// What the pass knows that writes.
    pub(crate) fn known(&self) -> Known<'_> {
        Known {
            now: Moment::from_milliseconds(1_796_000_000_000).unwrap(),
            components: &self.components,
            manager: &self.manager,
            verification: self.policy,
            plan: Some(&self.stored),
            people: self.people.clone(),
            frame: None,
        }
    }

    /// What the pass knows that builds a Job.
    pub(crate) fn around<T>(&self, use_it: impl FnOnce(&Around<'_>) -> T) -> T {
        let delivery = Delivery {
            host: HostName::new("ptah-results.ptah-system.svc").unwrap(),
            port: Whole::new(8443).unwrap(),
            server_name: HostName::new("g7.results.ptah.internal").unwrap(),
            authority: Pem::new("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n").unwrap(),
        };
        let cluster = Uid::new("c1").unwrap();
        let components = &self.components;
        use_it(&Around { components, delivery: &delivery, cluster: &cluster, plan: Some(&self.stored), settled: &[] })
    }

    /// The status after this step.
    pub(crate) fn step(&mut self, step: Step) -> Status {
        match step {
            Step::Rotate => {
                self.status.binding = Some(Binding { components: self.components.digest(), epoch: self.draw.epoch() });
                self.status.plan = None;
            }
            Step::Claim(kind) => self.claim(kind),
            Step::Progress => self.progress(),
            Step::TakeReading => self.take_reading(),
            Step::RecordRun => self.record_run(),
            Step::ClearOwed => self.status.owed = None,
            Step::FailAttempt => {
                self.retire();
                let (attempts, answer) = (self.draw.failures(), self.draw.answer());
                if let Some(record) = &mut self.status.record {
                    (record.attempts, record.last_answer) = (Some(attempts), Some(answer));
                }
            }
            Step::Inherit => self.inherit(),
            Step::Settle => self.settle(),
        }
        self.status.shown =
            self.draw.one(&[Shown::Pending, Shown::Applying, Shown::Settling, Shown::InSync, Shown::Draining]);
        self.status.clone()
    }

    fn plan(&self) -> Plan {
        plan::read(&self.stored).unwrap()
    }

    fn person(&mut self) -> ptah_lifecycle::Uid {
        let uid = self.draw.uid();
        let person = Person {
            name: ObjectName::new("by-a-person").unwrap(),
            username: UserName::new("ann@acme.test").unwrap(),
            at: Moment::from_milliseconds(1_795_000_000_000).unwrap(),
            reason: Some(Sentence::new("Looked at it.").unwrap()),
        };
        self.people.insert(uid, person);
        uid
    }

    fn claim(&mut self, kind: Kind) {
        let spec = resource(&self.object, self.policy).unwrap_or_else(|problem| panic!("{problem}")).spec;
        let record = self.status.record.clone();
        let (plan, access) = match kind {
            Kind::Refresh => (None, spec.access()),
            Kind::Apply => (Some(self.plan().reference()), spec.access()),
            Kind::Settle => {
                let record = record.as_ref().unwrap();
                (Some(record.plan), record.access.unwrap_or_else(|| spec.access()))
            }
        };
        let started = self.draw.time();
        let approves = kind == Kind::Apply && self.draw.yes();
        let identity = self.draw.identity();
        let knows = kind != Kind::Refresh || self.draw.yes();
        self.status.claim = Some(Claim {
            operation: self.draw.operation(),
            kind,
            inputs: self.draw.digest(),
            started,
            dispatch_not_after: started.plus(access.window),
            execution_not_after: started.plus(access.window),
            lease_duration: ptah_lifecycle::bounds::lease(access.window),
            coordination: spec.coordination,
            access,
            identity: knows.then_some(identity),
            tenure: (kind == Kind::Refresh).then(|| self.draw.epoch()),
            plan,
            approval: approves.then(|| self.person()),
            realm_epoch: None,
            database_epoch: None,
            job_digest: self.draw.maybe(Draw::digest),
            marked: false,
            job: None,
            started_by: None,
            broken: false,
            evidence: RunEvidence::default(),
        });
    }

    /// What the manager learns of an operation on its way.
    fn progress(&mut self) {
        let draw = &mut self.draw;
        let claim = self.status.claim.as_mut().unwrap();
        if claim.kind == Kind::Refresh {
            return;
        }
        claim.realm_epoch = Some(draw.epoch());
        claim.database_epoch = Some(draw.epoch());
        claim.job_digest = Some(draw.digest());
        claim.marked = claim.marked || draw.yes();
        if claim.marked {
            claim.job = draw.maybe(Draw::uid);
            claim.started_by = draw.maybe(|draw| Permit { pod: draw.uid(), key: draw.digest() });
            claim.broken = draw.yes();
            claim.evidence = draw.evidence(8);
        }
    }

    fn take_reading(&mut self) {
        self.status.claim = None;
        let draw = &mut self.draw;
        let seen = Observed {
            identity: draw.identity(),
            state: draw.digest(),
            at: if draw.yes() { draw.time() } else { Time(i64::MIN) },
            inputs: draw.digest(),
            sequence: draw.below(1 << 53),
            unfinished: draw.maybe(Draw::operation),
            instance: draw.maybe(|draw| Instance {
                digest: draw.digest(),
                since: draw.time(),
                began: draw.time(),
                ended: draw.time(),
            }),
            in_sync: draw.yes(),
            refusal: draw.maybe(Draw::refusal),
        };
        self.status.observed = Some(seen);
        self.status.failures = draw.maybe(Draw::failures);
        self.status.plan = Some(self.plan().reference());
    }

    fn retire(&mut self) {
        let claim = self.status.claim.take().unwrap();
        let drop_hold = if claim.identity.is_some() { self.draw.maybe(Draw::operation) } else { None };
        self.status.owed = Some(Owed {
            operation: claim.operation,
            coordination: claim.coordination,
            realm_epoch: claim.realm_epoch,
            database_epoch: claim.database_epoch,
            database: claim.identity.map(|identity| identity.lease()),
            drop_hold,
        });
    }

    fn record_run(&mut self) {
        let claim = self.status.claim.clone().unwrap();
        let (plan, family) = (self.plan(), self.object.family());
        let draw = &mut self.draw;
        let evidence = draw.evidence(8);
        let outcome = if evidence.pods.len() > 1 { Outcome::Unknown } else { draw.outcome() };
        let reported = if outcome == Outcome::Unknown { draw.maybe(Draw::outcome) } else { None };
        self.status.record = Some(Record {
            operation: claim.operation,
            family,
            outcome,
            reported,
            plan: plan.reference(),
            basis: draw.maybe(|_| plan.basis()),
            access: Some(claim.access),
            realm_epoch: claim.realm_epoch,
            database_epoch: claim.database_epoch,
            identity: draw.identity(),
            job: draw.maybe(Draw::uid),
            evidence,
            dispatched_by: draw.maybe(Draw::digest),
            execution_not_after: claim.execution_not_after,
            not_before: draw.time(),
            since: draw.time(),
            attempts: None,
            last_answer: None,
            inherited: false,
        });
        self.status.plan = None;
        self.retire();
    }

    /// A run of either family that was found on the database's Lease.
    fn inherit(&mut self) {
        let (plan, own) = (self.plan(), self.object.family());
        let draw = &mut self.draw;
        let family = draw.one(&[Family::Schema, Family::Migration]);
        let known = family == own && draw.yes();
        let mut other = plan.reference();
        if !known {
            (other.uid, other.fingerprint) = (draw.uid(), draw.digest());
        }
        self.status.record = Some(Record {
            operation: draw.operation(),
            family,
            outcome: Outcome::Unknown,
            reported: None,
            plan: other,
            basis: known.then(|| plan.basis()),
            access: None,
            realm_epoch: None,
            database_epoch: None,
            identity: draw.identity(),
            job: None,
            evidence: RunEvidence::default(),
            dispatched_by: None,
            execution_not_after: draw.time(),
            not_before: draw.time(),
            since: draw.time(),
            attempts: None,
            last_answer: None,
            inherited: true,
        });
        self.status.plan = None;
    }

    fn settle(&mut self) {
        let record = self.status.record.clone().unwrap();
        let applied = self.object.family() == Family::Schema && record.basis.is_some() && self.draw.yes();
        let by = match self.draw.below(3) {
            0 => Resolution::Reading,
            1 => Resolution::Another,
            _ => Resolution::Acknowledgment(self.person(), self.draw.finding()),
        };
        self.retire();
        self.status.record = None;
        self.status.resolved = Some(Resolved { operation: record.operation, by });
        if applied {
            self.status.applied = Some(record.plan);
        }
    }
}

fn artifact() -> Value {
    json!({
        "ociRef": "oci://registry.test/db/x:1",
        "verificationPolicyFrom": { "name": "verify", "key": "policy.yaml" },
    })
}

fn object(kind: &str, spec: Value) -> Value {
    json!({
        "apiVersion": "operator.ptah.run/v1alpha1",
        "kind": kind,
        "metadata": {
            "name": "main", "namespace": "finance", "uid": "01890a5d-ac96-474b-bcce-b302099a8001",
            "resourceVersion": "1", "generation": 3,
        },
        "spec": spec,
    })
}

/// A plan as it is stored: under the name that is made from its fingerprint.
fn object_of_plan(kind: &str, spec: &str) -> Value {
    let spec: Value = serde_json::from_str(spec).unwrap();
    let fingerprint: Digest = spec["fingerprint"].as_str().unwrap().parse().unwrap();
    let mut plan = object(kind, spec);
    plan["metadata"]["name"] = plan::name(&fingerprint).to_string().into();
    plan["metadata"]["uid"] = "01890a5d-ac96-474b-bcce-b302099a8002".into();
    plan
}
