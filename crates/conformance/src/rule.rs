//! A rule: a sentence of the contract, what it needs, and the function that tries it.

use futures::future::BoxFuture;
use tonic::{Response, Status};

use crate::lab::Lab;

/// One sentence of the contract, as something that can be tried.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Its name, which states the promise.
    pub name: &'static str,
    /// What it is about, such as `locks`.
    pub concern: &'static str,
    /// The sentence of the contract.
    pub sentence: &'static str,
    /// The features without which it is not applicable.
    pub needs: &'static [&'static str],
    /// Whether it needs a database.
    pub database: bool,
    /// Tries it.
    pub(crate) run: for<'a> fn(&'a Lab) -> BoxFuture<'a, Check>,
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rule").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What was found out about one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds, as far as it was tried.
    Passed,
    /// It does not hold.
    Failed(Finding),
    /// It says nothing about this executable; why.
    NotApplicable(String),
}

/// How a rule was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What was sent or done.
    pub sent: String,
    /// What came back or happened.
    pub came: String,
}

/// What a rule's function returns.
pub(crate) type Check = Result<(), Stop>;

/// Why a rule's function ended early.
#[derive(Debug)]
pub(crate) enum Stop {
    Failed(Finding),
    NotApplicable(String),
}

/// A rule that is broken.
pub(crate) fn broken(sent: impl Into<String>, came: impl Into<String>) -> Stop {
    Stop::Failed(Finding { sent: sent.into(), came: came.into() })
}

/// A rule that says nothing here.
pub(crate) fn pointless(why: impl Into<String>) -> Stop {
    Stop::NotApplicable(why.into())
}

/// Goes on when what came is what has to come.
pub(crate) fn ensure(good: bool, sent: impl Into<String>, came: impl Into<String>) -> Check {
    if good { Ok(()) } else { Err(broken(sent, came)) }
}

/// The reply of a call that has to be answered.
pub(crate) fn reply<T>(sent: &str, answer: Result<Response<T>, Status>) -> Result<T, Stop> {
    answer.map(Response::into_inner).map_err(|status| broken(sent, failed(&status)))
}

/// The status of a call that has to fail.
pub(crate) fn refusal<T>(sent: &str, answer: Result<Response<T>, Status>) -> Result<Status, Stop> {
    match answer {
        Ok(_) => Err(broken(sent, "a reply, where the call has to fail")),
        Err(status) if is_transport(&status) => Err(broken(sent, failed(&status))),
        Err(status) => Ok(status),
    }
}

/// The status of a call that has to fail with one of these codes.
pub(crate) fn refused_with<T>(
    sent: &str,
    answer: Result<Response<T>, Status>,
    codes: &[tonic::Code],
) -> Result<Status, Stop> {
    let status = refusal(sent, answer)?;
    if codes.contains(&status.code()) { Ok(status) } else { Err(broken(sent, failed(&status))) }
}

/// A failed call, by its code alone: the message may hold what nobody should read.
pub(crate) fn failed(status: &Status) -> String {
    if is_transport(status) {
        return "the connection or the call broke off".to_owned();
    }
    format!("the call failed with {:?}", status.code())
}

/// Whether a status is the transport's own, and so no answer.
pub(crate) fn is_transport(status: &Status) -> bool {
    std::error::Error::source(status).is_some()
}
