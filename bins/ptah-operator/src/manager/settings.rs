//! What an installation tells its manager.

use std::time::Duration;

use ptah_mirror::Components;
use ptah_records::operator::latest::ManagerRecord;
use ptah_records::operator::text::{HostName, LabelName, Uid};
use ptah_records::operator::whole::Whole;

/// What the manager does everything with. It does not change while a process runs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What operations are carried out with.
    pub components: Components,
    /// Who writes, as it stands in what is written.
    pub manager: ManagerRecord,
    /// The manager's own namespace: its Leases and its Secret are there.
    pub namespace: LabelName,
    /// The cluster, by the UID of its namespace `kube-system`.
    pub cluster: Uid,
    /// The name at which Pods reach the server for permits and results.
    pub host: HostName,
    /// Its port.
    pub port: Whole<1, 65_535>,
    /// The one namespace whose resources it drives; every namespace where there is none. Who else claims a database is always
    /// asked over all of them.
    pub watched: Option<LabelName>,
    /// How often what nobody needs any more is removed.
    pub tidied: Duration,
    /// Whether a change and the consent to it have to come from two people.
    pub two_people: bool,
}
