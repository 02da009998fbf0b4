//! A server for results that lets the first Pod of every operation in, and keeps what it delivers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use anyhow::{Result, bail};
use ptah_admission::cases::Actor;
use ptah_intake::authority::Authority;
use ptah_intake::{
    ClusterReviewer, ClusterStore, Delivery, Gatekeeper, Intake, Names, Permitted, Place, Pod, Standing, Store as _,
    read_delivery, serve,
};
use ptah_records::operator::latest::{Frame, OperationSpec, PermitAnswer, PermitRequest};
use ptah_records::operator::text::{Code, HostName, LabelName, OperationId, Sentence, Sha256, Uid};
use ptah_records::operator::time::Moment;
use ptah_records::operator::whole::Whole;
use tokio::task::JoinHandle;

use crate::wait::until;
use crate::world::World;

/// The server, until it is dropped.
pub(super) struct Results {
    authority: Authority,
    port: u16,
    namespace: LabelName,
    store: Arc<ClusterStore>,
    gatekeeper: Arc<FirstComes>,
    serving: JoinHandle<()>,
}

struct FirstComes {
    namespace: LabelName,
    permits: Mutex<HashMap<OperationId, (Uid, Sha256)>>,
    refused: Mutex<Vec<Uid>>,
}

impl Gatekeeper for FirstComes {
    async fn permit(&self, pod: &Pod, request: PermitRequest) -> Permitted {
        let mut permits = self.permits.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = (pod.uid.clone(), request.key_digest);
        let permit = permits.entry(request.operation_id.clone()).or_insert_with(|| asked.clone());
        let (Ok(budget_seconds), Ok(code), Ok(sentence)) =
            (Whole::new(60), Code::new("taken"), Sentence::new("Another one was let in."))
        else {
            return Permitted::NotLeader;
        };
        Permitted::Answer(if *permit == asked {
            PermitAnswer::Granted { operation_id: request.operation_id, budget_seconds }
        } else {
            self.refused.lock().unwrap_or_else(PoisonError::into_inner).push(asked.0);
            PermitAnswer::Refused { code, sentence }
        })
    }

    async fn standing(&self, operation: &OperationId, pod: &Uid) -> Standing {
        let permits = self.permits.lock().unwrap_or_else(PoisonError::into_inner);
        let own = permits.get(operation).filter(|(permitted, _)| permitted == pod);
        let Ok(resource) = Uid::new("a-resource") else { return Standing::NotKnownHere };
        Standing::Live(Place { namespace: self.namespace.clone(), resource, key: own.map(|(_, key)| key.clone()) })
    }
}

impl Results {
    pub(super) async fn serve(world: &World, namespace: &str) -> Result<Self> {
        let authority = Authority::new(in_seconds(0)?)?;
        let names = Names::new(&authority)?;
        let namespace = LabelName::new(namespace)?;
        let manager = || Ok::<_, anyhow::Error>(world.user(Actor::Manager)?.client());
        let store = Arc::new(ClusterStore::new(manager()?));
        let gatekeeper =
            Arc::new(FirstComes { namespace: namespace.clone(), permits: Mutex::default(), refused: Mutex::default() });
        let intake = Intake::new(ClusterReviewer::new(manager()?), gatekeeper.clone(), store.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let serving = tokio::spawn(async move {
            drop(serve(listener, &names, Arc::new(intake), std::future::pending()).await);
        });
        Ok(Self { authority, port, namespace, store, gatekeeper, serving })
    }

    /// The Pods that were not let in, in order.
    pub(super) fn refused(&self) -> Vec<Uid> {
        self.gatekeeper.refused.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Has an operation report here, with a minute's time.
    pub(super) fn addressed(&self, spec: &mut OperationSpec) -> Result<()> {
        spec.namespace = self.namespace.clone();
        spec.delivery.host = HostName::new("localhost")?;
        spec.delivery.port = Whole::new(u64::from(self.port))?;
        spec.delivery.server_name = self.authority.newest().server_name().clone();
        spec.delivery.authority = self.authority.newest().authority().clone();
        spec.limits.dispatch_not_after = in_seconds(60)?;
        spec.limits.execution_not_after = in_seconds(120)?;
        Ok(())
    }

    /// What a Pod delivered about an operation; nothing while a part is missing.
    pub(super) async fn delivered(&self, operation: &OperationId, pod: &str) -> Result<Option<Frame>> {
        Ok(self.whole(operation, pod).await?.map(|(frame, _)| frame))
    }

    /// The same with the bytes of what comes first after the frame.
    async fn whole(&self, operation: &OperationId, pod: &str) -> Result<Option<(Frame, Vec<u8>)>> {
        let records = self.store.list(&self.namespace, operation).await?;
        match read_delivery(operation, &Uid::new(pod)?, records) {
            Delivery::Whole(whole) => {
                Ok(Some((whole.frame, whole.attachments.into_iter().next().map(|one| one.bytes).unwrap_or_default())))
            }
            Delivery::NotWhole => Ok(None),
            Delivery::Conflict(conflict) => bail!(conflict),
        }
    }

    /// Frame and plan, once they are there.
    pub(super) async fn wait_for_plan(&self, operation: &OperationId, pod: &str) -> Result<(Frame, Vec<u8>)> {
        until("a whole delivery", || self.whole(operation, pod)).await
    }

    /// Its frame, once it is there.
    pub(super) async fn wait_for(&self, operation: &OperationId, pod: &str) -> Result<Frame> {
        until("a whole delivery", || self.delivered(operation, pod)).await
    }
}

impl Drop for Results {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn in_seconds(seconds: u64) -> Result<Moment> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
    Ok(Moment::from_milliseconds(u64::try_from(now.as_millis())? + seconds * 1_000)?)
}
