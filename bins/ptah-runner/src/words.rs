//! What is said when something was not done: a stable code, and a sentence of ours. No text of a driver, of a child or of
//! the system is ever in it.

use ptah_records::operator::latest::Failure;
use ptah_records::operator::text::{Code, Sentence};

macro_rules! failures {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $sentence:literal;)*) => {
        $(
            $(#[$doc])*
            pub(crate) fn $name() -> Failure {
                failure($code, $sentence)
            }
        )*

        #[cfg(test)]
        const ALL: &[fn() -> Failure] = &[$($name),*];
    };
}

failures! {
    /// No randomness.
    no_key = "runner_no_key", "This machine gave no randomness to make a key from, so nothing was begun.";
    /// The permit did not come.
    no_permit_in_time = "runner_no_permit", "The manager gave no permit in time, so nothing was begun.";
    /// SIGTERM before the permit.
    stopped_before_permit = "runner_stopped_early", "The Pod was stopped before it had a permit, so nothing was begun.";
    /// Another version is wanted.
    other_version = "runner_other_version",
        "The operation is for another version of Ptah than this image has, so nothing was begun.";
    /// The child could not be started.
    no_child = "runner_no_process", "The process that does the work could not be started, so nothing was begun.";
    /// The permit came when its time was over.
    no_time_left = "runner_no_time_left", "The permit came when its time was over, so nothing was begun.";
    /// The child ended without a result.
    died = "runner_process_died", "The process that did the work ended without saying what it did.";
    /// The window was over.
    out_of_time = "runner_out_of_time", "The time of the run was over, and its process was ended without a result.";
    /// SIGTERM while it ran.
    stopped = "runner_stopped", "The Pod was stopped while it worked, and its process was ended without a result.";
    /// SIGKILL was not enough.
    not_gone = "runner_process_not_gone",
        "The process that did the work could not be ended; something of it may still write.";
    /// The process that fetches could not be started.
    no_fetch = "runner_no_fetch", "The process that fetches the artifact could not be started.";
    /// It ended without its word.
    fetch_died = "runner_fetch_died", "The process that fetches the artifact ended without saying what it did.";
    /// Nothing may be begun any more.
    fetch_out_of_time = "runner_fetch_out_of_time",
        "The time for fetching the artifact was over, and its process was ended.";
    /// SIGTERM while it ran.
    fetch_stopped = "runner_fetch_stopped", "The Pod was stopped while the artifact was fetched.";
    /// SIGKILL was not enough.
    fetch_not_gone = "runner_fetch_not_gone",
        "The process that fetches the artifact could not be ended, so what it fetched is not used.";
    /// The fetching container left nothing.
    no_stage = "runner_no_stage", "The container that fetches the artifact left no word about this one.";
}

fn failure(code: &str, sentence: &str) -> Failure {
    #[expect(clippy::expect_used, reason = "each pair is a literal of this file, and a test makes all of them")]
    let (code, sentence) = (Code::new(code).expect("a code"), Sentence::new(sentence).expect("a sentence"));
    Failure { code, sentence }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_has_a_code_of_its_own_and_a_sentence() {
        let codes: std::collections::BTreeSet<String> = ALL.iter().map(|make| make().code.to_string()).collect();
        assert_eq!(codes.len(), ALL.len());
    }
}
