//! The work of one operation, and how its process ends.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use ptah_records::operator::latest::{Attachment, Frame, OperationSpec, Section, Stage, Work};
use ptah_records::operator::list::List;
use ptah_records::operator::text::Uid;

use super::store::{Session, Store};
use super::trouble::{Kind, Trouble};
use super::{apply, refresh, settle};

/// The file in the result's folder by which a process says that it hangs from now on.
pub const HANGS: &str = "hangs";

/// Where the work is done.
#[derive(Debug)]
pub struct Place<'a> {
    /// The database and the registry.
    pub store: &'a Store,
    /// The operation.
    pub spec: &'a OperationSpec,
    /// The Pod.
    pub pod: &'a Uid,
    /// What the container that fetches left.
    pub stage: Option<Stage>,
    /// The folder with the pieces of a plan or of a desired document, each named by its number in four digits.
    pub content: PathBuf,
}

/// How the process ends.
#[derive(Debug)]
pub enum Ending {
    /// It leaves this.
    Reports(Box<Parcel>),
    /// It is killed. What it holds goes with it.
    Dies(Option<Session>),
    /// It goes on for ever.
    Hangs(Option<Session>),
    /// It ends without a word.
    SaysNothing,
}

/// A frame, and what follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parcel {
    /// The frame.
    pub frame: Frame,
    /// The plan, where the frame announces one.
    pub plan: Vec<u8>,
    /// The desired document, where the frame announces one.
    pub desired: Vec<u8>,
}

/// Does the work. The database's lock is held until what is returned is dropped.
///
/// # Errors
/// The script is broken, or what was mounted is not what the operation names. Then nothing is reported.
pub fn work(place: &Place<'_>) -> Result<Ending> {
    let kind = Kind::of(place.spec);
    let trouble = place.store.update(|script| Ok(script.take(kind, false)))?;
    match &place.spec.work {
        Work::Refresh { reading, .. } => refresh::refresh(place, reading, trouble),
        Work::Settle { target_identity, basis, .. } => settle::settle(place, target_identity, basis, trouble),
        Work::Apply { .. } => apply::apply(place, trouble),
    }
}

impl Place<'_> {
    /// A frame that nothing follows.
    pub(super) fn reports(&self, sections: Vec<Section>) -> Result<Ending> {
        self.reports_with(sections, Vec::new(), Vec::new(), Vec::new())
    }

    /// A frame, and what follows it.
    pub(super) fn reports_with(
        &self,
        sections: Vec<Section>,
        attachments: Vec<Attachment>,
        plan: Vec<u8>,
        desired: Vec<u8>,
    ) -> Result<Ending> {
        let frame = Frame {
            operation_id: self.spec.operation_id.clone(),
            pod_uid: self.pod.clone(),
            ptah_version: self.spec.ptah_version.clone(),
            runner_protocol_version: self.spec.runner_protocol_version,
            sections: List::new(sections)?,
            attachments: List::new(attachments)?,
        };
        Ok(Ending::Reports(Box::new(Parcel { frame, plan, desired })))
    }

    /// How long it waits for the lock.
    pub(super) fn patience(&self) -> Duration {
        Duration::from_millis(self.spec.limits.lock_timeout_milliseconds.get())
    }
}

/// How a reading ends that trouble keeps from reporting anything.
pub(super) fn silenced(trouble: Option<&Trouble>, session: Option<Session>) -> Result<Ending, Option<Session>> {
    match trouble {
        Some(Trouble::Dies { .. }) => Ok(Ending::Dies(session)),
        Some(Trouble::Hangs { .. }) => Ok(Ending::Hangs(session)),
        Some(Trouble::SaysNothing { .. }) => Ok(Ending::SaysNothing),
        _ => Err(session),
    }
}
