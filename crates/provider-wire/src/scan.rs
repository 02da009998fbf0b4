//! The scan: how much memory would a message take, before any of it is allocated.
//!
//! An empty submessage is two bytes on the wire and hundreds in memory, so the size limit of messages alone bounds
//! nothing: 4 MiB of them decode to 581 MiB, 64 MiB to 9.3 GiB. The scan walks the wire bytes without allocating, adds
//! up what the vectors, texts and submessages would take, vectors with the room in which they grow, and refuses a
//! message above [`decoded_limit`]. Fields that the contract does not know are skipped, as the decoder skips them.

use ptah_provider_api::contract::LARGE_MESSAGE_LIMIT;

use crate::shape::{FIELDS, Kind, Shape, Shaped};

/// How deep messages may nest. The contract's own do not reach it; it bounds the stack if one ever became recursive.
const DEPTH: usize = 12;

/// How many bytes of memory one byte of a message may take. The densest honest messages are plans of short changes,
/// with about 10; a bomb of empty submessages has 80 and more.
const DENSITY: usize = 16;

/// The smallest length by which a message is judged, so that short messages are not refused for being dense.
const SHORT: usize = 1024 * 1024;

/// Why a message is not decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScanError {
    /// It would take more memory than its length justifies.
    #[error("a message of {length} bytes would take more than {limit} bytes of memory")]
    TooDense {
        /// Its length on the wire, in bytes.
        length: usize,
        /// The most that it may take, in bytes.
        limit: usize,
    },
    /// It is no message at all.
    #[error("a message is malformed")]
    Malformed,
}

/// How much memory a message of this length may take, in bytes: 16 times its length, and never more than 2.2 times the
/// largest message that may be negotiated.
pub fn decoded_limit(length: usize) -> usize {
    const MOST: usize = LARGE_MESSAGE_LIMIT / 5 * 11;
    length.max(SHORT).saturating_mul(DENSITY).min(MOST)
}

/// Refuses a message that would take more memory than [`decoded_limit`] allows for its length. Answers how many bytes
/// it will take, apart from the message struct itself.
pub fn scan<M: Shaped>(wire: &[u8]) -> Result<usize, ScanError> {
    let limit = decoded_limit(wire.len());
    let mut scan = Scan { used: 0, length: wire.len(), limit };
    scan.message(wire, M::SHAPE, 0)?;
    Ok(scan.used)
}

struct Scan {
    used: usize,
    length: usize,
    limit: usize,
}

impl Scan {
    /// Walks one message.
    fn message(&mut self, mut wire: &[u8], shape: &'static Shape, depth: usize) -> Result<(), ScanError> {
        if depth > DEPTH {
            return Err(ScanError::Malformed);
        }
        let mut counts = [0_usize; FIELDS];
        while !wire.is_empty() {
            let key = varint(&mut wire)?;
            let number = u32::try_from(key >> 3).map_err(|_| ScanError::Malformed)?;
            let known = shape.fields.iter().position(|(n, _)| *n == number);
            let value = value(&mut wire, key & 7)?;
            let Some(at) = known else { continue };
            let Some((_, kind)) = shape.fields.get(at) else { continue };
            let count = counts.get_mut(at).ok_or(ScanError::Malformed)?;
            self.field(*kind, value, count, depth)?;
        }
        Ok(())
    }

    /// Accounts for one occurrence of a known field.
    fn field(&mut self, kind: Kind, value: Value<'_>, count: &mut usize, depth: usize) -> Result<(), ScanError> {
        match (kind, value) {
            (Kind::Text { repeated }, Value::Bytes(text)) => {
                self.take(text.len())?;
                self.push(repeated, count, size_of::<String>())
            }
            (Kind::Message { shape, repeated }, Value::Bytes(inner)) => {
                self.push(repeated, count, shape.size)?;
                self.message(inner, shape, depth + 1)
            }
            (Kind::Number { width, repeated }, Value::Number) => self.push(repeated, count, width),
            (Kind::Number { width, repeated: true }, Value::Bytes(packed)) => {
                let entries = packed.iter().filter(|b| **b < 0x80).count();
                (0..entries).try_for_each(|_| self.push(true, count, width))
            }
            _ => Err(ScanError::Malformed),
        }
    }

    /// Accounts for one more entry of a vector, as `Vec` grows: 4 entries first (1 of large ones), then doubling.
    fn push(&mut self, repeated: bool, count: &mut usize, size: usize) -> Result<(), ScanError> {
        if !repeated {
            return Ok(());
        }
        let first = if size > 1024 { 1 } else { 4 };
        let grown = if *count == 0 {
            first
        } else if *count >= first && count.is_power_of_two() {
            *count
        } else {
            0
        };
        *count += 1;
        self.take(grown.saturating_mul(size))
    }

    fn take(&mut self, bytes: usize) -> Result<(), ScanError> {
        self.used = self.used.saturating_add(bytes);
        if self.used > self.limit {
            let (length, limit) = (self.length, self.limit);
            return Err(ScanError::TooDense { length, limit });
        }
        Ok(())
    }
}

/// One value on the wire.
enum Value<'a> {
    Number,
    Bytes(&'a [u8]),
    /// A fixed-width number; no field of the contract is one.
    Fixed,
}

/// Takes one value of a wire type off the front.
fn value<'a>(wire: &mut &'a [u8], wire_type: u64) -> Result<Value<'a>, ScanError> {
    match wire_type {
        0 => varint(wire).map(|_| Value::Number),
        1 => bytes(wire, 8).map(|_| Value::Fixed),
        2 => {
            let length = usize::try_from(varint(wire)?).map_err(|_| ScanError::Malformed)?;
            bytes(wire, length).map(Value::Bytes)
        }
        5 => bytes(wire, 4).map(|_| Value::Fixed),
        // Groups are older than the contract, and nothing of it may be one.
        _ => Err(ScanError::Malformed),
    }
}

fn bytes<'a>(wire: &mut &'a [u8], length: usize) -> Result<&'a [u8], ScanError> {
    let (taken, rest) = wire.split_at_checked(length).ok_or(ScanError::Malformed)?;
    *wire = rest;
    Ok(taken)
}

/// Takes a base-128 number of at most ten bytes off the front.
fn varint(wire: &mut &[u8]) -> Result<u64, ScanError> {
    let mut number = 0_u64;
    for shift in (0..70).step_by(7) {
        let (&byte, rest) = wire.split_first().ok_or(ScanError::Malformed)?;
        *wire = rest;
        number |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(ScanError::Malformed)
}

#[cfg(test)]
mod tests;
