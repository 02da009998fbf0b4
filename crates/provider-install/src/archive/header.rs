//! One block of 512 bytes that says what follows: POSIX ustar, and what GNU and BSD tar write of it.

/// The size of every block.
pub(super) const BLOCK: usize = 512;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
    /// GNU: the content is the next entry's name.
    LongName,
    /// POSIX: the content says more of the next entry.
    Extended,
    /// POSIX: the content says something of all entries that follow.
    Global,
    /// What is not taken, in words.
    Other(&'static str),
}

/// A header that passed its checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) name: Vec<u8>,
    pub(super) size: u64,
    pub(super) kind: Kind,
    /// Set-user-ID or set-group-ID.
    pub(super) lends_rights: bool,
}

/// A field up to its first NUL.
fn text(block: &[u8; BLOCK], at: usize, length: usize) -> &[u8] {
    let field = block.get(at..at + length).unwrap_or_default();
    field.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// A number in octal digits, ended by NUL or spaces. The binary form of large numbers is refused: no number here is.
fn number(block: &[u8; BLOCK], at: usize, length: usize) -> Result<u64, &'static str> {
    let field = text(block, at, length).trim_ascii();
    let mut value: u64 = 0;
    for byte in field {
        let digit = match byte {
            b'0'..=b'7' => u64::from(byte - b'0'),
            _ => return Err("a number is malformed or too large"),
        };
        value = value.checked_mul(8).and_then(|v| v.checked_add(digit)).ok_or("a number is too large")?;
    }
    Ok(value)
}

impl Header {
    /// Reads a block that is not all zeros.
    pub(super) fn read(block: &[u8; BLOCK]) -> Result<Self, &'static str> {
        let sum: u64 = block
            .iter()
            .enumerate()
            .map(|(at, byte)| {
                // The sum counts its own field as spaces.
                u64::from(if (148..156).contains(&at) { b' ' } else { *byte })
            })
            .sum();
        if number(block, 148, 8)? != sum {
            return Err("the checksum of a header is wrong");
        }
        let mut name = text(block, 0, 100).to_vec();
        // Only POSIX has a prefix there; GNU keeps times in its place.
        let prefix = text(block, 345, 155);
        if block.get(257..263) == Some(b"ustar\0") && !prefix.is_empty() {
            name = [prefix, b"/", &name].concat();
        }
        Ok(Self {
            name,
            size: number(block, 124, 12)?,
            kind: kind(block.get(156).copied().unwrap_or_default()),
            lends_rights: number(block, 100, 8)? & 0o6000 != 0,
        })
    }
}

fn kind(flag: u8) -> Kind {
    match flag {
        b'0' | 0 => Kind::File,
        b'5' => Kind::Folder,
        b'L' => Kind::LongName,
        b'x' => Kind::Extended,
        b'g' => Kind::Global,
        b'1' => Kind::Other("a hard link"),
        b'2' | b'K' => Kind::Other("a symbolic link"),
        b'3' | b'4' => Kind::Other("a device"),
        b'6' => Kind::Other("a pipe"),
        b'S' => Kind::Other("a file with holes"),
        _ => Kind::Other("something unknown"),
    }
}
