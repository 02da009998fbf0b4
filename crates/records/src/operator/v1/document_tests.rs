//! What every document promises: it is read as it was written, and nothing but what was written is read.

use proptest::prelude::*;

use super::document_fixtures::*;
use super::fixtures::*;
use super::*;
use crate::operator::seal::{self, Document, ReadProblem, WriteProblem};
use crate::operator::text::{MigrationKey, ShortText};

/// Compares a document with its golden file and takes it through all that a reader refuses.
fn keeps<D: Document + PartialEq + std::fmt::Debug>(file: &str, document: &D, golden: &str) {
    let bytes = seal::write(document).unwrap();
    assert_eq!(String::from_utf8(bytes.clone()).unwrap(), golden, "{file}");
    assert_eq!(seal::read::<D>(&bytes).as_ref(), Ok(document), "{file}");
    assert_eq!(seal::state_version(&bytes), Some(1), "{file}");
    assert!(golden.contains(&seal::digest(document).to_string()), "{file}");
    refuses_changes::<D>(file, &bytes);
}

/// No byte can be changed, removed or added, and no field can be added.
fn refuses_changes<D: Document + PartialEq + std::fmt::Debug>(file: &str, bytes: &[u8]) {
    for index in 0..bytes.len() {
        let mut changed = bytes.to_vec();
        changed[index] ^= 1;
        assert!(seal::read::<D>(&changed).is_err(), "{file}: the byte {index} could be changed");
        changed.remove(index);
        assert!(seal::read::<D>(&changed).is_err(), "{file}: the byte {index} could be removed");
    }
    for added in [" ", "\n", "x"] {
        assert!(seal::read::<D>(&[bytes, added.as_bytes()].concat()).is_err(), "{file}: {added:?} could be added");
    }
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    for (index, _) in text.match_indices('{') {
        let (before, after) = text.split_at(index + 1);
        let comma = if after.starts_with('}') { "" } else { "," };
        let longer = format!("{before}\"unknown\":1{comma}{after}");
        assert!(seal::read::<D>(longer.as_bytes()).is_err(), "{file}: a field could be added at {index}");
    }
}

/// Compares a document with its golden file.
macro_rules! golden {
    ($document:expr, $file:literal) => {
        keeps($file, &$document, include_str!(concat!("golden/", $file, ".json")));
    };
}

#[test]
fn what_stands_on_a_lease_is_kept_as_its_golden_file_has_it() {
    golden!(hold(), "hold");
    golden!(settled(), "settled");
    golden!(bound_to(), "bound-to");
}

#[test]
fn what_is_said_about_a_permit_is_kept_as_its_golden_file_has_it() {
    golden!(permit_request(), "permit-request");
    golden!(granted(), "permit-granted");
    golden!(not_yet(), "permit-not-yet");
    golden!(refused(), "permit-refused");
}

#[test]
fn an_operation_is_kept_as_its_golden_file_has_it() {
    golden!(spec_refresh(), "operation-refresh-schema");
    golden!(spec_refresh_migration(), "operation-refresh-migration");
    golden!(spec_settle_schema(), "operation-settle-schema");
    golden!(spec_settle(), "operation-settle-migration");
    golden!(spec_apply(), "operation-apply-schema");
    golden!(spec_apply_migration(), "operation-apply-migration");
    golden!(stage(), "stage");
    golden!(stage_refused(), "stage-not-verified");
    assert!(spec_apply().needs_permit() && spec_settle().needs_permit() && !spec_refresh().needs_permit());
}

#[test]
fn what_a_pod_reports_is_kept_as_its_golden_file_has_it() {
    golden!(frame_refresh(), "frame-refresh-schema");
    golden!(frame_refresh_migration(), "frame-refresh-migration");
    golden!(frame_failed(), "frame-refresh-failed");
    golden!(frame_settle_schema(), "frame-settle-schema");
    golden!(frame_settle(), "frame-settle-migration");
    golden!(frame_busy(), "frame-settle-busy");
    golden!(frame_apply(), "frame-apply");
    golden!(frame_not_started(), "frame-not-started");
    golden!(complete(), "complete");
    golden!(termination_summary(), "termination-summary");
}

#[test]
fn a_document_of_another_kind_or_version_is_refused_by_what_it_says_first() {
    let bytes = seal::write(&hold()).unwrap();
    assert_eq!(seal::read::<Settled>(&bytes), Err(ReadProblem::Kind { kind: "settled list" }));
    let text = String::from_utf8(bytes).unwrap();
    let newer = text.replace("\"controllerStateVersion\":1", "\"controllerStateVersion\":2,\"added\":true");
    assert_eq!(seal::read::<Hold>(newer.as_bytes()), Err(ReadProblem::Newer { kind: "hold", stored: 2 }));
    assert_eq!(seal::state_version(newer.as_bytes()), Some(2));
    let later = text.replace("\"contractVersion\":1", "\"contractVersion\":2");
    assert_eq!(seal::read::<Hold>(later.as_bytes()), Err(ReadProblem::Version { kind: "hold", found: 2, read: 1 }));
    let none = text.replace("\"controllerStateVersion\":1", "\"controllerStateVersion\":0");
    assert!(matches!(seal::read::<Hold>(none.as_bytes()), Err(ReadProblem::Malformed { .. })));
    assert_eq!(seal::state_version(none.as_bytes()), None);
    assert_eq!(seal::state_version(b"{}"), None);
    let spaced = text.replace("{\"kind\"", "{ \"kind\"");
    assert_eq!(seal::read::<Hold>(spaced.as_bytes()), Err(ReadProblem::Changed { kind: "hold" }));
}

#[test]
fn what_is_too_large_is_neither_read_nor_written() {
    let bytes = vec![b'{'; Hold::LIMIT + 1];
    let too_large = ReadProblem::TooLarge { kind: "hold", size: 2049, limit: 2048 };
    assert_eq!(seal::read::<Hold>(&bytes), Err(too_large.clone()));
    assert_eq!(too_large.to_string(), "the hold has 2049 bytes; at most 2048 are allowed");
    let long = || MigrationKey::new("v".repeat(128)).unwrap();
    let described = ShortText::new("é".repeat(128)).ok();
    let step = MigrationStep { version: long(), checksum: long(), description: described, ..steps()[0].clone() };
    let largest = Proposed::Migration { migrations: list(vec![step; 256]) };
    let mut sections: Vec<Section> = frame_refresh_migration().sections.into_vec();
    sections[3] = Section::Plan(Answer::Done(largest));
    let size = seal::write(&frame(sections)).unwrap().len();
    assert!(size < Frame::LIMIT, "{size}: the longest sequence fits into a frame");
}

#[test]
fn the_largest_hold_and_summary_fit_into_their_limits() {
    let largest = Hold { resource_uid: long_uid('a'), plan: HeldPlan { uid: long_uid('b'), ..hold().plan }, ..hold() };
    assert!(seal::write(&largest).is_ok());
    assert!(seal::write(&settled()).is_ok());
    let long = |letter: &str| MigrationKey::new(letter.repeat(128)).ok();
    let summary = TerminationSummary {
        pod_uid: long_uid('a'),
        first_version: long("1"),
        last_version: long("2"),
        code: Some(code(&"c".repeat(64))),
        ..termination_summary()
    };
    assert!(seal::write(&summary).is_ok());
}

fn long_uid(letter: char) -> crate::operator::text::Uid {
    crate::operator::text::Uid::new(letter.to_string().repeat(128)).unwrap()
}

/// The rule that a document breaks.
fn broken<D: Document>(document: &D) -> &'static str {
    match seal::write(document) {
        Err(WriteProblem::Contradiction(contradiction)) => contradiction.rule,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_document_that_contradicts_itself_is_not_written() {
    let schema = Hold { family: Family::Schema, ..hold() };
    assert_eq!(broken(&schema), "only a migration has a sequence");
    let twice = Settled { operations: list(vec![operation(1), operation(1)]) };
    assert_eq!(broken(&twice), "an operation stands in it once");
    let mut itself = spec_settle();
    itself.operation_id = operation(0x09);
    assert_eq!(broken(&itself), "an operation does not settle itself");
    let size = Complete { pieces: whole(2), ..complete() };
    assert_eq!(broken(&size), "every piece but the last is full");
    let summary = TerminationSummary { applied_units: None, ..termination_summary() };
    assert_eq!(broken(&summary), "a partial outcome, and no other, counts its units");
}

#[test]
fn a_frame_whose_sections_do_not_follow_each_other_is_not_written() {
    let resolve = || Section::Resolve(Answer::Done(resolved()));
    assert_eq!(broken(&frame(vec![])), "sections stand in their order, without a gap");
    let [_, verify, state, plan] = <[Section; 4]>::try_from(frame_refresh().sections.into_vec()).unwrap();
    let gap = vec![resolve(), state.clone()];
    assert_eq!(broken(&frame(gap)), "sections stand in their order, without a gap");
    let cut = vec![resolve(), verify.clone()];
    assert_eq!(broken(&frame(cut)), "a frame ends with its last section, or with the first that failed");
    let bare = vec![resolve(), verify, state, plan];
    assert_eq!(broken(&frame(bare)), "a schema's plan, and nothing else, is attached");
    let nowhere = RunReport { identity: None, ..run_report() };
    assert_eq!(broken(&frame(vec![Section::Run(nowhere.clone())])), "a run whose outcome is known names its database");
    let silent = RunReport { outcome: Outcome::Unknown, applied_units: None, units: None, ..nowhere };
    assert!(
        crate::operator::seal::write(&frame(vec![Section::Run(silent)])).is_ok(),
        "of a run that never said anything no database is known"
    );
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic_or_read_what_was_not_written(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(seal::read::<Hold>(&bytes).is_err());
        prop_assert!(seal::read::<Frame>(&bytes).is_err());
    }

    #[test]
    fn a_document_of_any_values_is_read_as_it_was_written(
        seeds in proptest::collection::vec(any::<u8>(), 6), seconds in 0u64..1_000_000, migration in any::<bool>(),
    ) {
        let family = if migration { Family::Migration } else { Family::Schema };
        let any = Hold {
            operation_id: operation(seeds[0]),
            family,
            resource_uid: uid(seeds[1]),
            plan: HeldPlan { uid: uid(seeds[2]), fingerprint: sha(seeds[3]) },
            sequence_digest: migration.then(|| sha(seeds[4])),
            execution_not_after: moment(seconds),
        };
        let bytes = seal::write(&any).unwrap();
        prop_assert_eq!(seal::read::<Hold>(&bytes), Ok(any));
    }
}
