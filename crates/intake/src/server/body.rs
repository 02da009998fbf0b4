//! Reads a body that somebody known sends, up to a limit.

use bytes::Bytes;
use http::StatusCode;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::{Body as _, Incoming};

use super::answer::Answer;

/// All of the body. One that says that it is too large is not begun with.
pub(super) async fn read(body: Incoming, limit: usize) -> Result<Bytes, Answer> {
    let too_large = || Answer::bare(StatusCode::PAYLOAD_TOO_LARGE, "it is too large");
    if body.size_hint().lower() > limit as u64 {
        return Err(too_large());
    }
    match Limited::new(body, limit).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(too_large()),
        // Cut in the middle. The connection is gone, so nobody hears this but whoever looks after the server.
        Err(_) => Err(Answer::bare(StatusCode::REQUEST_TIMEOUT, "it was cut")),
    }
}
