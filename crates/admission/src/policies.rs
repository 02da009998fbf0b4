//! The policies, one file each, in the order of the page.

mod acknowledgments;
mod approvals;
mod automation;
mod jobs;
mod leases;
mod pods;
mod sessions;
mod state;
mod tokens;

use crate::policy::Policy;

/// Every validating policy.
pub fn policies() -> Vec<Policy> {
    vec![
        approvals::policy(),
        acknowledgments::policy(),
        automation::policy(),
        state::policy(),
        leases::policy(),
        jobs::policy(),
        pods::policy(),
        sessions::policy(),
        tokens::policy(),
    ]
}

/// Whether who asks is no service account, or a trusted one; in CEL.
const PERSON_OR_TRUSTED: &str = "!request.userInfo.username.startsWith('system:serviceaccount:') || \
    request.userInfo.username in params.data.trusted.split('\\n')";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ptah_records::operator::names as record;

    use super::*;
    use crate::settings::names;
    use crate::stamps::stamps;

    #[test]
    fn a_rule_has_one_name_in_all_policies_and_every_text_of_it() {
        let mut seen = BTreeSet::new();
        for policy in policies() {
            for rule in &policy.rules {
                assert!(seen.insert(rule.id), "{} twice", rule.id);
                assert!(!rule.attack.is_empty() && !rule.message.is_empty() && !rule.expression.is_empty());
                assert!(!rule.message.contains('\n'), "a message is one line");
            }
        }
        assert!(seen.len() > 15);
    }

    #[test]
    fn a_changed_rule_is_another_digest() {
        let mut policy = approvals::policy();
        let before = policy.digest();
        policy.rules[0].expression = "true";
        assert_ne!(policy.digest(), before);
    }

    #[test]
    fn the_marks_in_expressions_are_the_ones_that_have_names() {
        let known = [
            record::LEASE_EPOCH,
            record::HOLD,
            record::SETTLED,
            record::BOUND_TO,
            record::EVIDENCE,
            record::OPERATION_ID,
            record::RESOURCE_UID,
            record::ENABLED,
            record::SPEC_WRITERS,
            record::RESULT_AUDIENCE,
        ];
        let all: Vec<String> = policies().iter().map(|policy| policy.object().to_string()).collect();
        let all = all.into_iter().chain(stamps().into_iter().map(|stamp| stamp.object().to_string()));
        let mut used = BTreeSet::new();
        for text in all {
            for (at, _) in text.match_indices("'operator.ptah.run/") {
                let mark: String = text[at + 1..].chars().take_while(|letter| *letter != '\'').collect();
                assert!(known.contains(&mark.as_str()) || mark == crate::canary::MARK, "{mark}");
                used.insert(mark);
            }
            assert!(!text.contains("startsWith('ptah-t") || text.contains(record::REALM_LEASE));
            assert!(!text.contains("startsWith('ptah-d") || text.contains(record::DATABASE_LEASE));
        }
        assert!(known.iter().all(|mark| used.contains(*mark)), "{used:?}");
    }

    #[test]
    fn the_users_in_expressions_are_the_ones_that_have_names() {
        let known =
            [names::JOB_CONTROLLER, names::GARBAGE_COLLECTOR, names::NAMESPACE_CONTROLLER, names::SERVICE_ACCOUNTS];
        for policy in policies() {
            let text = policy.object().to_string();
            for (at, _) in text.match_indices("system:serviceaccount:") {
                let user: String = text[at..].chars().take_while(|letter| *letter != '\'').collect();
                assert!(known.contains(&user.as_str()), "{user}");
            }
        }
    }
}
