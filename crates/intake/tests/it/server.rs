//! A running server, and what it was told.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use ptah_intake::authority::Authority;
use ptah_intake::{Delivery, Intake, Names, Note, read_delivery, serve};
use ptah_records::operator::text::{OperationId, Uid};
use ptah_records::operator::time::Moment;
use tokio::sync::oneshot;

use crate::parts::{Manager, POD, Say, Shelf, Tokens};

/// A running server. It ends with the value.
pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) authority: Authority,
    pub(crate) names: Arc<Names>,
    pub(crate) manager: Arc<Manager>,
    pub(crate) shelf: Arc<Shelf>,
    notes: Arc<Mutex<Vec<Note>>>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(says: &[Say]) -> Self {
        Self::of(Authority::new(now()).unwrap(), Arc::new(Manager::new(says)), Arc::new(Shelf::default()))
    }

    /// Another replica: what it shares with this one is what the API server keeps.
    pub(crate) fn replica(&self) -> Self {
        let authority = Authority::from_secret(self.authority.to_secret()).unwrap();
        Self::of(authority, self.manager.clone(), self.shelf.clone())
    }

    fn of(authority: Authority, manager: Arc<Manager>, shelf: Arc<Shelf>) -> Self {
        let names = Names::new(&authority).unwrap();
        let notes = Arc::new(Mutex::new(Vec::new()));
        let told = notes.clone();
        let intake = Intake::new(Tokens, manager.clone(), shelf.clone());
        let intake = Arc::new(intake.watched(move |note| told.lock().unwrap().push(note)));
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (stop, stopped) = oneshot::channel();
        let serving = names.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                let stopped = async { drop(stopped.await) };
                serve(listener, &serving, intake, stopped).await.unwrap();
            });
        });
        Self { port, authority, names, manager, shelf, notes, stop: Some(stop), thread: Some(thread) }
    }

    pub(crate) fn tell_to_end(&mut self) {
        drop(self.stop.take());
    }

    /// What was asked and answered so far.
    pub(crate) fn notes(&self) -> Vec<Note> {
        self.notes.lock().unwrap().clone()
    }

    /// The statuses of the answers to this sort of request.
    pub(crate) fn statuses(&self, asked: &str) -> Vec<u16> {
        self.notes().iter().filter(|note| note.asked == asked).map(|note| note.status).collect()
    }

    /// What the Pod's records amount to.
    pub(crate) fn delivery(&self, operation: &OperationId) -> Delivery {
        read_delivery(operation, &Uid::new(POD).unwrap(), self.shelf.records())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || std::thread::panicking(), "the server ends when it is told to");
    }
}

pub(crate) fn now() -> Moment {
    in_seconds(0)
}

pub(crate) fn in_seconds(seconds: i64) -> Moment {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis();
    Moment::from_milliseconds(u64::try_from(i64::try_from(now).unwrap() + seconds * 1_000).unwrap()).unwrap()
}

/// Waits for something that comes.
pub(crate) fn until<T>(mut found: impl FnMut() -> Option<T>) -> T {
    for _ in 0..3_000 {
        if let Some(found) = found() {
            return found;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("it did not come within 30 seconds");
}
