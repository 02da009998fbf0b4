//! The names that the public contract gives: each stands in the page beside ours, and ours exists.

use super::{Known, PAGE, quoted};
use crate::report::Problem;

/// The rule's name.
const RULE: &str = "contract";

/// The contract's functions.
const FUNCTIONS: [&str; 16] = [
    "findApproval",
    "findMigrationApproval",
    "claimMigrationApply",
    "markRecordedApprovalStale",
    "consumeMigrationApproval",
    "migrationInputFingerprint",
    "discardMigrationPlan",
    "finishUncertainApply",
    "finishUncertainMigrationApply",
    "migrationUnresolvedRunSettledBy",
    "settleUnresolvedRunByAcknowledgment",
    "acquireApplyLock",
    "acquireMigrationApplyLock",
    "dispatchedApplyMayStillWrite",
    "takeRealmCensus",
    "VerifyStoredControllerState",
];

/// The contract's tests.
const TESTS: [&str; 16] = [
    "TestRecordedApprovalStaleIgnoresSameNameReplacementUID",
    "TestMigrationApplyClaimsTheApprovedPlan",
    "TestStalePlanEvidenceForcesFreshObservation",
    "TestMigrationApplyDiscardsAPlanTheEvidenceNoLongerSupports",
    "TestMissingDispatchedApplyJobForcesObservationWithoutRecreation",
    "TestMigrationApplyIsNeverRecreatedOnceDispatched",
    "TestPersistedTargetLockReleaseRecoversAfterManagerCrash",
    "TestUncertainMigrationApplyKeepsTheDatabaseWhileItsPodMayRun",
    "TestSchemaBlocksOnAContestedRealmWithoutDispatchingAJob",
    "TestMigrationBlocksOnAContestedRealmWithoutDispatchingAJob",
    "TestSchemaRefusesARealmThatDoesNotAdmitItsNamespace",
    "TestMigrationRefusesARealmThatDoesNotAdmitItsNamespace",
    "TestAnUnlistedNamespaceIsRefusedAndBlocksNobody",
    "TestAKeyWrittenInAnotherNamespaceContestsNothing",
    "TestAGrantLiftsARefusalAtItsDeadline",
    "TestRuntimeVerifierRejectsStoredFutureControllerState",
];

/// The contract's fields of durable state.
const FIELDS: [&str; 5] =
    ["status.pendingObservation", "status.unresolvedRun", "status.executionBinding", "status.plan", "status.applied"];

/// Looks for every name of the contract, and for ours beside it.
pub(super) fn check(page: &str, known: &Known) -> Vec<Problem> {
    let words = quoted(page);
    let stands = |name: &str| words.iter().any(|(_, word)| *word == name);
    let mut problems = Vec::new();
    let mut complain = |text: String| problems.push(Problem::whole(RULE, PAGE, text));
    for theirs in FUNCTIONS.into_iter().chain(TESTS).chain(FIELDS) {
        if !stands(theirs) {
            complain(format!("does not name the contract's `{theirs}`"));
        }
    }
    for (names, there) in [(&FUNCTIONS, &known.functions), (&TESTS, &known.tests)] {
        for theirs in names {
            let ours = snake(theirs);
            if !stands(&ours) {
                complain(format!("does not name `{ours}`, ours for `{theirs}`"));
            }
            if !there.contains(&ours) {
                complain(format!("promises `{ours}`, which the sources do not have"));
            }
        }
    }
    problems
}

/// The name as we write it: snake case, without `Test` in front.
fn snake(name: &str) -> String {
    let name = name.strip_prefix("Test").unwrap_or(name);
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let begins = letter.is_uppercase() && at > 0;
        let after_lower = at > 0 && letters[at - 1].is_lowercase();
        // An upper-case letter before a lower-case one begins a word, also after another: `APlan` is two words.
        let before_lower = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        if begins && (after_lower || before_lower) {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guarantees::known;

    #[test]
    fn names_are_written_in_our_way() {
        assert_eq!(snake("findMigrationApproval"), "find_migration_approval");
        assert_eq!(snake("VerifyStoredControllerState"), "verify_stored_controller_state");
        let uid = snake("TestRecordedApprovalStaleIgnoresSameNameReplacementUID");
        assert_eq!(uid, "recorded_approval_stale_ignores_same_name_replacement_uid");
        assert_eq!(snake("TestAKeyWrittenInAnotherNamespace"), "a_key_written_in_another_namespace");
        assert_eq!(snake("TestDiscardsAPlanTheEvidence"), "discards_a_plan_the_evidence");
    }

    #[test]
    fn a_page_without_the_names_or_sources_without_ours_are_refused() {
        let all: Vec<String> = FUNCTIONS.iter().chain(&TESTS).map(|name| snake(name)).collect();
        let ours: Vec<&str> = all.iter().map(String::as_str).collect();
        let names = FUNCTIONS.iter().chain(&TESTS).chain(&FIELDS).chain(&ours);
        let page = names.map(|name| ["`", name, "`\n"].concat()).collect::<String>();
        assert_eq!(check(&page, &known(&ours, &ours)), []);
        assert_eq!(check(&page, &known(&ours, &ours[1..])).len(), 0, "the first is a function");
        assert_eq!(check(&page, &known(&ours[1..], &ours)).len(), 1);
        assert_eq!(check(&page.replace("`status.plan`\n", ""), &known(&ours, &ours)).len(), 1);
        assert_eq!(check(&page.replace("`take_realm_census`\n", ""), &known(&ours, &ours)).len(), 1);
    }
}
