//! One session: a thread that owns the connection, and a mailbox of work for it.
//!
//! The transport drops a handler at its await point when the host goes away. Work is therefore never in a handler: it is
//! a closure in the mailbox, which runs to its end and then finds that nobody wants its reply.

mod actor;
pub(crate) mod locks;
mod transactions;
pub(crate) mod work;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use ptah_model::SnapshotId;
use ptah_provider_api::key::{RequestId, SessionId};
use ptah_provider_api::session::{OpenRequest, Purpose};
use tokio::sync::oneshot;

use crate::engine::{Engine, EngineSession, Interrupt, Opened, SessionFacts};
use crate::failure::{Failure, FailureCode, error_with_reason};
use crate::negotiation::with_host_features;
use crate::status::{exhausted, not_found, panicked};

pub(crate) use actor::{Actor, caught};
use locks::{LOCK_IDS_LIMIT, LockTable};

/// How long a call may go on after Close arrived, before it is interrupted.
const CLOSE_GRACE: Duration = Duration::from_secs(1);

/// How often it is interrupted until it gives in: an engine may have nothing to interrupt at the very moment.
const INTERRUPT_AGAIN: Duration = Duration::from_millis(100);

/// The most readings that one session keeps; the host closes the session long before.
const SNAPSHOTS_LIMIT: usize = 1_000;

/// Work for a session's thread.
type Job<S> = Box<dyn FnOnce(&mut Actor<S>) + Send>;

/// What a session's thread is asked for.
enum Letter<S: EngineSession> {
    Work(Job<S>),
    Close(oneshot::Sender<()>),
}

/// What handlers and the session's thread both see.
pub(crate) struct Shared<S: EngineSession> {
    pub(crate) id: SessionId,
    pub(crate) purpose: Purpose,
    /// Set when Close arrives: work that has not begun is refused.
    closing: AtomicBool,
    locks: Mutex<LockTable>,
    requests: Mutex<HashSet<RequestId>>,
    snapshots: Mutex<BTreeMap<SnapshotId, Arc<S::Snapshot>>>,
}

/// A session as handlers have it.
pub(crate) struct Handle<S: EngineSession> {
    pub(crate) shared: Arc<Shared<S>>,
    /// The engine's name, as the host asked for it.
    pub(crate) engine: String,
    /// What the session offers.
    pub(crate) features: BTreeSet<String>,
    mailbox: mpsc::Sender<Letter<S>>,
    interrupt: Interrupt,
}

impl<S: EngineSession> fmt::Debug for Handle<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("engine", &self.engine).finish_non_exhaustive()
    }
}

/// A poisoned mutex guards nothing here that a panic could leave half done.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<S: EngineSession> Shared<S> {
    fn new(id: SessionId, purpose: Purpose) -> Self {
        Self {
            id,
            purpose,
            closing: AtomicBool::new(false),
            locks: Mutex::default(),
            requests: Mutex::default(),
            snapshots: Mutex::default(),
        }
    }

    pub(crate) fn locks(&self) -> MutexGuard<'_, LockTable> {
        lock(&self.locks)
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Keeps a reading until the session closes.
    pub(crate) fn keep(&self, id: SnapshotId, snapshot: Arc<S::Snapshot>) -> Result<(), Failure> {
        let mut kept = lock(&self.snapshots);
        if kept.len() >= SNAPSHOTS_LIMIT {
            return Err(exhausted("the session keeps no more readings"));
        }
        kept.insert(id, snapshot);
        Ok(())
    }

    /// A reading that is kept.
    pub(crate) fn snapshot(&self, id: &SnapshotId) -> Option<Arc<S::Snapshot>> {
        lock(&self.snapshots).get(id).cloned()
    }

    /// Spends a request ID. One that came before, also for a lock, is refused: nothing runs twice.
    pub(crate) fn spend(&self, request: &RequestId) -> Result<(), Failure> {
        if self.locks().contains(request) {
            return Err(seen_before());
        }
        let mut requests = lock(&self.requests);
        if requests.len() >= LOCK_IDS_LIMIT {
            return Err(exhausted("the session remembers no more request IDs"));
        }
        if requests.insert(request.clone()) { Ok(()) } else { Err(seen_before()) }
    }

    /// Whether a request ID was spent for something that is no lock.
    pub(crate) fn is_spent(&self, request: &RequestId) -> bool {
        lock(&self.requests).contains(request)
    }
}

/// The answer to a request ID that came before.
pub(crate) fn seen_before() -> Failure {
    error_with_reason(FailureCode::AlreadyExists, "the request ID was used before on this session")
}

impl<S: EngineSession> Handle<S> {
    /// Opens a session on a thread of its own. When nobody waits for it any more, it is closed at once.
    pub(crate) async fn open<E: Engine<Session = S>>(
        engine: Arc<E>,
        request: OpenRequest,
        id: SessionId,
        host: Arc<BTreeSet<String>>,
    ) -> Result<(Self, SessionFacts), Failure> {
        let name = request.engine.as_str().to_owned();
        let shared = Arc::new(Shared::new(id, request.purpose));
        let (mailbox, letters) = mpsc::channel();
        let (tell, told) = oneshot::channel();
        let theirs = Arc::clone(&shared);
        let run = move || {
            with_host_features(host, || match caught(|| engine.open(&request)) {
                Ok(Opened { session, facts }) => {
                    let wanted = tell.send(Ok((session.interrupt(), facts))).is_ok();
                    serve_letters(Actor::new(session, theirs), letters, wanted);
                }
                Err(failure) => drop(tell.send(Err(failure))),
            });
        };
        let spawned = thread::Builder::new().name("session".to_owned()).spawn(run);
        spawned.map_err(|_| exhausted("no thread could be started for the session"))?;
        let (interrupt, facts) = told.await.unwrap_or_else(|_| Err(panicked()))?;
        let features = facts.features.clone();
        Ok((Self { shared, engine: name, features, mailbox, interrupt }, facts))
    }

    /// Has the session's thread do something, after all that came before. Dropping the future drops the reply alone.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Actor<S>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let (tell, told) = oneshot::channel();
        let job = move |actor: &mut Actor<S>| drop(tell.send(actor.run(work)));
        let gone = || not_found("the session is closed");
        self.mailbox.send(Letter::Work(Box::new(job))).map_err(|_| gone())?;
        told.await.unwrap_or_else(|_| Err(gone()))
    }

    /// Ends the session: refuses what waits, gives what runs a grace and then interrupts it, until the thread is done.
    pub(crate) async fn close(&self) {
        self.shared.closing.store(true, Ordering::Release);
        let (tell, mut told) = oneshot::channel();
        if self.mailbox.send(Letter::Close(tell)).is_err() {
            return;
        }
        let mut patience = CLOSE_GRACE;
        while tokio::time::timeout(patience, &mut told).await.is_err() {
            let interrupt = Arc::clone(&self.interrupt);
            drop(caught(|| {
                interrupt();
                Ok(())
            }));
            patience = INTERRUPT_AGAIN;
        }
        lock(&self.shared.snapshots).clear();
    }
}

/// The life of a session's thread.
fn serve_letters<S: EngineSession>(mut actor: Actor<S>, letters: mpsc::Receiver<Letter<S>>, wanted: bool) {
    let done = if wanted { letters_until_close(&mut actor, &letters) } else { None };
    actor.close();
    if let Some(done) = done {
        let _ = done.send(());
    }
}

/// Does what is asked for until Close, which is answered when all is done, or until no handler is left.
fn letters_until_close<S: EngineSession>(
    actor: &mut Actor<S>,
    letters: &mpsc::Receiver<Letter<S>>,
) -> Option<oneshot::Sender<()>> {
    loop {
        match letters.recv() {
            Ok(Letter::Work(job)) => job(actor),
            Ok(Letter::Close(tell)) => return Some(tell),
            Err(mpsc::RecvError) => return None,
        }
    }
}
