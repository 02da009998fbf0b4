//! A plan that is made is the plan that was decided, and its pieces are its bytes.

use ptah_lifecycle::{Epoch, Family, Section as Core, Time};
use ptah_records::operator::check::Record as _;
use ptah_records::operator::latest::{Claim, Frame};
use ptah_records::operator::time::Moment;
use serde_json::{Value, json};

use super::*;
use crate::fixtures::{self, golden};
use crate::frame::{self, About, Sent};
use crate::spec::PolicyState;

/// A schema whose refresh is under way.
fn schema() -> Object {
    fixtures::schema(json!({ "activeOperation": golden!("claim-refresh.json") }))
}

fn migration() -> Object {
    fixtures::migration(json!({ "activeOperation": golden!("claim-refresh.json") }))
}

/// A frame whose attachments are these bytes.
fn with_attached(mut golden: Value, attached: &[Vec<u8>]) -> Frame {
    for (place, bytes) in attached.iter().enumerate() {
        golden["body"]["attachments"][place]["storedSize"] = bytes.len().into();
    }
    serde_json::from_value(golden["body"].take()).unwrap()
}

fn decided(family: Family, frame: &Frame) -> Plan {
    let about = About { database: None, settles: None };
    let read = frame::read(frame, Sent { key: None, state_version: 1 }, &about).unwrap();
    let Core::Refresh(Ok(reading)) = read.section else { panic!() };
    Plan {
        uid: ptah_lifecycle::Uid(0),
        fingerprint: Digest::of(b"fingerprint"),
        resource: ids::uid("01890a5d-ac96-474b-bcce-b302099a8001").unwrap(),
        family,
        identity: reading.identity,
        proposal: reading.proposal.unwrap(),
        inputs: Digest::of(b"inputs"),
        binding: Epoch(7),
        state_version: 1,
        deleting: false,
        created: Time(1_796_000_000),
    }
}

fn made(object: &Object, plan: &Plan, frame: &Frame, attached: &[Vec<u8>]) -> Result<Made, Unwritable> {
    let (components, manager) = (fixtures::components(), fixtures::manager());
    let known = Known {
        now: Moment::from_milliseconds(1_796_000_000_000).unwrap(),
        components: &components,
        manager: &manager,
        verification: PolicyState::absent(),
        plan: None,
        people: std::collections::BTreeMap::new(),
        frame: Some(frame),
    };
    make(object, plan, &known, attached)
}

/// As it comes back from the API server, with a UID.
fn stored(plan: &StoredPlan) -> StoredPlan {
    let uid = "01890a5d-ac96-474b-bcce-b302099a8009";
    match plan {
        StoredPlan::Schema(plan) => {
            let mut value = serde_json::to_value(plan).unwrap();
            value["metadata"]["uid"] = uid.into();
            StoredPlan::Schema(serde_json::from_value(value).unwrap())
        }
        StoredPlan::Migration(plan) => {
            let mut value = serde_json::to_value(plan).unwrap();
            value["metadata"]["uid"] = uid.into();
            StoredPlan::Migration(serde_json::from_value(value).unwrap())
        }
    }
}

#[test]
fn a_plan_that_is_made_is_read_as_the_one_that_was_decided() {
    let bytes = [vec![1; 2 * PIECE + 9], vec![2; 10]];
    let schemas = with_attached(golden!("frame-refresh-schema.json"), &bytes);
    let migrations = with_attached(golden!("frame-refresh-migration.json"), &[]);
    for (object, family, frame, attached) in
        [(schema(), Family::Schema, schemas, &bytes[..]), (migration(), Family::Migration, migrations, &[])]
    {
        let plan = decided(family, &frame);
        let made = made(&object, &plan, &frame, attached).unwrap();
        let stored = stored(&made.plan);
        let uid = ids::uid(stored.metadata().uid.as_deref().unwrap()).unwrap();
        assert_eq!(super::super::read(&stored).unwrap(), Plan { uid, ..plan });
        let owner = &stored.metadata().owner_references.as_ref().unwrap()[0];
        assert_eq!(owner.uid, object.metadata().uid.clone().unwrap());
        assert_eq!(stored.metadata().name.as_deref(), Some(name(&plan.fingerprint).as_str()));
    }
}

#[test]
fn the_pieces_are_the_bytes_and_go_with_the_plan() {
    let bytes = [vec![1; 2 * PIECE + 9], vec![2; 10]];
    let frame = with_attached(golden!("frame-refresh-schema.json"), &bytes);
    let made = made(&schema(), &decided(Family::Schema, &frame), &frame, &bytes).unwrap();
    let StoredPlan::Schema(plan) = stored(&made.plan) else { panic!() };
    plan.spec.0.check().unwrap();
    let named = [&plan.spec.0.content, &plan.spec.0.desired];
    let named: Vec<&ChunkRef> = named.into_iter().flat_map(|content| content.chunks.as_slice()).collect();
    assert_eq!(named.len(), 4);
    for (named, (name, data)) in named.iter().zip(&made.pieces) {
        assert_eq!((&named.name, &named.digest), (name, &ids::sha256(Digest::of(data))));
        let piece = piece(&plan, name, data.clone());
        assert_eq!(piece.metadata.owner_references.unwrap()[0].uid, plan.metadata.uid.clone().unwrap());
    }
    let all: Vec<u8> = made.pieces.iter().flat_map(|(_, data)| data.clone()).collect();
    assert_eq!(all, bytes.concat());
}

#[test]
fn nothing_is_made_of_what_was_not_proposed() {
    let bytes = [vec![1; 9], vec![2; 10]];
    let frame = with_attached(golden!("frame-refresh-schema.json"), &bytes);
    let plan = decided(Family::Schema, &frame);
    assert_eq!(made(&schema(), &plan, &frame, &bytes[..1]), Err(Unwritable::Plan), "a document is missing");
    let mut other = plan;
    other.proposal.content = Digest::of(b"other bytes");
    assert_eq!(made(&schema(), &other, &frame, &bytes), Err(Unwritable::Plan), "other bytes were decided on");
    assert_eq!(made(&migration(), &plan, &frame, &bytes), Err(Unwritable::Plan), "another family's frame");
    let mut unclaimed = schema();
    unclaimed.common_mut().active_operation = None::<Claim>;
    assert_eq!(made(&unclaimed, &plan, &frame, &bytes), Err(Unwritable::Plan), "no reading is under way");
}
