//! Steps: what a provider turns a change into, with all that the planner must not know by itself.

use ptah_model::{Digest, DigestBuilder, Loss, ObjectId, Risk};

use crate::Violation;

/// The ID of a change within one plan request; its place in the list, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChangeId(pub u32);

/// The ID of a step within one plan reply, for example `rebuild:users`. Not empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepId(pub String);

/// A named setting of a session, such as `foreign_keys=off`. The provider gives the meaning.
pub type Setting = String;

/// One piece of work that serves one or more changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its ID.
    pub id: StepId,
    /// The changes that it serves; at least one.
    pub changes: Vec<ChangeId>,
    /// What is executed.
    pub unit: Unit,
    /// Steps that have to be done before it, each with the rule that says so.
    pub after: Vec<After>,
    /// Steps whose transaction has to be committed before it.
    pub after_commit: Vec<StepId>,
    /// Steps with the same name here stay in one transaction, in every mode.
    pub atomic_group: Option<String>,
    /// Settings that have to hold when its transaction begins.
    pub needs: Vec<Setting>,
    /// How it relates to transactions.
    pub transaction: TransactionRule,
    /// The provider's class; the higher of it and the change's class counts.
    pub risk: Risk,
    /// What it loses, if anything.
    pub loss: Option<Loss>,
    /// What can go wrong, for people.
    pub hazards: Vec<Hazard>,
    /// What it locks, rewrites and scans.
    pub locks: Vec<LockTaken>,
    /// What has to hold of the rows; asked before anything runs and again in the transaction.
    pub checks: Vec<Check>,
    /// The rule that made it what it is.
    pub rule: Rule,
}

/// "Not before that step", with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct After {
    /// The earlier step.
    pub step: StepId,
    /// Why, as one short sentence.
    pub rule: String,
}

/// A named rule of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name, for example `rebuild.foreign-key`.
    pub name: String,
    /// What it says, as one sentence.
    pub sentence: String,
}

/// How a step relates to transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionRule {
    /// Inside or outside.
    Any,
    /// Only inside a transaction.
    Inside,
    /// Only outside a transaction.
    Outside,
    /// In a transaction of its own.
    Alone,
}

/// What can go wrong with a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// A stable code.
    pub code: String,
    /// One sentence under the rules of a reason.
    pub text: String,
}

/// What a step does to an object while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockTaken {
    /// The object.
    pub object: ObjectId,
    /// The server's word for the lock.
    pub mode: String,
    /// Whether its rows are written again.
    pub rewrites: bool,
    /// Whether its rows are read.
    pub scans: bool,
}

/// A question about rows whose answer must be 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// A stable code, for example `rows.null`.
    pub code: String,
    /// A query that returns one integer: how many rows offend.
    pub count: String,
    /// A query that returns keys of offending rows; absent when there is none to name. Shown only with `--show-rows`.
    pub rows: Option<String>,
    /// What offending rows mean, as one sentence without a value.
    pub sentence: String,
    /// Whether offending rows make the step lose values rather than fail: allowed with `--allow-destructive`.
    pub lossy: bool,
}

/// What one execution sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unit {
    /// One statement of SQL.
    Sql {
        /// The statement.
        text: String,
    },
    /// An operation of the provider's own, made of statements that it also prints.
    Native(NativeOperation),
}

/// An operation that only the provider that planned it can run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeOperation {
    /// The provider's word, for example `rebuild-table`.
    pub kind: String,
    /// The version of the payload.
    pub version: u32,
    /// What the provider needs to run it.
    pub payload: Vec<u8>,
    /// The statements that it will send, in order: exactly what is printed.
    pub statements: Vec<String>,
    /// The digest over the rest; a provider refuses an operation whose digest does not match.
    pub digest: Digest,
}

impl NativeOperation {
    /// An operation with its digest.
    pub fn new(kind: impl Into<String>, version: u32, payload: Vec<u8>, statements: Vec<String>) -> Self {
        let mut operation =
            Self { kind: kind.into(), version, payload, statements, digest: Digest::from_bytes([0; 32]) };
        operation.digest = operation.expected_digest();
        operation
    }

    /// The digest that the other fields call for.
    pub fn expected_digest(&self) -> Digest {
        let builder = DigestBuilder::new("ptah.native-operation.v1")
            .text(&self.kind)
            .number(u64::from(self.version))
            .bytes(&self.payload)
            .number(self.statements.len() as u64);
        self.statements.iter().fold(builder, |b, s| b.text(s)).finish()
    }
}

impl Unit {
    /// The statements that it sends, in order.
    pub fn statements(&self) -> &[String] {
        match self {
            Self::Sql { text } => std::slice::from_ref(text),
            Self::Native(operation) => &operation.statements,
        }
    }

    /// Proves that a unit is whole.
    pub fn validate(&self) -> Result<(), Violation> {
        let whole = !self.statements().is_empty() && self.statements().iter().all(|s| !s.trim().is_empty());
        Violation::unless(whole, "Unit", "statements", "has statements, none of them empty")?;
        match self {
            Self::Sql { .. } => Ok(()),
            Self::Native(operation) => {
                let same = operation.digest == operation.expected_digest();
                Violation::unless(same, "NativeOperation", "digest", "is the digest of the other fields")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_native_operation_changed_in_any_field_is_refused() {
        let good = NativeOperation::new("rebuild-table", 1, b"{}".to_vec(), vec!["select 1".to_owned()]);
        assert!(Unit::Native(good.clone()).validate().is_ok());
        let mut kind = good.clone();
        kind.kind.push('x');
        let mut version = good.clone();
        version.version = 2;
        let mut payload = good.clone();
        payload.payload.push(b' ');
        let mut statements = good.clone();
        statements.statements.push("select 2".to_owned());
        for changed in [kind, version, payload, statements] {
            assert!(Unit::Native(changed).validate().is_err());
        }
    }
}
