//! Changes into steps: what SQLite is asked to do, in which order, what it costs, and what has to hold of the rows.
//!
//! Pure, but for one question to the linked SQLite about what it has. The same request and readings give the same
//! bytes.
//!
//! ```text
//! request ── the changes, sorted by what they are about
//! scene ──── both readings, what the build has, what is in the way (side, build, blocker)
//! rename ─── the first request of a plan: other names
//! object ─── whole objects: made (creation), gone (removal), replaced
//! table ──── a table that stays and changes: in_place (add_column, drop_column) or rebuild (copy, statistics)
//! check ──── questions about rows (rows, value)
//! order ──── what waits for what
//! ```
//!
//! Statements are never executed here, and nothing here knows a policy: whether a loss is permitted is the host's.

mod add_column;
mod blocker;
mod build;
mod case;
mod check;
mod constraint;
mod copy;
mod creation;
mod draft;
mod drop_column;
mod in_place;
mod needs;
mod object;
mod order;
mod parents;
mod places;
mod rebuild;
mod rebuild_checks;
mod refusal;
mod removal;
mod rename;
mod request;
mod rows;
mod scene;
mod side;
mod statistics;
mod table;
mod text;
mod value;

use ptah_provider_api::plan::{PlanReply, PlanRequest};
use ptah_provider_sdk::{Failure, FailureCode, error_with_reason};

use self::case::Case;
use self::object::Objects;
use self::refusal::Because;
use self::scene::Scene;
use crate::catalogue::SqliteSnapshot;

/// Turns changes into steps, or says by name what cannot be made.
///
/// # Errors
///
/// A request that mixes renames with other changes, or that changes a member which neither reading has.
pub(crate) fn plan(
    request: &PlanRequest,
    current: &SqliteSnapshot,
    desired: &SqliteSnapshot,
) -> Result<PlanReply, Failure> {
    let scene = Scene::new(request, current, desired)?;
    if scene.asked.renames.is_empty() {
        changes(&scene)
    } else if scene.asked.renames.len() == request.changes.len() {
        Ok(rename::plan(&scene))
    } else {
        Err(invalid("renames are planned by themselves, before other changes"))
    }
}

fn invalid(reason: &str) -> Failure {
    error_with_reason(FailureCode::InvalidArgument, reason)
}

fn changes(scene: &Scene<'_>) -> Result<PlanReply, Failure> {
    let Objects { mut drafts, mut refusals, .. } = Objects::plan(scene);
    for (name, changes) in &scene.asked.tables {
        let ids: Vec<_> = changes.iter().map(|(id, _)| *id).collect();
        if scene.current.subject(name).is_none() || scene.desired.subject(name).is_none() {
            refusals.extend(table::not_described(&ids, name.shown()));
            continue;
        }
        let case = Case::of(scene, name, changes)
            .map_err(|_| invalid("a change is about a member that the readings do not have"))?;
        match table::plan(&case) {
            Ok(made) => drafts.extend(made),
            Err(refused) => refusals.extend(refused),
        }
    }
    for (id, change) in &scene.asked.unsupported {
        let reason = format!("SQLite has no members of {} that could change", change.object);
        refusals.push(Because::new("action.unsupported", reason).of(*id));
    }
    refusals.sort_by_key(|refusal| refusal.change);
    Ok(PlanReply { steps: order::ordered(drafts), refusals })
}

#[cfg(test)]
mod tests;
