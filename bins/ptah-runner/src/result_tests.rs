//! What a result says, and what it never says.

use ptah_records::operator::check::Record as _;

use super::*;
use crate::fixtures::every_spec;
use crate::words;

fn pod() -> Uid {
    Uid::new("11111111-1111-4111-8111-111111111105").unwrap()
}

fn stage(result: StageResult) -> Stage {
    Stage { operation_id: every_spec()[0].operation_id.clone(), result }
}

fn golden_stage() -> Stage {
    let bytes = include_bytes!("../../../crates/records/src/operator/v1/golden/stage.json");
    seal::read(bytes.trim_ascii_end()).unwrap()
}

#[test]
fn silence_is_neither_success_nor_failure_whatever_was_to_be_done() {
    for spec in every_spec() {
        let reporter = Reporter { spec: &spec, pod: &pod() };
        for stage in [None, Some(golden_stage())] {
            let frame = reporter.silence(words::died(), stage.as_ref());
            frame.check().unwrap();
            let summary = Parcel::of(frame.clone()).summary();
            match frame.sections.as_slice().last().unwrap() {
                Section::Run(run) => {
                    assert_eq!((run.outcome, &run.identity), (Outcome::Unknown, &None));
                    assert_eq!(summary.outcome, Some(Outcome::Unknown));
                }
                Section::Compare(Answer::Failed(_))
                | Section::Rows(Answer::Failed(_))
                | Section::State(Answer::Failed(_))
                | Section::History(Answer::Failed(_))
                | Section::Resolve(Answer::Failed(_)) => assert_eq!(summary.outcome, None),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn what_was_fetched_is_told_also_when_nothing_could_be_read_afterwards() {
    let [.., migration, schema] = every_spec();
    for spec in [migration, schema] {
        let reporter = Reporter { spec: &spec, pod: &pod() };
        let sections = reporter.silence(words::died(), Some(&golden_stage())).sections.into_vec();
        assert!(
            matches!(&sections[..], [Section::Resolve(Answer::Done(_)), Section::Verify(Answer::Done(_)), _]),
            "{sections:?}"
        );
        let refused = stage(StageResult::NotResolved(words::no_stage()));
        let sections = reporter.silence(words::died(), Some(&refused)).sections.into_vec();
        assert_eq!(sections, [Section::Resolve(Answer::Failed(words::no_stage()))], "the reason is the fetcher's own");
    }
}

#[test]
fn only_a_run_that_was_never_let_in_says_that_it_never_started() {
    for spec in every_spec() {
        let reporter = Reporter { spec: &spec, pod: &pod() };
        let frame = reporter.not_started(words::no_permit_in_time());
        frame.check().unwrap();
        let said = matches!(frame.sections.as_slice(), [Section::NotStarted(_)]);
        assert_eq!(said, spec.needs_permit());
    }
}

#[test]
fn a_result_of_another_operation_or_pod_or_of_another_work_is_not_this_runs() {
    let [apply, _, settle, ..] = every_spec();
    let pod = pod();
    let folder = tempfile::tempdir().unwrap();
    let reporter = Reporter { spec: &apply, pod: &pod };
    let leave = |frame: &Frame| disk::write(&folder.path().join(FRAME_FILE), &seal::write(frame).unwrap()).unwrap();
    assert!(Parcel::left_in(folder.path(), &reporter).is_none(), "nothing was left");
    let good = reporter.silence(words::died(), None);
    leave(&good);
    assert!(Parcel::left_in(folder.path(), &reporter).is_some());
    let other = Uid::new("11111111-1111-4111-8111-1111111111ff").unwrap();
    leave(&Frame { pod_uid: other, ..good.clone() });
    assert!(Parcel::left_in(folder.path(), &reporter).is_none(), "another Pod's");
    let settling = Reporter { spec: &settle, pod: &pod }.silence(words::died(), None);
    leave(&Frame { operation_id: apply.operation_id.clone(), ..settling });
    assert!(Parcel::left_in(folder.path(), &reporter).is_none(), "a reading is no answer to an Apply");
    leave(&reporter.not_started(words::died()));
    assert!(Parcel::left_in(folder.path(), &reporter).is_none(), "who was let in cannot say that it was not");
    let mut cut = seal::write(&good).unwrap();
    cut.pop();
    disk::write(&folder.path().join(FRAME_FILE), &cut).unwrap();
    assert!(Parcel::left_in(folder.path(), &reporter).is_none(), "half a frame");
}

#[test]
fn the_last_word_counts_exactly_what_was_cut_into_pieces() {
    let spec = &every_spec()[1];
    let mut parcel = Parcel::of(Reporter { spec, pod: &pod() }.silence(words::died(), None));
    let frame = parcel.bytes.len();
    for size in [frame, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE] {
        parcel.bytes.resize(size, 7);
        let complete = parcel.complete().unwrap();
        complete.check().unwrap();
        assert_eq!(complete.pieces.get(), u64::try_from(parcel.pieces().count()).unwrap());
        assert_eq!(parcel.pieces().map(<[u8]>::len).sum::<usize>(), size);
        assert_eq!(complete.digest, parcel.digest());
    }
}
