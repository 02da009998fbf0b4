//! The table, cell by cell.

use super::*;

fn id(text: &str) -> RequestId {
    RequestId::new(text).unwrap()
}

fn scope() -> Scope {
    Scope::new("ptah").unwrap()
}

fn try_lock(table: &mut LockTable, attempt: LockAttempt) -> (LockState, Option<Reason>) {
    match table.start_try(&id("a"), &scope()).unwrap() {
        Start::Known => table.first_answer(&id("a")),
        Start::Work => match table.attempted(&id("a"), attempt) {
            Attempted::Answer(state, why) => (state, why),
            Attempted::Undo => panic!("nothing released it"),
        },
    }
}

#[test]
fn a_lock_id_that_comes_again_gets_its_first_answer() {
    let why = Some(Reason::new("another apply holds it").unwrap());
    for (attempt, state, why) in [
        (LockAttempt::Acquired, LockState::Acquired, None),
        (LockAttempt::Busy(why.clone()), LockState::Busy, why.clone()),
        (LockAttempt::Lost(why.clone()), LockState::Lost, why),
    ] {
        let mut table = LockTable::default();
        assert_eq!(try_lock(&mut table, attempt), (state, why.clone()));
        assert_eq!(table.start_try(&id("a"), &scope()), Ok(Start::Known));
        assert_eq!(table.first_answer(&id("a")), (state, why));
    }
}

#[test]
fn release_of_an_unknown_lock_fences_it() {
    let mut table = LockTable::default();
    assert_eq!(table.start_release(&id("a"), &scope()), Ok(Start::Known));
    assert_eq!(try_lock(&mut table, LockAttempt::Acquired), (LockState::Lost, None));
    assert!(table.held().is_empty());
}

#[test]
fn release_of_a_pending_lock_undoes_a_late_win() {
    let mut table = LockTable::default();
    assert_eq!(table.start_try(&id("a"), &scope()), Ok(Start::Work));
    assert!(table.wanted(&id("a")));
    assert_eq!(table.start_release(&id("a"), &scope()), Ok(Start::Work));
    assert!(!table.wanted(&id("a")));
    assert_eq!(table.attempted(&id("a"), LockAttempt::Acquired), Attempted::Undo);
    assert_eq!(table.first_answer(&id("a")), (LockState::Lost, None));
    assert!(!table.is_held(&id("a"), &scope()));
}

#[test]
fn release_of_a_busy_lock_fences_it() {
    let mut table = LockTable::default();
    try_lock(&mut table, LockAttempt::Busy(None));
    assert_eq!(table.start_release(&id("a"), &scope()), Ok(Start::Known));
    assert_eq!(table.first_answer(&id("a")), (LockState::Lost, None));
}

#[test]
fn a_released_lock_keeps_its_first_answer_and_is_not_held() {
    let mut table = LockTable::default();
    try_lock(&mut table, LockAttempt::Acquired);
    assert!(table.is_held(&id("a"), &scope()));
    assert_eq!(table.start_release(&id("a"), &scope()), Ok(Start::Work));
    table.released(&id("a"));
    assert_eq!(table.first_answer(&id("a")), (LockState::Acquired, None));
    assert!(!table.is_held(&id("a"), &scope()));
    assert_eq!(table.start_release(&id("a"), &scope()), Ok(Start::Known));
}

#[test]
fn a_lost_lock_stays_lost() {
    let mut table = LockTable::default();
    try_lock(&mut table, LockAttempt::Acquired);
    table.lost(&id("a"), None);
    assert_eq!(try_lock(&mut table, LockAttempt::Acquired), (LockState::Lost, None));
    assert_eq!(table.start_release(&id("a"), &scope()), Ok(Start::Known));
    assert_eq!(try_lock(&mut table, LockAttempt::Acquired), (LockState::Lost, None));
}

#[test]
fn an_id_of_another_scope_is_refused() {
    let mut table = LockTable::default();
    try_lock(&mut table, LockAttempt::Acquired);
    let other = Scope::new("other").unwrap();
    assert_eq!(table.start_try(&id("a"), &other), Err(LockRefusal::OtherScope));
    assert_eq!(table.start_release(&id("a"), &other), Err(LockRefusal::OtherScope));
    assert!(!table.is_held(&id("a"), &other));
}

#[test]
fn a_full_table_refuses_new_ids_and_still_releases_old_ones() {
    let mut table = LockTable::default();
    for number in 0..LOCK_IDS_LIMIT {
        table.start_try(&id(&number.to_string()), &scope()).unwrap();
    }
    assert_eq!(table.start_try(&id("a"), &scope()), Err(LockRefusal::Full));
    assert_eq!(table.start_release(&id("a"), &scope()), Err(LockRefusal::Full));
    assert_eq!(table.start_release(&id("7"), &scope()), Ok(Start::Work));
}
