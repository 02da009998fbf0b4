//! Runs are spent in the database, and what became of them stays there.

use ptah_model::Digest;
use ptah_provider_api::claim::{
    AdoptRequest, Adoption, ClaimPhase, ClaimRequest, ClaimState, Proof, RenameRecord, Verdict,
};
use ptah_provider_api::execute::Outcome;
use ptah_provider_api::session::{IdentityState, Purpose};
use ptah_provider_api::transaction::TransactionState;
use ptah_provider_sdk::{EngineSession as _, Snapshot as _};

use crate::support::{
    Place, WAIT, applied, begin, claim, fingerprint, intend, intended, key, open, other_process_can, reason, refused,
    request, scope, some_fingerprint, writer,
};

fn outcome(segment: u32, outcome: Outcome, applied: u32) -> ClaimPhase {
    ClaimPhase::Outcome { segment, outcome, applied }
}

fn settle(verdict: Verdict) -> ClaimPhase {
    ClaimPhase::Settle { verdict, found: some_fingerprint("after"), proof: None, renames: Vec::new() }
}

fn state(session: &mut ptah_provider_sqlite::SqliteSession, request: &ClaimRequest) -> ClaimState {
    session.claim(request).unwrap().0
}

#[test]
fn our_tables_are_made_by_the_first_intent_and_by_nothing_else() {
    let place = Place::with("CREATE TABLE t (a)");
    let ours = "SELECT count(*) FROM sqlite_schema WHERE name LIKE '!_ptah!_%' ESCAPE '!'";
    let mut session = writer(&place.path);
    session.inspect(WAIT).unwrap();
    session.read_claims(5).unwrap();
    assert_eq!(state(&mut session, &claim("op", outcome(0, Outcome::Applied, 1))), ClaimState::NotWritten);
    assert_eq!(state(&mut session, &claim("op", settle(Verdict::Applied))), ClaimState::NotWritten);
    assert_eq!(place.number(ours), 0);
    assert_eq!(intended(&mut session, "op"), 1);
    assert!(place.number(ours) >= 4);
}

#[test]
fn our_tables_are_plain_rowid_tables() {
    let place = Place::with("CREATE TABLE t (a)");
    intended(&mut writer(&place.path), "op");
    let strange = "SELECT count(*) FROM pragma_table_list WHERE name LIKE '!_ptah!_%' ESCAPE '!' AND (wr OR strict)";
    assert_eq!(place.number(strange), 0);
    let generated = "SELECT count(*) FROM sqlite_schema s, pragma_table_xinfo(s.name) x
        WHERE s.name LIKE '!_ptah!_%' ESCAPE '!' AND x.hidden <> 0";
    assert_eq!(place.number(generated), 0);
    let words = "SELECT count(*) FROM sqlite_schema WHERE name LIKE '!_ptah!_%' ESCAPE '!'
        AND (sql LIKE '%AUTOINCREMENT%' OR sql LIKE '%STRICT%' OR sql LIKE '%WITHOUT%')";
    assert_eq!(place.number(words), 0);
}

#[test]
fn our_tables_are_outside_catalogue_and_fingerprint() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    let before = fingerprint(&mut session);
    intended(&mut session, "op");
    let after = session.inspect(WAIT).unwrap();
    assert_eq!(after.fingerprint(), before);
    assert_eq!(after.schema().objects().len(), 1);
}

#[test]
fn an_operation_runs_at_most_once_whoever_asks() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    intended(&mut session, "op");
    assert_eq!(state(&mut session, &claim("op", intend(0, 1))), ClaimState::Already);
    session.claim(&claim("op", settle(Verdict::NotApplied))).unwrap();
    assert_eq!(state(&mut session, &claim("op", intend(0, 1))), ClaimState::Already, "settled is spent too");
    session.close();
    let mut second = writer(&place.path);
    assert_eq!(state(&mut second, &claim("op", intend(0, 1))), ClaimState::Already);
}

#[test]
fn another_operation_waits_until_an_unfinished_one_is_settled() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    intended(&mut session, "first");
    let (state, sequence, why) = session.claim(&claim("second", intend(0, 1))).unwrap();
    let ClaimState::OtherUnfinished(other) = state else { unreachable!("{state:?}") };
    assert_eq!((other.as_str(), sequence), ("first", 0));
    assert!(why.is_some());
    session.claim(&claim("first", settle(Verdict::NotApplied))).unwrap();
    assert_eq!(intended(&mut session, "second"), 3);
}

#[test]
fn an_intent_commits_alone_before_anything_runs() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    intended(&mut session, "op");
    // A second connection sees it, so it is committed.
    assert_eq!(place.number("SELECT count(*) FROM _ptah_runs"), 1);
    let transaction = begin(&mut session, &[]);
    let (state, _, why) = session.claim(&claim("op2", intend(0, 1))).unwrap();
    assert_eq!(state, ClaimState::NotWritten, "a rollback would un-spend it");
    assert!(why.unwrap().as_str().contains("commit alone"));
    session.rollback(&transaction).unwrap();
}

#[test]
fn an_outcome_shares_the_transaction_of_its_units() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    intended(&mut session, "op");
    let transaction = begin(&mut session, &[]);
    applied(&mut session, Some(&transaction), &["CREATE TABLE u (a)"]);
    let mut request = claim("op", outcome(0, Outcome::Applied, 1));
    request.transaction = Some(transaction.clone());
    assert_eq!(state(&mut session, &request), ClaimState::Recorded);
    session.rollback(&transaction).unwrap();
    let reading = session.read_claims(5).unwrap();
    assert_eq!(reading.operations[0].intents[0].outcome, None, "rolled back together with the unit");

    let transaction = begin(&mut session, &[]);
    applied(&mut session, Some(&transaction), &["CREATE TABLE u (a)"]);
    request.transaction = Some(transaction.clone());
    assert_eq!(state(&mut session, &request), ClaimState::Recorded);
    let ended = session.commit(&transaction, WAIT).unwrap();
    assert_eq!(ended.state, TransactionState::Committed);
    let reading = session.read_claims(5).unwrap();
    assert_eq!(reading.operations[0].intents[0].outcome, Some((Outcome::Applied, 1)));
    assert!(reading.operations[0].settled.is_none());
}

#[test]
fn segments_are_intended_in_order_and_each_once() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    session.claim(&claim("op", intend(0, 3))).unwrap();
    assert_eq!(state(&mut session, &claim("op", intend(1, 3))), ClaimState::NotWritten, "0 has no outcome");
    assert_eq!(state(&mut session, &claim("op", outcome(0, Outcome::Applied, 2))), ClaimState::Recorded);
    assert_eq!(state(&mut session, &claim("op", outcome(0, Outcome::Applied, 2))), ClaimState::NotWritten);
    assert_eq!(state(&mut session, &claim("op", intend(2, 3))), ClaimState::NotWritten, "1 is missing");
    assert_eq!(state(&mut session, &claim("op", intend(1, 3))), ClaimState::Intended);
    assert_eq!(state(&mut session, &claim("op", intend(1, 3))), ClaimState::Already);
    let reading = session.read_claims(5).unwrap();
    assert_eq!(reading.operations[0].segments, 3);
    assert_eq!(reading.operations[0].intents.len(), 2);
    assert_eq!(reading.latest, 3);
}

#[test]
fn a_settlement_remembers_proof_and_renames() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    intended(&mut session, "op");
    let proof =
        Proof { sources: Digest::of(b"sources"), settings: Digest::of(b"settings"), state: some_fingerprint("state") };
    let rename = RenameRecord {
        kind: "column".to_owned(),
        owner: Some("t".to_owned()),
        from: "a".to_owned(),
        to: "b".to_owned(),
    };
    let phase = ClaimPhase::Settle {
        verdict: Verdict::Applied,
        found: some_fingerprint("state"),
        proof: Some(proof.clone()),
        renames: vec![rename.clone()],
    };
    assert_eq!(state(&mut session, &claim("op", phase)), ClaimState::Recorded);
    let reading = crate::support::reader(&place.path).read_claims(5).unwrap();
    assert_eq!(reading.operations[0].settled, Some(Verdict::Applied));
    assert_eq!((reading.proofs, reading.renames), (vec![proof], vec![rename]));
}

#[test]
fn a_proof_of_a_run_that_changed_nothing_is_remembered_and_is_no_operation() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    let proof = |sources: &[u8]| Proof {
        sources: Digest::of(sources),
        settings: Digest::of(b"settings"),
        state: some_fingerprint("state"),
    };
    let prove = |operation, sources| claim(operation, ClaimPhase::Prove { proof: proof(sources) });
    assert_eq!(state(&mut session, &prove("looked", b"one")), ClaimState::NotWritten, "nothing changed this database");
    assert_eq!(place.number("SELECT count(*) FROM sqlite_schema"), 1, "and nothing was made for it");
    intended(&mut session, "op");
    session.claim(&claim("op", settle(Verdict::Applied))).unwrap();
    assert_eq!(state(&mut session, &prove("looked", b"one")), ClaimState::Recorded);
    assert_eq!(state(&mut session, &prove("again", b"two")), ClaimState::Recorded);
    let reading = session.read_claims(5).unwrap();
    assert_eq!(reading.proofs, [proof(b"two"), proof(b"one")]);
    assert_eq!(reading.operations.len(), 1, "{:?}", reading.operations);
    assert_eq!(reading.latest, 4, "each row has a place of its own");
    assert_eq!(state(&mut session, &claim("next", intend(0, 1))), ClaimState::Intended, "nothing is open");
}

#[test]
fn a_proof_spends_nothing() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    intended(&mut session, "op");
    session.claim(&claim("op", settle(Verdict::Applied))).unwrap();
    let proof =
        Proof { sources: Digest::of(b"sources"), settings: Digest::of(b"settings"), state: some_fingerprint("state") };
    let prove = |operation| claim(operation, ClaimPhase::Prove { proof: proof.clone() });
    assert_eq!(state(&mut session, &prove("looked")), ClaimState::Recorded);
    assert_eq!(state(&mut session, &claim("looked", intend(0, 1))), ClaimState::Intended, "its own ID is free");
    assert_eq!(state(&mut session, &prove("looked")), ClaimState::Recorded, "and a proof closes nothing");
    assert_eq!(state(&mut session, &claim("looked", intend(0, 1))), ClaimState::Already, "an intent spends it");
    session.claim(&claim("looked", settle(Verdict::NotApplied))).unwrap();
    assert_eq!(state(&mut session, &claim("next", intend(0, 1))), ClaimState::Intended);
}

#[test]
fn unfinished_operations_come_whatever_the_limit_says() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    for operation in ["a", "b", "c"] {
        intended(&mut session, operation);
        session.claim(&claim(operation, settle(Verdict::Applied))).unwrap();
    }
    intended(&mut session, "d");
    let names = |limit| -> Vec<String> {
        let reading = crate::support::reader(&place.path).read_claims(limit).unwrap();
        reading.operations.iter().map(|o| o.operation.to_string()).collect()
    };
    assert_eq!(names(0), ["d"]);
    assert_eq!(names(2), ["d", "c", "b"]);
}

#[test]
fn nothing_is_recorded_without_the_lock() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = open(&request(&place.path, Purpose::Apply)).unwrap().session;
    let failure = session.claim(&claim("op", intend(0, 1))).unwrap_err();
    assert!(reason(&failure).contains("does not hold the lock"));
    assert!(session.forget().is_err());
}

#[test]
fn a_copy_is_its_own_state_until_somebody_says_which_it_is() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    intended(&mut session, "op");
    session.close();
    let copy = Place::empty();
    std::fs::copy(&place.path, &copy.path).unwrap();
    let opened = open(&request(&copy.path, Purpose::Apply)).unwrap();
    assert_eq!(opened.facts.identity.state(), IdentityState::MovedOrCopied);
    let original = opened.facts.identity.uuid.clone();
    let mut session = opened.session;
    session.try_lock(&scope(), &crate::support::id("l")).unwrap();
    assert_eq!(state(&mut session, &claim("op2", intend(0, 1))), ClaimState::NotWritten);
    let adopt = |adoption| AdoptRequest { key: key(), adoption, at_us: 5 };
    let identity = session.adopt(&adopt(Adoption::Copy)).unwrap();
    assert_eq!(identity.state(), IdentityState::Same);
    assert_ne!(identity.uuid, original);
    assert!(session.read_claims(5).unwrap().operations.is_empty(), "the claims are the original's");
    assert_eq!(state(&mut session, &claim("op", intend(0, 1))), ClaimState::Already, "spent stays spent");
    assert_eq!(state(&mut session, &claim("op2", intend(0, 1))), ClaimState::Intended);
    assert!(session.adopt(&adopt(Adoption::Moved)).is_err(), "it is where it was recorded");
}

#[test]
fn a_moved_database_keeps_its_uuid_and_its_claims() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    intended(&mut session, "op");
    let uuid = session.read_claims(1).unwrap().identity.uuid;
    session.close();
    let moved = Place::empty();
    std::fs::copy(&place.path, &moved.path).unwrap();
    let mut session = writer(&moved.path);
    let request = AdoptRequest { key: key(), adoption: Adoption::Moved, at_us: 5 };
    let identity = session.adopt(&request).unwrap();
    assert_eq!((identity.state(), identity.uuid), (IdentityState::Same, uuid));
    assert_eq!(session.read_claims(5).unwrap().unfinished().count(), 1);
}

#[test]
fn forgetting_is_refused_while_an_operation_is_unfinished_and_then_takes_everything() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    session.forget().unwrap();
    intended(&mut session, "op");
    let failure = session.forget().unwrap_err();
    assert!(reason(&failure).contains("not settled"));
    session.claim(&claim("op", settle(Verdict::Applied))).unwrap();
    let before = fingerprint(&mut session);
    session.forget().unwrap();
    assert_eq!(place.number("SELECT count(*) FROM sqlite_schema"), 1);
    assert_eq!(fingerprint(&mut session), before);
    assert_eq!(session.read_claims(1).unwrap().identity.uuid, None, "plans saved before no longer fit");
}

#[test]
fn what_is_forgotten_leaves_a_database_that_an_earlier_plan_does_not_fit() {
    let place = Place::with("CREATE TABLE t (a)");
    let route = || open(&request(&place.path, Purpose::Read)).unwrap().facts.identity.route;
    let before = route();
    assert_eq!(route(), before, "reading changes nothing");
    place.sql("INSERT INTO t VALUES (1)");
    assert_eq!(route(), before, "rows are not what a plan is about");
    let mut session = writer(&place.path);
    assert_eq!(session.read_claims(1).unwrap().identity.route, before, "under the lock it is the same");
    intended(&mut session, "op");
    session.claim(&claim("op", settle(Verdict::Applied))).unwrap();
    let known = session.read_claims(1).unwrap().identity;
    assert!(known.uuid.is_some() && !known.route.contains("version"), "with an ID the path alone is told: {known:?}");
    session.forget().unwrap();
    let after = session.read_claims(1).unwrap().identity;
    assert_eq!(after.uuid, None);
    assert_ne!(after.route, before);
    session.close();
    assert_eq!(route(), after.route);
}

#[test]
fn records_of_a_later_version_are_refused_by_name() {
    let place = Place::with("CREATE TABLE t (a)");
    intended(&mut writer(&place.path), "op");
    place.sql("UPDATE _ptah_meta SET version = 7");
    let told = refused(open(&request(&place.path, Purpose::Read)));
    assert!(told.contains("version 7") && told.contains("`_ptah_meta`"), "{told}");
}

#[test]
fn an_intent_is_not_written_while_an_application_holds_the_database() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    let other = rusqlite::Connection::open(&place.path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (state, sequence, why) = session.claim(&claim("op", intend(0, 1))).unwrap();
    assert_eq!((state, sequence), (ClaimState::NotWritten, 0));
    assert!(why.unwrap().as_str().contains("another connection"));
    drop(other);
    assert_eq!(intended(&mut session, "op"), 1);
    assert!(other_process_can(&place.path, "INSERT INTO t VALUES (1)"), "nothing is left open");
}

#[test]
fn an_intent_that_a_crashed_process_left_is_found_unfinished() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    intended(&mut session, "op");
    let transaction = begin(&mut session, &[]);
    applied(&mut session, Some(&transaction), &["CREATE TABLE u (a)"]);
    drop(session);
    let mut session = writer(&place.path);
    let reading = session.read_claims(5).unwrap();
    assert_eq!(reading.unfinished().count(), 1);
    assert!(reading.operations[0].intents[0].transactional);
    assert_eq!(reading.operations[0].intents[0].outcome, None);
    assert_eq!(session.inspect(WAIT).unwrap().schema().objects().len(), 1, "the transaction went with it");
}

#[test]
fn an_old_sqlite_can_read_a_file_that_we_wrote() {
    // 3.35 refuses a whole file when one text in it, or its format, is newer than itself.
    for journal in ["delete", "wal"] {
        let place = Place::with(&format!("PRAGMA journal_mode={journal}; CREATE TABLE t (a)"));
        let mut session = writer(&place.path);
        intended(&mut session, "op");
        session.close();
        let header = std::fs::read(&place.path).unwrap()[..100].to_vec();
        let number = |at: usize| u32::from_be_bytes(header[at..at + 4].try_into().unwrap());
        let version = if journal == "wal" { 2 } else { 1 };
        assert_eq!((header[18], header[19]), (version, version), "the versions to write and to read: as they were");
        assert!((1..=4).contains(&number(44)), "the format of the schema: {}", number(44));
        let connection = rusqlite::Connection::open(&place.path).unwrap();
        let query = "SELECT group_concat(sql, ';') FROM sqlite_schema WHERE name LIKE '!_ptah!_%' ESCAPE '!'";
        let texts: String = connection.query_row(query, [], |row| row.get(0)).unwrap();
        let texts = texts.to_uppercase();
        assert!(texts.contains("CREATE TABLE _PTAH_"), "{texts}");
        // What came after 3.35 and can stand in a schema.
        for newer in
            ["STRICT", "->", "IS DISTINCT", "IS NOT DISTINCT", "UNIXEPOCH", "CONCAT(", "TIMEDIFF", "JSONB", "0X", "_0"]
        {
            assert!(!texts.contains(newer), "{newer}: {texts}");
        }
    }
}
