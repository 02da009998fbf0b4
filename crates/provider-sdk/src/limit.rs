//! The size limit of what arrives. The transport fixes its own limit when a service is made, and ours changes with
//! Describe; so the body is watched instead, and the five bytes in front of each message say how large it is.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use http_body::{Body, Frame, SizeHint};
use tonic::Status;
use tonic::server::NamedService;
use tower::Service;

use crate::negotiation::Negotiation;
use crate::status::{status, too_large};

/// A service whose requests keep the size limit that holds when they arrive.
#[derive(Clone, Debug)]
pub struct Limited<S> {
    inner: S,
    negotiation: Arc<Negotiation>,
}

impl<S> Limited<S> {
    pub(crate) fn new(inner: S, negotiation: Arc<Negotiation>) -> Self {
        Self { inner, negotiation }
    }
}

impl<S: NamedService> NamedService for Limited<S> {
    const NAME: &'static str = S::NAME;
}

impl<S: Service<http::Request<tonic::body::Body>>> Service<http::Request<tonic::body::Body>> for Limited<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: http::Request<tonic::body::Body>) -> S::Future {
        let negotiation = Arc::clone(&self.negotiation);
        let watched = |body| Watched { body, negotiation, prefix: Prefix::default() };
        self.inner.call(request.map(|body| tonic::body::Body::new(watched(body))))
    }
}

/// A body that fails at the first message above the limit.
struct Watched {
    body: tonic::body::Body,
    negotiation: Arc<Negotiation>,
    prefix: Prefix,
}

impl Body for Watched {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        let data = match &frame {
            Some(Ok(frame)) => frame.data_ref().cloned(),
            _ => None,
        };
        let limit = self.negotiation.message_limit();
        match data.map(|data| self.prefix.watch(data, limit)) {
            Some(Err(size)) => {
                let failure = too_large("a request", size, limit);
                Poll::Ready(Some(Err(status(failure, self.negotiation.reasons()))))
            }
            _ => Poll::Ready(frame),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Where in the sequence of length-prefixed messages a body is.
#[derive(Debug, Default)]
struct Prefix {
    header: [u8; 5],
    read: usize,
    /// How many bytes of the current message are still to come.
    rest: usize,
}

impl Prefix {
    /// Follows the next bytes; the size of a message above the limit is the error.
    fn watch(&mut self, mut data: Bytes, limit: usize) -> Result<(), usize> {
        while data.has_remaining() {
            if self.rest > 0 {
                let skipped = self.rest.min(data.remaining());
                data.advance(skipped);
                self.rest -= skipped;
                continue;
            }
            if let Some(slot) = self.header.get_mut(self.read) {
                *slot = data.get_u8();
                self.read += 1;
            }
            if self.read == self.header.len() {
                let [_, length @ ..] = self.header;
                self.read = 0;
                self.rest = u32::from_be_bytes(length) as usize;
                if self.rest > limit {
                    return Err(self.rest);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds two messages in pieces of `size` bytes.
    fn check(lengths: [usize; 2], size: usize, expected: Result<(), usize>) {
        let mut wire = Vec::new();
        for length in lengths {
            wire.push(0);
            wire.extend_from_slice(&u32::try_from(length).unwrap().to_be_bytes());
            wire.resize(wire.len() + length, 7);
        }
        let mut prefix = Prefix::default();
        let mut pieces = wire.chunks(size).map(Bytes::copy_from_slice);
        assert_eq!(pieces.try_for_each(|piece| prefix.watch(piece, 10)), expected, "{lengths:?} {size}");
    }

    #[test]
    fn a_message_above_the_limit_is_found_however_the_bytes_are_cut() {
        for size in 1..20 {
            check([10, 10], size, Ok(()));
            check([0, 10], size, Ok(()));
            check([11, 0], size, Err(11));
            check([10, 11], size, Err(11));
        }
    }
}
