//! What wakes a resource: changes of itself, of its Jobs, of its results, and of what people say about it. Nothing is decided on
//! what a watch tells.

use futures::StreamExt as _;
use k8s_openapi::api::batch::v1::Job;
use kube::api::{ApiResource, DynamicObject, PartialObjectMeta};
use kube::runtime::WatchStreamExt as _;
use kube::runtime::watcher::{self, Event};
use kube::{Api, Client, ResourceExt as _};
use ptah_crds::{
    PtahMigration, PtahMigrationApproval, PtahMigrationRunAcknowledgment, PtahResultRecord, PtahSchema,
    PtahSchemaApproval,
};
use ptah_intake::is_piece_name;
use ptah_lifecycle::Family;
use ptah_records::operator::names::RESOURCE_UID;
use ptah_records::operator::text::{LabelName, ObjectName, Uid};
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use crate::manager::key::Key;

/// How many objects one page of a list has.
const PAGE: u32 = 100;
/// By which label our Jobs are known.
const OURS: &str = "app.kubernetes.io/managed-by=ptah-operator";
/// How long one watch is kept open, in seconds; the API server ends it, and it goes on where it was.
const OPEN: u32 = 290;

/// What a watch tells.
#[derive(Debug)]
pub(crate) enum Told {
    /// A resource is of this version now.
    Changed(Key, u64, Value),
    /// A resource is gone.
    Gone(Uid),
    /// Every resource of a family was told of.
    All(Family),
    /// An object of a person, by its UID, names the resource with this UID; or does no more.
    Word(String, String, bool),
    /// Every object of one more kind was told of.
    AllWords,
    /// Something of the resource with this UID moved.
    Of(String),
}

/// Watches everything until it is dropped.
pub(crate) async fn watch(client: Client, namespace: Option<&LabelName>, told: UnboundedSender<Told>) {
    let place = Place { client, namespace };
    tokio::join!(
        resources(&place, Family::Schema, told.clone()),
        resources(&place, Family::Migration, told.clone()),
        jobs(&place, told.clone()),
        results(&place, told.clone()),
        words(&place, kind::<PtahSchemaApproval>(), "/spec/schemaRef/uid", told.clone()),
        words(&place, kind::<PtahMigrationApproval>(), "/spec/migrationRef/uid", told.clone()),
        words(&place, kind::<PtahMigrationRunAcknowledgment>(), "/spec/claimantRef/uid", told),
    );
}

/// Where is watched: one namespace, or all of them.
struct Place<'a> {
    client: Client,
    namespace: Option<&'a LabelName>,
}

impl Place<'_> {
    fn dynamic(&self, kind: &ApiResource) -> Api<DynamicObject> {
        match self.namespace {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace.as_str(), kind),
            None => Api::all_with(self.client.clone(), kind),
        }
    }

    /// What the API server says about objects, without the objects.
    fn metadata<K>(&self) -> Api<PartialObjectMeta<K>>
    where
        PartialObjectMeta<K>: kube::Resource<DynamicType = (), Scope = kube::core::NamespaceResourceScope>,
    {
        match self.namespace {
            Some(namespace) => Api::namespaced(self.client.clone(), namespace.as_str()),
            None => Api::all(self.client.clone()),
        }
    }
}

fn kind<K: kube::Resource<DynamicType = ()>>() -> ApiResource {
    ApiResource::erase::<K>(&())
}

fn config() -> watcher::Config {
    watcher::Config::default().page_size(PAGE).timeout(OPEN)
}

async fn resources(place: &Place<'_>, family: Family, told: UnboundedSender<Told>) {
    let kind = match family {
        Family::Schema => kind::<PtahSchema>(),
        Family::Migration => kind::<PtahMigration>(),
    };
    let stream = watcher::watcher(place.dynamic(&kind), config());
    each(stream.default_backoff(), |event| match event {
        Event::Apply(object) | Event::InitApply(object) => {
            if let Some((key, version)) = key(family, &object) {
                let status = serde_json::json!({ "status": object.data["status"] });
                let _ = told.send(Told::Changed(key, version, status));
            }
        }
        Event::Delete(object) => {
            if let Some((key, _)) = key(family, &object) {
                let _ = told.send(Told::Gone(key.uid));
            }
        }
        Event::Init => {}
        Event::InitDone => {
            let _ = told.send(Told::All(family));
        }
    })
    .await;
}

/// The key of a resource, and its version; nothing for what no API server makes.
fn key(family: Family, object: &DynamicObject) -> Option<(Key, u64)> {
    let key = Key {
        family,
        namespace: LabelName::new(object.namespace()?).ok()?,
        name: ObjectName::new(object.name_any()).ok()?,
        uid: Uid::new(object.uid()?).ok()?,
    };
    Some((key, object.resource_version()?.parse().ok()?))
}

async fn jobs(place: &Place<'_>, told: UnboundedSender<Told>) {
    let stream = watcher::watcher(place.metadata::<Job>(), config().labels(OURS));
    // What a Job's status says of a run is seen by the next look; one that goes is worth a look of its own.
    each(stream.default_backoff(), |event| {
        if let Event::Delete(job) = event {
            wake(job, &told);
        }
    })
    .await;
}

async fn results(place: &Place<'_>, told: UnboundedSender<Told>) {
    let stream = watcher::watcher(place.metadata::<PtahResultRecord>(), config());
    each(stream.default_backoff(), |event| {
        if let Event::Apply(record) = event
            && !record.metadata.name.as_deref().is_some_and(is_piece_name)
        {
            wake(record, &told);
        }
    })
    .await;
}

/// Wakes the resource that an object names in an annotation.
fn wake<K>(object: PartialObjectMeta<K>, told: &UnboundedSender<Told>) {
    if let Some(uid) = object.metadata.annotations.and_then(|mut all| all.remove(RESOURCE_UID)) {
        let _ = told.send(Told::Of(uid));
    }
}

/// What people say: it names its resource in its spec.
async fn words(at: &Place<'_>, kind: ApiResource, place: &'static str, told: UnboundedSender<Told>) {
    let stream = watcher::watcher(at.dynamic(&kind), config());
    let word = |object: &DynamicObject, is_there| {
        let resource = object.data.pointer(place).and_then(Value::as_str).map(str::to_owned);
        if let (Some(resource), Some(uid)) = (resource, object.uid()) {
            let _ = told.send(Told::Word(resource, uid, is_there));
        }
    };
    let mut first = true;
    each(stream.default_backoff(), |event| match event {
        Event::Apply(object) | Event::InitApply(object) => word(&object, true),
        Event::Delete(object) => word(&object, false),
        Event::Init => {}
        Event::InitDone => {
            if std::mem::take(&mut first) {
                let _ = told.send(Told::AllWords);
            }
        }
    })
    .await;
}

/// Hands on every event. A watch that fails is begun again by its stream, after a pause that grows.
async fn each<T>(
    stream: impl futures::Stream<Item = Result<Event<T>, watcher::Error>>,
    mut hand_on: impl FnMut(Event<T>),
) {
    let mut stream = std::pin::pin!(stream);
    while let Some(event) = stream.next().await {
        match event {
            Ok(event) => hand_on(event),
            Err(problem) => tracing::warn!(%problem, "a watch failed and is begun again"),
        }
    }
}
