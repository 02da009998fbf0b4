//! Execute: units in, an outcome out, and never a second time.

use crate::Violation;
use crate::contract::UNITS_LIMIT;
use crate::key::Key;
use crate::reason::validate_diagnostic;
use crate::step::Unit;

/// The ID of a transaction; made by the provider.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransactionId(pub String);

/// A request to execute units in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecuteRequest {
    /// The key that the reply echoes.
    pub key: Key,
    /// 1 to 1,000 units.
    pub units: Vec<Unit>,
    /// The transaction they run in; absent runs each on its own.
    pub transaction: Option<TransactionId>,
    /// How long one unit may take, in milliseconds; absent means as long as it needs.
    pub statement_timeout_ms: Option<u64>,
}

/// What is known about the effect of the units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Every unit applied (inside a transaction: in it).
    Applied,
    /// Nothing was sent.
    NotStarted,
    /// Something was sent, and it is confirmed that no unit applied.
    NotApplied,
    /// A proper prefix applied; the count says how long it is.
    Partial,
    /// Nobody knows. A confirmed prefix may still be reported.
    Unknown,
}

/// The reply to an [`ExecuteRequest`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecuteReply {
    /// The request's key.
    pub key: Key,
    /// What is known.
    pub outcome: Outcome,
    /// How many consecutive units are confirmed applied.
    pub applied_count: u32,
    /// Why it did not succeed, under the rules of a reason. Absent on success.
    pub diagnostic: Option<String>,
    /// A stable code of the engine for the failure, `[A-Z0-9_]{1,32}`; absent on success or when there is none.
    pub engine_code: Option<String>,
}

impl ExecuteRequest {
    /// Proves that the request is one the contract allows.
    pub fn validate(&self) -> Result<(), Violation> {
        let count = (1..=UNITS_LIMIT).contains(&self.units.len());
        Violation::unless(count, "ExecuteRequest", "units", "has 1 to 1,000 units")?;
        self.units.iter().try_for_each(Unit::validate)
    }
}

impl ExecuteReply {
    /// Proves that outcome and count agree and the reply answers the request. A reply that fails this is UNKNOWN.
    pub fn validate_for(&self, asked: &ExecuteRequest) -> Result<(), Violation> {
        const M: &str = "ExecuteReply";
        asked.key.check_echo(&self.key, M)?;
        let (count, all) = (self.applied_count as usize, asked.units.len());
        let agrees = match self.outcome {
            Outcome::Applied => count == all,
            Outcome::NotStarted | Outcome::NotApplied => count == 0,
            Outcome::Partial => (1..all).contains(&count),
            Outcome::Unknown => count < all,
        };
        Violation::unless(agrees, M, "applied_count", "agrees with the outcome")?;
        let failed = self.outcome != Outcome::Applied;
        let coded = self.engine_code.as_deref().is_none_or(|code| failed && is_engine_code(code));
        Violation::unless(coded, M, "engine_code", "is absent on success, and else 1 to 32 of `[A-Z0-9_]`")?;
        check_diagnostic(M, self.outcome == Outcome::Applied, self.diagnostic.as_deref())
    }

    /// What the host concludes when no believable reply arrived after a request had left.
    pub fn unknown(key: Key) -> Self {
        Self { key, outcome: Outcome::Unknown, applied_count: 0, diagnostic: None, engine_code: None }
    }
}

/// Whether a text has the form of an engine's code: 1 to 32 of `[A-Z0-9_]`.
pub fn is_engine_code(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    (1..=32).contains(&text.len()) && text.bytes().all(allowed)
}

/// A diagnostic is absent on success and keeps the rules of a reason otherwise.
pub(crate) fn check_diagnostic(message: &'static str, success: bool, text: Option<&str>) -> Result<(), Violation> {
    match text {
        None => Ok(()),
        Some(_) if success => Err(Violation::new(message, "diagnostic", "is absent on success")),
        Some(text) => {
            let good = validate_diagnostic(text).is_ok();
            Violation::unless(good, message, "diagnostic", "keeps the rules of a reason")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::{RequestId, SessionId};
    use ptah_model::Scope;

    fn asked(units: usize) -> ExecuteRequest {
        ExecuteRequest {
            key: Key {
                session: SessionId::new("s").unwrap(),
                scope: Scope::new("c").unwrap(),
                request: RequestId::new("r").unwrap(),
            },
            units: vec![Unit::Sql { text: "select 1".to_owned() }; units],
            transaction: None,
            statement_timeout_ms: None,
        }
    }

    #[test]
    fn an_outcome_that_contradicts_its_count_is_refused() {
        let check = |outcome, count, allowed: bool| {
            let asked = asked(3);
            let reply = ExecuteReply {
                key: asked.key.clone(),
                outcome,
                applied_count: count,
                diagnostic: None,
                engine_code: None,
            };
            assert_eq!(reply.validate_for(&asked).is_ok(), allowed, "{outcome:?} {count}");
        };
        check(Outcome::Applied, 3, true);
        check(Outcome::Applied, 2, false);
        check(Outcome::NotStarted, 0, true);
        check(Outcome::NotStarted, 1, false);
        check(Outcome::NotApplied, 1, false);
        check(Outcome::Partial, 0, false);
        check(Outcome::Partial, 1, true);
        check(Outcome::Partial, 3, false);
        check(Outcome::Unknown, 2, true);
        check(Outcome::Unknown, 3, false);
        check(Outcome::Unknown, 4, false);
    }

    #[test]
    fn no_unit_and_too_many_units_are_refused() {
        assert!(asked(0).validate().is_err());
        assert!(asked(1).validate().is_ok());
        assert!(asked(1_001).validate().is_err());
    }
}
