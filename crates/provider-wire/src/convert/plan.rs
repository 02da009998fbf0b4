//! Plan: changes in, steps or refusals out.

use ptah_model::{EngineName, MemberId, Name, ObjectId};
use ptah_provider_api::plan::{
    FacetChange, PlanReply, PlanRequest, PlannedAction, PlannedChange, Refusal, SnapshotRef,
};
use ptah_provider_api::step::ChangeId;

use super::schema::facet;
use super::{OnWire, WireError, from_list, parsed, required, to_list, unless_equal};
use crate::pb;
use crate::pb::planned_change::Action;

impl OnWire for PlanRequest {
    type Message = pb::PlanRequest;

    fn to_wire(self) -> pb::PlanRequest {
        let Self { engine, current, desired, changes } = self;
        pb::PlanRequest {
            engine: engine.as_str().to_owned(),
            current: Some(current.to_wire()),
            desired: Some(desired.to_wire()),
            changes: to_list(changes),
        }
    }

    fn from_wire(message: pb::PlanRequest) -> Result<Self, WireError> {
        const M: &str = "PlanRequest";
        Ok(Self {
            engine: parsed(EngineName::new(message.engine), M, "engine")?,
            current: SnapshotRef::from_wire(required(message.current, M, "current")?)?,
            desired: SnapshotRef::from_wire(required(message.desired, M, "desired")?)?,
            changes: from_list(message.changes)?,
        })
    }
}

impl OnWire for PlannedChange {
    type Message = pb::PlannedChange;

    fn to_wire(self) -> pb::PlannedChange {
        let Self { object, member, action } = self;
        pb::PlannedChange {
            object: Some(object.to_wire()),
            member: member.map(OnWire::to_wire),
            action: Some(match action {
                PlannedAction::Create => Action::Create(pb::CreateAction {}),
                PlannedAction::Drop => Action::Drop(pb::DropAction {}),
                PlannedAction::Alter(facets) => Action::Alter(pb::AlterAction { facets: to_list(facets) }),
                PlannedAction::Rename(name) => Action::Rename(name.to_wire()),
                PlannedAction::Reorder => Action::Reorder(pb::ReorderAction {}),
            }),
        }
    }

    fn from_wire(message: pb::PlannedChange) -> Result<Self, WireError> {
        const M: &str = "PlannedChange";
        Ok(Self {
            object: ObjectId::from_wire(required(message.object, M, "object")?)?,
            member: message.member.map(MemberId::from_wire).transpose()?,
            action: match required(message.action, M, "action")? {
                Action::Create(pb::CreateAction {}) => PlannedAction::Create,
                Action::Drop(pb::DropAction {}) => PlannedAction::Drop,
                Action::Alter(alter) => PlannedAction::Alter(from_list(alter.facets)?),
                Action::Rename(name) => PlannedAction::Rename(Name::from_wire(name)?),
                Action::Reorder(pb::ReorderAction {}) => PlannedAction::Reorder,
            },
        })
    }
}

impl OnWire for FacetChange {
    type Message = pb::FacetChange;

    fn to_wire(self) -> pb::FacetChange {
        let Self { name, from, to } = self;
        let value = |facet: ptah_model::Facet| pb::FacetValue {
            canonical: unless_equal(&facet.text, &facet.canonical),
            text: facet.text,
        };
        pb::FacetChange { name, from: from.map(value), to: to.map(value) }
    }

    fn from_wire(message: pb::FacetChange) -> Result<Self, WireError> {
        let some = message.from.is_some() || message.to.is_some();
        WireError::unless(some, "FacetChange", "from", "has at least one side")?;
        let value = |v: pb::FacetValue| facet(v.text, v.canonical);
        Ok(Self { name: message.name, from: message.from.map(value), to: message.to.map(value) })
    }
}

impl OnWire for PlanReply {
    type Message = pb::PlanReply;

    fn to_wire(self) -> pb::PlanReply {
        let Self { steps, refusals } = self;
        pb::PlanReply { steps: to_list(steps), refusals: to_list(refusals) }
    }

    fn from_wire(message: pb::PlanReply) -> Result<Self, WireError> {
        Ok(Self { steps: from_list(message.steps)?, refusals: from_list(message.refusals)? })
    }
}

impl OnWire for Refusal {
    type Message = pb::Refusal;

    fn to_wire(self) -> pb::Refusal {
        let Self { change, code, reason, hint } = self;
        pb::Refusal { change_id: change.0, code, reason, hint }
    }

    fn from_wire(message: pb::Refusal) -> Result<Self, WireError> {
        let pb::Refusal { change_id, code, reason, hint } = message;
        Ok(Self { change: ChangeId(change_id), code, reason, hint })
    }
}
