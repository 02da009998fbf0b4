//! Showing the plan, and asking for consent to it.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use ptah_apply::Settled;
use ptah_drive::prepare::Planned;
use ptah_drive::run::{Consent, Stop, Target};

use crate::crash;
use crate::output::{Answer, Output, Page, read_answer, style};
use crate::settings::{Approval, ViewSettings};
use crate::view::plan::PlanView;
use crate::view::run::settled_sentence;

/// How often a question looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(50);

/// Shows the plan and decides by what the caller said.
#[derive(Debug)]
pub(super) struct Asking<'a> {
    pub(super) output: &'a Output,
    pub(super) approval: Approval,
    pub(super) view: ViewSettings,
    pub(super) stop: &'a Stop,
    /// Whether the notes about the database and what was settled were shown, with the plan.
    pub(super) has_told_notes: bool,
}

/// What opening a database took.
pub(super) fn tell_notes(output: &Output, notes: &[String]) {
    for note in notes {
        output.tell(Page::new().paint(style::STRONG, "note:").text(" ").line(note));
    }
}

/// The plan, for people.
pub(super) fn plan_page(planned: &Planned, target: &Target, explain: bool) -> Page {
    PlanView {
        database: &target.database,
        exists: target.exists,
        steps: &planned.explanations,
        segments: Some(planned.plan.segments().len()),
        explain,
    }
    .page()
}

impl Consent for Asking<'_> {
    fn approve(&mut self, planned: &Planned, target: &Target, settled: &[Settled]) -> bool {
        tell_notes(self.output, &target.notes);
        self.has_told_notes = true;
        // Before the question: who is asked has to know what is there.
        for one in settled {
            self.output.tell(&Page::of(&settled_sentence(one)));
        }
        self.output.tell(&plan_page(planned, target, self.view.explain));
        let approved = match self.approval {
            Approval::Given => {
                self.output.tell(&Page::of("approved with --auto-approve"));
                true
            }
            Approval::ForDigest(digest) => {
                let same = digest == planned.plan.digest();
                self.output.tell(&Page::of(if same {
                    "approved with --plan-digest"
                } else {
                    "approved is another plan"
                }));
                same
            }
            Approval::Ask => ask(self.output, &target.database, self.stop) == Answer::Yes,
            Approval::DryRun => false,
        };
        if approved {
            crash::may_have_run_from_now_on();
        }
        approved
    }
}

/// Asks a person about a plan.
fn ask(output: &Output, database: &str, stop: &Stop) -> Answer {
    ask_for(output, &format!("Type yes to apply these changes to {database}: "), stop)
}

/// Asks a person, until there is an answer or the run is to stop. What is typed is read beside the run, so that a
/// question nobody answers can be given up.
pub(super) fn ask_for(output: &Output, question: &str, stop: &Stop) -> Answer {
    output.tell(Page::new().text(question));
    let (answered, answer) = sync_channel(1);
    std::thread::spawn(move || {
        // The question may be given up by then.
        let _ = answered.send(read_answer(&mut std::io::stdin().lock()));
    });
    loop {
        match answer.recv_timeout(LOOK) {
            Ok(answer) => return answer,
            Err(RecvTimeoutError::Timeout) if !stop.is_asked() => {}
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Answer::No,
        }
    }
}
