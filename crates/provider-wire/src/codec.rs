//! The codec of the generated client and server: prost's, with the scan in front of the decoder.

use std::fmt;
use std::marker::PhantomData;

use bytes::{Buf, Bytes};
use prost::Message;
use tonic::Status;
use tonic::codec::{BufferSettings, Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic_prost::ProstEncoder;

use crate::scan::{ScanError, scan};
use crate::shape::Shaped;

/// Encodes `T` as prost does, and scans before it decodes `U`.
pub struct ScannedCodec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for ScannedCodec<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, U> fmt::Debug for ScannedCodec<T, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ScannedCodec")
    }
}

impl<T, U> Codec for ScannedCodec<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Shaped + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = ScannedEncoder<T>;
    type Decoder = ScannedDecoder<U>;

    fn encoder(&mut self) -> Self::Encoder {
        ScannedEncoder(ProstEncoder::new(BufferSettings::default()))
    }

    fn decoder(&mut self) -> Self::Decoder {
        ScannedDecoder(PhantomData)
    }
}

/// Encodes as prost does.
#[derive(Debug)]
pub struct ScannedEncoder<T>(ProstEncoder<T>);

impl<T: Message> Encoder for ScannedEncoder<T> {
    type Item = T;
    type Error = Status;

    fn encode(&mut self, item: T, dst: &mut EncodeBuf<'_>) -> Result<(), Status> {
        self.0.encode(item, dst)
    }
}

/// Scans, then decodes.
pub struct ScannedDecoder<U>(PhantomData<U>);

impl<U> fmt::Debug for ScannedDecoder<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ScannedDecoder")
    }
}

impl<U: Message + Default + Shaped> Decoder for ScannedDecoder<U> {
    type Item = U;
    type Error = Status;

    fn decode(&mut self, src: &mut DecodeBuf<'_>) -> Result<Option<U>, Status> {
        // The buffer is contiguous, so this takes the bytes without copying them.
        let wire = src.copy_to_bytes(src.remaining());
        decode(wire).map(Some)
    }
}

/// Scans and decodes. The statuses carry no message, because no side shows one.
fn decode<U: Message + Default + Shaped>(wire: Bytes) -> Result<U, Status> {
    scan::<U>(&wire).map_err(|error| match error {
        ScanError::TooDense { .. } => Status::resource_exhausted(""),
        ScanError::Malformed => Status::internal(""),
    })?;
    U::decode(wire).map_err(|_| Status::internal(""))
}
