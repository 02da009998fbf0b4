//! One run of the real program: its files, its manager, its process, and what came of it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use http::StatusCode;
use ptah_records::operator::latest::{
    Frame, OperationSpec, Outcome, PermitAnswer, RunReport, Section, ServerIdentity, TerminationSummary,
};
use ptah_records::operator::list::List;
use ptah_records::operator::seal;
use ptah_records::operator::text::{Code, HostName, Pem, Sentence, Sha256, Uid};
use ptah_records::operator::time::Moment;
use ptah_records::operator::whole::Whole;

use crate::server::{NAME, Script, Server};

pub(crate) const POD: &str = "11111111-1111-4111-8111-111111111105";
const TOKEN: &str = "the-pods-token";

pub(crate) struct Scene {
    pub(crate) server: Server,
    pub(crate) spec: OperationSpec,
    /// Whether its files had to be fetched: what was left about that is in `stage.json`.
    pub(crate) fetched: bool,
    folder: tempfile::TempDir,
}

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) log: String,
}

/// A permit for so many seconds.
pub(crate) fn granted(seconds: u64) -> (StatusCode, PermitAnswer) {
    let operation_id = golden().operation_id;
    (StatusCode::OK, PermitAnswer::Granted { operation_id, budget_seconds: Whole::new(seconds).unwrap() })
}

/// A permit that is never given.
pub(crate) fn refused() -> (StatusCode, PermitAnswer) {
    let (code, sentence) = (Code::new("another_pod").unwrap(), Sentence::new("Another Pod was let in.").unwrap());
    (StatusCode::CONFLICT, PermitAnswer::Refused { code, sentence })
}

/// A manager that lets in for so many seconds and stores everything.
pub(crate) fn willing(seconds: u64) -> Script {
    Script { permits: vec![Some(granted(seconds))], deliveries: vec![Some(StatusCode::NO_CONTENT)] }
}

fn golden() -> OperationSpec {
    let bytes = include_bytes!("../../../../crates/records/src/operator/v1/golden/operation-apply-migration.json");
    seal::read(bytes.trim_ascii_end()).unwrap()
}

pub(crate) fn in_seconds(seconds: i64) -> Moment {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis();
    let then = i64::try_from(now).unwrap() + seconds * 1_000;
    Moment::from_milliseconds(u64::try_from(then).unwrap()).unwrap()
}

impl Scene {
    pub(crate) fn new(script: Script) -> Self {
        let server = Server::start(script);
        let mut spec = golden();
        spec.delivery.host = HostName::new("localhost").unwrap();
        spec.delivery.port = Whole::new(u64::from(server.port)).unwrap();
        spec.delivery.server_name = HostName::new(NAME).unwrap();
        spec.delivery.authority = Pem::new(server.authority.clone()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        std::fs::write(folder.path().join("token"), format!("{TOKEN}\n")).unwrap();
        let mut scene = Self { server, spec, fetched: false, folder };
        scene.times(60, 120);
        scene
    }

    /// Until when a permit may be asked for, and when the run is over, from now.
    pub(crate) fn times(&mut self, dispatch: i64, execution: i64) {
        self.spec.limits.dispatch_not_after = in_seconds(dispatch);
        self.spec.limits.execution_not_after = in_seconds(execution);
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A frame that says that the run was applied, as a file that a script can copy.
    pub(crate) fn prepared(&self) -> PathBuf {
        let path = self.path("prepared.json");
        std::fs::write(&path, seal::write(&self.applied()).unwrap()).unwrap();
        path
    }

    pub(crate) fn applied(&self) -> Frame {
        let digest = || Sha256::new(format!("sha256:{}", "c".repeat(64))).unwrap();
        let identity = ServerIdentity { route_digest: digest(), database_identity: digest(), instance_identity: None };
        let run = RunReport {
            outcome: Outcome::Applied,
            applied_units: None,
            units: Some(Whole::new(2).unwrap()),
            applied_versions: List::default(),
            identity: Some(identity),
            sequence: None,
            failure: None,
            lock_holder: None,
        };
        Frame {
            operation_id: self.spec.operation_id.clone(),
            pod_uid: Uid::new(POD).unwrap(),
            ptah_version: self.spec.ptah_version.clone(),
            runner_protocol_version: self.spec.runner_protocol_version,
            sections: List::new(vec![Section::Run(run)]).unwrap(),
            attachments: List::default(),
        }
    }

    /// Starts the program, whose work is this script.
    pub(crate) fn start(&self, script: &str) -> Child {
        std::fs::write(self.path("operation.json"), seal::write(&self.spec).unwrap()).unwrap();
        let stage = if self.fetched { vec!["--stage".into(), self.path("stage.json")] } else { Vec::new() };
        Command::new(env!("CARGO_BIN_EXE_ptah-runner"))
            .arg("supervise")
            .arg("--operation")
            .arg(self.path("operation.json"))
            .arg("--token")
            .arg(self.path("token"))
            .arg("--folder")
            .arg(self.path("work"))
            .arg("--message")
            .arg(self.path("message"))
            .args(stage)
            .args(["--pod", POD, "--grace", "1", "--", "/bin/sh", "-c", script])
            .env("SCENE", self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    pub(crate) fn run(&self, script: &str) -> Ran {
        ended(self.start(script))
    }

    /// The frame that was delivered: whole, by the pieces and the last word.
    pub(crate) fn delivered(&self) -> Option<Frame> {
        let stored = self.server.stored();
        let of = |name: &str| {
            let path = format!("/v1/results/{}/{POD}/{name}", self.spec.operation_id);
            stored.get(&path).cloned()
        };
        let complete: ptah_records::operator::latest::Complete = seal::read(&of("complete")?).unwrap();
        let bytes: Vec<u8> = (0..complete.pieces.get()).flat_map(|piece| of(&piece.to_string()).unwrap()).collect();
        assert_eq!(Sha256::from(&ptah_model::Digest::of(&bytes)), complete.digest);
        Some(seal::read(&bytes[..usize::try_from(complete.frame_size.get()).unwrap()]).unwrap())
    }

    /// How the run ended, as it was delivered.
    pub(crate) fn outcome(&self) -> Option<(Outcome, Option<String>)> {
        let frame = self.delivered()?;
        match frame.sections.as_slice() {
            [Section::Run(run)] => Some((run.outcome, run.failure.as_ref().map(|failure| failure.code.to_string()))),
            [Section::NotStarted(failure)] => Some((Outcome::NotStarted, Some(failure.code.to_string()))),
            other => panic!("{other:?}"),
        }
    }

    /// What stands in the Pod's status.
    pub(crate) fn message(&self) -> TerminationSummary {
        seal::read(&std::fs::read(self.path("message")).unwrap()).unwrap()
    }

    /// Waits until a script has left a file, and reads the number in it.
    pub(crate) fn number(&self, name: &str) -> i32 {
        let path = self.path(name);
        until(|| std::fs::read_to_string(&path).ok()?.trim().parse().ok())
    }
}

/// Waits for the program.
pub(crate) fn ended(child: Child) -> Ran {
    let output = child.wait_with_output().unwrap();
    assert!(output.stdout.is_empty(), "nothing is written to stdout");
    Ran { code: output.status.code(), log: String::from_utf8(output.stderr).unwrap() }
}

/// Whether a process is there; one that has ended and is not yet waited for is not.
pub(crate) fn is_there(process: i32) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(process.to_string()).join("stat"));
    stat.is_ok_and(|stat| !stat.rsplit_once(") ").unwrap().1.starts_with('Z'))
}

/// Waits for something that comes.
pub(crate) fn until<T>(mut found: impl FnMut() -> Option<T>) -> T {
    for _ in 0..3_000 {
        if let Some(found) = found() {
            return found;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("it did not come within 30 seconds");
}
