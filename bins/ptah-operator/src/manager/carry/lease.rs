//! The Leases of realms and databases, in the manager's own namespace.

use k8s_openapi::api::coordination::v1::Lease as StoredLease;
use ptah_crds::fence::StoringKind;
use ptah_lifecycle::{Lease, Version};
use ptah_mirror::lease;
use ptah_model::Digest;
use ptah_reconcile::{LeaseName, Reply};
use ptah_records::operator::names::{DATABASE_LEASE, REALM_LEASE};

use super::resource::known;
use super::{Carrier, replied, typed, untyped};
use crate::cluster::Write;
use crate::manager::fault::Fault;
use crate::manager::key::leases;

impl Carrier<'_> {
    pub(super) async fn get_lease(&mut self, which: LeaseName) -> Result<Reply, Fault> {
        let name = name(which);
        let path = format!("{}/{name}", leases(self.settings.namespace.as_str()));
        let Some(found) = self.cluster.get(&path).await? else {
            self.held.leases.remove(&which);
            return Ok(Reply::Lease(None));
        };
        known(StoringKind::Lease, &format!("the Lease {name}"), &found)?;
        let stored: StoredLease = typed(&name, found)?;
        let read = lease::read(&stored).map_err(|why| Fault::Lease { name, why })?;
        self.held.leases.insert(which, (stored, read.clone()));
        Ok(Reply::Lease(Some(Box::new(read))))
    }

    /// Replaces the Lease that was read in this pass, or creates it where none was there.
    pub(super) async fn put_lease(
        &self,
        which: LeaseName,
        expected: Option<Version>,
        lease: &Lease,
    ) -> Result<Reply, Fault> {
        let before = self.held.leases.get(&which);
        if before.map(|(_, read)| read.version) != expected {
            return Err(Fault::Order);
        }
        let namespace = self.settings.namespace.as_str();
        let name = name(which);
        let written = lease::write(&name, namespace, before.map(|(stored, _)| stored), lease);
        let written = untyped(&name, &written.map_err(|_| ptah_mirror::Unwritable::NoText)?)?;
        let path = leases(namespace);
        Ok(replied(match before {
            Some(_) => self.cluster.replace(&format!("{path}/{name}"), &written, Write::Store).await,
            None => self.cluster.create(&path, &written, Write::Store).await,
        }))
    }
}

/// The name of a Lease: a prefix and the 64 digits of the digest that it is about.
pub(crate) fn name(which: LeaseName) -> String {
    let digits = |digest: Digest| digest.to_string().rsplit(':').next().unwrap_or_default().to_owned();
    match which {
        LeaseName::Realm(digest) => format!("{REALM_LEASE}{}", digits(digest)),
        LeaseName::Database(digest) => format!("{DATABASE_LEASE}{}", digits(digest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_realm_and_a_database_never_share_a_lease() {
        let digest = Digest::of(b"x");
        let (realm, database) = (name(LeaseName::Realm(digest)), name(LeaseName::Database(digest)));
        assert_ne!(realm, database);
        for name in [realm, database] {
            assert_eq!(name.len(), "ptah-t-".len() + 64, "{name}");
            assert!(
                name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
                "{name}"
            );
        }
    }
}
