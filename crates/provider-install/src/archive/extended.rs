//! What is said of an entry before it: a name that is too long for its header.

/// The longest of these, in bytes.
pub(super) const LIMIT: u64 = 64 * 1024;

/// What was said so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Extended {
    pub(super) name: Option<Vec<u8>>,
    said: bool,
}

impl Extended {
    pub(super) fn is_empty(&self) -> bool {
        !self.said
    }

    /// GNU's way: the name, ended by NUL.
    pub(super) fn long_name(&mut self, content: &[u8]) -> Result<(), &'static str> {
        let name = content.split(|byte| *byte == 0).next().unwrap_or_default();
        self.set(name)
    }

    /// POSIX's way: records of `length key=value` and a line's end.
    pub(super) fn records(&mut self, mut content: &[u8]) -> Result<(), &'static str> {
        const WRONG: &str = "a record of an entry is malformed";
        self.said = true;
        while !content.is_empty() {
            let space = content.iter().position(|byte| *byte == b' ').ok_or(WRONG)?;
            let digits = content.get(..space).and_then(|digits| std::str::from_utf8(digits).ok()).ok_or(WRONG)?;
            let is_number = !digits.is_empty() && digits.len() <= 6 && digits.bytes().all(|b| b.is_ascii_digit());
            let length: usize = is_number.then(|| digits.parse().ok()).flatten().ok_or(WRONG)?;
            let record = content.get(space + 1..length).and_then(|record| record.strip_suffix(b"\n")).ok_or(WRONG)?;
            content = content.get(length..).ok_or(WRONG)?;
            let equals = record.iter().position(|byte| *byte == b'=').ok_or(WRONG)?;
            let (key, value) = (record.get(..equals).ok_or(WRONG)?, record.get(equals + 1..).ok_or(WRONG)?);
            match key {
                b"path" => self.set(value)?,
                // They change where the content ends, and what it is.
                b"size" => return Err("an entry is larger than a header can say"),
                sparse if sparse.starts_with(b"GNU.sparse") => return Err("a file has holes"),
                // Times, owners, attributes: none of it is used.
                _ => {}
            }
        }
        Ok(())
    }

    fn set(&mut self, name: &[u8]) -> Result<(), &'static str> {
        self.said = true;
        if self.name.is_some() {
            return Err("an entry has two names");
        }
        self.name = Some(name.to_vec());
        Ok(())
    }
}
