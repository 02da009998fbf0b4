//! A Pod asks whether it may start. Who asks is what its token proves; what it asks is a sealed document.

use http::{Request, StatusCode};
use hyper::body::Incoming;
use ptah_records::operator::latest::{PermitAnswer, PermitRequest};
use ptah_records::operator::limits::MESSAGE;
use ptah_records::operator::seal;

use super::answer::Answer;
use super::{Intake, body};
use crate::credential::{Credential, credential};
use crate::gatekeeper::{Gatekeeper, Permitted};
use crate::reviewer::{Reviewed, Reviewer};
use crate::store::Store;

impl<R: Reviewer, G: Gatekeeper, S: Store> Intake<R, G, S> {
    /// Answers about a permit.
    pub(super) async fn permit(&self, request: Request<Incoming>) -> Answer {
        let Some(Credential::Token(token)) = credential(request.headers()) else {
            return Answer::unknown_sender("no token");
        };
        let pod = match self.reviewer.review(&token).await {
            Reviewed::Pod(pod) => pod,
            Reviewed::Refused => return Answer::unknown_sender("the token is no Pod's, or for others"),
            Reviewed::CannotSay => return Answer::later("nobody can say whose the token is"),
        };
        let bytes = match body::read(request.into_body(), MESSAGE).await {
            Ok(bytes) => bytes,
            Err(answer) => return answer,
        };
        let Ok(request) = seal::read::<PermitRequest>(&bytes) else {
            return Answer::bare(StatusCode::BAD_REQUEST, "it is no request for a permit");
        };
        match self.gatekeeper.permit(&pod, request).await {
            Permitted::Answer(answer) => Answer::permit(&answer),
            Permitted::NotLeader => Answer::permit(&PermitAnswer::NotYet {}),
        }
    }
}
