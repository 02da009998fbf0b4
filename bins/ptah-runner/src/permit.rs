//! The permit: asked for until it is given, refused, or too late. Nothing is opened before.

use std::time::Duration;

use bytes::Bytes;
use http::{Method, StatusCode};
use ptah_model::Digest;
use ptah_records::operator::latest::{Failure, OperationSpec, PermitAnswer, PermitRequest};
use ptah_records::operator::seal;
use ptah_records::operator::text::Sha256;

use crate::client::{Answer, Client, Credential, Key};
use crate::clock::now;
use crate::pause::Pauses;
use crate::stop::Stop;
use crate::window::Window;
use crate::words;

/// Where a permit is asked for.
pub(crate) const PATH: &str = "/v1/permit";

/// What came of asking.
#[derive(Debug)]
pub(crate) enum Permit {
    /// It may begin, until the window is over. What it delivers comes with the key.
    Granted(Window, Key),
    /// It may not, and opens nothing.
    Refused(Failure),
}

/// What one answer means.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Meaning {
    Granted(Duration),
    Refused(Failure),
    AskAgain,
}

/// Asks until there is an answer that counts, or no time.
pub(crate) async fn ask(spec: &OperationSpec, client: &Client, token: &Credential, stop: &mut Stop) -> Permit {
    let Ok(key) = Key::random() else { return Permit::Refused(words::no_key()) };
    let request =
        PermitRequest { operation_id: spec.operation_id.clone(), key_digest: Sha256::from(&Digest::of(key.bytes())) };
    let Ok(request) = seal::write(&request) else { return Permit::Refused(words::no_key()) };
    let request = Bytes::from(request);
    let asking = Window::of_asking(&spec.limits, now());
    let mut pauses = Pauses::default();
    loop {
        // Before the request leaves: the budget counts from here, whatever the way takes.
        let sent = now();
        let answer = tokio::select! {
            answer = client.send(Method::POST, PATH, token, request.clone()) => answer,
            () = stop.asked() => return Permit::Refused(words::stopped_before_permit()),
        };
        match answer.map_or(Meaning::AskAgain, |answer| meaning(spec, &answer)) {
            Meaning::Granted(budget) => return Permit::Granted(Window::of_run(&spec.limits, sent, budget), key),
            Meaning::Refused(failure) => return Permit::Refused(failure),
            Meaning::AskAgain => {}
        }
        let pause = pauses.next().min(asking.left(now()));
        if pause.is_zero() {
            return Permit::Refused(words::no_permit_in_time());
        }
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = stop.asked() => return Permit::Refused(words::stopped_before_permit()),
        }
    }
}

/// An answer counts only as a whole, sealed document about this operation, with the status that belongs to it.
fn meaning(spec: &OperationSpec, answer: &Answer) -> Meaning {
    match (answer.status, seal::read(&answer.body)) {
        (StatusCode::OK, Ok(PermitAnswer::Granted { operation_id, budget_seconds }))
            if operation_id == spec.operation_id =>
        {
            Meaning::Granted(Duration::from_secs(budget_seconds.get()))
        }
        (StatusCode::CONFLICT, Ok(PermitAnswer::Refused { code, sentence })) => {
            Meaning::Refused(Failure { code, sentence })
        }
        (_, _) => Meaning::AskAgain,
    }
}

#[cfg(test)]
mod tests {
    use ptah_records::operator::text::{Code, OperationId, Sentence};
    use ptah_records::operator::whole::Whole;

    use super::*;
    use crate::fixtures::spec;

    fn answer(status: StatusCode, document: &PermitAnswer) -> Answer {
        Answer { status, body: seal::write(document).unwrap().into() }
    }

    fn granted(operation: &OperationId) -> PermitAnswer {
        PermitAnswer::Granted { operation_id: operation.clone(), budget_seconds: Whole::new(9).unwrap() }
    }

    #[test]
    fn only_a_whole_grant_for_this_operation_lets_anything_begin() {
        let spec = spec();
        let good = answer(StatusCode::OK, &granted(&spec.operation_id));
        assert_eq!(meaning(&spec, &good), Meaning::Granted(Duration::from_secs(9)));
        let other = OperationId::new("01890a5d-ac96-774b-bcce-b302099a8099").unwrap();
        assert_eq!(meaning(&spec, &answer(StatusCode::OK, &granted(&other))), Meaning::AskAgain);
        for status in [StatusCode::ACCEPTED, StatusCode::CONFLICT, StatusCode::SERVICE_UNAVAILABLE] {
            assert_eq!(meaning(&spec, &Answer { status, ..good.clone() }), Meaning::AskAgain, "{status}");
        }
        for place in 0..good.body.len() {
            let mut body = good.body.to_vec();
            body[place] ^= 1;
            let changed = Answer { body: body.into(), ..good.clone() };
            assert_eq!(meaning(&spec, &changed), Meaning::AskAgain, "a changed byte at {place}");
        }
    }

    #[test]
    fn a_refusal_is_final_and_not_yet_is_not() {
        let spec = spec();
        let (code, sentence) = (Code::new("another_pod").unwrap(), Sentence::new("Another Pod was let in.").unwrap());
        let refused = PermitAnswer::Refused { code: code.clone(), sentence: sentence.clone() };
        let failure = Failure { code, sentence };
        assert_eq!(meaning(&spec, &answer(StatusCode::CONFLICT, &refused)), Meaning::Refused(failure));
        assert_eq!(meaning(&spec, &answer(StatusCode::OK, &refused)), Meaning::AskAgain);
        let not_yet = PermitAnswer::NotYet {};
        assert_eq!(meaning(&spec, &answer(StatusCode::SERVICE_UNAVAILABLE, &not_yet)), Meaning::AskAgain);
    }
}
