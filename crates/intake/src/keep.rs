//! Keeps one record so that it may be acknowledged: stored, read back, and the same.
//!
//! ```text
//! create ─► read back ─► the same: stored
//!   │           └──────► another: the first stays, a mark is kept, conflict
//!   └ die here: the Pod sends it again and meets what is there
//! ```

use ptah_crds::{PtahResultRecord, PtahResultRecordSpec};
use ptah_records::operator::text::ObjectName;

use crate::record::About;
use crate::store::{Store, StoreProblem};

/// How a record is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// It is there, now or since earlier.
    Stored,
    /// Another one is there under its name; that this was tried is marked.
    Conflict,
}

/// Keeps `record`, which is one of `about`.
pub(crate) async fn keep<S: Store>(
    store: &S,
    about: &About<'_>,
    record: &PtahResultRecord,
) -> Result<Kept, StoreProblem> {
    let stored = stored(store, about, record).await?;
    if is_same(&stored.spec, &record.spec) {
        return Ok(Kept::Stored);
    }
    // Which of several marks is kept says nothing: one is enough.
    self::stored(store, about, &about.conflict(record.spec.digest.clone())).await?;
    Ok(Kept::Conflict)
}

/// What is stored under the name of `record`, after `record` was tried.
async fn stored<S: Store>(
    store: &S,
    about: &About<'_>,
    record: &PtahResultRecord,
) -> Result<PtahResultRecord, StoreProblem> {
    store.create(record).await?;
    let name = record.metadata.name.as_deref().and_then(|name| ObjectName::new(name).ok());
    let name = name.ok_or(StoreProblem::Vanished)?;
    store.get(about.namespace(), &name).await?.ok_or(StoreProblem::Vanished)
}

/// Whether two records say the same. Whether one came late is about when, not about what; which version of the contract
/// wrote it may change between two attempts; and what vouched for the first stays what vouches for it.
fn is_same(one: &PtahResultRecordSpec, other: &PtahResultRecordSpec) -> bool {
    let PtahResultRecordSpec {
        controller_state_version: _,
        operation_id,
        pod_uid,
        kind,
        index,
        digest,
        key_digest: _,
        late: _,
        data,
        complete,
    } = one;
    let who = *operation_id == other.operation_id && *pod_uid == other.pod_uid;
    who && *kind == other.kind
        && *index == other.index
        && *digest == other.digest
        && *data == other.data
        && *complete == other.complete
}
