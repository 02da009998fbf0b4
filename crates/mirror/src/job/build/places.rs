//! The volumes of a Pod, one row each: what is in it, where it is seen, and by which container.

use k8s_openapi::api::core::v1::{
    ConfigMapProjection, ConfigMapVolumeSource, DownwardAPIProjection, DownwardAPIVolumeFile, EmptyDirVolumeSource,
    KeyToPath, ProjectedVolumeSource, SecretVolumeSource, ServiceAccountTokenProjection, Volume, VolumeMount,
    VolumeProjection,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use ptah_records::operator::latest::{ConfigMapKey, RegistryAuth, RegistryAuthMode};
use ptah_records::operator::names::{self, RESULT_AUDIENCE};
use ptah_records::operator::text::DataKey;

use super::{Artifact, Parts, Pieces, containers};
use crate::plan::PIECE_KEY;

/// What the operation is told.
pub(super) const OPERATION: &str = "/ptah/operation/operation.json";
/// The token for our audience.
pub(super) const TOKEN: &str = "/ptah/token/token";
/// The folder of the process that works.
pub(super) const WORK: &str = "/ptah/work";
/// What was fetched.
pub(super) const SOURCE: &str = "/ptah/source";
/// How fetching ended.
pub(super) const STAGE: &str = "/ptah/source/stage.json";
/// The verification policy.
pub(super) const POLICY: &str = "/ptah/policy/policy";
/// The certificates that a registry's is checked against.
pub(super) const AUTHORITY: &str = "/ptah/authority/ca.pem";
/// The folder of a registry's Docker configuration.
pub(super) const REGISTRY: &str = "/ptah/registry";
/// Where a container keeps what it needs for a moment.
pub(super) const SCRATCH: &str = "/tmp";
/// What a container leaves in the Pod's status.
pub(super) const MESSAGE: &str = "/dev/termination-log";

/// For the owner and the group to read.
const MODE: i32 = 0o440;
/// How long a token is good, in seconds; the kubelet renews it before.
const TOKEN_SECONDS: i64 = 3_600;

/// What a container may do with a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Reads,
    Writes,
}

/// One volume.
pub(super) struct Place {
    pub(super) volume: Volume,
    /// The folder in which it is seen.
    at: String,
    /// What the container that fetches may do with it; nothing where it does not see it.
    pub(super) fetch: Option<Access>,
    /// The same of the container that has the database.
    pub(super) work: Option<Access>,
}

impl Place {
    fn new(at: &str, volume: Volume) -> Self {
        Self { volume, at: at.to_owned(), fetch: None, work: None }
    }

    fn fetch(self, access: Access) -> Self {
        Self { fetch: Some(access), ..self }
    }

    fn work(self, access: Access) -> Self {
        Self { work: Some(access), ..self }
    }

    /// The mount of a container that has this access.
    pub(super) fn mount(&self, access: Option<Access>) -> Option<VolumeMount> {
        Some(VolumeMount {
            mount_path: self.at.clone(),
            name: self.volume.name.clone(),
            read_only: (access? == Access::Reads).then_some(true),
            ..VolumeMount::default()
        })
    }
}

/// Every volume of the Pod.
pub(super) fn of(parts: &Parts<'_>) -> Vec<Place> {
    use Access::{Reads, Writes};
    let mut places = vec![
        Place::new("/ptah/operation", told()).work(Reads).fetch(Reads),
        Place::new("/ptah/token", token()).work(Reads),
        Place::new(WORK, memory("work", "128Mi")).work(Writes),
        Place::new(SCRATCH, memory("scratch", "64Mi")).work(Writes),
    ];
    if let Some(artifact) = parts.artifact() {
        places.extend(fetching(&artifact));
    }
    if let Some(pieces) = parts.pieces() {
        places.push(Place::new(&content(&pieces), stored(&pieces)).work(Reads));
    }
    places
}

/// What fetching needs, and the one place through which it hands over.
fn fetching(artifact: &Artifact<'_>) -> Vec<Place> {
    use Access::{Reads, Writes};
    let mut places = vec![
        Place::new(SOURCE, on_disk("source", "128Mi")).fetch(Writes).work(Reads),
        Place::new(SCRATCH, memory("fetch-scratch", "64Mi")).fetch(Writes),
        Place::new("/ptah/policy", config_map("policy", artifact.policy, "policy")).fetch(Reads),
    ];
    if let Some(authority) = artifact.authority {
        places.push(Place::new("/ptah/authority", config_map("authority", authority, "ca.pem")).fetch(Reads));
    }
    if let Some(auth) = artifact.auth.filter(|auth| auth.mode == RegistryAuthMode::DockerConfigJSON) {
        places.push(Place::new(REGISTRY, docker(auth)).fetch(Reads));
    }
    places
}

/// The folder of stored content.
pub(super) fn content(pieces: &Pieces<'_>) -> String {
    format!("/ptah/{}", pieces.name)
}

fn told() -> Volume {
    let path = format!("metadata.annotations['{}']", names::OPERATION);
    let file = DownwardAPIVolumeFile {
        field_ref: Some(containers::field(&path)),
        path: "operation.json".to_owned(),
        ..DownwardAPIVolumeFile::default()
    };
    let api = DownwardAPIProjection { items: Some(vec![file]) };
    projected("operation", vec![VolumeProjection { downward_api: Some(api), ..VolumeProjection::default() }])
}

fn token() -> Volume {
    let token = ServiceAccountTokenProjection {
        audience: Some(RESULT_AUDIENCE.to_owned()),
        expiration_seconds: Some(TOKEN_SECONDS),
        path: "token".to_owned(),
    };
    projected("token", vec![VolumeProjection { service_account_token: Some(token), ..VolumeProjection::default() }])
}

/// Pieces as files in order: `0000`, `0001`, and so on.
fn stored(pieces: &Pieces<'_>) -> Volume {
    let piece = |(place, piece): (usize, &ptah_records::operator::latest::ChunkRef)| VolumeProjection {
        config_map: Some(ConfigMapProjection {
            items: Some(vec![item(PIECE_KEY, &format!("{place:04}"))]),
            name: piece.name.to_string(),
            optional: pieces.optional.then_some(true),
        }),
        ..VolumeProjection::default()
    };
    projected(pieces.name, pieces.content.chunks.as_slice().iter().enumerate().map(piece).collect())
}

fn projected(name: &str, sources: Vec<VolumeProjection>) -> Volume {
    let source = ProjectedVolumeSource { default_mode: Some(MODE), sources: Some(sources) };
    Volume { name: name.to_owned(), projected: Some(source), ..Volume::default() }
}

/// One key of a ConfigMap. Where it is gone the container that fetches says so; the Pod does not wait for it.
fn config_map(name: &str, from: &ConfigMapKey, file: &str) -> Volume {
    let source = ConfigMapVolumeSource {
        default_mode: Some(MODE),
        items: Some(vec![item(from.key.as_str(), file)]),
        name: from.name.to_string(),
        optional: Some(true),
    };
    Volume { name: name.to_owned(), config_map: Some(source), ..Volume::default() }
}

fn docker(auth: &RegistryAuth) -> Volume {
    let key = auth.docker_config_json_key.as_ref().map_or(".dockerconfigjson", DataKey::as_str);
    let source = SecretVolumeSource {
        default_mode: Some(MODE),
        items: Some(vec![item(key, "config.json")]),
        optional: Some(true),
        secret_name: Some(auth.name.to_string()),
    };
    Volume { name: "registry".to_owned(), secret: Some(source), ..Volume::default() }
}

fn item(key: &str, path: &str) -> KeyToPath {
    KeyToPath { key: key.to_owned(), mode: None, path: path.to_owned() }
}

fn memory(name: &str, limit: &str) -> Volume {
    empty(name, Some("Memory"), limit)
}

fn on_disk(name: &str, limit: &str) -> Volume {
    empty(name, None, limit)
}

fn empty(name: &str, medium: Option<&str>, limit: &str) -> Volume {
    let source =
        EmptyDirVolumeSource { medium: medium.map(str::to_owned), size_limit: Some(Quantity(limit.to_owned())) };
    Volume { name: name.to_owned(), empty_dir: Some(source), ..Volume::default() }
}
