//! What the function of one rule works with: the target, what it offers, and a database and names of its own.

use std::collections::BTreeSet;

use ptah_provider_wire::pb;

use crate::message::{describe, describe_all, fresh, word};
use crate::peer::{Peer, Session};
use crate::process::Spawn;
use crate::rule::{Stop, pointless};
use crate::target::Target;

/// What the executable says of itself to a host that lists everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Offer {
    pub(crate) description: pb::Description,
    /// The engine that is tested.
    pub(crate) engine: pb::Engine,
    /// What it lists, with what its provider lists.
    pub(crate) features: BTreeSet<String>,
}

impl Offer {
    /// Whether both the provider and, for a service, the engine list a feature.
    pub(crate) fn has(&self, feature: &str) -> bool {
        self.features.contains(feature)
    }
}

/// What one rule works with.
#[derive(Debug)]
pub(crate) struct Lab<'a> {
    pub(crate) target: &'a Target,
    pub(crate) offer: &'a Offer,
    word: String,
    address: Option<String>,
}

impl<'a> Lab<'a> {
    pub(crate) fn new(target: &'a Target, offer: &'a Offer) -> Self {
        let word = word();
        let address = target.address.as_ref().map(|address| address.replace("{n}", &word));
        Self { target, offer, word, address }
    }

    pub(crate) fn spawn(&self) -> Spawn {
        Spawn::new(&self.target.executable, &self.target.environment)
    }

    /// Started and connected; nothing is said yet.
    pub(crate) async fn silent(&self) -> Result<Peer, Stop> {
        Peer::start(&self.spawn()).await
    }

    /// Started and described to a host that lists everything.
    pub(crate) async fn start(&self) -> Result<Peer, Stop> {
        let peer = self.silent().await?;
        peer.describe(describe_all()).await?;
        Ok(peer)
    }

    /// Started and described to a host that lists these features alone.
    pub(crate) async fn start_for(&self, features: &[&str]) -> Result<Peer, Stop> {
        let peer = self.silent().await?;
        peer.describe(describe(features)).await?;
        Ok(peer)
    }

    pub(crate) fn engine(&self) -> String {
        self.offer.engine.name.clone()
    }

    pub(crate) fn address(&self) -> Result<String, Stop> {
        self.address.clone().ok_or_else(|| pointless("no address was given"))
    }

    /// Whether the address has a word in it that was never used, so that no database can be there yet.
    pub(crate) fn is_fresh(&self) -> bool {
        self.target.address.as_ref().is_some_and(|address| address.contains("{n}"))
    }

    pub(crate) fn opening(&self, purpose: pb::Purpose) -> Result<pb::OpenRequest, Stop> {
        Ok(pb::OpenRequest {
            request_id: fresh(),
            engine: self.engine(),
            purpose: purpose.into(),
            create: purpose == pb::Purpose::Apply,
            lock_timeout_ms: 5_000,
            target: Some(pb::open_request::Target::Address(self.address()?)),
            ..Default::default()
        })
    }

    /// A session that may change the database.
    pub(crate) async fn open<'p>(&self, peer: &'p Peer) -> Result<Session<'p>, Stop> {
        peer.open(self.opening(pb::Purpose::Apply)?).await
    }

    /// A session that only reads.
    pub(crate) async fn open_to_read<'p>(&self, peer: &'p Peer) -> Result<Session<'p>, Stop> {
        peer.open(self.opening(pb::Purpose::Read)?).await
    }

    /// A name of an object that was never used outside of this rule.
    pub(crate) fn name(&self, name: &str) -> String {
        format!("ptah_c_{}_{name}", self.word)
    }

    /// A unit that creates an object.
    pub(crate) fn create(&self, name: &str) -> String {
        self.target.create.replace("{name}", &self.name(name))
    }

    /// A unit that takes some seconds.
    pub(crate) fn slow(&self) -> Result<&str, Stop> {
        self.target.slow.as_deref().ok_or_else(|| pointless("no slow unit was given (--slow)"))
    }

    /// A scope that no other rule uses.
    pub(crate) fn scope(&self) -> String {
        format!("conformance-{}", self.word)
    }
}
