//! Releases of `example.org/zorp`, made as the documentation says, and a folder to install them in.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use ptah_model::Digest;
use serde_json::{Value, json};

use crate::boundary::peer;
use crate::support::{Ran, Scratch};

/// A scratch folder with releases in it, and installations below its `home`.
pub(super) struct Shop {
    pub(super) scratch: Scratch,
}

/// The provider's bytes, without what only a debugger reads: they are hashed and copied many times.
pub(crate) fn provider() -> &'static Path {
    static STRIPPED: OnceLock<PathBuf> = OnceLock::new();
    STRIPPED.get_or_init(|| {
        // One for each build of the tests, put in its place in one moment: another run may be reading it.
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (path, new) = (folder.join("zorp"), folder.join(format!("zorp-{}", std::process::id())));
        let stripped = Command::new("strip").arg("-o").arg(&new).arg(peer()).status();
        if !stripped.is_ok_and(|status| status.success()) {
            std::fs::copy(peer(), &new).unwrap();
        }
        std::fs::rename(new, &path).unwrap();
        path
    })
}

/// The digits of a file's SHA-256.
pub(super) fn sha256(path: &Path) -> String {
    Digest::of(&std::fs::read(path).unwrap()).to_string().replace("sha256:", "")
}

/// Makes a folder with a release, as the documentation says, and gives its descriptor.
pub(crate) fn release_in(path: &Path, version: &str, executable: &str) -> Value {
    let bin = path.join("unpacked/bin");
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::copy(provider(), bin.join(executable)).unwrap();
    std::fs::write(path.join("unpacked/LICENSE"), "free").unwrap();
    let archive = path.join("zorp.tar.gz");
    let mut tar = Command::new("tar");
    tar.args(["-I", "gzip -1", "-cf"]).arg(&archive).arg("-C").arg(path.join("unpacked")).arg(".");
    assert!(tar.status().unwrap().success());
    let descriptor = json!({
        "schema": 1,
        "provider_id": "example.org/zorp",
        "version": version,
        "contract": "1.0",
        "engines": [{"name": "zorp", "aliases": ["zo"]}],
        "artifacts": [{
            "os": std::env::consts::OS,
            "arch": std::env::consts::ARCH,
            "file": "zorp.tar.gz",
            "sha256": sha256(&archive),
            "size": archive.metadata().unwrap().len(),
            "executable": format!("bin/{executable}"),
            "executable_sha256": sha256(&bin.join(executable)),
        }],
    });
    std::fs::remove_dir_all(path.join("unpacked")).unwrap();
    std::fs::write(path.join("ptah-provider.json"), descriptor.to_string()).unwrap();
    descriptor
}

impl Shop {
    pub(super) fn new() -> Self {
        Self { scratch: Scratch::new() }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.scratch.path(name)
    }

    pub(super) fn ptah(&self, words: &[&str]) -> Ran {
        self.scratch.ptah(words)
    }

    pub(super) fn install(&self, words: &[&str]) -> Ran {
        self.ptah(&[&["providers", "install"], words].concat())
    }

    /// Makes a folder with a release whose provider says that it has this version, and gives its descriptor.
    pub(super) fn release(&self, folder: &str, version: &str) -> Value {
        release_in(&self.path(folder), version, &format!("ptah-provider-zorp-{version}"))
    }

    /// Writes a release's descriptor.
    pub(super) fn describe(&self, folder: &str, descriptor: &Value) {
        self.scratch.write(&format!("{folder}/ptah-provider.json"), &descriptor.to_string());
    }

    /// Where installations are.
    pub(super) fn installations(&self) -> PathBuf {
        self.path(".local/share/ptah/providers")
    }

    /// What lies in a part of the folder of installations.
    pub(super) fn there(&self, part: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.installations().join(part)).into_iter().flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The version that is installed, as the list says; and that nothing else lies there.
    #[track_caller]
    pub(super) fn installed(&self) -> Option<String> {
        let list = self.ptah(&["providers", "list", "--json"]).ended_with(0).document();
        let providers = list["providers"].as_array().unwrap().clone();
        let zorp = providers.into_iter().find(|provider| provider["id"] == "example.org/zorp");
        let count = usize::from(zorp.is_some());
        assert_eq!(self.there("staging"), Vec::<String>::new());
        assert_eq!(self.there("records").len(), count);
        assert_eq!(self.there("releases").len(), count, "{:?}", self.there("releases"));
        zorp.map(|zorp| zorp["version"].as_str().unwrap().to_owned())
    }

    /// The installed provider starts and is what its record says.
    #[track_caller]
    pub(super) fn check(&self) {
        self.ptah(&["providers", "check", "--dialect", "zorp"]).ended_with(0).says("can be used");
    }
}

/// The code of a command that failed, from its document.
#[track_caller]
pub(super) fn code(ran: &Ran) -> String {
    assert_eq!(ran.code, Some(2), "{}", ran.told());
    ran.document()["error"]["code"].as_str().unwrap().to_owned()
}
