//! A provider of a manifest, told what to do, and what it wrote down.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use ptah_model::{EngineName, Scope};
use ptah_provider_api::session::{Address, OpenTarget, Purpose};
use ptah_provider_api::step::Unit;
use ptah_provider_host::catalogue::Entry;
use ptah_provider_host::start::{StartOptions, start};
use ptah_provider_host::{Catalogue, HostError, Manifest, Opening, Provider, Session};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

/// What no output, error or evidence but one may hold.
pub(crate) const SECRET: &str = "hunter2";

/// The folder of one test.
pub(crate) struct Stage {
    folder: TempDir,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// The stub as an entry of a catalogue, through a manifest.
    pub(crate) fn entry(&self, modes: &str) -> Entry {
        self.entry_with_digest(modes, digest())
    }

    pub(crate) fn entry_with_digest(&self, modes: &str, digest: &str) -> Entry {
        self.entry_of(Path::new(env!("CARGO_BIN_EXE_provider-host-stub")), modes, digest)
    }

    /// A copy of the stub that the test may change.
    pub(crate) fn copy(&self) -> PathBuf {
        let copy = self.folder.path().join("provider");
        std::fs::copy(env!("CARGO_BIN_EXE_provider-host-stub"), &copy).unwrap();
        copy
    }

    pub(crate) fn entry_of(&self, executable: &Path, modes: &str, digest: &str) -> Entry {
        let text = format!(
            "providers:\n  - id: example.org/zorp\n    executable: {}\n    sha256: \"{digest}\"\n    engines:\n      \
             - name: zorp\n        aliases: [zo]\n    environment:\n      - 'MODE={modes}'\n      - 'EVIDENCE={}'\n",
            executable.display(),
            self.evidence_path().display(),
        );
        let manifest = Manifest::parse(&self.folder.path().join("ptah-providers.yaml"), &text).unwrap();
        let catalogue = Catalogue::new(Vec::new(), vec![manifest]).unwrap();
        catalogue.choose(Some("zorp"), None).unwrap().entry.clone()
    }

    pub(crate) async fn start(&self, modes: &str) -> Provider {
        start(&self.entry(modes), &StartOptions::new("test 1")).await.unwrap()
    }

    pub(crate) async fn refused(&self, modes: &str) -> HostError {
        self.refused_with(modes, &StartOptions::new("test 1")).await
    }

    pub(crate) async fn refused_with(&self, modes: &str, options: &StartOptions) -> HostError {
        let error = start(&self.entry(modes), options).await.err().unwrap();
        assert_free_of_secrets(&error);
        error
    }

    /// What the provider wrote down, line by line.
    pub(crate) fn evidence(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.evidence_path()).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// How often a call arrived.
    pub(crate) fn count(&self, call: &str) -> usize {
        self.evidence().iter().filter(|line| line.starts_with(&format!("call {call}:"))).count()
    }

    fn evidence_path(&self) -> PathBuf {
        self.folder.path().join("evidence")
    }
}

/// The digest of the stub.
pub(crate) fn digest() -> &'static str {
    static DIGEST: OnceLock<String> = OnceLock::new();
    DIGEST.get_or_init(|| {
        let bytes = std::fs::read(env!("CARGO_BIN_EXE_provider-host-stub")).unwrap();
        hex::encode(Sha256::digest(bytes))
    })
}

/// Limits that a test can wait for.
pub(crate) fn hurried(call: Duration) -> StartOptions {
    let mut options = StartOptions::new("test 1");
    options.deadlines.call = call;
    options.deadlines.close_all = call;
    options
}

pub(crate) fn opening() -> Opening {
    let target = OpenTarget::Address(Address::new(format!("zorp://user:{SECRET}@host/db")));
    Opening::new(engine(), target, Purpose::Apply)
}

pub(crate) async fn open(provider: &Provider) -> Session {
    provider.open(opening()).await.unwrap()
}

pub(crate) fn engine() -> EngineName {
    EngineName::new("zorp").unwrap()
}

pub(crate) fn scope() -> Scope {
    Scope::new("ptah").unwrap()
}

pub(crate) fn units(count: usize) -> Vec<Unit> {
    vec![Unit::Sql { text: "create table a (b integer)".to_owned() }; count]
}

/// Neither what an error shows nor what a log would show of it holds the secret.
pub(crate) fn assert_free_of_secrets(error: &HostError) {
    let mut shown = format!("{error:?} {error} {}", error.hint());
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        shown = format!("{shown} {cause}");
        source = cause.source();
    }
    assert!(!shown.contains(SECRET), "{shown}");
}
