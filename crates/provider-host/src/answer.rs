//! What the caller learns of a call that changes something: an answer, or which side of the sending it was lost on.

use ptah_provider_api::execute::ExecuteReply;

use crate::error::HostError;

/// The end of a call that changes something.
///
/// The difference between the last two is the whole point: what was never sent has no effect, and what was sent and
/// not answered may have had one, whatever became of the process.
#[derive(Debug)]
#[must_use = "a lost answer is an unknown outcome and has to be told"]
pub enum Answer<T> {
    /// A believable answer.
    Reply(T),
    /// It is certain that nothing was sent.
    NotSent(HostError),
    /// The request left, and no believable answer came. Nobody knows its effect.
    Lost(HostError),
}

impl<T> Answer<T> {
    /// The answer, or why there is none. Only where the difference between not sent and lost does not matter.
    pub fn into_result(self) -> Result<T, HostError> {
        match self {
            Self::Reply(reply) => Ok(reply),
            Self::NotSent(error) | Self::Lost(error) => Err(error),
        }
    }

    /// Judges a reply after it came: one that is not believed is lost.
    pub(crate) fn and_believe<U>(self, judge: impl FnOnce(T) -> Result<U, HostError>) -> Answer<U> {
        match self {
            Self::Reply(reply) => judge(reply).map_or_else(Answer::Lost, Answer::Reply),
            Self::NotSent(error) => Answer::NotSent(error),
            Self::Lost(error) => Answer::Lost(error),
        }
    }
}

/// The end of an Execute. There always is one.
#[derive(Debug)]
#[must_use = "an outcome has to be recorded"]
pub struct Executed {
    /// What is known. `NOT_STARTED` when it is certain that nothing was sent, UNKNOWN when the answer was lost.
    pub reply: ExecuteReply,
    /// Why the reply is not the provider's own; absent when it is.
    pub cause: Option<HostError>,
}
