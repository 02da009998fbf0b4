//! The real runner: its files, its process, and what came of it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use ptah_records::operator::latest::{Frame, OperationSpec, Stage};
use ptah_records::operator::seal;
use ptah_records::operator::text::{HostName, Uid};
use ptah_records::operator::whole::Whole;

use crate::parts::{NAMESPACE, POD, TOKEN};
use crate::server::{Server, in_seconds};

pub(crate) const APPLY: &[u8] =
    include_bytes!("../../../records/src/operator/v1/golden/operation-apply-migration.json");
pub(crate) const REFRESH: &[u8] =
    include_bytes!("../../../records/src/operator/v1/golden/operation-refresh-schema.json");
const STAGE: &[u8] = include_bytes!("../../../records/src/operator/v1/golden/stage.json");

/// Leaves what the test prepared, the frame last.
pub(crate) const LEAVE: &str = "for one in plan desired; do [ ! -e $SCENE/$one ] || cp $SCENE/$one $PTAH_RESULT_FOLDER/; \
                                done; cp $SCENE/prepared.json $PTAH_RESULT_FOLDER/part && mv $PTAH_RESULT_FOLDER/part \
                                $PTAH_RESULT_FOLDER/frame.json";

/// One run.
pub(crate) struct Runner {
    pub(crate) spec: OperationSpec,
    folder: tempfile::TempDir,
}

/// How it ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) log: String,
}

impl Runner {
    /// One that reports to this server under its newest generation.
    pub(crate) fn new(server: &Server, operation: &[u8]) -> Self {
        let mut spec: OperationSpec = seal::read(operation.trim_ascii_end()).unwrap();
        assert_eq!(spec.namespace.as_str(), NAMESPACE);
        let generation = server.authority.newest();
        spec.delivery.host = HostName::new("localhost").unwrap();
        spec.delivery.port = Whole::new(u64::from(server.port)).unwrap();
        spec.delivery.server_name = generation.server_name().clone();
        spec.delivery.authority = generation.authority().clone();
        spec.limits.dispatch_not_after = in_seconds(60);
        spec.limits.execution_not_after = in_seconds(120);
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        std::fs::write(folder.path().join("token"), TOKEN).unwrap();
        let mut stage: Stage = seal::read(STAGE.trim_ascii_end()).unwrap();
        stage.operation_id = spec.operation_id.clone();
        std::fs::write(folder.path().join("stage.json"), seal::write(&stage).unwrap()).unwrap();
        Self { spec, folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A frame of the records' own golden files, as this run's.
    pub(crate) fn frame(&self, golden: &[u8]) -> Frame {
        let mut frame: Frame = seal::read(golden.trim_ascii_end()).unwrap();
        frame.operation_id = self.spec.operation_id.clone();
        frame.pod_uid = Uid::new(POD).unwrap();
        frame
    }

    /// Lays a frame ready for [`LEAVE`].
    pub(crate) fn prepare(&self, frame: &Frame) {
        std::fs::write(self.path("prepared.json"), seal::write(frame).unwrap()).unwrap();
    }

    /// Starts the program, whose work is this script.
    pub(crate) fn start(&self, script: &str) -> Child {
        std::fs::write(self.path("operation.json"), seal::write(&self.spec).unwrap()).unwrap();
        let mut command = Command::new(program());
        command.arg("supervise");
        for (flag, file) in [("operation", "operation.json"), ("token", "token"), ("folder", "work")] {
            command.arg(format!("--{flag}")).arg(self.path(file));
        }
        command
            .arg("--stage")
            .arg(self.path("stage.json"))
            .arg("--message")
            .arg(self.path("message"))
            .args(["--pod", POD, "--grace", "1", "--", "/bin/sh", "-c", script])
            .env("SCENE", self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    pub(crate) fn run(&self, script: &str) -> Ran {
        ended(self.start(script))
    }
}

/// Waits for the program.
pub(crate) fn ended(child: Child) -> Ran {
    let output = child.wait_with_output().unwrap();
    Ran { code: output.status.code(), log: String::from_utf8(output.stderr).unwrap() }
}

/// The runner. `make unit` builds it before; where it is not there at all it is built here.
fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let program = test.parent().and_then(Path::parent).unwrap().join("ptah-runner");
    if !program.exists() {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let build = ["build", "--locked", "--package", "ptah-runner"];
        assert!(Command::new(cargo).args(build).status().unwrap().success());
    }
    program
}
