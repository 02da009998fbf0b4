//! The calls of the contract: their names, the feature that each needs, and how long each may take.

use std::fmt;
use std::time::Duration;

use ptah_provider_api::contract::{CALL_TIMEOUT, CLOSE_TIMEOUT, PROVISION_TIMEOUT};
use ptah_provider_api::feature::gated_calls;

/// One call of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Call {
    /// Negotiates.
    Describe,
    /// Makes a session.
    Open,
    /// Ends a session.
    Close,
    /// Reads the catalogue.
    Inspect,
    /// Turns changes into steps.
    Plan,
    /// Writes a reading as source text.
    Render,
    /// Analyses one source.
    AnalyzeSql,
    /// Executes units.
    Execute,
    /// Begins a transaction.
    Begin,
    /// Commits a transaction.
    Commit,
    /// Rolls a transaction back.
    Rollback,
    /// Makes one attempt to take a lock.
    TryLock,
    /// Proves that a lock is held now.
    CheckLock,
    /// Gives a lock back.
    ReleaseLock,
    /// Records one phase of an operation.
    Claim,
    /// Reads what the database remembers.
    ReadClaims,
    /// Records what a moved or copied database is.
    Adopt,
    /// Takes away everything of ours.
    Forget,
    /// Asks the rows.
    QueryRows,
    /// Makes a dev database.
    ProvisionDev,
}

impl Call {
    /// The word for people, as in `provider render failed`.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Describe => "describe",
            Self::Open => "open",
            Self::Close => "close",
            Self::Inspect => "inspect",
            Self::Plan => "plan",
            Self::Render => "render",
            Self::AnalyzeSql => "analyze",
            Self::Execute => "execute",
            Self::Begin => "begin",
            Self::Commit => "commit",
            Self::Rollback => "rollback",
            Self::TryLock => "lock",
            Self::CheckLock => "lock check",
            Self::ReleaseLock => "lock release",
            Self::Claim => "claim",
            Self::ReadClaims => "claims reading",
            Self::Adopt => "adoption",
            Self::Forget => "forget",
            Self::QueryRows => "query",
            Self::ProvisionDev => "dev provisioning",
        }
    }

    /// The call's name in the contract.
    pub fn name(self) -> &'static str {
        match self {
            Self::Describe => "Describe",
            Self::Open => "Open",
            Self::Close => "Close",
            Self::Inspect => "Inspect",
            Self::Plan => "Plan",
            Self::Render => "Render",
            Self::AnalyzeSql => "AnalyzeSql",
            Self::Execute => "Execute",
            Self::Begin => "BeginTransaction",
            Self::Commit => "CommitTransaction",
            Self::Rollback => "RollbackTransaction",
            Self::TryLock => "TryLock",
            Self::CheckLock => "CheckLock",
            Self::ReleaseLock => "ReleaseLock",
            Self::Claim => "Claim",
            Self::ReadClaims => "ReadClaims",
            Self::Adopt => "AdoptDatabase",
            Self::Forget => "ForgetRecords",
            Self::QueryRows => "QueryRows",
            Self::ProvisionDev => "ProvisionDev",
        }
    }

    /// The feature without which the call is not made; `None` for the calls that every provider has.
    pub fn feature(self) -> Option<&'static str> {
        let gate = gated_calls().iter().find(|(_, calls)| calls.contains(&self.name()));
        gate.map(|(feature, _)| *feature)
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.verb())
    }
}

/// How long calls may take. The contract's figures are the default; others are for tests of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// A call whose work does not grow with the schema or its rows; 30 s.
    pub call: Duration,
    /// Provisioning a dev database; 10 min.
    pub provision: Duration,
    /// Closing every session at the end, all together; 10 s.
    pub close_all: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self { call: CALL_TIMEOUT, provision: PROVISION_TIMEOUT, close_all: CLOSE_TIMEOUT }
    }
}

impl Deadlines {
    /// The limit of a call. `None`: it runs until the caller stops waiting, because its work grows with the schema
    /// (Inspect, Plan, Render), with the rows (`QueryRows`) or with the statements (Execute, unless each has a timeout;
    /// see [`Deadlines::of_execute`]). The first call of a process has the start's limit instead.
    pub fn of(&self, call: Call) -> Option<Duration> {
        match call {
            Call::Describe | Call::Inspect | Call::Plan | Call::Render | Call::Execute | Call::QueryRows => None,
            Call::ProvisionDev => Some(self.provision),
            Call::Open
            | Call::Close
            | Call::AnalyzeSql
            | Call::Begin
            | Call::Commit
            | Call::Rollback
            | Call::TryLock
            | Call::CheckLock
            | Call::ReleaseLock
            | Call::Claim
            | Call::ReadClaims
            | Call::Adopt
            | Call::Forget => Some(self.call),
        }
    }

    /// The limit of an Execute: that of a call and the timeout of each of its units; none without a timeout.
    pub fn of_execute(&self, units: usize, statement_timeout: Option<Duration>) -> Option<Duration> {
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        statement_timeout.map(|each| self.call.saturating_add(each.saturating_mul(units)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gate_of_the_contract_has_a_call_of_ours() {
        let gated = gated_calls().iter().flat_map(|(feature, calls)| calls.iter().map(move |call| (*feature, *call)));
        let ours = [
            Call::Inspect,
            Call::Plan,
            Call::Render,
            Call::AnalyzeSql,
            Call::Execute,
            Call::Begin,
            Call::Commit,
            Call::Rollback,
            Call::TryLock,
            Call::CheckLock,
            Call::ReleaseLock,
            Call::Claim,
            Call::ReadClaims,
            Call::Adopt,
            Call::Forget,
            Call::QueryRows,
            Call::ProvisionDev,
        ];
        for (feature, name) in gated {
            let call = ours.iter().find(|c| c.name() == name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(call.feature(), Some(feature), "{name}");
        }
        assert_eq!(Call::Open.feature(), None);
    }

    #[test]
    fn the_limit_of_each_call_is_that_of_its_class() {
        let deadlines = Deadlines::default();
        let unlimited = [Call::Inspect, Call::Plan, Call::Render, Call::Execute, Call::QueryRows];
        for call in unlimited {
            assert_eq!(deadlines.of(call), None, "{call}");
        }
        assert_eq!(deadlines.of(Call::ProvisionDev), Some(Duration::from_mins(10)));
        let others = [
            Call::Open,
            Call::Close,
            Call::AnalyzeSql,
            Call::Begin,
            Call::Commit,
            Call::Rollback,
            Call::TryLock,
            Call::CheckLock,
            Call::ReleaseLock,
            Call::Claim,
            Call::ReadClaims,
            Call::Adopt,
            Call::Forget,
        ];
        for call in others {
            assert_eq!(deadlines.of(call), Some(Duration::from_secs(30)), "{call}");
        }
    }

    #[test]
    fn an_execute_with_a_statement_timeout_has_a_calls_time_and_its_units() {
        let deadlines = Deadlines::default();
        assert_eq!(deadlines.of_execute(3, Some(Duration::from_secs(7))), Some(Duration::from_secs(51)));
        assert_eq!(deadlines.of_execute(3, None), None);
        assert_eq!(deadlines.of(Call::Execute), None);
        assert_eq!(deadlines.of(Call::TryLock), Some(Duration::from_secs(30)));
    }
}
