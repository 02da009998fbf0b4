//! A Pod delivers a part of its result.
//!
//! ```text
//! who? ─► where does it belong? ─► a place among the uploads ─► its bytes ─► kept and read back ─► 204
//!  401 403     410 503                     503                   413 400        409 503
//! ```

use bytes::Bytes;
use http::{Request, StatusCode};
use hyper::body::Incoming;
use ptah_crds::PtahResultRecord;
use ptah_records::operator::latest::Complete;
use ptah_records::operator::limits::{MESSAGE, PIECE};
use ptah_records::operator::seal;

use super::answer::{Answer, Part, Target};
use super::{Intake, body};
use crate::credential::{Credential, credential};
use crate::gatekeeper::{Gatekeeper, Place, Standing};
use crate::keep::{Kept, keep};
use crate::record::About;
use crate::reviewer::{Pod, Reviewed, Reviewer};
use crate::store::Store;

/// Who sends it, as far as that is known without asking where it belongs.
enum Sender {
    Pod(Pod),
    Key(crate::credential::Key),
}

impl<R: Reviewer, G: Gatekeeper, S: Store> Intake<R, G, S> {
    /// Takes a part of a result.
    pub(super) async fn result(&self, target: &Target, request: Request<Incoming>) -> Answer {
        match self.take(target, request).await {
            Ok(answer) | Err(answer) => answer,
        }
    }

    async fn take(&self, target: &Target, request: Request<Incoming>) -> Result<Answer, Answer> {
        let sender = self.sender(target, &request).await?;
        let (place, late) = match self.gatekeeper.standing(&target.operation, &target.pod).await {
            Standing::Live(place) => (place, false),
            Standing::Late(place) => (place, true),
            Standing::Stranger => {
                return Err(Answer::bare(StatusCode::FORBIDDEN, "the Pod is none of the operation's"));
            }
            Standing::Gone => return Err(Answer::bare(StatusCode::GONE, "nobody waits for it")),
            Standing::NotKnownHere => return Err(Answer::later("the operation is not known here")),
        };
        admit(&sender, &place, late)?;
        // After it is known who sends it, so that no stranger takes a place.
        let _taken = self.uploads.take(&target.pod).ok_or_else(|| Answer::later("too many results at once"))?;
        let about = About { operation: &target.operation, pod: &target.pod, place: &place, late };
        let record = record(&about, target, request.into_body()).await?;
        match keep(&self.store, &about, &record).await {
            Ok(Kept::Stored) => Ok(Answer::bare(StatusCode::NO_CONTENT, if late { "stored late" } else { "stored" })),
            Ok(Kept::Conflict) => Err(Answer::bare(StatusCode::CONFLICT, "another is stored under its name")),
            Err(_) => Err(Answer::later("it could not be stored")),
        }
    }

    /// Who sends it. A Pod sends its own result and no other's.
    async fn sender(&self, target: &Target, request: &Request<Incoming>) -> Result<Sender, Answer> {
        let token = match credential(request.headers()) {
            Some(Credential::Token(token)) => token,
            Some(Credential::Key(key)) => return Ok(Sender::Key(key)),
            None => return Err(Answer::unknown_sender("no token and no key")),
        };
        match self.reviewer.review(&token).await {
            Reviewed::Pod(pod) if pod.uid == target.pod => Ok(Sender::Pod(pod)),
            Reviewed::Pod(_) => Err(Answer::bare(StatusCode::FORBIDDEN, "it is another Pod's result")),
            Reviewed::Refused => Err(Answer::unknown_sender("the token is no Pod's, or for others")),
            Reviewed::CannotSay => Err(Answer::later("nobody can say whose the token is")),
        }
    }
}

/// Whether the sender may put something in this place: after a permit the key alone, before it the Pod's token.
fn admit(sender: &Sender, place: &Place, late: bool) -> Result<(), Answer> {
    match (sender, &place.key) {
        (Sender::Key(key), Some(digest)) if key.is(digest) => Ok(()),
        (Sender::Key(_), Some(_)) => Err(Answer::unknown_sender("the key is another")),
        // Its digest went with the claim, so it can never be told again that the key is right.
        (Sender::Key(_), None) if late => Err(Answer::bare(StatusCode::GONE, "the key is not known any more")),
        (Sender::Key(_), None) => Err(Answer::unknown_sender("there is no permit with a key")),
        (Sender::Pod(_), Some(_)) => Err(Answer::unknown_sender("after a permit the key is wanted")),
        (Sender::Pod(pod), None) if pod.namespace == place.namespace => Ok(()),
        (Sender::Pod(_), None) => Err(Answer::bare(StatusCode::FORBIDDEN, "the Pod is in another namespace")),
    }
}

/// Reads the part and makes its record.
async fn record(about: &About<'_>, target: &Target, sent: Incoming) -> Result<PtahResultRecord, Answer> {
    let wrong = |why| Answer::bare(StatusCode::BAD_REQUEST, why);
    match target.part {
        Part::Piece(index) => {
            let data: Bytes = body::read(sent, PIECE).await?;
            if data.is_empty() {
                return Err(wrong("a piece has bytes"));
            }
            Ok(about.piece(index, data.into()))
        }
        Part::LastWord => {
            let bytes = body::read(sent, MESSAGE).await?;
            let complete: Complete = seal::read(&bytes).map_err(|_| wrong("it is no last word"))?;
            if complete.operation_id != target.operation || complete.pod_uid != target.pod {
                return Err(wrong("the last word is about something else"));
            }
            Ok(about.last_word(&complete))
        }
    }
}
