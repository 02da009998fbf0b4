//! Keeps the authority of the server for permits and results in a Secret of the manager's own, by compare and swap.
//!
//! Every replica serves what the Secret holds; only the leader changes it. A generation is named in a Job only after the Secret
//! that has it was stored.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::api::PostParams;
use kube::{Api, Client, Error};
use ptah_intake::authority::{Authority, MakeProblem, SecretData, SecretProblem};
use ptah_intake::{Names, NamesProblem};
use ptah_records::operator::latest::{Delivery, OperationSpec};
use ptah_records::operator::names::OPERATION;
use ptah_records::operator::seal;
use ptah_records::operator::text::HostName;
use ptah_records::operator::time::Moment;
use serde_json::Value;
use thiserror::Error;

use crate::cluster::{CallError, Cluster};
use crate::manager::settings::Settings;

/// The name of the Secret: the one that the manager's role names.
const NAME: &str = ptah_admission::names::AUTHORITY;
/// How many objects one page of a list has.
const PAGE: usize = 50;

/// Why the authority is not there.
#[derive(Debug, Error)]
pub enum AuthorityProblem {
    /// The Secret was not reached. To be tried again.
    #[error("the Secret {NAME} was not reached")]
    Secret(#[source] Box<Error>),
    /// It holds what this release cannot serve. A person has to look: deleting it loses the results of the runs under way.
    #[error("the Secret {NAME} holds no authority of this release")]
    Form(#[source] SecretProblem),
    /// No certificate could be made.
    #[error("no certificate could be made")]
    Make(#[source] MakeProblem),
    /// A certificate cannot be shown.
    #[error("a certificate cannot be shown")]
    Names(#[from] NamesProblem),
    /// The Jobs that name generations were not listed. To be tried again.
    #[error("the Jobs were not listed")]
    Jobs(#[from] CallError),
}

/// The authority as it is stored.
pub(crate) struct Keeper {
    secrets: Api<Secret>,
    cluster: Cluster,
    authority: Authority,
    version: Option<String>,
    names: Arc<Names>,
}

impl Keeper {
    /// Reads the Secret, or makes it where there is none.
    pub(crate) async fn open(
        client: Client,
        cluster: Cluster,
        settings: &Settings,
        now: Moment,
    ) -> Result<Self, AuthorityProblem> {
        let secrets: Api<Secret> = Api::namespaced(client, settings.namespace.as_str());
        let stored = match read(&secrets).await? {
            Some(stored) => stored,
            None => create(&secrets, now).await?,
        };
        let (authority, version) = stored;
        let names = Names::new(&authority)?;
        Ok(Self { secrets, cluster, authority, version, names })
    }

    /// What is shown to those who connect.
    pub(crate) fn names(&self) -> Arc<Names> {
        self.names.clone()
    }

    /// Where results go, by generation, the newest first.
    pub(crate) fn deliveries(&self, settings: &Settings) -> Vec<Delivery> {
        let mut deliveries: Vec<Delivery> = self
            .authority
            .generations()
            .map(|generation| Delivery {
                host: settings.host.clone(),
                port: settings.port,
                server_name: generation.server_name().clone(),
                authority: generation.authority().clone(),
            })
            .collect();
        deliveries.reverse();
        deliveries
    }

    /// Reads it again, and where this process leads, adds a generation that is due and removes those that nobody needs.
    pub(crate) async fn refresh(&mut self, leads: bool, now: Moment) -> Result<(), AuthorityProblem> {
        if let Some((authority, version)) = read(&self.secrets).await? {
            (self.authority, self.version) = (authority, version);
        } else if leads {
            (self.authority, self.version) = create(&self.secrets, now).await?;
        }
        if leads {
            self.turn(now).await?;
        }
        Ok(self.names.replace(&self.authority)?)
    }

    async fn turn(&mut self, now: Moment) -> Result<(), AuthorityProblem> {
        let mut next = self.authority.clone();
        if next.is_due(now) {
            next.add(now).map_err(AuthorityProblem::Make)?;
        }
        if next.generations().count() > 1 {
            next.retire(&self.named().await?, now);
        }
        if next == self.authority {
            return Ok(());
        }
        let secret = secret(&next, self.version.clone());
        // Where another one was faster, the next look takes in what is there.
        match self.secrets.replace(NAME, &PostParams::default(), &secret).await {
            Ok(stored) => {
                (self.authority, self.version) = (next, stored.metadata.resource_version);
                Ok(())
            }
            Err(Error::Api(status)) if status.code == 409 => Ok(()),
            Err(error) => Err(AuthorityProblem::Secret(Box::new(error))),
        }
    }

    /// The names that Jobs were told.
    async fn named(&self) -> Result<BTreeSet<HostName>, CallError> {
        let path = "/apis/batch/v1/jobs?labelSelector=app.kubernetes.io%2Fmanaged-by%3Dptah-operator";
        let add = |names: &mut BTreeSet<HostName>, job: &Value| {
            let operation = &job["spec"]["template"]["metadata"]["annotations"][OPERATION];
            let read = operation.as_str().and_then(|text| seal::read::<OperationSpec>(text.as_bytes()).ok());
            names.extend(read.map(|operation| operation.delivery.server_name));
        };
        self.cluster.list(path, PAGE, BTreeSet::new, add).await
    }
}

type Stored = (Authority, Option<String>);

async fn read(secrets: &Api<Secret>) -> Result<Option<Stored>, AuthorityProblem> {
    let found = secrets.get_opt(NAME).await.map_err(|error| AuthorityProblem::Secret(Box::new(error)))?;
    let Some(secret) = found else { return Ok(None) };
    let data: BTreeMap<String, Vec<u8>> =
        secret.data.unwrap_or_default().into_iter().map(|(key, ByteString(value))| (key, value)).collect();
    match Authority::from_secret(SecretData::from(data)) {
        Ok(authority) => Ok(Some((authority, secret.metadata.resource_version))),
        Err(problem) => Err(AuthorityProblem::Form(problem)),
    }
}

/// Makes an authority and stores it, unless another replica was faster.
async fn create(secrets: &Api<Secret>, now: Moment) -> Result<Stored, AuthorityProblem> {
    let authority = Authority::new(now).map_err(AuthorityProblem::Make)?;
    match secrets.create(&PostParams::default(), &secret(&authority, None)).await {
        Ok(stored) => Ok((authority, stored.metadata.resource_version)),
        Err(Error::Api(status)) if status.is_already_exists() => {
            read(secrets).await?.ok_or_else(|| AuthorityProblem::Secret(Box::new(Error::Api(status))))
        }
        Err(error) => Err(AuthorityProblem::Secret(Box::new(error))),
    }
}

fn secret(authority: &Authority, version: Option<String>) -> Secret {
    let data = authority.to_secret().into_map();
    Secret {
        metadata: kube::core::ObjectMeta {
            name: Some(NAME.to_owned()),
            resource_version: version,
            ..kube::core::ObjectMeta::default()
        },
        data: Some(data.into_iter().map(|(key, value)| (key, ByteString(value))).collect()),
        ..Secret::default()
    }
}
