//! The suite can fail: each fault of the wrong provider is found by the rule that it breaks, by name.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;

use futures::StreamExt as _;
use ptah_conformance::{Report, Rule, Target, Verdict, all, run};

/// Each fault, with rules that have to find it. A fault may break more than these.
const FAULTS: &[(&str, &[&str])] = &[
    ("no-cookie-needed", &["without_its_cookie_it_prints_nothing_and_ends_with_1"]),
    ("any-cookie", &["a_wrong_cookie_is_no_cookie"]),
    ("output-first", &["it_prints_one_handshake_line_within_ten_seconds"]),
    ("claims-version-7", &["it_claims_no_version_that_it_does_not_speak", "it_offers_a_version_that_the_host_speaks"]),
    ("tcp", &["it_listens_on_its_private_socket_alone"]),
    (
        "plaintext",
        &["a_peer_without_tls_is_refused", "the_host_is_let_in_with_its_certificate", "the_host_can_start_it"],
    ),
    (
        "anonymous",
        &[
            "a_peer_without_a_certificate_is_refused",
            "a_peer_with_another_certificate_is_refused",
            "health_is_serving",
            "shutdown_ends_it_with_status_0",
        ],
    ),
    ("ends-with-3", &["shutdown_ends_it_with_status_0"]),
    ("never-ends", &["shutdown_ends_it_with_status_0"]),
    ("dies-of-interrupts", &["an_interrupt_is_ignored"]),
    ("outlives-its-parent", &["it_ends_when_its_parent_dies", "it_ends_when_its_parent_dies_during_a_call"]),
    ("believes-no-parent", &["it_ends_when_its_parent_is_gone_already"]),
    ("serves-before-describe", &["describe_comes_first"]),
    ("nameless", &["the_description_keeps_its_form"]),
    ("renders-nothing-at-all", &["the_required_features_are_listed"]),
    ("no-rules", &["every_engine_states_how_names_compare"]),
    ("of-major-2", &["the_contract_is_of_this_major"]),
    ("lists-what-nobody-asked-for", &["two_way_features_that_the_host_does_not_list_are_left_out"]),
    ("forgets-a-two-way-feature", &["each_two_way_feature_is_negotiated_by_itself"]),
    ("one-way-needs-listing", &["one_way_features_need_no_listing_by_the_host"]),
    ("old-hosts-only", &["what_a_newer_host_says_is_ignored"]),
    ("every-major", &["a_host_of_another_major_is_refused"]),
    ("negotiates-again", &["a_second_describe_changes_nothing"]),
    ("version-by-chance", &["two_starts_give_the_same_description"]),
    ("lacks-a-service", &["a_service_that_is_listed_is_served"]),
    ("lists-less-than-it-serves", &["a_service_that_is_not_listed_is_unimplemented"]),
    (
        "no-size-limit",
        &[
            "a_message_above_four_mebibytes_is_refused",
            "a_message_above_sixty_four_mebibytes_is_refused",
            "a_large_message_is_refused_when_the_host_does_not_list_it",
            "describe_itself_keeps_the_limit",
        ],
    ),
    ("small-limit", &["a_message_of_four_mebibytes_passes", "a_large_message_passes_when_both_list_it"]),
    ("one-part-for-all", &["the_parts_of_a_large_reply_keep_the_limit"]),
    ("three-sessions", &["many_sessions_are_open_at_once"]),
    ("no-server-version", &["a_session_states_what_the_contract_asks"]),
    ("more-than-the-engine", &["a_session_offers_no_more_than_its_engine"]),
    ("one-handle-for-all", &["session_handles_are_long_and_never_the_same"]),
    ("unclean-note", &["the_notes_of_a_session_are_clean_lines"]),
    (
        "any-engine",
        &["an_engine_that_is_not_there_opens_nothing", "a_source_of_an_engine_that_is_not_there_is_refused"],
    ),
    ("any-target", &["an_open_without_a_target_is_refused"]),
    (
        "any-dev-database",
        &["a_dev_database_that_is_not_there_opens_nothing", "a_dev_database_of_another_process_opens_nothing"],
    ),
    (
        "answers-any-session",
        &[
            "an_unknown_session_is_not_found",
            "a_session_of_another_process_is_not_found",
            "a_closed_session_serves_nothing",
        ],
    ),
    (
        "not-found-is-internal",
        &[
            "an_unknown_session_is_not_found",
            "a_rendering_of_no_reading_is_not_found",
            "a_copy_of_no_reading_is_not_found",
            "a_plan_of_no_reading_is_not_found",
        ],
    ),
    ("closes-once", &["closing_twice_is_as_good_as_once"]),
    ("close-answers-another", &["closing_twice_is_as_good_as_once"]),
    ("creates-for-everybody", &["creating_is_for_an_apply_only"]),
    ("any-purpose", &["a_purpose_that_nobody_knows_opens_nothing"]),
    (
        "any-wait",
        &[
            "an_open_that_would_wait_too_long_is_refused",
            "an_inspect_that_would_wait_too_long_is_refused",
            "a_wait_above_twenty_seconds_is_refused",
        ],
    ),
    ("reading-creates", &["reading_creates_nothing"]),
    ("one-call-at-a-time", &["calls_on_different_sessions_run_in_parallel"]),
    ("answers-early", &["calls_on_one_session_are_served_one_after_another"]),
    ("close-waits", &["closing_interrupts_what_runs"]),
    ("a-dropped-call-spoils", &["a_call_that_is_dropped_leaves_the_session_usable"]),
    ("counts-wrong", &["a_reading_is_whole_and_ends_once"]),
    ("any-fingerprint", &["the_fingerprint_is_that_of_the_objects"]),
    ("reads-by-chance", &["two_readings_of_one_state_are_the_same"]),
    ("always-reads-whole", &["the_end_alone_says_the_same"]),
    ("unclean-unread", &["what_could_not_be_read_is_a_clean_line"]),
    ("renders-strangers", &["a_rendering_has_a_text_for_objects_of_its_reading"]),
    ("renders-wrong", &["a_rendering_makes_the_same_schema_again"]),
    ("renders-by-chance", &["two_renderings_of_one_reading_are_the_same"]),
    ("renders-any-reading", &["a_rendering_of_no_reading_is_not_found", "a_reading_ends_with_its_session"]),
    ("positions-outside", &["positions_lie_inside_the_text_on_characters"]),
    ("positions-inside-characters", &["positions_lie_inside_the_text_on_characters"]),
    ("counts-lines-from-0", &["lines_and_columns_are_those_of_the_offset"]),
    ("analysis-needs-a-session", &["a_source_is_analysed_without_a_database"]),
    ("analyses-by-chance", &["the_same_source_is_analysed_the_same"]),
    ("finds-statements-in-nothing", &["an_empty_source_says_nothing"]),
    ("hides-diagnostics", &["a_broken_source_is_told"]),
    ("falls-over", &["no_text_ends_the_process"]),
    ("applies-nothing", &["an_applied_unit_is_in_the_database"]),
    ("execution-answers-another", &["an_execution_echoes_its_key"]),
    ("counts-too-many", &["an_applied_unit_is_in_the_database"]),
    ("goes-on-after-a-failure", &["a_unit_that_fails_stops_the_rest", "a_first_unit_that_fails_applies_nothing"]),
    (
        "repeats-requests",
        &["a_request_id_never_runs_twice", "a_transaction_request_id_is_used_once", "a_claim_request_id_is_used_once"],
    ),
    ("accepts-no-units", &["an_execution_of_nothing_is_refused"]),
    ("accepts-all-units", &["an_execution_of_too_many_units_is_refused"]),
    ("runs-any-native", &["a_native_operation_of_no_planner_is_refused"]),
    (
        "ignores-transactions",
        &["a_transaction_that_is_not_open_runs_nothing", "a_question_in_no_transaction_is_refused"],
    ),
    (
        "reading-writes",
        &[
            "a_session_that_only_reads_executes_nothing",
            "a_session_that_only_reads_takes_no_lock",
            "a_session_that_only_reads_begins_nothing",
        ],
    ),
    ("commit-rolls-back", &["a_committed_transaction_stays", "a_committed_transaction_outlives_the_process"]),
    ("rollback-commits", &["a_rolled_back_transaction_leaves_nothing"]),
    ("a-transaction-of-its-call", &["a_transaction_outlives_the_call_that_began_it"]),
    ("begin-answers-another", &["a_transaction_receipt_echoes_its_key"]),
    ("end-answers-another", &["a_transaction_receipt_echoes_its_key"]),
    ("two-transactions", &["a_second_transaction_does_not_begin"]),
    ("commits-anything", &["a_transaction_that_never_was_is_not_committed"]),
    ("forgets-how-it-ended", &["an_ended_transaction_answers_how_it_ended"]),
    ("ignores-the-state", &["an_expected_state_that_is_another_stops_the_begin"]),
    ("expects-in-vain", &["an_expected_state_that_holds_lets_it_begin"]),
    ("ignores-claims", &["an_expected_claim_that_is_another_stops_the_begin"]),
    ("close-commits", &["closing_a_session_rolls_back_what_is_open"]),
    ("a-failure-commits", &["a_unit_that_fails_leaves_the_rest_of_its_transaction_consistent"]),
    ("waits-for-ever", &["a_busy_begin_waits_no_longer_than_it_may"]),
    ("any-setting", &["a_setting_that_nobody_knows_begins_nothing"]),
    ("any-number-of-rows", &["a_question_about_no_rows_is_refused"]),
    ("questions-write", &["a_question_that_would_change_something_changes_nothing"]),
    ("rows-of-nothing", &["a_question_that_the_engine_refuses_fails"]),
    ("ignores-timeouts", &["a_statement_timeout_is_kept"]),
    ("always-busy", &["a_free_lock_is_acquired"]),
    ("locks-nothing", &["a_lock_that_another_session_holds_is_busy_at_once"]),
    ("waits-for-locks", &["a_lock_that_another_session_holds_is_busy_at_once"]),
    ("lock-answers-another", &["a_lock_receipt_echoes_scope_and_request"]),
    ("answers-a-lock-once", &["a_lock_id_that_comes_again_gets_its_first_answer"]),
    ("tries-a-busy-lock-again", &["a_busy_lock_id_stays_busy"]),
    ("proves-nothing", &["a_held_lock_is_proven"]),
    ("proves-anything", &["an_unknown_lock_is_lost", "a_lock_that_was_taken_away_is_lost"]),
    ("forgets-releases", &["release_of_an_unknown_lock_fences_it", "release_of_a_busy_lock_fences_it"]),
    ("wins-late", &["a_release_that_races_its_attempt_leaves_nothing_held"]),
    ("keeps-locks", &["a_released_lock_is_free_and_is_held_no_more"]),
    ("close-keeps-all", &["closing_a_session_releases_its_locks"]),
    ("any-scope", &["a_lock_id_of_another_scope_acquires_nothing"]),
    ("spends-nothing", &["an_intent_spends_its_operation"]),
    ("lets-others-in", &["an_unfinished_operation_keeps_others_out"]),
    ("names-another-operation", &["an_unfinished_operation_keeps_others_out"]),
    ("never-settles", &["a_settled_operation_lets_others_in"]),
    ("forgets-outcomes", &["what_was_recorded_is_read_back"]),
    ("forgets-proofs", &["a_run_that_changed_nothing_is_remembered_by_its_proof"]),
    ("proofs-spend", &["a_run_that_changed_nothing_is_remembered_by_its_proof"]),
    ("hides-the-unfinished", &["an_unfinished_operation_is_always_read"]),
    ("one-sequence", &["sequences_only_grow"]),
    (
        "records-anything",
        &["an_outcome_of_nothing_is_not_written", "nothing_is_claimed_without_the_lock_that_was_held"],
    ),
    ("invents-outcomes", &["an_outcome_is_rolled_back_with_its_transaction"]),
    ("intends-in-transactions", &["an_intent_is_never_part_of_a_transaction"]),
    ("forgets-with-its-process", &["an_intent_outlives_the_death_of_the_provider"]),
    ("says-it-forgot", &["records_are_kept_while_an_operation_is_unfinished"]),
    ("forgets-nothing", &["forgetting_takes_every_record_away"]),
    ("fingerprint-of-records", &["a_reading_hides_the_records"]),
    (
        "dev-is-the-target",
        &[
            "an_empty_dev_database_reads_as_empty",
            "a_change_in_a_dev_database_stays_there",
            "two_dev_databases_are_two",
        ],
    ),
    ("copies-nothing", &["a_copy_reads_as_what_it_is_a_copy_of"]),
    ("dev-answers-another", &["a_dev_database_answers_its_request"]),
    ("skips-a-change", &["a_plan_keeps_the_contract"]),
    ("plans-by-chance", &["the_same_question_gives_the_same_plan"]),
    (
        "plans-wrong",
        &["a_plan_that_is_carried_out_makes_the_desired_schema", "a_plan_that_takes_away_leaves_the_empty_schema"],
    ),
    (
        "locks-beside-the-session",
        &[
            "nothing_is_executed_without_the_lock_that_was_held",
            "nothing_is_committed_without_the_lock_that_was_held",
            "a_lost_lock_fences_the_session_for_good",
        ],
    ),
    ("commits-at-once", &["a_killed_transaction_leaves_nothing"]),
    ("status-message", &["a_failed_call_has_an_empty_status_message"]),
    ("reasons-for-everybody", &["a_failed_call_has_no_reason_that_was_not_negotiated"]),
    ("unclean-reason", &["a_reason_is_one_clean_line"]),
    ("diagnostics-for-everybody", &["a_failed_execution_has_a_diagnostic_only_when_it_was_negotiated"]),
    ("quotes-its-address", &["a_failed_open_quotes_nothing_of_its_address"]),
    ("quotes-its-units", &["a_failed_unit_quotes_nothing_of_its_text"]),
    ("quotes-its-source", &["a_source_that_is_broken_quotes_no_secret"]),
];

/// Rules that no fault here breaks, each because breaking it needs another TLS library or another machine.
const WITHOUT_A_FAULT: &[&str] = &[
    // rustls always asks for a certificate or for none; the broken half-way is that of an OpenSSL-like peer.
    "a_peer_whose_signature_algorithms_do_not_overlap_is_refused",
    // Two processes of one executable would have to share a file of the machine.
    "two_processes_do_not_disturb_each_other",
    // A lock would have to outlive its process on the machine.
    "a_lock_of_a_killed_process_is_free_again",
];

const SLOW: &str =
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 20000000) SELECT count(*) FROM c";
const STEAL: &str = r#"read -r address; path=${address#sqlite://}; mv "$path" "$path.gone""#;

/// Tries rules on the wrong provider with a fault.
async fn tried(fault: &str, rules: &[Rule]) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let target = Target {
        address: Some(format!("sqlite://{}/{{n}}.db", folder.path().display())),
        slow: Some(SLOW.to_owned()),
        steal: Some(STEAL.to_owned()),
        environment: vec![("FAULT".to_owned(), fault.to_owned())],
        ..Target::new(env!("CARGO_BIN_EXE_conformance-wrong-provider"))
    };
    run(&target, rules, |_| {}).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_fault_every_rule_passes() {
    let report = tried("", &all()).await;
    let passed = report.told.iter().all(|told| told.verdict == Verdict::Passed);
    assert!(passed, "{report}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_fault_is_found_by_the_rule_that_it_breaks() {
    let rules = all();
    let found = futures::stream::iter(FAULTS).map(|(fault, names)| {
        let wanted: Vec<Rule> = rules.iter().filter(|rule| names.contains(&rule.name)).copied().collect();
        assert_eq!(wanted.len(), names.len(), "{fault}: a rule of that name does not exist");
        async move {
            let report = tried(fault, &wanted).await;
            let hidden = report.told.iter().filter(|told| !matches!(told.verdict, Verdict::Failed(_)));
            hidden.map(|told| format!("{fault}: {told}")).collect::<Vec<_>>()
        }
    });
    let hidden: Vec<String> = found.buffer_unordered(4).collect::<Vec<_>>().await.concat();
    assert!(hidden.is_empty(), "faults that were not found:\n{}", hidden.join("\n"));
}

#[test]
fn each_rule_has_a_fault_that_it_finds() {
    let found: BTreeSet<&str> = FAULTS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let without: BTreeSet<&str> = all().iter().map(|rule| rule.name).filter(|name| !found.contains(name)).collect();
    assert_eq!(without, WITHOUT_A_FAULT.iter().copied().collect());
}
