//! Names of features: what a provider offers, and what a host acts on.
//!
//! A one-way feature is a service or a promise of the provider; the host uses it when the provider lists it. A two-way
//! feature changes a message that already exists, so it is used only when both sides list it.

/// The catalogue can be read.
pub const SCHEMA_INSPECT: &str = "schema.inspect";
/// A schema model can be written as source text.
pub const SCHEMA_RENDER: &str = "schema.render";
/// Changes can be turned into steps.
pub const SCHEMA_PLAN: &str = "schema.plan";
/// Units can be executed.
pub const UNITS_EXECUTE: &str = "units.execute";
/// SQL text can be split, classified and positioned.
pub const SQL_ANALYZE: &str = "sql.analyze";
/// Transactions that outlive the call that began them.
pub const SESSIONS_TRANSACTIONS: &str = "sessions.transactions";
/// A lock that keeps a second session out.
pub const SESSIONS_LOCKS: &str = "sessions.locks";
/// Runs are spent and their outcomes kept in the database.
pub const SESSIONS_CLAIMS: &str = "sessions.claims";
/// Rows can be counted and named before a change.
pub const SESSIONS_QUERY: &str = "sessions.query";
/// Empty databases and copies of a schema for planning.
pub const DEV_PROVISION: &str = "dev.provision";
/// Two tables are the same exactly when their name parts are equal under the session's rules.
pub const COMMON_TABLE_IDENTITY: &str = "schema.common-table-identity.v1";

/// Two-way: failed calls carry a reason, and results that did not succeed a diagnostic.
pub const ERRORS_REASONS: &str = "errors.reasons";
/// Two-way: messages up to 64 MiB.
pub const LARGE_MESSAGES: &str = "transport.large-messages";
/// Two-way: facts that an engine states for commands that open no session.
pub const DEFAULT_CAPABILITIES: &str = "engine.default-capabilities";
/// Two-way: a reading names what exists and could not be read.
pub const UNREAD_OBJECTS: &str = "schema.unread-tables";

/// What every provider must list; the host asks for exactly these.
pub const REQUIRED: [&str; 4] = [SCHEMA_INSPECT, SCHEMA_RENDER, UNITS_EXECUTE, SQL_ANALYZE];

/// Every two-way feature.
pub fn two_way_features() -> &'static [&'static str] {
    &[ERRORS_REASONS, LARGE_MESSAGES, DEFAULT_CAPABILITIES, UNREAD_OBJECTS]
}

/// Every one-way feature that gates calls, with the calls that it gates.
pub fn gated_calls() -> &'static [(&'static str, &'static [&'static str])] {
    &[
        (SCHEMA_INSPECT, &["Inspect"]),
        (SCHEMA_RENDER, &["Render"]),
        (SCHEMA_PLAN, &["Plan"]),
        (UNITS_EXECUTE, &["Execute"]),
        (SQL_ANALYZE, &["AnalyzeSql"]),
        (SESSIONS_TRANSACTIONS, &["BeginTransaction", "CommitTransaction", "RollbackTransaction"]),
        (SESSIONS_LOCKS, &["TryLock", "CheckLock", "ReleaseLock"]),
        (SESSIONS_CLAIMS, &["Claim", "ReadClaims", "AdoptDatabase", "ForgetRecords"]),
        (SESSIONS_QUERY, &["QueryRows"]),
        (DEV_PROVISION, &["ProvisionDev"]),
    ]
}

/// Whether a text has the form of a feature name: dot-separated lower-case words, at most 64 bytes.
pub fn is_feature_name(text: &str) -> bool {
    let word = |w: &str| !w.is_empty() && w.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    text.len() <= 64 && text.contains('.') && text.split('.').all(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_of_ours_has_the_form_of_a_feature_name() {
        let gated = gated_calls().iter().map(|(feature, _)| *feature);
        for feature in two_way_features().iter().copied().chain(gated).chain([COMMON_TABLE_IDENTITY]) {
            assert!(is_feature_name(feature), "{feature}");
        }
        for wrong in ["", "inspect", "Schema.inspect", "schema..inspect", ".inspect", "schema.in spect"] {
            assert!(!is_feature_name(wrong), "{wrong}");
        }
    }

    #[test]
    fn each_call_has_exactly_one_gate() {
        let mut calls: Vec<_> = gated_calls().iter().flat_map(|(_, calls)| calls.iter()).collect();
        let count = calls.len();
        calls.sort_unstable();
        calls.dedup();
        assert_eq!(calls.len(), count);
    }

    #[test]
    fn each_two_way_feature_is_listed_and_gates_no_call() {
        let listed = two_way_features();
        assert_eq!(listed, [ERRORS_REASONS, LARGE_MESSAGES, DEFAULT_CAPABILITIES, UNREAD_OBJECTS]);
        assert!(gated_calls().iter().all(|(gate, _)| !listed.contains(gate)));
    }
}
