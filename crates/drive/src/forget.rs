//! Taking away everything of ours from a database, under the lock.

use ptah_provider_api::lock::LockState;
use ptah_provider_api::session::{OpenTarget, Purpose};
use ptah_provider_host::{Answer, HostError, Opening};

use crate::desired::{one_wait, scope};
use crate::engine::Engine;
use crate::failure::Failure;
use crate::look::Place;

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgotten {
    /// Nothing of ours is in the database any more.
    Done,
    /// Another run holds the lock; nothing was changed.
    Busy,
    /// Nobody knows whether it was carried out: the answer was lost.
    Unknown,
}

/// Takes our tables away. The provider refuses while an operation is unfinished.
pub async fn forget(engine: &Engine, place: &Place) -> Result<Forgotten, Failure> {
    let opening = Opening {
        recover: true,
        accept: place.accept.clone(),
        lock_timeout: one_wait(place.lock),
        ..Opening::new(engine.name().clone(), OpenTarget::Address(place.address.clone()), Purpose::Apply)
    };
    let session = engine.provider().open(opening).await?;
    let scope = scope()?;
    let lock = session.lock(&scope);
    if session.try_lock(&lock).await.into_result()?.state != LockState::Acquired {
        return Ok(Forgotten::Busy);
    }
    let forgotten = match session.forget(&scope).await {
        Answer::Reply(()) => Ok(Forgotten::Done),
        Answer::NotSent(error) => Err(Failure::Provider(error)),
        // The provider answered, and said no: its own tables go in one transaction or not at all.
        Answer::Lost(error @ HostError::CallFailed { .. }) => Err(Failure::Provider(error)),
        Answer::Lost(_) => Ok(Forgotten::Unknown),
    };
    let _released = session.release_lock(&lock).await;
    forgotten
}
