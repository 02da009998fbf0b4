//! Who else claims a database: the realm, and lists by selectable fields, never whole collections.

use std::collections::BTreeMap;

use ptah_crds::{PtahRealm, Sharing};
use ptah_lifecycle::{Claimant, Family, RealmReading};
use ptah_mirror::{Object, PolicyState, claimant};
use ptah_model::Digest;
use ptah_reconcile::Reply;
use serde_json::Value;

use super::resource::object;
use super::{Carrier, typed};
use crate::cluster::encoded;
use crate::manager::fault::Fault;
use crate::manager::key::{everywhere, ours, plural};

/// How many objects one page of a list has.
const PAGE: usize = 50;
/// Both families claim databases.
const FAMILIES: [Family; 2] = [Family::Schema, Family::Migration];

impl Carrier<'_> {
    pub(super) async fn get_realm(&self) -> Result<Reply, Fault> {
        Ok(Reply::Realm(self.realm_of(self.object()?).await?))
    }

    /// What the realm says about a resource.
    async fn realm_of(&self, object: &Object) -> Result<RealmReading, Fault> {
        let target = target(object);
        let Some(realm) = &target.realm_ref else { return Ok(RealmReading::Key) };
        let path = everywhere(&format!("ptahrealms/{}", realm.name));
        let Some(found) = self.cluster.get(&path).await? else { return Ok(RealmReading::NotGranted) };
        let realm: PtahRealm = typed("a PtahRealm", found)?;
        let namespace = object.metadata().namespace.as_deref().unwrap_or_default();
        let admits = realm.spec.namespaces.as_slice().iter().any(|admitted| admitted.as_str() == namespace);
        let engine = realm.spec.engine.as_str().eq_ignore_ascii_case(target.engine.as_str());
        if !admits || !engine || realm.metadata.deletion_timestamp.is_some() {
            return Ok(RealmReading::NotGranted);
        }
        Ok(RealmReading::Granted { exclusive: realm.spec.sharing == Sharing::Exclusive })
    }

    /// The admitted claimants of a coordination digest. Of our own the name is known; of another one only what the claimants
    /// last noted in their status is.
    pub(super) async fn list_claimants(&self, digest: Digest) -> Result<Reply, Fault> {
        let own = self.object()?;
        let (namespaced, selector) = if self.resource()?.spec.coordination == digest {
            let target = target(own);
            match (&target.realm_ref, &target.coordination_key) {
                (Some(realm), _) => (false, format!("spec.target.realmRef.name={}", realm.name)),
                (None, Some(key)) => (true, format!("spec.target.coordinationKey={}", key.as_str())),
                (None, None) => return Err(Fault::Order),
            }
        } else {
            (false, format!("status.target.coordinationDigest={digest}"))
        };
        let found = self.list(namespaced, &selector).await?;
        let same =
            |object: &Object| Ok(ptah_mirror::resource(object, PolicyState::absent())?.spec.coordination == digest);
        self.admitted(found, same).await
    }

    /// The admitted claimants whose last reading was of this database.
    pub(super) async fn list_readers(&self, database: Digest) -> Result<Reply, Fault> {
        let found = self.list(false, &format!("status.target.identity.databaseIdentity={database}")).await?;
        self.admitted(found, |_| Ok(true)).await
    }

    async fn list(&self, namespaced: bool, selector: &str) -> Result<Vec<Object>, Fault> {
        let mut all = Vec::new();
        for family in FAMILIES {
            let path =
                if namespaced { ours(self.key.namespace.as_str(), plural(family)) } else { everywhere(plural(family)) };
            let path = format!("{path}?fieldSelector={}", encoded(selector));
            let add = |found: &mut Vec<Value>, object: &Value| found.push(object.clone());
            for found in self.cluster.list(&path, PAGE, Vec::new, add).await? {
                all.push(object(family, found)?);
            }
        }
        Ok(all)
    }

    /// Those of them that their realm admits: a claim by a key is admitted by itself.
    async fn admitted(
        &self,
        found: Vec<Object>,
        wanted: impl Fn(&Object) -> Result<bool, Fault>,
    ) -> Result<Reply, Fault> {
        let mut claimants: Vec<Claimant> = Vec::new();
        let mut realms: BTreeMap<(String, String), RealmReading> = BTreeMap::new();
        for object in found {
            if !wanted(&object)? {
                continue;
            }
            let realm = target(&object).realm_ref.as_ref().map(|realm| realm.name.to_string()).unwrap_or_default();
            let of = (realm, object.metadata().namespace.clone().unwrap_or_default());
            let reading = match realms.get(&of) {
                Some(known) => *known,
                None => self.realm_of(&object).await?,
            };
            realms.insert(of, reading);
            if reading != RealmReading::NotGranted {
                claimants.push(claimant::read(&object)?);
            }
        }
        claimants.sort_by_key(|claimant| claimant.uid);
        Ok(Reply::Claimants(claimants))
    }
}

fn target(object: &Object) -> &ptah_crds::Target {
    match object {
        Object::Schema(schema) => &schema.spec.target,
        Object::Migration(migration) => &migration.spec.target,
    }
}
