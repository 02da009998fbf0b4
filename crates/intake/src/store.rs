//! Where pieces of results are kept.

mod cluster;

use std::future::Future;
use std::sync::Arc;

use ptah_crds::PtahResultRecord;
use ptah_records::operator::text::{LabelName, ObjectName, OperationId};

pub use cluster::ClusterStore;

/// Who keeps pieces. Every answer is about what is stored, never about a cache. Calls may be dropped at any `await`.
pub trait Store: Send + Sync + 'static {
    /// Keeps a record under its own name and namespace, unless one is there.
    fn create(&self, record: &PtahResultRecord) -> impl Future<Output = Result<Created, StoreProblem>> + Send;

    /// The record of this name.
    fn get(
        &self,
        namespace: &LabelName,
        name: &ObjectName,
    ) -> impl Future<Output = Result<Option<PtahResultRecord>, StoreProblem>> + Send;

    /// Every record about an operation, in any order.
    fn list(
        &self,
        namespace: &LabelName,
        operation: &OperationId,
    ) -> impl Future<Output = Result<Vec<PtahResultRecord>, StoreProblem>> + Send;
}

impl<S: Store> Store for Arc<S> {
    async fn create(&self, record: &PtahResultRecord) -> Result<Created, StoreProblem> {
        self.as_ref().create(record).await
    }

    async fn get(&self, namespace: &LabelName, name: &ObjectName) -> Result<Option<PtahResultRecord>, StoreProblem> {
        self.as_ref().get(namespace, name).await
    }

    async fn list(
        &self,
        namespace: &LabelName,
        operation: &OperationId,
    ) -> Result<Vec<PtahResultRecord>, StoreProblem> {
        self.as_ref().list(namespace, operation).await
    }
}

/// What came of keeping a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Created {
    /// It was kept now.
    Now,
    /// One of its name was there before, and stays.
    Before,
}

/// Why nothing is known to be kept. To be tried again: what was kept all the same is found under its name.
#[derive(Debug, thiserror::Error)]
pub enum StoreProblem {
    /// There was no answer in time.
    #[error("the API server did not answer in time")]
    Silent,
    /// It said no, or there was no answer.
    #[error("the API server did not do it")]
    Refused(#[source] Box<kube::Error>),
    /// What was kept is not there.
    #[error("what was stored is not there any more")]
    Vanished,
}
