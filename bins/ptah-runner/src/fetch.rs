//! Fetching, in a container of its own: it has the registry's credentials and no database.
//!
//! It always leaves a word about how it ended and always exits with 0, because the container that comes after it tells: of
//! one that failed, a Pod's status would keep no more than a number.

use std::path::Path;

use ptah_records::operator::latest::{Failure, OperationSpec, Stage, StageResult};
use ptah_records::operator::seal;

use crate::arguments::Fetch;
use crate::child::{End, NotWatched, Work};
use crate::clock::now;
use crate::program;
use crate::stage::{self, STAGE_FILE};
use crate::stop::Stop;
use crate::window::Window;
use crate::{disk, log, words};

/// Fetches what the operation wants. Comes back when nothing of the process is there any more, and its word is left.
///
/// Where the operation itself cannot be read there is nothing that a word could be about, and none is left.
pub async fn fetch(arguments: &Fetch) {
    let file = arguments.folder.join(STAGE_FILE);
    let spec = match program::operation(&arguments.operation) {
        Ok(spec) => spec,
        Err(problem) => {
            log::say(&format!("nothing is fetched for {}: {problem}", arguments.operation.display()));
            // Not a word of an earlier start either: nobody knows what it was about.
            let _ = std::fs::remove_file(&file);
            return;
        }
    };
    if let Some(failure) = failed(arguments, &spec, &file).await {
        log::say(failure.sentence.as_str());
        let stage = Stage { operation_id: spec.operation_id, result: StageResult::NotResolved(failure) };
        let written = seal::write(&stage).is_ok_and(|bytes| disk::write(&file, &bytes).is_ok());
        if !written {
            log::say("the word about fetching could not be written");
        }
    }
}

/// Why the process left no word that answers the operation; nothing where it did.
async fn failed(arguments: &Fetch, spec: &OperationSpec, file: &Path) -> Option<Failure> {
    if !program::is_ours(spec) {
        return Some(words::other_version());
    }
    // What an earlier start of this container left is not this one's word.
    let cleared = std::fs::remove_file(file);
    if cleared.is_err_and(|error| error.kind() != std::io::ErrorKind::NotFound) {
        return Some(words::no_fetch());
    }
    let Ok(mut stop) = Stop::new() else { return Some(words::no_fetch()) };
    // When no permit is given any more, what is fetched is of no use.
    let window = Window::of_asking(&spec.limits, now());
    let work = match Work::start(&arguments.command, &arguments.operation, &arguments.folder, None) {
        Ok(work) => work,
        Err(NotWatched::NotStarted) => return Some(words::no_fetch()),
        Err(NotWatched::Lost) => return Some(words::fetch_not_gone()),
    };
    let failure = match work.watch(window, arguments.grace, &mut stop).await {
        End::ByItself => words::fetch_died(),
        End::OutOfTime => words::fetch_out_of_time(),
        End::Stopped => words::fetch_stopped(),
        // It may still write, so its word says too little.
        End::NotGone => return Some(words::fetch_not_gone()),
    };
    stage::read(file, spec).is_none().then_some(failure)
}
