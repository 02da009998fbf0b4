//! One operation from its file to the exit status.
//!
//! ```text
//! operation ─► [permit] ─► process ─► its end, and that of all it left ─► frame on disk ─► message ─► delivery
//!     │           │ none: nothing is opened, 75                              die here: the frame is on the disk
//!     └ another version: nothing is opened, 75                               die here: the message is in the Pod's status
//! ```

use std::path::Path;
use std::time::Duration;

use ptah_records::operator::exit::ExitCode;
use ptah_records::operator::latest::{Failure, OperationSpec, Stage, StageResult, Work as Wanted};
use ptah_records::operator::limits::OPERATION;
use ptah_records::operator::seal;

use crate::arguments::Supervise;
use crate::child::{End, NotWatched, Work};
use crate::client::{Client, Credential};
use crate::clock::now;
use crate::delivery::{Delivered, deliver};
use crate::log;
use crate::permit::{Permit, ask};
use crate::result::{FRAME_FILE, PROTOCOL, Parcel, Reporter, this_version};
use crate::stop::Stop;
use crate::window::{PUSH, Window, whole};
use crate::{disk, stage, words};

/// The file that says that the work was begun in this Pod, kept for as long as the Pod.
const BEGUN_FILE: &str = "begun";

/// Carries the operation out and says how its delivery ended.
pub async fn supervise(arguments: &Supervise) -> ExitCode {
    let spec = match operation(&arguments.operation) {
        Ok(spec) => spec,
        Err(problem) => {
            log::say(&format!("the operation in {} is not carried out: {problem}", arguments.operation.display()));
            return ExitCode::NeverStarted;
        }
    };
    let Ok(mut stop) = Stop::new() else {
        log::say("signals cannot be listened for");
        return ExitCode::NeverStarted;
    };
    let client = Client::new(&spec.delivery);
    let reporter = Reporter { spec: &spec, pod: &arguments.pod };
    let token = Credential::Token(arguments.token.clone());
    let run = Run { arguments, reporter, client };
    if !is_ours(&spec) {
        return run.never_started(words::other_version(), &token).await;
    }
    if let Some(failure) = run.not_staged() {
        return run.never_started(failure, &token).await;
    }
    if !spec.needs_permit() {
        let window = Window::of_run(&spec.limits, now(), whole(&spec.limits));
        return run.work(window, &token, &mut stop).await;
    }
    match ask(&spec, &run.client, &token, &mut stop).await {
        Permit::Granted(window, key) => run.work(window, &Credential::Key(key), &mut stop).await,
        Permit::Refused(failure) => run.never_started(failure, &token).await,
    }
}

/// Reads the operation. Nothing of one that is not whole is interpreted.
pub(crate) fn operation(file: &Path) -> Result<OperationSpec, String> {
    let bytes = disk::read(file, OPERATION).map_err(|_| "the file cannot be read, or is too large".to_owned())?;
    seal::read(&bytes).map_err(|problem| problem.to_string())
}

/// Whether this program is the one that the operation wants.
pub(crate) fn is_ours(spec: &OperationSpec) -> bool {
    this_version().as_ref() == Some(&spec.ptah_version) && spec.runner_protocol_version.get() == PROTOCOL
}

struct Run<'a> {
    arguments: &'a Supervise,
    reporter: Reporter<'a>,
    client: Client,
}

impl Run<'_> {
    /// Says that nothing was opened. The exit status says the same, whether or not that is heard.
    async fn never_started(&self, failure: Failure, credential: &Credential) -> ExitCode {
        if self.arguments.folder.join(BEGUN_FILE).exists() {
            return self.begun_before();
        }
        log::say(failure.sentence.as_str());
        let parcel = Parcel::of(self.reporter.not_started(failure));
        self.report(&parcel, credential, now().boot + PUSH).await;
        ExitCode::NeverStarted
    }

    /// An earlier start of this container began the work and did not live to report it. What it kept stays; where it kept
    /// nothing, the Pod's status says that nobody knows. The key that could deliver died with it.
    fn begun_before(&self) -> ExitCode {
        log::say("the work was begun by an earlier start of this container; nothing is begun again");
        let kept = Parcel::left_in(&self.arguments.folder, &self.reporter);
        let parcel = kept.unwrap_or_else(|| Parcel::of(self.reporter.silence(words::died(), self.stage().as_ref())));
        self.say_in_status(&parcel);
        ExitCode::NotDelivered
    }

    /// Does the work within the window, and reports what came of it.
    async fn work(&self, window: Window, credential: &Credential, stop: &mut Stop) -> ExitCode {
        let parcel = self.parcel(window, stop).await;
        self.report(&parcel, credential, window.end() + PUSH).await
    }

    async fn parcel(&self, window: Window, stop: &mut Stop) -> Parcel {
        let stage = self.stage();
        let refresh = matches!(self.reporter.spec.work, Wanted::Refresh { .. });
        if refresh && !stage::is_there(stage.as_ref()) {
            return Parcel::of(self.reporter.silence(words::no_stage(), stage.as_ref()));
        }
        let Supervise { command, operation, folder, pod, grace, .. } = self.arguments;
        // What an earlier start of this container left is not this run's result.
        let cleared = std::fs::remove_file(folder.join(FRAME_FILE));
        if cleared.is_err_and(|error| error.kind() != std::io::ErrorKind::NotFound) {
            return Parcel::of(self.reporter.never_ran(words::no_child(), stage.as_ref()));
        }
        // An answer may come so late that nothing of the budget is left.
        if window.is_over(now()) {
            return Parcel::of(self.reporter.never_ran(words::no_time_left(), stage.as_ref()));
        }
        // Before the process: if this one dies now and is started again, it must not say that nothing was begun.
        if disk::write(&folder.join(BEGUN_FILE), pod.as_str().as_bytes()).is_err() {
            return Parcel::of(self.reporter.never_ran(words::no_child(), stage.as_ref()));
        }
        let work = match Work::start(command, operation, folder, Some(pod.as_str())) {
            Ok(work) => work,
            Err(NotWatched::NotStarted) => {
                return Parcel::of(self.reporter.never_ran(words::no_child(), stage.as_ref()));
            }
            Err(NotWatched::Lost) => return Parcel::of(self.reporter.silence(words::not_gone(), stage.as_ref())),
        };
        let failure = match work.watch(window, *grace, stop).await {
            End::ByItself => words::died(),
            End::OutOfTime => words::out_of_time(),
            End::Stopped => words::stopped(),
            // It may still write, so whatever it left says too little.
            End::NotGone => return Parcel::of(self.reporter.silence(words::not_gone(), stage.as_ref())),
        };
        Parcel::left_in(folder, &self.reporter).unwrap_or_else(|| {
            log::say(failure.sentence.as_str());
            Parcel::of(self.reporter.silence(failure, stage.as_ref()))
        })
    }

    /// What the fetching container left, if it answers this operation.
    fn stage(&self) -> Option<Stage> {
        stage::read(self.arguments.stage.as_ref()?, self.reporter.spec)
    }

    /// Why a run whose files had to be fetched is not begun: no permit is asked for without them. A refresh reports its
    /// stage in a section of its own.
    fn not_staged(&self) -> Option<Failure> {
        self.arguments.stage.as_ref().filter(|_| self.reporter.spec.needs_permit())?;
        match self.stage().map(|stage| stage.result) {
            Some(StageResult::Staged { .. }) => None,
            Some(StageResult::NotResolved(failure) | StageResult::NotVerified { failure, .. }) => Some(failure),
            None => Some(words::no_stage()),
        }
    }

    fn say_in_status(&self, parcel: &Parcel) {
        let message = seal::write(&parcel.summary());
        if !message.is_ok_and(|message| disk::write_in_place(&self.arguments.message, &message).is_ok()) {
            log::say("the summary could not be written into the Pod's status");
        }
    }

    /// Keeps the result on the disk and in the Pod's status, then delivers it.
    async fn report(&self, parcel: &Parcel, credential: &Credential, end: Duration) -> ExitCode {
        if disk::write(&self.arguments.folder.join(FRAME_FILE), parcel.frame_bytes()).is_err() {
            log::say("the result could not be kept on the disk; it is delivered all the same");
        }
        self.say_in_status(parcel);
        match deliver(parcel, &self.client, credential, end).await {
            Delivered::Yes => ExitCode::Delivered,
            how => {
                log::say(&format!("the result was not delivered: {}", how.why()));
                ExitCode::NotDelivered
            }
        }
    }
}
