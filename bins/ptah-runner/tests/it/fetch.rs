//! Fetching, as its program, with real processes: it always exits with 0, and always leaves one whole word.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ptah_records::operator::latest::{OperationSpec, Stage, StageResult};
use ptah_records::operator::seal;
use ptah_records::operator::text::OperationId;
use rustix::process::{Pid, Signal, kill_process};

use crate::scene::{Ran, ended, in_seconds, is_there, until};

const FILE: &str = "stage.json";

struct Fetching {
    spec: OperationSpec,
    folder: tempfile::TempDir,
}

impl Fetching {
    fn new() -> Self {
        let golden = include_bytes!("../../../../crates/records/src/operator/v1/golden/operation-refresh-schema.json");
        let mut spec: OperationSpec = seal::read(golden.trim_ascii_end()).unwrap();
        spec.limits.dispatch_not_after = in_seconds(60);
        spec.limits.execution_not_after = in_seconds(120);
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("source")).unwrap();
        let fetching = Self { spec, folder };
        let mut another = fetching.staged();
        std::fs::write(fetching.path("whole.json"), seal::write(&another).unwrap()).unwrap();
        another.operation_id = OperationId::new("01890a5d-ac96-774b-bcce-b302099a8007").unwrap();
        std::fs::write(fetching.path("another.json"), seal::write(&another).unwrap()).unwrap();
        fetching
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The word of a process that fetched everything.
    fn staged(&self) -> Stage {
        let golden = include_bytes!("../../../../crates/records/src/operator/v1/golden/stage.json");
        let stage: Stage = seal::read(golden.trim_ascii_end()).unwrap();
        assert_eq!(stage.operation_id, self.spec.operation_id);
        stage
    }

    fn start(&self, script: &str) -> Child {
        std::fs::write(self.path("operation.json"), seal::write(&self.spec).unwrap()).unwrap();
        Command::new(env!("CARGO_BIN_EXE_ptah-runner"))
            .args(["fetch", "--grace", "1", "--operation"])
            .arg(self.path("operation.json"))
            .arg("--folder")
            .arg(self.path("source"))
            .args(["--", "/bin/sh", "-c", script])
            .env("SCENE", self.folder.path())
            .env_remove("PTAH_POD_UID")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Runs it, which always succeeds, and reads the word that is left.
    fn run(&self, script: &str) -> StageResult {
        self.word(&ended(self.start(script)))
    }

    fn word(&self, ran: &Ran) -> StageResult {
        assert_eq!(ran.code, Some(0), "{}", ran.log);
        let stage: Stage = seal::read(&std::fs::read(self.path("source").join(FILE)).unwrap()).unwrap();
        assert_eq!(stage.operation_id, self.spec.operation_id);
        stage.result
    }
}

fn code(result: &StageResult) -> &str {
    let StageResult::NotResolved(failure) = result else { panic!("{result:?}") };
    failure.code.as_str()
}

#[test]
fn the_word_of_a_process_that_fetched_is_left_as_it_is() {
    let fetching = Fetching::new();
    let script = "grep -q operation \"$PTAH_OPERATION_FILE\" || exit; [ -z \"$PTAH_POD_UID\" ] || exit; \
                  cp $SCENE/whole.json $PTAH_RESULT_FOLDER/stage.new; \
                  mv $PTAH_RESULT_FOLDER/stage.new $PTAH_RESULT_FOLDER/stage.json; exit 3";
    assert_eq!(fetching.run(script), fetching.staged().result, "whatever it exits with");
}

#[test]
fn a_process_that_says_nothing_whole_about_this_operation_has_failed() {
    for script in [
        "exit 0",
        "exit 3",
        "kill -9 $$",
        "head -c 100 $SCENE/whole.json > $PTAH_RESULT_FOLDER/stage.json",
        "sed s/billing/x/ $SCENE/whole.json > $PTAH_RESULT_FOLDER/stage.json",
        "cp $SCENE/another.json $PTAH_RESULT_FOLDER/stage.json",
        "head -c 100000 /dev/zero > $PTAH_RESULT_FOLDER/stage.json",
    ] {
        assert_eq!(code(&Fetching::new().run(script)), "runner_fetch_died", "{script}");
    }
}

#[test]
fn the_word_of_an_earlier_start_is_not_taken_for_this_ones() {
    let fetching = Fetching::new();
    std::fs::copy(fetching.path("whole.json"), fetching.path("source").join(FILE)).unwrap();
    assert_eq!(code(&fetching.run("exit 0")), "runner_fetch_died");
}

#[test]
fn a_process_that_floods_its_outputs_is_neither_blocked_nor_seen() {
    let fetching = Fetching::new();
    let script = "head -c 20000000 /dev/zero | tr '\\0' s; head -c 20000000 /dev/zero | tr '\\0' s >&2; \
                  cp $SCENE/whole.json $PTAH_RESULT_FOLDER/stage.json";
    let ran = ended(fetching.start(script));
    assert!(ran.log.len() < 1_000 && !ran.log.contains("sss"), "{}", ran.log.len());
    assert_eq!(fetching.word(&ran), fetching.staged().result);
}

#[test]
fn a_process_that_ignores_sigterm_is_killed_when_nothing_may_be_begun_any_more() {
    let mut fetching = Fetching::new();
    fetching.spec.limits.dispatch_not_after = in_seconds(2);
    let started = Instant::now();
    let result = fetching.run("trap '' TERM; echo $$ > $SCENE/pid; while :; do sleep 0.1; done");
    assert_eq!(code(&result), "runner_fetch_out_of_time");
    assert!(started.elapsed() >= Duration::from_millis(2_500), "about two seconds, and one of grace");
    let pid = std::fs::read_to_string(fetching.path("pid")).unwrap();
    assert!(!is_there(pid.trim().parse().unwrap()));
}

#[test]
fn a_pod_that_is_stopped_ends_its_fetching() {
    let fetching = Fetching::new();
    let child = fetching.start("touch $SCENE/begun; while :; do sleep 0.1; done");
    until(|| fetching.path("begun").exists().then_some(()));
    kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), Signal::TERM).unwrap();
    assert_eq!(code(&fetching.word(&ended(child))), "runner_fetch_stopped");
}

#[test]
fn what_cannot_be_begun_is_told_and_nothing_is_started() {
    let mut fetching = Fetching::new();
    fetching.spec.ptah_version = ptah_records::operator::text::VersionText::new("v99.0.0").unwrap();
    assert_eq!(code(&fetching.run("touch $SCENE/ran")), "runner_other_version");
    assert!(!fetching.path("ran").exists());
}

#[test]
fn where_there_is_no_operation_to_speak_of_no_word_is_left_and_the_pod_goes_on() {
    let fetching = Fetching::new();
    let file = fetching.path("source").join(FILE);
    std::fs::copy(fetching.path("whole.json"), &file).unwrap();
    let run = |arguments: &[&std::ffi::OsStr]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptah-runner"));
        command.arg("fetch").args(arguments).output().unwrap().status.code()
    };
    let (missing, folder) = (fetching.path("missing.json"), fetching.path("source"));
    let unreadable = run(&[
        "--operation".as_ref(),
        missing.as_ref(),
        "--folder".as_ref(),
        folder.as_ref(),
        "--".as_ref(),
        "true".as_ref(),
    ]);
    assert_eq!(unreadable, Some(0));
    assert!(!file.exists(), "the word of an earlier start is none about this one");
    assert_eq!(run(&["--nonsense".as_ref()]), Some(0));
}
