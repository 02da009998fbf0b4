//! Reasons on a failed call: packed into the details of a `google.rpc.Status`, and found there again.

use bytes::Bytes;
use prost::Message;
use ptah_provider_api::reason::Reason;
use tonic::{Code, Status};

use crate::pb;

/// The type of the detail, as gRPC names types.
const REASON_TYPE: &str = "type.googleapis.com/ptah.provider.v1.Reason";

/// The largest details that are looked at, in bytes: a reason has 512, and its wrapping less than that again.
const DETAILS_LIMIT: usize = 4 * 1024;

/// The most details that are looked at.
const DETAILS_COUNT: usize = 16;

/// A failed call with this code, an empty message, and the reason in its details.
pub fn status_with_reason(code: Code, reason: Option<&Reason>) -> Status {
    let Some(reason) = reason else {
        return Status::new(code, "");
    };
    let text = reason.as_str().to_owned();
    let detail = prost_types::Any { type_url: REASON_TYPE.to_owned(), value: pb::Reason { text }.encode_to_vec() };
    let status = pb::rpc::Status { code: code.into(), message: String::new(), details: vec![detail] };
    Status::with_details(code, "", Bytes::from(status.encode_to_vec()))
}

/// The reason that a failed call carries. `None` without one; one that breaks the rules of its shape, or that cannot be
/// read at all, is the fixed sentence in its place.
pub fn reason_from_status(status: &Status) -> Option<Reason> {
    let details = status.details();
    if details.is_empty() {
        return None;
    }
    if details.len() > DETAILS_LIMIT {
        return Some(Reason::or_malformed(""));
    }
    let Ok(found) = pb::rpc::Status::decode(details) else {
        return Some(Reason::or_malformed(""));
    };
    let mut details = found.details.into_iter().take(DETAILS_COUNT);
    let detail = details.find(|d| d.type_url == REASON_TYPE)?;
    match pb::Reason::decode(detail.value.as_slice()) {
        Ok(reason) => Some(Reason::or_malformed(reason.text)),
        Err(_) => Some(Reason::or_malformed("")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptah_provider_api::reason::MALFORMED_REASON;

    #[test]
    fn a_reason_survives_the_details_and_the_message_stays_empty() {
        let reason = Reason::new("the server has no such database").unwrap();
        let status = status_with_reason(Code::NotFound, Some(&reason));
        assert_eq!(status.message(), "");
        assert_eq!(reason_from_status(&status), Some(reason));
        assert_eq!(reason_from_status(&status_with_reason(Code::NotFound, None)), None);
    }

    #[test]
    fn malformed_details_and_reasons_become_the_fixed_sentence() {
        let shown = |details: Vec<u8>| {
            let status = Status::with_details(Code::Internal, "", Bytes::from(details));
            reason_from_status(&status).map(|r| r.as_str().to_owned())
        };
        let wrap = |value: Vec<u8>| {
            let type_url = REASON_TYPE.to_owned();
            pb::rpc::Status {
                code: 13,
                message: "secret".to_owned(),
                details: vec![prost_types::Any { type_url, value }],
            }
            .encode_to_vec()
        };
        let malformed = Some(MALFORMED_REASON.to_owned());
        assert_eq!(shown(vec![0xff; 9]), malformed);
        assert_eq!(shown(vec![0; DETAILS_LIMIT + 1]), malformed);
        assert_eq!(shown(wrap(b"\x0a\x03a\nb".to_vec())), malformed);
        assert_eq!(shown(wrap(b"\x0a\x02\xff\xfe".to_vec())), malformed);
        assert_eq!(shown(wrap(b"\x0a\x02ok".to_vec())), Some("ok".to_owned()));
    }

    #[test]
    fn details_of_another_type_are_no_reason() {
        let status = pb::rpc::Status {
            code: 13,
            message: String::new(),
            details: vec![prost_types::Any {
                type_url: "type.googleapis.com/google.rpc.ErrorInfo".to_owned(),
                value: b"\x0a\x02ok".to_vec(),
            }],
        };
        let status = Status::with_details(Code::Internal, "", Bytes::from(status.encode_to_vec()));
        assert_eq!(reason_from_status(&status), None);
    }
}
