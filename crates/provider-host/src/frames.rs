//! A look at what arrives, below the gRPC client: the size that each message claims, and whether a status came from the
//! provider at all.
//!
//! The client's own status for a message over the limit, for one that cannot be decoded and for a broken connection look
//! like statuses of the provider, and the provider can send any status. What was seen here tells them apart.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, Bytes};
use http::{HeaderMap, Request, Response};
use http_body::{Body as HttpBody, Frame, SizeHint};
use tonic::Status;
use tonic::body::Body;
use tonic::transport::Channel;
use tower::Service;

/// One call's sight; put into the request's extensions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen(Arc<State>);

#[derive(Debug, Default)]
struct State {
    oversize: AtomicU64,
    failed: AtomicBool,
}

impl Seen {
    /// The size of the first message above the limit, if there was one.
    pub(crate) fn oversize(&self) -> Option<u64> {
        let size = self.0.oversize.load(Ordering::Acquire);
        (size > 0).then_some(size)
    }

    /// Whether the provider itself said that the call failed.
    pub(crate) fn failed(&self) -> bool {
        self.0.failed.load(Ordering::Acquire)
    }

    fn headers(&self, headers: &HeaderMap) {
        if headers.get("grpc-status").is_some_and(|status| status.as_bytes() != b"0") {
            self.0.failed.store(true, Ordering::Release);
        }
    }

    fn length(&self, length: u64, limit: u64) {
        if length > limit {
            // The first one counts; the client reads no further.
            let _ = self.0.oversize.compare_exchange(0, length, Ordering::AcqRel, Ordering::Acquire);
        }
    }
}

/// The connection, watched.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    channel: Channel,
    limit: u64,
}

impl Watched {
    /// Watches for messages of more than `limit` bytes.
    pub(crate) fn new(channel: Channel, limit: u64) -> Self {
        Self { channel, limit }
    }
}

impl Service<Request<Body>> for Watched {
    type Response = Response<WatchedBody>;
    type Error = tonic::transport::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.channel.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let seen = request.extensions().get::<Seen>().cloned().unwrap_or_default();
        let limit = self.limit;
        let response = self.channel.call(request);
        Box::pin(async move {
            let response = response.await?;
            seen.headers(response.headers());
            Ok(response.map(|body| WatchedBody { body, seen, limit, frames: Frames::default() }))
        })
    }
}

/// The body of a response, watched.
#[derive(Debug)]
pub(crate) struct WatchedBody {
    body: Body,
    seen: Seen,
    limit: u64,
    frames: Frames,
}

impl HttpBody for WatchedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = self.get_mut();
        let frame = ready!(Pin::new(&mut this.body).poll_frame(cx));
        if let Some(Ok(frame)) = &frame {
            if let Some(data) = frame.data_ref() {
                let (seen, limit) = (&this.seen, this.limit);
                this.frames.read(data.clone(), |length| seen.length(length, limit));
            }
            if let Some(trailers) = frame.trailers_ref() {
                this.seen.headers(trailers);
            }
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// How many bytes stand before each message: a flag and its length.
const PREFIX: usize = 5;

/// Finds the prefixes of messages in a stream of bytes, however it is cut.
#[derive(Debug, Default)]
struct Frames {
    prefix: [u8; PREFIX],
    have: usize,
    skip: usize,
}

impl Frames {
    fn read(&mut self, mut data: Bytes, mut found: impl FnMut(u64)) {
        while data.has_remaining() {
            if self.skip > 0 {
                let skipped = self.skip.min(data.remaining());
                data.advance(skipped);
                self.skip -= skipped;
                continue;
            }
            if let Some(byte) = self.prefix.get_mut(self.have) {
                *byte = data.get_u8();
                self.have += 1;
            }
            if self.have == PREFIX {
                let [_, a, b, c, d] = self.prefix;
                let length = u32::from_be_bytes([a, b, c, d]);
                self.have = 0;
                self.skip = length as usize;
                found(u64::from(length));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_found_however_the_stream_is_cut() {
        let stream: &[u8] = b"\0\0\0\0\x03abc\0\0\0\0\0\x01\x12\x34\x56\x78rest";
        for cut in 1..=stream.len() {
            let mut frames = Frames::default();
            let mut lengths = Vec::new();
            for piece in stream.chunks(cut) {
                frames.read(Bytes::copy_from_slice(piece), |length| lengths.push(length));
            }
            assert_eq!(lengths, [3, 0, 0x1234_5678], "{cut}");
        }
    }

    #[test]
    fn the_first_message_above_the_limit_is_kept() {
        let seen = Seen::default();
        seen.length(10, 10);
        assert_eq!(seen.oversize(), None);
        seen.length(11, 10);
        seen.length(99, 10);
        assert_eq!(seen.oversize(), Some(11));
    }
}
