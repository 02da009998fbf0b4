//! Taking away everything of ours from a database, under the lock.

use ptah_provider_api::lock::LockState;
use ptah_provider_api::session::Purpose;
use ptah_provider_host::{Answer, HostError};

use crate::desired::scope;
use crate::engine::Engine;
use crate::failure::Failure;
use crate::look::Place;
use crate::patience::{one_wait, within};
use crate::progress::Progress;
use crate::run::Stop;

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgotten {
    /// Nothing of ours is in the database any more.
    Done,
    /// There is no database; nothing was changed.
    Absent,
    /// Another run holds the lock; nothing was changed.
    Busy,
    /// The lock was not held, or nobody knows; nothing was changed.
    LockLost,
    /// Nobody knows whether it was carried out: the answer was lost.
    Unknown,
}

/// Takes our tables away. The provider refuses while an operation is unfinished.
pub async fn forget(
    engine: &Engine,
    place: &Place,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<Forgotten, Failure> {
    let session = tokio::select! {
        session = place.open(engine, Purpose::Apply, progress) => session?,
        () = stop.asked() => return Err(Failure::Interrupted),
    };
    if !session.facts().exists {
        return Ok(Forgotten::Absent);
    }
    let scope = scope()?;
    let lock = session.lock(&scope);
    match session.try_lock(&lock).await.into_result()?.state {
        LockState::Acquired => {}
        LockState::Busy => return Ok(Forgotten::Busy),
        LockState::Lost | LockState::Released => return Ok(Forgotten::LockLost),
    }
    // Done twice it is done once, so a call that waited for other writers in vain is made again, until a person stops it.
    let forget = async |_| match session.forget(&scope).await {
        Answer::Reply(()) => Ok(Forgotten::Done),
        Answer::NotSent(error) => Err(error),
        // The provider answered, and said no: its own tables go in one transaction or not at all. Whether that one was
        // committed it may not know.
        Answer::Lost(error @ HostError::CallFailed { code, .. }) if !code.is_unknown() => Err(error),
        Answer::Lost(_) => Ok(Forgotten::Unknown),
    };
    let forgotten = within(place.lock, Some(one_wait(place.lock)), (progress, Some(stop)), forget).await;
    let _released = session.release_lock(&lock).await;
    Ok(forgotten?)
}
