//! A started provider and the one engine of it that a command uses.

use ptah_model::{EngineName, KindCatalog};
use ptah_provider_api::describe::Engine as Described;
use ptah_provider_api::dev::DevContent;
use ptah_provider_api::session::{OpenTarget, Purpose};
use ptah_provider_host::{Opening, Provider, Session};

use crate::failure::Failure;

/// An engine that can be asked.
#[derive(Debug)]
pub struct Engine {
    provider: Provider,
    name: EngineName,
    kinds: KindCatalog,
}

impl Engine {
    /// Takes a started provider for one of its engines.
    pub fn new(provider: Provider, name: EngineName) -> Self {
        let kinds = provider.kinds(&name).cloned().unwrap_or_default();
        Self { provider, name, kinds }
    }

    /// Its own name.
    pub fn name(&self) -> &EngineName {
        &self.name
    }

    /// The kinds of its objects.
    pub fn kinds(&self) -> &KindCatalog {
        &self.kinds
    }

    /// The provider.
    pub fn provider(&self) -> &Provider {
        &self.provider
    }

    /// What the provider declares of it.
    pub fn described(&self) -> Option<&Described> {
        self.provider.engine(self.name.as_str())
    }

    /// Opens a scratch database on the target's server, or on none where the engine needs none.
    pub(crate) async fn open_dev(&self, target: Option<&Session>, content: DevContent) -> Result<Session, Failure> {
        let dev = self.provider.provision_dev(self.name.clone(), target, content).await?;
        Ok(self.provider.open(Opening::new(self.name.clone(), OpenTarget::Dev(dev), Purpose::Dev)).await?)
    }

    /// Ends the provider: closes its sessions, then the process.
    pub async fn end(self) {
        self.provider.end().await;
    }
}
