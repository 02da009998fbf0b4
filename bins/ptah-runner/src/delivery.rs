//! Delivering a parcel: every piece, then the last word, until it is stored, refused for good, or too late.
//!
//! A piece has a name of its own, so sending it twice is nothing. What is stored already is not sent again.

use std::time::Duration;

use bytes::Bytes;
use http::{Method, StatusCode};
use ptah_records::operator::seal;

use crate::client::{Answer, Client, Credential, NoAnswer};
use crate::clock::now;
use crate::pause::Pauses;
use crate::result::Parcel;

/// How a delivery ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivered {
    /// All of it is stored.
    Yes,
    /// The operation is none that anybody waits for any more.
    Retired,
    /// Another content is stored under its name.
    Conflict,
    /// The manager does not take it, however often it is sent.
    Refused,
    /// Nobody took it in time.
    TooLate,
}

impl Delivered {
    /// Why it was not delivered, for the log.
    pub(crate) fn why(self) -> &'static str {
        match self {
            Self::Yes => "it was",
            Self::Retired => "nobody waits for this operation any more",
            Self::Conflict => "another result is stored under its name",
            Self::Refused => "the manager does not take it",
            Self::TooLate => "nobody took it in time",
        }
    }
}

/// What one answer means for the piece that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Stored,
    Again,
    Over(Delivered),
}

/// Where a part of a parcel goes: `index` is a piece's number from 0, or `complete`.
pub(crate) fn path(parcel: &Parcel, index: &str) -> String {
    format!("/v1/results/{}/{}/{index}", parcel.frame.operation_id, parcel.frame.pod_uid)
}

/// Delivers until `end`, by the clock that nobody sets.
pub(crate) async fn deliver(parcel: &Parcel, client: &Client, credential: &Credential, end: Duration) -> Delivered {
    let last = parcel.complete().and_then(|complete| seal::write(&complete).ok());
    let Some(last) = last else { return Delivered::Refused };
    let pieces = parcel.pieces().enumerate().map(|(index, piece)| (index.to_string(), Bytes::copy_from_slice(piece)));
    for (index, body) in pieces.chain([("complete".to_owned(), Bytes::from(last))]) {
        let path = path(parcel, &index);
        let mut pauses = Pauses::default();
        loop {
            let answer = client.send(Method::PUT, &path, credential, body.clone()).await;
            match meaning(&answer) {
                Meaning::Stored => break,
                Meaning::Over(how) => return how,
                Meaning::Again => {}
            }
            let left = end.saturating_sub(now().boot);
            if left.is_zero() {
                return Delivered::TooLate;
            }
            tokio::time::sleep(pauses.next().min(left)).await;
        }
    }
    Delivered::Yes
}

fn meaning(answer: &Result<Answer, NoAnswer>) -> Meaning {
    let Ok(answer) = answer else { return Meaning::Again };
    match answer.status {
        StatusCode::OK | StatusCode::CREATED | StatusCode::NO_CONTENT => Meaning::Stored,
        StatusCode::GONE => Meaning::Over(Delivered::Retired),
        StatusCode::CONFLICT => Meaning::Over(Delivered::Conflict),
        StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE | StatusCode::UNPROCESSABLE_ENTITY => {
            Meaning::Over(Delivered::Refused)
        }
        // A token that is renewed, a replica that starts, a limit that passes: all of that may be over next time.
        _ => Meaning::Again,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_stored_piece_is_followed_by_the_next_and_no_lost_answer_ends_a_delivery() {
        let answer = |status| meaning(&Ok(Answer { status, body: Bytes::new() }));
        assert_eq!(answer(StatusCode::NO_CONTENT), Meaning::Stored);
        assert_eq!(answer(StatusCode::GONE), Meaning::Over(Delivered::Retired));
        assert_eq!(answer(StatusCode::CONFLICT), Meaning::Over(Delivered::Conflict));
        let again = [401, 403, 404, 408, 429, 500, 502, 503, 504, 301, 100, 202];
        for status in again.map(|code| StatusCode::from_u16(code).unwrap()) {
            assert_eq!(answer(status), Meaning::Again, "{status}");
        }
        for lost in [NoAnswer::Token, NoAnswer::Connection, NoAnswer::Late, NoAnswer::Answer] {
            assert_eq!(meaning(&Err(lost)), Meaning::Again);
        }
    }
}
