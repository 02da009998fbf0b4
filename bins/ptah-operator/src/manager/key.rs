//! Which resource: what a queue, a watch and a pass call it by.

use ptah_crds::{GROUP, VERSION};
use ptah_lifecycle::Family;
use ptah_records::operator::text::{LabelName, ObjectName, Uid};

/// One resource. Another one that is made under the same name later is another key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Its family.
    pub family: Family,
    /// Its namespace.
    pub namespace: LabelName,
    /// Its name.
    pub name: ObjectName,
    /// Its UID.
    pub uid: Uid,
}

impl Key {
    /// Where it is asked for.
    pub fn path(&self) -> String {
        ours(self.namespace.as_str(), &format!("{}/{}", plural(self.family), self.name))
    }
}

/// The plural of a family's resources.
pub(crate) fn plural(family: Family) -> &'static str {
    match family {
        Family::Schema => "ptahschemas",
        Family::Migration => "ptahmigrations",
    }
}

/// The word for a family in logs and metrics.
pub(crate) fn word(family: Family) -> &'static str {
    match family {
        Family::Schema => "schema",
        Family::Migration => "migration",
    }
}

/// A path of our group in a namespace.
pub(crate) fn ours(namespace: &str, rest: &str) -> String {
    format!("/apis/{GROUP}/{VERSION}/namespaces/{namespace}/{rest}")
}

/// A path of our group over all namespaces.
pub(crate) fn everywhere(rest: &str) -> String {
    format!("/apis/{GROUP}/{VERSION}/{rest}")
}

/// A path of the core group in a namespace.
pub(crate) fn core(namespace: &str, rest: &str) -> String {
    format!("/api/v1/namespaces/{namespace}/{rest}")
}

/// The path of a namespace's Jobs.
pub(crate) fn jobs(namespace: &str) -> String {
    format!("/apis/batch/v1/namespaces/{namespace}/jobs")
}

/// The path of a namespace's Leases.
pub(crate) fn leases(namespace: &str) -> String {
    format!("/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases")
}
