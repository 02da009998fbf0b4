//! Pieces as objects of the API server, read from what is stored and never from its cache.

use std::time::Duration;

use kube::api::{ListParams, PostParams};
use kube::{Api, Client, Error, ResourceExt as _};
use ptah_crds::PtahResultRecord;
use ptah_records::operator::text::{LabelName, ObjectName, OperationId};
use tokio::time::timeout;

use super::{Created, Store, StoreProblem};

/// How long one call may take. Several of them have to fit into the time that one delivery has.
const PATIENCE: Duration = Duration::from_secs(5);
/// How many records one page of a list holds; each may have two thirds of a mebibyte.
const PAGE: u32 = 4;
/// How often a list is begun again whose place the API server forgot.
const BEGINNINGS: usize = 3;

/// The API server. It needs the rights to create, get and list `ptahresultrecords`.
#[derive(Clone)]
pub struct ClusterStore {
    client: Client,
}

impl std::fmt::Debug for ClusterStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ClusterStore")
    }
}

impl ClusterStore {
    /// One that asks by this client. Repeating a call does no harm, so the client may.
    pub fn new(client: Client) -> Self {
        Self { client }
    }

    fn records(&self, namespace: &str) -> Api<PtahResultRecord> {
        Api::namespaced(self.client.clone(), namespace)
    }
}

impl Store for ClusterStore {
    async fn create(&self, record: &PtahResultRecord) -> Result<Created, StoreProblem> {
        let records = self.records(&record.namespace().unwrap_or_default());
        let created = timeout(PATIENCE, records.create(&PostParams::default(), record)).await;
        match created.map_err(|_| StoreProblem::Silent)? {
            Ok(_) => Ok(Created::Now),
            Err(Error::Api(status)) if status.is_already_exists() => Ok(Created::Before),
            Err(error) => Err(refused(error)),
        }
    }

    async fn get(&self, namespace: &LabelName, name: &ObjectName) -> Result<Option<PtahResultRecord>, StoreProblem> {
        let records = self.records(namespace.as_str());
        let got = timeout(PATIENCE, records.get_opt(name.as_str())).await;
        got.map_err(|_| StoreProblem::Silent)?.map_err(refused)
    }

    async fn list(
        &self,
        namespace: &LabelName,
        operation: &OperationId,
    ) -> Result<Vec<PtahResultRecord>, StoreProblem> {
        let records = self.records(namespace.as_str());
        let about = ListParams::default().fields(&format!("spec.operationID={operation}")).limit(PAGE);
        let (mut found, mut page, mut beginnings) = (Vec::new(), about.clone(), 1);
        loop {
            let list = timeout(PATIENCE, records.list(&page)).await.map_err(|_| StoreProblem::Silent)?;
            let list = match list {
                Err(Error::Api(status)) if status.code == 410 && beginnings < BEGINNINGS => {
                    (found, page, beginnings) = (Vec::new(), about.clone(), beginnings + 1);
                    continue;
                }
                list => list.map_err(refused)?,
            };
            found.extend(list.items);
            match list.metadata.continue_.filter(|place| !place.is_empty()) {
                Some(place) => page = about.clone().continue_token(&place),
                None => return Ok(found),
            }
        }
    }
}

fn refused(error: Error) -> StoreProblem {
    StoreProblem::Refused(Box::new(error))
}
