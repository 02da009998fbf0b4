//! Plans and dev databases: changes in, steps out, and places to try them.

use prost::Message as _;
use ptah_provider_api::feature::{DEV_PROVISION, SCHEMA_PLAN};
use ptah_provider_api::plan::{PlanReply, PlanRequest};
use ptah_provider_api::reading::Reading;
use ptah_provider_wire::{OnWire, pb};
use tonic::Code;

use super::table;
use crate::lab::Lab;
use crate::message::fresh;
use crate::peer::{Peer, Session, outcome};
use crate::rule::{Check, Stop, broken, ensure, refusal, refused_with, reply};

table! { "plans":
    an_empty_dev_database_reads_as_empty [DEV_PROVISION] on database => "A dev database starts with nothing, or with the schema of a reading.",
    a_copy_reads_as_what_it_is_a_copy_of [DEV_PROVISION] on database => "A dev database starts with the schema of a reading, without rows.",
    a_change_in_a_dev_database_stays_there [DEV_PROVISION] on database => "A dev database is a scratch database of its own.",
    two_dev_databases_are_two [DEV_PROVISION] on database => "A dev database is a scratch database of its own.",
    a_dev_database_answers_its_request [DEV_PROVISION] on database => "A reply says which request it answers.",
    a_copy_of_no_reading_is_not_found [DEV_PROVISION] => "A call that names a reading that is not there fails with NOT_FOUND.",
    a_dev_database_of_another_process_opens_nothing [DEV_PROVISION] on database => "A dev database is one of this process.",
    a_plan_keeps_the_contract [SCHEMA_PLAN, DEV_PROVISION] on database =>
        "Each change is served or refused, steps are distinct, and what comes before a step is a step of the reply.",
    the_same_question_gives_the_same_plan [SCHEMA_PLAN, DEV_PROVISION] on database =>
        "The same request on the same readings gives the same bytes.",
    a_plan_that_is_carried_out_makes_the_desired_schema [SCHEMA_PLAN, DEV_PROVISION] on database =>
        "What was planned and executed reads as the desired schema.",
    a_plan_that_takes_away_leaves_the_empty_schema [SCHEMA_PLAN, DEV_PROVISION] on database =>
        "What was planned and executed reads as the desired schema.",
    a_plan_of_no_reading_is_not_found [SCHEMA_PLAN] =>
        "A call that names a reading that is not there fails with NOT_FOUND.",
}

/// Makes a dev database and opens it.
async fn dev<'p>(
    lab: &Lab<'_>,
    session: &Session<'p>,
    content: pb::provision_dev_request::Content,
) -> Result<Session<'p>, Stop> {
    let made = provision(lab, session, content).await?;
    session.peer.open(opening(lab, &made)).await
}

/// Makes an empty dev database and opens it.
pub(super) async fn empty_dev<'p>(lab: &Lab<'_>, session: &Session<'p>) -> Result<Session<'p>, Stop> {
    dev(lab, session, pb::provision_dev_request::Content::Empty(pb::DevEmpty {})).await
}

async fn provision(
    lab: &Lab<'_>,
    session: &Session<'_>,
    content: pb::provision_dev_request::Content,
) -> Result<String, Stop> {
    let (request_id, engine) = (fresh(), lab.engine());
    let asked = pb::ProvisionDevRequest {
        request_id: request_id.clone(),
        engine,
        session_id: Some(session.id()),
        content: Some(content),
    };
    let made = reply("ProvisionDev", session.client().provision_dev(asked).await)?;
    ensure(made.request_id == request_id, "ProvisionDev", "another request ID")?;
    ensure(!made.dev_id.is_empty(), "ProvisionDev", "an empty dev_id")?;
    Ok(made.dev_id)
}

fn opening(lab: &Lab<'_>, dev_id: &str) -> pb::OpenRequest {
    pb::OpenRequest {
        request_id: fresh(),
        engine: lab.engine(),
        purpose: pb::Purpose::Dev.into(),
        target: Some(pb::open_request::Target::DevId(dev_id.to_owned())),
        ..Default::default()
    }
}

async fn an_empty_dev_database_reads_as_empty(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    session.apply(&[&lab.create("a")], None).await?;
    let reading = empty_dev(lab, &session).await?.read().await?;
    ensure(reading.count == 0, "ProvisionDev of an empty one, Open, Inspect", format!("{} objects", reading.count))
}

async fn copy<'p>(lab: &Lab<'_>, session: &Session<'p>) -> Result<(Session<'p>, Reading), Stop> {
    session.apply(&[&lab.create("a"), &lab.create("b")], None).await?;
    let reading = session.read().await?;
    let content = pb::provision_dev_request::Content::CopyOf(session.reference(&reading.snapshot));
    Ok((dev(lab, session, content).await?, reading))
}

async fn a_copy_reads_as_what_it_is_a_copy_of(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let (dev, reading) = copy(lab, &session).await?;
    let same = dev.fingerprint().await? == reading.fingerprint;
    ensure(same, "ProvisionDev of a copy, Open, Inspect", "another schema than the reading")
}

async fn a_change_in_a_dev_database_stays_there(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let (dev, reading) = copy(lab, &session).await?;
    dev.apply(&[&lab.create("c")], None).await?;
    ensure(dev.fingerprint().await? != reading.fingerprint, "Execute in a dev database", "nothing changed there")?;
    let same = session.fingerprint().await? == reading.fingerprint;
    ensure(same, "Execute in a dev database, Inspect of the target", "the target changed")
}

async fn two_dev_databases_are_two(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let (one, other) = (empty_dev(lab, &session).await?, empty_dev(lab, &session).await?);
    one.apply(&[&lab.create("a")], None).await?;
    let reading = other.read().await?;
    ensure(reading.count == 0, "Execute in one dev database, Inspect of another", "the other changed")
}

async fn a_dev_database_answers_its_request(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let content = pb::provision_dev_request::Content::Empty(pb::DevEmpty {});
    provision(lab, &session, content).await.map(drop)
}

fn nowhere() -> pb::SnapshotRef {
    pb::SnapshotRef { session_id: "0123456789012345678901-nowhere".to_owned(), snapshot_id: "nowhere".to_owned() }
}

async fn a_copy_of_no_reading_is_not_found(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let content = Some(pb::provision_dev_request::Content::CopyOf(nowhere()));
    let asked = pb::ProvisionDevRequest { request_id: fresh(), engine: lab.engine(), session_id: None, content };
    let answer = peer.client().provision_dev(asked).await;
    refused_with("ProvisionDev of a copy of a reading that is not there", answer, &[Code::NotFound]).map(drop)
}

async fn a_dev_database_of_another_process_opens_nothing(lab: &Lab<'_>) -> Check {
    let (one, other) = (lab.start().await?, lab.start().await?);
    let session = lab.open(&one).await?;
    let made = provision(lab, &session, pb::provision_dev_request::Content::Empty(pb::DevEmpty {})).await?;
    let answer = other.client().open(opening(lab, &made)).await;
    refusal("Open of a dev database of another process", answer).map(drop)
}

/// Two readings and the changes that lead from one to the other, as far as whole objects go.
struct Question<'p> {
    current: Session<'p>,
    desired: Session<'p>,
    wanted: Reading,
    request: pb::PlanRequest,
}

impl<'p> Question<'p> {
    /// From nothing to two objects, or the other way around.
    async fn ask(lab: &Lab<'_>, peer: &'p Peer, creates: bool) -> Result<Self, Stop> {
        let session = lab.open(peer).await?;
        let (full, empty) = (empty_dev(lab, &session).await?, empty_dev(lab, &session).await?);
        full.apply(&[&lab.create("a"), &lab.create("b")], None).await?;
        let objects: Vec<pb::ObjectId> = {
            let reading = full.read().await?;
            // Objects that belong to others come and go with them.
            let alone = reading.schema.objects().filter(|object| object.id.owner.is_none());
            alone.map(|object| object.id.clone().to_wire()).collect()
        };
        let (current, desired) = if creates { (empty, full) } else { (full, empty) };
        let (from, wanted) = (current.read().await?, desired.read().await?);
        let action = || {
            if creates {
                pb::planned_change::Action::Create(pb::CreateAction {})
            } else {
                pb::planned_change::Action::Drop(pb::DropAction {})
            }
        };
        let change = |object| pb::PlannedChange { object: Some(object), member: None, action: Some(action()) };
        let request = pb::PlanRequest {
            engine: lab.engine(),
            current: Some(current.reference(&from.snapshot)),
            desired: Some(desired.reference(&wanted.snapshot)),
            changes: objects.into_iter().map(change).collect(),
        };
        Ok(Self { current, desired, wanted, request })
    }

    async fn plan(&self) -> Result<pb::PlanReply, Stop> {
        reply("Plan", self.desired.client().plan(self.request.clone()).await)
    }
}

async fn a_plan_keeps_the_contract(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let question = Question::ask(lab, &peer, true).await?;
    let asked = PlanRequest::from_wire(question.request.clone());
    let asked = asked.map_err(|rule| broken("Plan", format!("our own request: {rule}")))?;
    let plan = PlanReply::from_wire(question.plan().await?).and_then(|plan| plan.validate_for(&asked));
    plan.map_err(|rule| broken("Plan", rule.to_string()))
}

async fn the_same_question_gives_the_same_plan(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let question = Question::ask(lab, &peer, true).await?;
    let (one, other) = (question.plan().await?, question.plan().await?);
    ensure(one.encode_to_vec() == other.encode_to_vec(), "Plan twice", "two different plans")
}

async fn carried_out(lab: &Lab<'_>, creates: bool) -> Check {
    const SENT: &str = "Plan, Execute of its units in the order of the reply, Inspect";
    let peer = lab.start().await?;
    let question = Question::ask(lab, &peer, creates).await?;
    let plan = question.plan().await?;
    ensure(plan.refusals.is_empty(), "Plan of whole objects", "a refusal")?;
    let mut request = question.current.execution(&[], None);
    request.units = plan.steps.into_iter().filter_map(|step| step.unit).collect();
    let done = super::execution::executed(&question.current, request, SENT).await?;
    ensure(done.outcome() == pb::Outcome::Applied, SENT, outcome(&done))?;
    let same = question.current.fingerprint().await? == question.wanted.fingerprint;
    ensure(same, SENT, "another schema than the desired one")
}

async fn a_plan_that_is_carried_out_makes_the_desired_schema(lab: &Lab<'_>) -> Check {
    carried_out(lab, true).await
}

async fn a_plan_that_takes_away_leaves_the_empty_schema(lab: &Lab<'_>) -> Check {
    carried_out(lab, false).await
}

async fn a_plan_of_no_reading_is_not_found(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let request = pb::PlanRequest {
        engine: lab.engine(),
        current: Some(nowhere()),
        desired: Some(nowhere()),
        changes: Vec::new(),
    };
    let answer = peer.client().plan(request).await;
    refused_with("Plan of readings that are not there", answer, &[Code::NotFound]).map(drop)
}
