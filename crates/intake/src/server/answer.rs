//! Which request is which, and what is answered: the statuses that a runner understands.

use bytes::Bytes;
use http::{Method, Response, StatusCode};
use http_body_util::Full;
use ptah_records::operator::latest::PermitAnswer;
use ptah_records::operator::seal;
use ptah_records::operator::text::{OperationId, Uid};

use crate::record::{Index, LAST_WORD};

/// Where a permit is asked for.
const PERMIT: &str = "/v1/permit";
/// How the path of every part of a result begins.
const RESULTS: &str = "/v1/results/";

/// What a request is about.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// A permit.
    Permit,
    /// A part of a result.
    Result(Target),
    /// Nothing that is here.
    Wrong(Answer),
}

/// Which part of which result.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The operation.
    pub(super) operation: OperationId,
    /// The Pod.
    pub(super) pod: Uid,
    /// Which part.
    pub(super) part: Part,
}

/// A part of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A piece.
    Piece(Index),
    /// The last word.
    LastWord,
}

/// An answer, with why.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// How it went.
    pub(super) status: StatusCode,
    /// What it says.
    body: Bytes,
    /// Why, for whoever looks after the server.
    pub(super) why: &'static str,
}

impl Answer {
    /// Nothing but a status.
    pub(super) fn bare(status: StatusCode, why: &'static str) -> Self {
        Self { status, body: Bytes::new(), why }
    }

    /// The sender tries again.
    pub(super) fn later(why: &'static str) -> Self {
        Self::bare(StatusCode::SERVICE_UNAVAILABLE, why)
    }

    /// It is not known who sends it.
    pub(super) fn unknown_sender(why: &'static str) -> Self {
        Self::bare(StatusCode::UNAUTHORIZED, why)
    }

    /// The answer about a permit, with the status that belongs to it.
    pub(super) fn permit(answer: &PermitAnswer) -> Self {
        let (status, why) = match answer {
            PermitAnswer::Granted { .. } => (StatusCode::OK, "granted"),
            PermitAnswer::NotYet {} => (StatusCode::SERVICE_UNAVAILABLE, "not yet"),
            PermitAnswer::Refused { .. } => (StatusCode::CONFLICT, "refused"),
        };
        // What is too long to be written is never a permit.
        match seal::write(answer) {
            Ok(body) => Self { status, body: body.into(), why },
            Err(_) => Self::later("the answer cannot be written"),
        }
    }

    /// As it is sent.
    pub(super) fn into_response(self) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::new(self.body));
        *response.status_mut() = self.status;
        response
    }
}

/// What a request is about, in a word and in full.
pub(super) fn route(method: &Method, path: &str) -> (&'static str, Route) {
    if path == PERMIT {
        let route = if *method == Method::POST { Route::Permit } else { wrong_method() };
        return ("permit", route);
    }
    let Some(path) = path.strip_prefix(RESULTS) else {
        return ("nothing", Route::Wrong(Answer::bare(StatusCode::NOT_FOUND, "there is nothing at this path")));
    };
    match target(path) {
        None => ("nothing", Route::Wrong(Answer::bare(StatusCode::BAD_REQUEST, "the path names no part of a result"))),
        Some(target) => {
            let asked = match target.part {
                Part::Piece(_) => "piece",
                Part::LastWord => "complete",
            };
            (asked, if *method == Method::PUT { Route::Result(target) } else { wrong_method() })
        }
    }
}

fn wrong_method() -> Route {
    Route::Wrong(Answer::bare(StatusCode::METHOD_NOT_ALLOWED, "the method is another"))
}

/// `<operation>/<Pod>/<number or last word>`, in the one spelling of each.
fn target(path: &str) -> Option<Target> {
    let mut parts = path.split('/');
    let (operation, pod, part, None) = (parts.next()?, parts.next()?, parts.next()?, parts.next()) else {
        return None;
    };
    let part = if part == LAST_WORD {
        Part::LastWord
    } else {
        let number: u64 = part.parse().ok()?;
        if number.to_string() != part {
            return None;
        }
        Part::Piece(Index::new(number).ok()?)
    };
    Some(Target { operation: OperationId::new(operation).ok()?, pod: Uid::new(pod).ok()?, part })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPERATION: &str = "01890a5d-ac96-774b-bcce-b302099a8051";

    #[test]
    fn a_part_of_a_result_has_one_path_and_one_method() {
        let piece = format!("/v1/results/{OPERATION}/pod-1/32");
        let ("piece", Route::Result(target)) = route(&Method::PUT, &piece) else { panic!() };
        assert_eq!(target.part, Part::Piece(Index::new(32).unwrap()));
        assert_eq!((target.operation.as_str(), target.pod.as_str()), (OPERATION, "pod-1"));
        let last = format!("/v1/results/{OPERATION}/pod-1/complete");
        assert!(matches!(route(&Method::PUT, &last), ("complete", Route::Result(_))));
        for (method, path) in [(Method::POST, piece.as_str()), (Method::GET, &last), (Method::GET, PERMIT)] {
            let (_, Route::Wrong(answer)) = route(&method, path) else { panic!("{method} {path}") };
            assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED);
        }
    }

    #[test]
    fn another_spelling_of_a_path_is_no_part_of_a_result() {
        let wrong = ["33", "-1", "+1", "01", "1.0", "Complete", "", "1/", "complete/0", "18446744073709551616", "%31"];
        for part in wrong {
            let (_, answer) = route(&Method::PUT, &format!("/v1/results/{OPERATION}/pod-1/{part}"));
            assert!(matches!(&answer, Route::Wrong(answer) if answer.status == StatusCode::BAD_REQUEST), "{part}");
        }
        for path in ["/v1/results/x/pod-1/0", "/v1/results//pod-1/0", &format!("/v1/results/{OPERATION}/a%2Fb/0")] {
            assert!(matches!(route(&Method::PUT, path).1, Route::Wrong(_)), "{path}");
        }
        for path in ["/", "/v1/permit/", "/v2/permit", "/v1/results"] {
            let (_, Route::Wrong(answer)) = route(&Method::POST, path) else { panic!("{path}") };
            assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        }
    }
}
